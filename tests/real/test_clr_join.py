#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joining .NET programs that are hard to reach, that cannot be joined, or that go at the wrong time.

usage: test_clr_join.py CASE PROFVIEW COUNTED.DLL MODULE DOTNET     ('none': skipped)
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import target
from verdict import Verdict

NOBODY = 65534
GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'


class Place:
    def __init__(self, profview, dll, module, dotnet, folder):
        self.profview, self.dll, self.module, self.dotnet = profview, dll, module, dotnet
        self.folder = pathlib.Path(folder)
        self.logs = 0

    @contextlib.contextmanager
    def program(self, *before, env=None, wait=True):
        """A program that stands still until it is told to go on; its number as we see it."""
        command = [*before, self.dotnet, self.dll, *8 * ['throws', 'pause']]
        with subprocess.Popen(command, env=os.environ | (env or {}), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as p:
            try:
                if wait:
                    while not p.stdout.readline().startswith('phase='):
                        if p.poll() is not None:
                            raise RuntimeError(f'{command} ended with {p.returncode}')
                yield p
            finally:
                with contextlib.suppress(OSError):
                    p.stdin.close()
                p.kill()

    def listed(self, pid):
        done = subprocess.run([self.profview, 'ps', '--format', 'json'], check=True,
                              capture_output=True, text=True)
        return [p for p in json.loads(done.stdout) if p['pid'] == pid]

    def attach(self, pid, *before, options=(), **more):
        self.logs += 1
        log = self.folder / f'{self.logs}.mlpd'
        viewer = subprocess.Popen([*before, self.profview, 'attach', *options, str(pid),
                                   '--record', str(log)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, **more)
        return viewer, log

    def events(self, log):
        done = subprocess.run([self.profview, 'report', '--format', 'json', '--no-index',
                               '--section', 'events', str(log)], capture_output=True, text=True,
                              check=False)
        with contextlib.suppress(ValueError, KeyError):
            return json.loads(done.stdout)['events']
        return {}

    def follows(self, viewer, log):
        """Names have come: it is inside."""
        def there():
            if viewer.poll() is not None:
                raise target.TimedOut(f'the viewer ended: {viewer.stderr.read()}')
            return self.events(log).get('assembly.load')
        target.wait_for('the log of a program that was joined', there)

    def leave(self, viewer, how=signal.SIGINT):
        viewer.send_signal(how)
        return viewer.communicate(timeout=target.DEADLINE)[1]

    def gone(self, pid):
        target.wait_for('the module to leave',
                        lambda: [j['join'] for j in self.listed(pid)] == ['diagnostics'])

    def visit(self, v, pid, what):
        viewer, log = self.attach(pid)
        try:
            self.follows(viewer, log)
        finally:
            said = self.leave(viewer)
        v.true(f'{what}: no complaint', 'refuse' not in said and 'cannot' not in said, said)

    def refusal(self, pid, *before, **more):
        viewer, _ = self.attach(pid, *before, **more)
        return viewer.communicate(timeout=target.DEADLINE)[1], viewer.returncode


def can(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def child_of(pid):
    """What an unshare that forked has started."""
    path = pathlib.Path(f'/proc/{pid}/task/{pid}/children')
    return int(target.wait_for('a child', lambda: path.read_text(encoding='ascii').split())[0])


def places(v, p):
    """Other folders for temporary files, other mounts, other numbers, another user."""
    other = p.folder / 'other'
    other.mkdir()
    with p.program(env={'TMPDIR': str(other)}) as program:
        v.equal('ps', [(j['join'], j['runtime']) for j in p.listed(program.pid)],
                [('diagnostics', '.NET')])
        v.true('ps says the version', p.listed(program.pid)[0]['version'][:1].isdigit())
        p.visit(v, program.pid, 'TMPDIR')
        p.visit(v, p.listed(program.pid)[0]['socket'], 'the path of its socket')
    if os.geteuid() != 0 or not can('unshare', '-m', 'true'):
        return
    inside = 'mount -t tmpfs none /mnt && export TMPDIR=/mnt && exec "$@"'
    with p.program('unshare', '-m', 'sh', '-c', inside, 'sh') as program:
        p.visit(v, program.pid, 'other mounts')
        p.visit(v, program.pid, 'other mounts again')
        loaded = {line.split()[4] for line in pathlib.Path(f'/proc/{program.pid}/maps').read_text().splitlines()
                  if 'libprofview-coreclr' in line}
        v.equal('libraries that it has loaded', len(loaded), 1)
        v.equal('what is left there', [f.name for f in pathlib.Path(f'/proc/{program.pid}/root/mnt').glob('profview-*/*')], [])
    inside = 'mount -t proc none /proc; mount -t tmpfs none /mnt; TMPDIR=/mnt exec "$@"'
    with p.program('unshare', '-mpf', '--kill-child', 'sh', '-c', inside, 'sh') as program:
        pid = child_of(program.pid)
        v.equal('ps lists what is in a container', len(p.listed(pid)), 1)
        p.visit(v, pid, 'other numbers')
    home = p.folder / 'home'
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    env = {'HOME': str(home), 'DOTNET_CLI_HOME': str(home), 'TMPDIR': '/tmp'}
    os.chmod(p.folder, 0o755)
    user = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']
    if can(*user, 'test', '-r', p.dll, '-a', '-r', p.module):
        with p.program(*user, env=env) as program:
            p.visit(v, program.pid, 'another user')


def refusals(v, p):
    """Each says why, and what to do."""
    long = p.folder / ('x' * 90)  # its runtime has no room for the socket's name
    long.mkdir()
    with p.program(env={'TMPDIR': str(long)}) as program:
        said, code = p.refusal(program.pid)
        v.equal('a long TMPDIR: exit', code, 3)
        v.true('a long TMPDIR: why', 'a TMPDIR of' in said and 'shorter' in said, said)
    with p.program(env={'DOTNET_EnableDiagnostics': '0'}) as program:
        said, code = p.refusal(program.pid)
        v.equal('diagnostics off: exit', code, 3)
        v.true('diagnostics off: which variable', 'DOTNET_EnableDiagnostics=0' in said, said)
        v.equal('diagnostics off: ps', p.listed(program.pid), [])
    theirs = p.folder / 'libother.so'
    shutil.copy(p.module, theirs)
    with p.program(env={'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
                        'CORECLR_PROFILER_PATH': str(theirs),
                        'PROFVIEW_OPTIONS': 'control=off,output=/dev/null'}) as program:
        said, code = p.refusal(program.pid, options=('--via', 'probe'))
        v.equal('another profiler: exit', code, 3)
        v.true('another profiler: which', str(theirs) in said and 'without' in said, said)
        viewer, log = p.attach(program.pid)
        target.wait_for('its own event stream', lambda: p.events(log).get('counters.sample'))
        said = p.leave(viewer)
        v.true('another profiler: what is done', str(theirs) in said and 'event stream' in said, said)
    with subprocess.Popen(['sleep', '1000']) as other:
        said, code = p.refusal(other.pid, options=('--via', 'probe'))
        other.kill()
    v.equal('not .NET: exit', code, 3)
    v.true('not .NET: what to do', 'profview run' in said, said)
    said, code = p.refusal(1 << 22)
    v.equal('nobody: exit', code, 3)
    v.true('nobody', 'no process' in said, said)
    user = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']
    if os.geteuid() == 0 and can(*user, 'test', '-x', p.profview):
        with p.program() as program:
            said, code = p.refusal(program.pid, *user)
        v.equal('another user: exit', code, 3)
        v.true('another user: what to do', 'or root' in said, said)


def chosen(v, p):
    """What to record is said when a program is joined; a probe that is there stays as it is."""
    with p.program() as program:
        for options, wanted, words in (
                (('--calls',), 3, "a program's start"), (('--alloc',), 3, "a program's start"),
                (('--probe', 'transitions'), 3, "a program's start"),
                (('--probe', 'alloc'), 3, "a program's start"),
                (('--probe', 'gcalloc'), 3, "a program's start"),
                (('--probe', 'calldepth=5'), 2, 'calldepth=5 is a word of Mono')):
            said, code = p.refusal(program.pid, options=options)
            v.equal(f'{options}: exit', code, wanted)
            v.true(f'{options}: why', words in said, said)
        viewer, log = p.attach(program.pid, options=(
            '--sample=0', '--heapshot=ondemand', '--probe', 'fields,strings=5'))
        try:
            p.follows(viewer, log)
            said, code = p.refusal(program.pid, options=('--sample=10',))
            v.equal('a probe is there: exit', code, 3)
            v.true('a probe is there: what to do', 'profview ctl' in said, said)
            said, code = p.refusal(program.pid, options=('--probe', 'nonsense'))
            v.equal('a probe is there, and no such word: exit', code, 2)
            v.true('a probe is there, and no such word: which', '"nonsense" is no word' in said, said)
            for key, words in (('fields', ''), ('contexts', 'joined'), ('transitions', 'at the start')):
                said = subprocess.run([p.profview, 'ctl', str(program.pid), 'set', f'{key}=on'],
                                      capture_output=True, text=True, check=False)
                v.equal(f'{key} now', said.stdout.strip() == 'ok', key == 'fields')
                v.true(f'{key}: why not', words in said.stderr, said.stderr)
            subprocess.run([p.profview, 'ctl', str(program.pid), 'heapshot'], check=True,
                           capture_output=True)
            target.wait_for('a heap shot', lambda: p.events(log).get('heap.end'))
        finally:
            p.leave(viewer)
        got = p.events(log)
        v.true('fields and strings', got.get('ext.fields.field') and got.get('ext.strings.text'), got)
        v.equal('no samples', got.get('sample.hit', 0), 0)
        what = json.loads(subprocess.run(
            [p.profview, 'report', '--format', 'json', '--no-index', '--section', 'heap_shots',
             str(log)], capture_output=True, text=True, check=True).stdout)['coverage']
        v.equal('roots', [c['state'] for c in what if c['what'] == 'roots'], ['partial'])


def begun(v, p):
    """A program that waits to begin is begun, with what only its start can give."""
    with p.program(env={'DOTNET_DefaultDiagnosticPortSuspend': '1'}, wait=False) as program:
        viewer, log = p.attach(program.pid, options=('--calls', '--probe', 'filter=n:Counted'))
        try:
            p.follows(viewer, log)
            while not program.stdout.readline().startswith('phase='):
                v.true('the program runs', program.poll() is None)
            target.wait_for('calls', lambda: p.events(log).get('method.enter'))
        finally:
            said = p.leave(viewer)
        v.true('no complaint', 'refuse' not in said and 'cannot' not in said, said)
        p.visit(v, program.pid, 'again')


def rejoined(v, p):
    """Who leaves has a whole log; who joins while the probe of another is still there has a time of its own."""
    def log_of(path):
        done = subprocess.run([p.profview, 'report', '--format', 'json', '--no-index', '--section', 'events', str(path)],
                              capture_output=True, text=True, check=False)
        with contextlib.suppress(ValueError, KeyError):
            read = json.loads(done.stdout)
            return {'duration_ns': read['duration_ns'], 'end': read['source']['end']}
        return {'duration_ns': 0, 'end': None}
    with p.program() as program:
        first, log = p.attach(program.pid)
        p.follows(first, log)
        target.wait_for('a log of two seconds', lambda: log_of(log)['duration_ns'] >= 2e9)
        p.leave(first)
        v.equal('the log of a viewer that left', log_of(log)['end'], 'ended')
        p.gone(program.pid)
        first, log = p.attach(program.pid)
        p.follows(first, log)
        target.wait_for('another log of two seconds', lambda: log_of(log)['duration_ns'] >= 2e9)
        p.leave(first, signal.SIGKILL)
        began = time.monotonic()
        second, log = p.attach(program.pid)
        p.follows(second, log)
        p.leave(second)
        took = time.monotonic() - began
        v.true('time begins when it is joined', log_of(log)['duration_ns'] <= (took + 0.5) * 1e9, [log_of(log), took])


def races(v, p):
    """A program that just begins, or ends; two viewers; one that is killed; both at once."""
    for _ in range(2):
        with p.program(wait=False) as program:
            viewer, log = p.attach(program.pid)
            p.follows(viewer, log)
            program.kill()
            viewer.communicate(timeout=target.DEADLINE)
        v.true('the log of a program that was killed has no damage', subprocess.run(
            [p.profview, 'report', '--no-index', '--section', 'events', str(log)],
            capture_output=True, check=False).returncode in (0, 4))
    with p.program() as program:
        first, log = p.attach(program.pid)
        p.follows(first, log)
        said, code = p.refusal(program.pid)
        v.equal('a second viewer: exit', code, 3)
        v.true('a second viewer: who reads', str(first.pid) in said, said)
        p.leave(first, signal.SIGKILL)
        p.gone(program.pid)
        both = [p.attach(program.pid) for _ in range(2)]
        target.wait_for('one of two viewers', lambda: any(
            p.events(log).get('assembly.load') for _, log in both))
        target.wait_for('the other to be refused', lambda: any(w.poll() == 3 for w, _ in both))
        v.equal('viewers that are in', sum(w.poll() is None for w, _ in both), 1)
        for w, _ in both:
            p.leave(w)
        p.gone(program.pid)
        p.visit(v, program.pid, 'after all that')
        program.stdin.write('go\n')
        program.stdin.flush()
        v.true('the program goes on', program.stdout.readline())


CASES = {'places': places, 'refusals': refusals, 'chosen': chosen, 'begun': begun, 'rejoined': rejoined, 'races': races}


def main(case, profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    os.environ['DOTNET_CLI_TELEMETRY_OPTOUT'] = '1'
    v = Verdict(f'clr-join-{case}')
    with target.scratch() as folder:
        CASES[case](v, Place(profview, dll, module, dotnet, folder))
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

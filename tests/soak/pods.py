#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Recorded in a container, watched from somewhere else: the figures are the program's own, whoever watches from where.

usage: pods.py PROFVIEW BUILD/tests/real BUILD/probe [--only POD/KIND/ACTION,...] [--list]

POD, the viewer's place: inside the container; host, root outside; sidecar, another container with the same processes;
folder, one that shares nothing but a folder; rootless, the user outside, of whose user namespace the container is.
KIND: mono, clr (.NET with the probe), events (.NET by its event stream), native. ACTION: run, attach, file and pipe
(followed), ctl, shot, leave (the viewer is killed). A word may be *. The program tells itself of 155 exceptions, or blocks.
A cell takes a few seconds, all take ten minutes; as root (77 without). The test suite has twelve cells.
"""
import argparse
import contextlib
import fnmatch
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import target
from term import Terminal
from test_clr import GUID
from test_clr_join import can, child_of
from verdict import Verdict

PODS = ('inside', 'host', 'sidecar', 'folder', 'rootless')
KINDS = ('mono', 'clr', 'events', 'native')
ACTIONS = ('run', 'attach', 'file', 'pipe', 'ctl', 'shot', 'leave')
PLANTED = {'Counted.OwnException': 60, 'System.FormatException': 45, 'System.Collections.Generic.KeyNotFoundException': 50}
THROWN = {'thrown': sum(PLANTED.values())}
BLOCKS, BLOCK = 155, 65536
PROBED = {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID}
NOBODY = '65534'
AS_USER = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']

# The container: its own numbers and mounts; the programs are where nothing is outside, one folder is shared.
INSIDE = ('mount --bind "$1" /mnt && mount --bind "$2" /srv && mount -t tmpfs none /tmp && mount -t proc none /proc && '
          'shift 2 && exec "$@"')
# A sidecar has files of its own, and the folder, by another name, too; its first process is not the viewer, which could not be
# interrupted then before it handles that.
BESIDE = 'mount --bind "$1" /mnt && mount --bind "$1" /media && mount -t tmpfs none /tmp && mount -t proc none /proc && shift && "$@"; exit $?'


def begun(pid, command):
    """The container is made, and its program there."""
    path = pathlib.Path(f'/proc/{pid}/cmdline')
    target.wait_for('the program', lambda: path.read_bytes().startswith(str(command).encode() + b'\0'))


class Pod:
    """A container with one program, which is its first process; the words by which a viewer is started in its place."""

    def __init__(self, kind, where, build, probes, folder):
        self.kind, self.where, self.build, self.probes = kind, where, build, probes
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.shared, self.app = self.folder / 'shared', self.folder / 'app'
        self.shared.mkdir()
        self.shared.chmod(0o777)
        self.app.mkdir()
        self.seen = self.shared if where in ('host', 'rootless') else pathlib.Path('/mnt')
        self.command = self._program()
        self.program = self.pid = None

    def _program(self):
        if self.kind == 'native':
            shutil.copy(self.build / 'pods', self.app)
            return ['/srv/pods']
        worlds = ['pause', 'throws', 'pause']
        if self.kind == 'mono':
            shutil.copy(self.build / 'counted.exe', self.app)
            return ['mono', '/srv/counted.exe', *worlds]
        for name in ('counted_clr.dll', 'counted_clr.runtimeconfig.json'):
            shutil.copy(self.build / name, self.app)
        return ['dotnet', '/srv/counted_clr.dll', *worlds]

    @property
    def streams(self):
        """Whether joining reads the runtime's event stream: no probe goes into what is not seen."""
        return self.kind == 'events' or (self.kind == 'clr' and self.where == 'folder')

    @property
    def left(self):
        """Why a log ends whose viewer leaves."""
        if self.streams or (self.kind == 'clr' and self.where in ('host', 'inside')):
            return 'ended'
        return '' if self.kind == 'clr' else 'who had joined it left'  # from a sidecar it may be either

    @contextlib.contextmanager
    def container(self):
        """The words that begin the program: as the first of its container, with which viewers in there end, or as another."""
        made = [*AS_USER, 'unshare', '-Urmpf', '--kill-child'] if self.where == 'rootless' else ['unshare', '-mpf', '--kill-child']
        made += ['sh', '-c', INSIDE, 'sh', self.shared, self.app]
        if self.where not in ('inside', 'sidecar'):
            yield made
            return
        with subprocess.Popen([*made, 'sleep', 'infinity']) as first:
            try:
                inner = child_of(first.pid)
                begun(inner, 'sleep')
                yield ['nsenter', '-t', str(inner), '-m', '-p']
            finally:
                first.kill()

    @contextlib.contextmanager
    def start(self, command, env=None, waits=False):
        """Until its first pause; or until it is begun, where it waits for the viewer."""
        env = ['env', 'TMPDIR=/tmp', 'HOME=/tmp', *(f'{k}={w}' for k, w in (env or {}).items())]
        with self.container() as container, target.Program([*container, *env, *command], self.folder) as program:
            self.program, self.pid = program, child_of(program.process.pid)
            begun(self.pid, command[0])
            if not waits:
                program.wait_phase(1)
            yield program

    def probed(self, output, options='control=on'):
        """The program with a probe inside from its start: what is started, with which variables."""
        if self.where == 'folder':
            options = options.replace('control=on', 'control=/mnt/ctl')
        if self.kind == 'mono':
            words = f'profview:nodefaults,exception,gc,classof,heapshot=ondemand,{options},output={output}'
            return ([self.command[0], f'--profile={words}', *self.command[1:]],
                    {'LD_LIBRARY_PATH': f'{self.probes}:{os.environ.get("LD_LIBRARY_PATH", "")}'})
        if self.kind == 'native':
            return self.command, {'LD_PRELOAD': f'{self.probes}/libprofview-native.so',
                                  'PROFVIEW_OPTIONS': f'alloc,maxframes=16,heapshot=ondemand,{options},output={output}'}
        return self.command, PROBED | {'CORECLR_PROFILER_PATH': f'{self.probes}/libprofview-coreclr.so', 'PROFVIEW_OPTIONS': (
            f'nodefaults,exception,gc,classof,heapshot=ondemand,{options},output={output}')}

    def at(self, *words):
        """The words, run in the viewer's place."""
        words = list(map(str, words))
        enter = ['nsenter', '-t', str(self.pid)]
        beside = ['sh', '-c', BESIDE, 'sh', str(self.shared)]
        before = {'inside': [*enter, '-m', '-p'], 'host': [], 'rootless': AS_USER,
                  'sidecar': [*enter, '-p', 'unshare', '-m', *beside],
                  'folder': ['unshare', '-mpf', '--kill-child', *beside]}
        return [*before[self.where], 'env', 'TMPDIR=/tmp', 'HOME=/tmp', *words]

    @property
    def name(self):
        """How the viewer calls the program: its number there, or the path of its socket."""
        if self.where == 'folder':
            if self.kind in ('mono', 'native'):
                return '/media/ctl'
            return '/media/' + target.wait_for('its socket', lambda: [
                p.name for p in self.shared.glob('dotnet-diagnostic-*-socket')])[0]
        return self.pid if self.where in ('host', 'rootless') else self.inner

    @property
    def inner(self):
        """Its number in the container."""
        return int(pathlib.Path(f'/proc/{self.pid}/status').read_text().split('NSpid:')[1].split('\n')[0].split()[-1])

    def ask(self, profview, *words):
        return subprocess.run(self.at(profview, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=target.DEADLINE, check=False)


def report(profview, log):
    """Nothing, while there is nothing to be read."""
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section', 'all', str(log)],
                          capture_output=True, text=True, timeout=target.DEADLINE, check=False)
    with contextlib.suppress(ValueError):
        return json.loads(done.stdout)
    return {}


def figures(r):
    """
    What the program did, by the log. Of an exception whose class did not come with it into one buffer the class is not
    known; of others than these, and of other blocks, nothing is known beforehand.
    """
    thrown = {c['name']: c['thrown'] for c in (r.get('exceptions') or {}).get('classes') or []}
    if PLANTED.keys() & thrown.keys():
        return {'thrown': sum(n for name, n in thrown.items() if name in (*PLANTED, '(class not recorded)'))}
    blocks = sum(s['allocations'] for s in r.get('allocation_sizes') or [] if s['from_bytes'] == BLOCK)
    return {'blocks': blocks} if blocks else {}


def right(kind):
    return {'blocks': BLOCKS} if kind == 'native' else THROWN


def compare(v, pod, profview, log, end=None):
    r = report(profview, log)
    v.equal('figures', figures(r), right(pod.kind))
    v.equal('damage', r.get('source', {}).get('damage'), [])
    if end:
        v.true('end', end in r['source']['end_known_from'], r['source']['end_known_from'])
    stacks = [s['stack'] for s in (r.get('allocation_sites' if pod.kind == 'native' else 'throw_sites') or [])]
    name = 'planted' if pod.kind == 'native' else 'Counted.Throws'
    v.true('names', any(name in frame for stack in stacks for frame in stack), stacks[:5])


def shown(profview, log, wanted):
    try:
        target.wait_for('the figures', lambda: figures(report(profview, log)) == wanted)
    except target.TimedOut as late:
        r = report(profview, log)
        keep = os.environ.get('PODS_KEEP')
        if keep:
            shutil.copy(log, keep)
        raise target.TimedOut(f'{late}: {r.get("exceptions")}, {r.get("source")}, {r.get("events")}') from None


class Joined:
    """A viewer without a screen that joins the program, once it records."""

    def __init__(self, pod, profview, name='joined', words=None):
        self.pod, self.profview = pod, profview
        self.log = pod.shared / name
        how = ['--via', 'events'] if pod.kind == 'events' else []
        self.viewer = subprocess.Popen(
            pod.at(profview, *(words or ['attach', *how, '--record', pod.seen / name, pod.name])), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)

        def records():
            if self.viewer.poll() is not None:
                raise target.TimedOut(f'the viewer ended: {self.viewer.stderr.read()}')
            r = report(profview, self.log)
            if pod.streams:
                return any(c.get('samples') for c in r.get('counters') or [])
            return r.get('events', {}).get('assembly.load') if pod.kind != 'native' else r.get('events')

        target.wait_for('the log', records)

    def shows(self, wanted):
        shown(self.profview, self.log, wanted)

    def process(self):
        """The viewer itself, below what took it to its place; its helpers are below it."""
        words = (self.profview.encode() + b'\0attach', self.profview.encode() + b'\0listen')
        at = self.viewer.pid
        while not pathlib.Path(f'/proc/{at}/cmdline').read_bytes().startswith(words):
            at = child_of(at)
        return at

    def end(self, how=signal.SIGINT):
        with contextlib.suppress(target.TimedOut, OSError):
            os.kill(self.process(), how)
        try:
            return self.viewer.communicate(timeout=target.DEADLINE)[1]
        finally:
            self.viewer.kill()


# ---- the actions

def ended(v, pod):
    """The program went its way to its end, as it does alone."""
    pod.program.go()
    pod.program.wait()
    v.equal('phases', pod.program.phase, 3)


def run(v, pod, profview):
    """The program is started with a probe in its container, and the log is read in the viewer's place."""
    words = {'native': ['--alloc', '--probe', 'maxframes=16'], 'mono': ['--probe', 'heapshot=ondemand'], 'clr': []}
    if pod.kind == 'events':
        listen(v, pod, profview)
        return
    log = pod.shared / 'log'
    with pod.start([profview, 'run', *words[pod.kind], '--record', '/mnt/log', '--', *pod.command]) as program:
        program.go()
        program.wait_phase(2)
        shown(profview, log, right(pod.kind))
        pod.folder.joinpath('report').write_text(pod.ask(profview, 'report', '--no-index', pod.seen / 'log').stdout)
        v.true('its report there', 'LIVE' not in pod.folder.joinpath('report').read_text()
               and len(pod.folder.joinpath('report').read_text()) > 200, pod.folder.joinpath('report').read_text())
        ended(v, pod)
    compare(v, pod, profview, log, 'ended')


def listen(v, pod, profview):
    """The program calls a viewer, by a socket in the folder, and waits for it."""
    with pod.start(pod.command, {'DOTNET_DiagnosticPorts': '/mnt/calls'}, waits=True) as program:
        joined = Joined(pod, profview, 'log', ['listen', '--record', pod.seen / 'log', pod.seen / 'calls'])
        program.wait_phase(1)
        program.go()
        program.wait_phase(2)
        joined.shows(right(pod.kind))
        ended(v, pod)
        joined.viewer.communicate(timeout=target.DEADLINE)
    compare(v, pod, profview, joined.log, 'ended')


def attach(v, pod, profview):
    joined = None
    command, env = pod.command, {}
    if pod.kind in ('mono', 'native'):
        command, env = pod.probed('|cat >/dev/null')
    elif pod.where == 'folder':
        env = {'TMPDIR': '/mnt'}
    with pod.start(command, env) as program:
        try:
            joined = Joined(pod, profview)
            program.go()
            program.wait_phase(2)
            joined.shows(right(pod.kind))
        finally:
            said = joined.end() if joined else ''
        v.true('no complaint', not any(w in said for w in ('refuse', 'cannot', 'no probe')), said)
        compare(v, pod, profview, joined.log, pod.left)
        ended(v, pod)


def pipes(pod):
    return [p for place in ('tmp', 'mnt') for p in os.listdir(f'/proc/{pod.pid}/root/{place}') if p.startswith('profview-join')]


def leave(v, pod, profview):
    """The viewer is killed; the program goes on, nothing of the viewer's stays, and another one joins."""
    command, env = pod.command, {}
    if pod.kind in ('mono', 'native'):
        command, env = pod.probed('|cat >/dev/null')
    elif pod.where == 'folder':
        env = {'TMPDIR': '/mnt'}
    with pod.start(command, env) as program:
        Joined(pod, profview, 'first').end(signal.SIGKILL)
        before = set(pipes(pod))
        second = Joined(pod, profview, 'second')
        try:
            program.go()
            program.wait_phase(2)
            second.shows(right(pod.kind))
        finally:
            second.end()
        # The probe of the first may not have gone yet: then the second has joined that one, which it does not end.
        compare(v, pod, profview, second.log, '' if pod.kind == 'clr' else pod.left)
        v.equal('pipes that are left there, but for that of the one that was killed', set(pipes(pod)) - before, set())
        ended(v, pod)


def own_stream(output):
    return {'DOTNET_EnableEventPipe': '1', 'DOTNET_EventPipeOutputPath': output, 'DOTNET_EventPipeOutputStreaming': '1',
            'DOTNET_EventPipeConfig': 'Microsoft-Windows-DotNETRuntime:0x8011:5'}


def written(pod, output):
    return (pod.command, own_stream(output)) if pod.kind == 'events' else pod.probed(output)


def file(v, pod, profview):
    command, env = written(pod, '/mnt/log')
    with pod.start(command, env) as program:
        frame = subprocess.Popen(pod.at(profview, '--follow', '--no-index', pod.seen / 'log', '--dump', '--size', '120x40', '--keys',
                                        '3' if pod.kind == 'native' else '8'),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        program.go()
        program.wait_phase(2)
        ended(v, pod)
        said = frame.communicate(timeout=target.DEADLINE)[0]
    v.true('how it ended', ' ENDED' in said, said)
    v.true('no damage', 'damage' not in said, said)
    wanted = ['155'] if pod.kind == 'native' else ['OwnException', ' 60 ', ' 45 ', ' 50 ']
    v.true('what it shows', all(w in said for w in wanted), said)
    compare(v, pod, profview, pod.shared / 'log', 'ended')


def pipe(v, pod, profview):
    os.mkfifo(pod.shared / 'pipe')
    (pod.shared / 'pipe').chmod(0o666)
    command, env = written(pod, '/mnt/pipe')
    with pod.start(command, env, waits=True) as program, subprocess.Popen(
            pod.at(profview, '--follow', '--record', pod.seen / 'log', pod.seen / 'pipe', '--dump'), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL) as viewer:
        program.wait_phase(1)
        program.go()
        program.wait_phase(2)
        shown(profview, pod.shared / 'log', right(pod.kind))
        ended(v, pod)
        viewer.wait(target.DEADLINE)
        v.equal('exit code', viewer.returncode, 0)
    compare(v, pod, profview, pod.shared / 'log', 'ended')


def ctl(v, pod, profview):
    command, env = (pod.command, {}) if pod.kind == 'events' else pod.probed('|cat >/dev/null')
    if pod.kind == 'events' and pod.where == 'folder':
        env['TMPDIR'] = '/mnt'
    with pod.start(command, env) as program:
        name = '/mnt/ctl' if pod.where == 'folder' and pod.kind != 'events' else pod.name
        said = pod.ask(profview, 'ctl', name, 'stats')
        if pod.kind == 'events':
            v.equal('without a probe: exit code', said.returncode, 3)
            v.true('without a probe', 'no probe' in said.stderr, said)
        else:
            v.true('stats', said.stdout.startswith(f'ok pid={pod.inner} '), said)
        program.go()
        program.wait_phase(2)
        ended(v, pod)


def shots(profview, log):
    return [s for s in report(profview, log).get('heap_shots') or [] if s['objects'] and not s['state']]


def shot(v, pod, profview):
    """The key on a screen in the viewer's place."""
    if pod.kind == 'events':
        command, env = pod.command, {'TMPDIR': '/mnt'} if pod.where == 'folder' else {}
    else:
        command, env = pod.probed('/mnt/log')
    with pod.start(command, env) as program, Terminal(pod.folder) as t:
        if pod.kind == 'events':
            t.run(*pod.at(profview, 'attach', '--via', 'events', '--record', pod.seen / 'log', pod.name))
        else:
            t.run(*pod.at(profview, '--follow', '--no-index', pod.seen / 'log'))
        t.wait('F10Quit')
        program.go()
        program.wait_phase(2)
        target.wait_for('what happened before', lambda: figures(report(profview, pod.shared / 'log')))
        t.keys('S')
        target.wait_for('a heap shot', lambda: shots(profview, pod.shared / 'log'))
        t.keys('q')
        if pod.kind == 'events':
            t.wait('Leave?')
            t.keys('y')
        t.wait_prompt()
        ended(v, pod)
    compare(v, pod, profview, pod.shared / 'log')
    if pod.kind == 'native':
        rows = shots(profview, pod.shared / 'log')[0]['classes']
        v.true('blocks that stay', any(r['bytes'] >= 40 * 70000 for r in rows), rows)


# ---- which

def cells(only):
    wanted = only.split(',') if only else ['*/*/*']
    return [(p, k, a) for k in KINDS for p in PODS for a in ACTIONS if any(fnmatch.fnmatch(f'{p}/{k}/{a}', w) for w in wanted)]


def missing(kind):
    program = {'mono': 'mono', 'clr': 'dotnet', 'events': 'dotnet'}.get(kind)
    return program if program and not shutil.which(program) else None


def main():
    p = argparse.ArgumentParser()
    p.add_argument('profview')
    p.add_argument('build', type=pathlib.Path)
    p.add_argument('probes', type=pathlib.Path)
    p.add_argument('--only')
    p.add_argument('--list', action='store_true')
    a = p.parse_args()
    if a.list:
        print('\n'.join('/'.join(c) for c in cells(a.only)))
        return 0
    if os.geteuid() != 0 or not can('unshare', '-mpf', 'true') or not can(*AS_USER, 'unshare', '-Urmpf', 'true'):
        print('only root can make these containers')
        return target.SKIP
    failed, made = [], 0
    for where, kind, action in cells(a.only):
        if missing(kind):
            print(f'{missing(kind)} is not installed')
            return target.SKIP
        began, v = time.monotonic(), Verdict(f'{where}/{kind}/{action}')
        with target.scratch() as folder:
            try:
                globals()[action](v, Pod(kind, where, a.build.resolve(), a.probes.resolve(), folder), os.path.abspath(a.profview))
            except (target.TimedOut, RuntimeError, subprocess.SubprocessError, OSError) as e:
                v.true(f'{type(e).__name__} {e}'[:3000], False)
        made += v.made
        failed += [v.name] if v.wrong else []
        for line in v.wrong:
            print(f'WRONG {v.name}: {line[:3000]}')
        print(f'{v.name}: {v.made} comparisons, {len(v.wrong)} wrong, {time.monotonic() - began:.1f} s', flush=True)
    print(f'{made} comparisons, cells that are wrong: {" ".join(failed) or "none"}')
    return 1 if failed or not made else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`attach` of several programs: a folder with a log of each, reasons for the others, and all as before when it is left.

usage: test_attach_several.py CASE PROFVIEW PROGRAM [IMAGE]
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

import target
from term import Terminal
from verdict import Verdict

NAME = f'joins-{os.getpid()}'  # another run of this test has another one


class Bench:
    def __init__(self, profview, program, folder):
        self.profview, self.folder = os.path.abspath(profview), pathlib.Path(folder)
        self.probes = pathlib.Path(self.profview).parent / 'probe'
        self.program = self.folder / NAME
        shutil.copy(program, self.program)
        self.started = []

    def start(self, *command, **env):
        p = subprocess.Popen(list(map(str, command)), env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.started.append(p)
        return p.pid

    def native(self, output):
        """One with a probe that can be joined; it computes for a minute."""
        return self.start(self.program, 'compute', '60000', LD_PRELOAD=str(self.probes / 'libprofview-native.so'),
                          PROFVIEW_OPTIONS=f'output={output},control=on,sample=100')

    def tool(self, *words):
        return subprocess.run([self.profview, *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=target.DEADLINE)

    def stats(self, pid):
        said = self.tool('ctl', pid, 'stats').stdout
        return dict(w.split('=', 1) for w in said.split() if '=' in w)

    def wait_work(self, *pids):
        """Until each has computed for so long from now on that there are samples of that."""
        def used(pid):
            fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
        until = {pid: used(pid) + 0.5 for pid in pids}
        target.wait_for('their work', lambda: all(used(pid) >= until[pid] for pid in pids))

    def end(self):
        for p in self.started:
            p.kill()
            p.wait()


class Attach:
    """Without a screen, into a folder, until it is interrupted."""

    def __init__(self, b, *words, **how):
        self.folder = b.folder / 'records'
        shutil.rmtree(self.folder, ignore_errors=True)
        self.process = subprocess.Popen([b.profview, 'attach', *map(str, words), '--record', f'{self.folder}/'],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)

    def rows(self):
        try:
            rows = json.loads((self.folder / 'index.json').read_text())['processes']
        except (OSError, ValueError):
            return {}
        return {r['pid']: r for r in rows}

    def size(self, pid):
        log = self.rows().get(pid, {}).get('log')
        return (self.folder / log).stat().st_size if log else 0

    def wait_logs(self, *pids, least=3000):
        target.wait_for('logs of all', lambda: all(self.size(p) > least for p in pids))

    def leave(self):
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self):
        out, err = self.process.communicate(timeout=target.DEADLINE)
        return self.process.returncode, out, err


def has_samples(v, b, a, pid, method):
    """Its log is one of that process, and whole so far."""
    done = b.tool('report', a.folder, '--process', pid, '--format', 'json', '--section', 'methods,target')
    report = json.loads(done.stdout)
    v.equal(f'{pid}: whose log', report['target']['pid'], pid)
    samples = sum(m['samples_self'] for m in report['methods'] if method in m['name'])
    v.at_least(f'{pid}: samples of {method}', samples, 1)


def native(v, b):
    file = b.native(b.folder / 'own.mlpd')
    os.mkfifo(b.folder / 'pipe')
    pipe = b.native(b.folder / 'pipe')
    other = b.start('sleep', '600')
    target.wait_for('both probes', lambda: b.stats(file) and b.stats(pipe))

    for words in ('attach', NAME), ('attach', NAME, other), ('attach', other, NAME), ('ctl', NAME, 'stats'):
        done = b.tool(*words)
        v.equal(f'{words}: a name of two', (done.returncode, done.stdout), (3, ''))
        v.true(f'{words}: both are named', f'2 processes are called "{NAME}"' in done.stderr and
               {str(file), str(pipe)} <= set(re.findall(r'\d+', done.stderr)), done.stderr)
    v.equal('nothing was joined', b.stats(pipe).get('reader'), 'no')

    a = Attach(b, '--via', 'probe', file, pipe, other)
    a.wait_logs(file, pipe)
    b.wait_work(file, pipe)
    v.equal('while it is read', b.stats(pipe).get('reader'), 'yes')
    code, out, err = a.leave()
    v.equal('code', code, 128 + signal.SIGINT)
    v.true('a frame', 'Processes' in out and 'compute' in out, out)
    v.true('the other is said', f'process {other} is not joined: process {other} has no probe' in err, err)
    rows = a.rows()
    v.equal('all are listed', sorted(rows), sorted([file, pipe, other]))
    v.equal('logs', [rows[file]['log'], rows[pipe]['log'], rows[other]['log']],
            [f'{file}-0.mlpd', f'{pipe}-0.mlpd', None])
    v.true('why not', 'has no probe' in rows[other]['reason'], rows[other])
    v.equal('they run on', [rows[p]['end_ns'] for p in rows], [None] * 3)
    for pid in file, pipe:
        has_samples(v, b, a, pid, 'compute')
        v.true('its time is known', rows[pid]['cpu_ns'] > 10**8, rows[pid])
    target.wait_for('the pipe without a reader', lambda: b.stats(pipe).get('reader') == 'no')
    before = (a.folder / f'{file}-0.mlpd').stat().st_size
    own = (b.folder / 'own.mlpd').stat().st_size
    target.wait_for('its own log to grow', lambda: (b.folder / 'own.mlpd').stat().st_size > own + 200)
    v.equal('the recording does not', (a.folder / f'{file}-0.mlpd').stat().st_size, before)

    a = Attach(b, file, pipe)
    a.wait_logs(file, pipe)
    a.process.kill()
    target.wait_for('the pipe without a reader', lambda: b.stats(pipe).get('reader') == 'no')
    v.true('listed all the same', all(r['log'] for r in a.rows().values()), a.rows())
    a.end()

    a = Attach(b, file, pipe)
    a.wait_logs(file, pipe)
    b.wait_work(file, pipe)
    for p in b.started[:2]:
        p.kill()
        p.wait()
    code, out, err = a.end()
    rows = a.rows()
    v.true('ends with them', all(rows[p]['end_ns'] for p in (file, pipe)), rows)
    v.true('says how many', '1 other, 1 recorded' in err, err)
    has_samples(v, b, a, pipe, 'compute')


def full(v, b):
    """There is no room for the logs: that, too, is said, and no code says that all is well."""
    limit = 2000
    b.program = b.program.rename(b.folder / 'full')  # which does not bear the other cases' name meanwhile
    pid = b.native(b.folder / 'own.mlpd')
    target.wait_for('the probe', lambda: b.stats(pid))
    a = Attach(b, pid, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    target.wait_for('the reason', lambda: a.rows().get(pid, {}).get('reason'))
    code, _, err = a.leave()
    v.equal('code', code, 125)
    v.true('it is said', 'recording was cut short: File too large' in err, err)
    v.equal('why', a.rows()[pid]['reason'], 'cut short: File too large')
    v.equal('what there is stays', (a.folder / a.rows()[pid]['log']).stat().st_size, limit)


def refused(v, b):
    one, two = b.start('sleep', '600'), b.start('sleep', '600')
    a = Attach(b, '--via', 'probe', one, two)
    code, out, err = a.end()
    v.equal('none of them', (code, out), (3, ''))
    v.equal('why', err.count('has no probe'), 2)
    v.equal('still listed', sorted(a.rows()), sorted([one, two]))
    done = b.tool('attach', one, two, '--record', b.folder / 'file.mlpd')
    v.equal('a file', done.returncode, 2)
    v.true('says what it wants', '--record takes a FOLDER/' in done.stderr, done.stderr)
    done = b.tool('attach', '--via', 'probe', one, 999999999)
    v.equal('no such process', done.returncode, 3)
    v.true('and it says so', 'there is no process 999999999' in done.stderr, done.stderr)
    v.equal('no name', b.tool('attach', 'such-a-program-is-not-there', one).returncode, 3)


def choose_other(t):
    """Their order may change meanwhile: then once more."""
    rows = [r for r in t.lines() if '· ' + NAME in r]
    if len(rows) == 2:
        t.type('gj' if '*' in rows[0][:3] else 'g')
        t.keys('Enter')
        t.wait('all views are of')
    return re.search(r'all views are of process \d+, ', t.text())


def screen(v, b):
    """Live, over a temporary folder."""
    pids = [b.native('none'), b.native(b.folder / 'own.mlpd')]
    other = b.start('sleep', '600')
    target.wait_for('both probes', lambda: all(b.stats(p) for p in pids))
    before = set(pathlib.Path('/var/tmp').glob('profview-run-*'))
    with Terminal(b.folder) as t:
        t.run(b.profview, 'attach', '--via', 'probe', *pids, other)
        t.wait(lambda text: re.search(NAME + r' \d+, \d of 3  attach .*LIVE', text))
        t.type('2')
        t.wait_row('compute')
        t.type('P')
        t.wait(lambda text: len(re.findall(r'· ' + NAME + ' compute', text)) == 2 and 'has no p' in text)
        target.wait_for('the other one', lambda: choose_other(t))
        t.type('2')
        t.wait_row('compute')
        t.keys('Q')
        t.wait_prompt()
        v.true('it was said', f'process {other} is not joined' in t.text(), t.text())
    v.equal('left over', set(pathlib.Path('/var/tmp').glob('profview-run-*')) - before, set())


def mixed(v, b, image, mono_image):
    """Both ways into .NET, Mono and a native program at once; then each is as it was."""
    pipe = b.folder / 'mono.pipe'
    os.mkfifo(pipe)
    native_ = b.native('none')
    dotnet = b.start('dotnet', image, 'loops', '60')
    mono = b.start('mono', f'--profile=profview:output={pipe},control=on,sample=100', mono_image, '3', '60000',
                   LD_LIBRARY_PATH=str(b.probes))
    ways = lambda: {r['pid']: r['ways'] for r in json.loads(b.tool('ps', '--format', 'json').stdout)}
    target.wait_for('all three', lambda: {native_, dotnet, mono} <= set(ways()) and b.stats(mono) and
                    ways()[dotnet] == ['probe', 'events'])
    for how in ['--sample'], ['--via', 'events']:
        a = Attach(b, native_, dotnet, mono, *how)
        a.wait_logs(native_, dotnet, mono, least=1000)
        log = a.rows()[dotnet]['log']
        v.equal(f'{how}: its stream', log, f'{dotnet}-0.{"nettrace" if "events" in how else "mlpd"}')
        target.wait_for(f'{how}: more of it', lambda: a.size(dotnet) > 30000)
        code, _, err = a.leave()
        v.equal(f'{how}: code', code, 128 + signal.SIGINT)
        rows = a.rows()
        v.equal(f'{how}: hosts', [rows[p]['host'] for p in (native_, dotnet, mono)], ['native', 'coreclr', 'mono'])
        v.true(f'{how}: nothing is refused', 'is not joined' not in err, err)
        done = b.tool('report', a.folder, '--process', dotnet, '--format', 'json', '--section', 'target,source')
        report = json.loads(done.stdout)
        v.equal(f'{how}: whose log', report['target']['pid'], dotnet)
        v.equal(f'{how}: damage', report['source']['damage'], [])
        target.wait_for(f'{how}: .NET as before', lambda: ways().get(dotnet) == ['probe', 'events'])
        v.equal(f'{how}: nobody reads Mono', b.stats(mono).get('reader'), 'no')
    v.true('all run', all(p.poll() is None for p in b.started), '')


CASES = {'native': native, 'full': full, 'refused': refused, 'screen': screen, 'mixed': mixed}


def main(case, profview, program, *images):
    v = Verdict(f'attach several {case}')
    with target.scratch() as folder:
        b = Bench(profview, program, folder)
        try:
            CASES[case](v, b, *map(os.path.abspath, images))
        finally:
            b.end()
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

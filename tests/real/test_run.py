#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview run`, `ps` and `ctl` with real programs, real terminals and real sockets.

usage: test_run.py CASE PROFVIEW PROGRAM   PROGRAM: run_me.exe, or run_me of C for native cases
The case dotnet-run has the SDK build a project, which takes long: it is no part of the suite.
"""
import inspect
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

from rates import perf_is_allowed
from target import DEADLINE, TimedOut, wait_for
from term import Terminal

THROWN = 321
LONG = '600000'  # ms: longer than any test, and ended by a signal


class Wrong(Exception):
    """What was seen is not what had to be."""


def expect(what, got, wanted):
    if got != wanted:
        raise Wrong(f'{what}: {got!r}, not {wanted!r}')


def expect_in(what, part, text):
    if part not in text:
        raise Wrong(f'{what}: {part!r} is not in\n{text}')


class Bench:
    def __init__(self, profview, program, folder):
        self.profview, self.program = profview, program
        self.folder = pathlib.Path(folder)
        self.log = self.folder / 'log.mlpd'
        self.runtime = self.folder / 'runtime'
        self.runtime.mkdir(mode=0o700)
        self.env = {**os.environ, 'XDG_RUNTIME_DIR': str(self.runtime)}

    def call(self, *words, env=None, code=None):
        done = subprocess.run([self.profview, *map(str, words)], env=env or self.env, text=True,
                              capture_output=True, timeout=DEADLINE, check=False)
        if code is not None and done.returncode != code:
            raise Wrong(f'{words}: exit {done.returncode}, not {code}\n{done.stderr}')
        return done

    def run(self, *words, code=None):
        return self.call('run', '--record', self.log, *words, code=code)

    def report(self):
        return json.loads(self.call('report', self.log, '--format', 'json', '--section', 'all',
                                    '--no-index').stdout)

    def processes(self):
        return json.loads(self.call('ps', '--format', 'json', code=0).stdout)

    def probe_of(self, part):
        """The process with a probe whose command has that part; waits for it."""
        return wait_for(f'a probe in {part}', lambda: next(
            (p for p in self.processes() if p['join'] == 'probe' and part in p['command']), None))

    def tell(self, pid, *line, code=0):
        return self.call('ctl', pid, *line, code=code)

    def left_over(self):
        return [p.name for p in self.runtime.iterdir() if p.name.startswith('profview-run')]


def thrown(report):
    """By the program itself; the runtime throws where nobody sees it."""
    return sum(s['thrown'] for s in report['throw_sites'] if 'RunMe:Throw ()' in s['stack'][-1])


def methods(report):
    return {m['name']: m for m in report['methods'] or []}


def mono_plain(b):
    """Figures right, streams kept apart, code passed on, nothing left behind."""
    done = b.run('--calls', '--sample=0', '--', 'mono', b.program, THROWN, code=7)
    expect('its output', done.stdout, f'thrown={THROWN}\ndone\n')
    expect_in('its other stream', 'on the other stream\n', done.stderr)
    expect_in('the overview', 'Hot methods', done.stderr)
    r = b.report()
    expect('exceptional leaves', methods(r)['RunMe:Throw ()']['exceptional_leaves'], THROWN)
    expect('calls', methods(r)['RunMe:Throw ()']['calls'], THROWN)
    expect('complete', r['source']['complete'], True)
    expect('left over', b.left_over(), [])


def image(b):
    """An image is run by mono; one that no record is made of too."""
    done = b.call('run', b.program, 5, code=7)
    expect('its output', done.stdout, 'thrown=5\ndone\n')


def script(b):
    """A script that ends in mono; what stood in MONO_ENV_OPTIONS stays."""
    path = b.folder / 'tool'
    path.write_text('#!/bin/sh\n# a tool\necho first\n'
                    f'exec /usr/bin/env mono $OPTIONS "{b.program}" "$@"\n')
    path.chmod(0o755)
    b.env['MONO_ENV_OPTIONS'] = '--debug'
    done = b.run('--', path, THROWN, code=7)
    expect('its output', done.stdout, f'first\nthrown={THROWN}\ndone\n')
    expect('exceptions', thrown(b.report()), THROWN)


def sealed(b):
    """Mono says nothing when it does not load a module: somebody must."""
    path = b.folder / 'sealed'
    path.write_text(f'#!/bin/sh\nunset MONO_ENV_OPTIONS\nexec mono "{b.program}" "$@"\n')
    path.chmod(0o755)
    done = b.call('run', '--', path, 3, code=7)
    expect_in('why', 'no log came', done.stderr)
    expect_in('why', 'environment', done.stderr)
    path.write_text('#!/bin/sh\nfor i in 1 2; do\n  "$1" $i\ndone\n')
    for _ in range(30):  # on a busy machine the shell itself uses 20 ms as it starts, now and then
        done = b.call('run', '--', path, 'echo')
        if done.returncode:
            break
    if done.returncode:
        expect('exit code', done.returncode, 125)
        expect_in('why', 'nothing that this script ran is Mono or .NET or used 20 ms', done.stderr)
    else:
        b.call('run', '--record', f'{b.folder}/sealed.d/', '--', path, 'echo')
        rows = json.loads((b.folder / 'sealed.d/index.json').read_text())['processes']
        expect('what is recorded used 20 ms', all(r['cpu_ns'] >= 20e6 for r in rows if r['log']), True)


def refused(b):
    """What no probe gets into is not started."""
    static, other = b.folder / 'static', b.folder / 'other'
    head = bytearray(pathlib.Path('/bin/true').read_bytes())
    head[18:20] = (243).to_bytes(2, 'little')  # RISC-V
    other.write_bytes(head)
    head[18:20] = pathlib.Path('/bin/true').read_bytes()[18:20]
    entries, at = int.from_bytes(head[56:58], 'little'), int.from_bytes(head[32:40], 'little')
    for i in range(entries):
        if int.from_bytes(head[at + 56 * i:at + 56 * i + 4], 'little') == 3:
            head[at + 56 * i:at + 56 * i + 4] = b'\0\0\0\0'
    static.write_bytes(head)
    for path, why in (static, 'statically'), (other, 'another architecture'):
        path.chmod(0o755)
        expect_in(path.name, why, b.call('run', '--', path, code=3).stderr)
    if os.geteuid() == 0:
        setid = b.folder / 'setid'
        setid.write_bytes(pathlib.Path('/bin/true').read_bytes())
        os.chown(setid, 65534, 65534)
        setid.chmod(0o755 | stat.S_ISUID)
        expect_in('set-id', 'other rights', b.call('run', '--', setid, code=3).stderr)
    b.call('run', '--', b.folder / 'nothing', code=127)
    (b.folder / 'plain').write_text('text')
    b.call('run', '--', b.folder / 'plain', code=126)
    expect_in('a folder', 'directory', b.call('run', '--', b.folder, code=126).stderr)
    circle = b.folder / 'circle'
    circle.write_text(f'#!{circle}\n')
    circle.chmod(0o755)
    expect_in('why', f'profview: {circle}: ', b.call('run', '--', circle, code=126).stderr)
    b.log.write_text('mine')
    expect_in('the record', f'already: {b.log}', b.run('--', 'true', code=2).stderr)
    b.call('run', code=2)
    expect('left over', b.left_over(), [])


def signalled(b):
    """128 + n, and a program that cannot be found in its script's place."""
    b.run('--', 'sh', '-c', 'kill -KILL $$', code=128 + signal.SIGKILL)


def supervised():
    """As under nohup, by a shell in the background, and by a supervisor that blocks signals."""
    for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGCHLD, signal.SIGRTMIN + 7):
        signal.signal(ignored, signal.SIG_IGN)
    for usual in signal.SIGPIPE, signal.SIGXFSZ:  # Python ignores them itself
        signal.signal(usual, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR1, signal.SIGTERM})


def inherited(b):
    """Signals that were ignored and blocked stay so, with and without a terminal."""
    def call(*words):
        return subprocess.run(words, preexec_fn=supervised, env=b.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=DEADLINE, check=False)
    def signals(text):
        return re.findall(r'^(Sig(?:Ign|Blk)):\s*(\w+)', text, re.M)
    wanted = signals(call('cat', '/proc/self/status').stdout)
    expect('hang-up is ignored', int(wanted[1][1], 16) & 1 << signal.SIGHUP - 1, 1)
    done = call(b.profview, 'run', '--record', str(b.log), '--', 'cat', '/proc/self/status')
    expect('without a terminal', signals(done.stdout), wanted)
    expect('code', done.returncode, 0)
    starter, seen = b.folder / 'starter.py', b.folder / 'seen'
    starter.write_text('import os, signal, sys\n' + inspect.getsource(supervised) +
                       'supervised()\nos.execvp(sys.argv[1], sys.argv[1:])\n')
    with in_terminal(b) as t:
        t.run(sys.executable, starter, os.path.abspath(b.profview), 'run', '--', 'cp',
              '/proc/self/status', seen)
        found = wait_for('what the program saw',
                         lambda: seen.exists() and signals(seen.read_text())[1:] and seen.read_text())
    expect('with a terminal', signals(found), wanted)


def rates(b):
    """More samples than the system's ticks come from perf events; else every way of asking says so."""
    perf = perf_is_allowed()
    with subprocess.Popen([b.profview, 'run', '--sample=10000', '--record', b.log, '--', b.program,
                           '10', LONG], env=b.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as run:
        try:
            p = b.probe_of('run_me')
            expect_in('an order', 'ok\n' if perf else 'ok sample=',
                      b.tell(p['pid'], 'set', 'sample=10000').stdout)
            expect('a usual order', b.tell(p['pid'], 'set', 'sample=50').stdout, 'ok\n')
            expect('what waits, too', b.tell(p['pid'], 'set', 'sample-real=50').stdout, 'ok\n')
        finally:
            run.terminate()     # passed on to the program
        run.communicate(timeout=DEADLINE)
    said = {c['what']: c['detail'] for c in b.report()['coverage']}
    expect_in('the log', "10000 a second of processor time in the program's code" if perf else
              "the system's ticks: 10000 were asked for", said['samples'])


def native(b):
    done = b.run('--', b.program, THROWN, code=5)
    expect('its output', done.stdout, f'worked={THROWN}\n')
    r = b.report()
    expect('calls', methods(r)['run_me_work']['calls'], THROWN)
    states = {c['what']: c['state'] for c in r['coverage']}
    expect('samples', states['samples'] in ('complete', 'partial'), True)
    expect('few blocks', states['allocations'] in ('inferred', 'complete'), True)
    expect_in('options', ',alloc=524288,sample=100,sample-timer=cpu:100,allocator=libc.so.6,',
              r['target']['args'])
    path = b.folder / 'tool'
    path.write_text(f'#!/bin/sh\nls / >/dev/null\n"{b.program}" "$@"\n')
    path.chmod(0o755)
    b.log = b.folder / 'second.mlpd'
    b.run('--', path, 77, code=5)
    expect('calls by a script', methods(b.report())['run_me_work']['calls'], 77)


def shots(b):
    """A heap shot each so many ms, of a native program as of others; the log says so."""
    b.run('--heapshot=200ms', '--', b.program, 10, 1500, code=5)
    r = b.report()
    expect_in('options', ',blocks,heapshot=200ms,', r['target']['args'])
    times = [s['time_ns'] for s in r['heap_shots']]
    expect('shots', 4 <= len(times) <= 8, True)
    if min(after - before for before, after in zip(times, times[1:])) < 50_000_000:
        raise Wrong(f'too near to each other: {times}')
    states = {c['what']: c['state'] for c in r['coverage']}
    expect('state', states['heap_shots'], 'complete')
    expect('collections', (states['gc'], states['roots']), ('not recorded', 'not recorded'))


def ps_and_ctl(b):
    """A probe is listed and obeys; a pause stands in the log."""
    with subprocess.Popen([b.profview, 'run', '--record', b.log, '--', 'mono', b.program, '10',
                           LONG], env=b.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as run:
        p = b.probe_of('run_me.exe')
        expect('runtime', p['runtime'], 'mono')
        expect_in('command', b.program, p['command'])
        table = b.call('ps', code=0).stdout.splitlines()
        expect('columns', table[0].split(), ['PID', 'BY', 'RUNTIME', 'VERSION', 'WAYS', 'COMMAND'])
        row = next(line for line in table if f' {p["pid"]} ' in f' {line} ')
        expect('aligned', row.index('mono'), table[0].index('RUNTIME'))
        expect('mode', stat.S_IMODE(os.stat(p['socket']).st_mode), 0o600)
        stats = b.tell(p['pid'], 'stats').stdout
        expect_in('stats', f'pid={p["pid"]} host=mono', stats)
        for line in 'pause', 'resume', 'flush', 'set calls=off':
            expect(line, b.tell(p['pid'], *line.split()).stdout, 'ok\n')
        expect_in('a wrong line', 'not understood', b.tell(p['pid'], 'dance', code=3).stderr)
        expect_in('no probe', 'no probe', b.tell(os.getpid(), 'stats', code=3).stderr)
        os.kill(p['pid'], signal.SIGTERM)
        run.communicate(timeout=DEADLINE)
        expect('code', run.returncode, 128 + signal.SIGTERM)
    paused = [c for c in b.report()['counters'] if c['name'] == 'paused']
    expect('paused', len(paused), 1)
    if paused[0]['samples'][-1][1] < 1:
        raise Wrong(f'the pause is not marked: {paused}')


def in_terminal(b):
    return Terminal(b.folder, env={'XDG_RUNTIME_DIR': str(b.runtime)})


def screen(b):
    """The program has a terminal of its own; its end and code are passed on."""
    with in_terminal(b) as t:
        # A sampled allocation would now and then tell the class of one exception, and so split the row.
        t.run(b.profview, 'run', '--alloc=512m', '--', 'mono', b.program, THROWN)
        t.wait('ended with code 7')
        t.keys('O')
        t.wait(f'thrown={THROWN}')
        t.wait('on the other stream')
        t.type('/other')
        t.keys('Enter')
        t.keys('q')
        t.wait('Hot methods')
        t.type('X')
        t.wait_row('RunMe.Throw() ← RunMe.Main', THROWN)
        t.keys('Q')
        t.wait_prompt()
        t.type('echo code=$?\n')
        t.wait('code=7')
    expect('left over', b.left_over(), [])


def alive(pid):
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def ask(b):
    """Leaving asks: stay, end it, or let it run on; a program that ends meanwhile is the answer."""
    with in_terminal(b) as t:
        t.run(b.profview, 'run', '--', 'mono', b.program, '3', LONG)
        pid = b.probe_of('run_me.exe')['pid']
        t.keys('q')
        t.wait('leave it running (l)')
        t.keys('Escape')
        t.wait('Hot methods')
        t.keys('q')
        t.wait('leave it running (l)')
        t.keys('e')
        t.wait_prompt()
        t.type('echo code=$?\n')
        t.wait('code=143')
        wait_for('its end', lambda: not alive(pid))
        t.type('clear\n')
        t.run(b.profview, 'run', '--', 'mono', b.program, '3', LONG)
        pid = b.probe_of('run_me.exe')['pid']
        t.keys('q')
        t.wait('leave it running (l)')
        os.kill(pid, signal.SIGKILL)
        t.wait_prompt()
        t.type('echo left=$?\n')
        t.wait('left=137')
        t.run(b.profview, 'run', '--', 'mono', b.program, '3', LONG)
        pid = b.probe_of('run_me.exe')['pid']
        t.keys('q')
        t.wait('leave it running (l)')
        t.keys('l')
        t.wait(f'profview: process {pid} runs on')
        expect('alive', alive(pid), True)
        os.kill(pid, signal.SIGKILL)
    wait_for('the relay to tidy up', lambda: not b.left_over())


def killed(b):
    """SIGKILL for the viewer is nothing to the program."""
    out = b.folder / 'code'
    path = b.folder / 'tool'
    path.write_text(f'#!/bin/sh\nmono "{b.program}" "$@" >"{b.folder}/printed"\necho $? >"{out}"\n')
    path.chmod(0o755)
    with in_terminal(b) as t:
        t.run(b.profview, 'run', '--', path, '3', LONG, 'busy', b.folder / 'until')
        pid = b.probe_of('run_me.exe')['pid']
        t.wait('LIVE')
        shell = int(t.tmux('display-message', '-p', '#{pane_pid}'))
        children = pathlib.Path(f'/proc/{shell}/task/{shell}/children').read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        expect('alive', alive(pid), True)
        (b.folder / 'until').touch()
        wait_for('the program to end by itself', out.exists)
        wait_for('its code', lambda: out.read_text() == '7\n')
        expect('printed', (b.folder / 'printed').read_text(), 'thrown=3\ndone\n')
    wait_for('the relay to tidy up', lambda: not b.left_over())


def several(b):
    """Two processes at once: one is followed, the other is named and not disturbed."""
    path = b.folder / 'tool'
    path.write_text(f'#!/bin/sh\nmono "{b.program}" 3 {LONG} &\nsleep 1\n'
                    f'mono "{b.program}" 4 {LONG} 2>"{b.folder}/second" &\nwait\n')
    path.chmod(0o755)
    with in_terminal(b) as t:
        t.run(b.profview, 'run', '--', path)
        first = b.probe_of('run_me.exe')['pid']
        row = t.wait_row('not followed: ')
        expect_in('the other', 'run_me.exe 4 ', row)
        t.keys('q')
        t.wait('leave it running (l)')
        t.keys('l')
        t.wait_prompt()
        other = int(row.split('not followed: ')[1].split()[0])
        expect('alive', (alive(first), alive(other)), (True, True))
        os.kill(first, signal.SIGKILL)
        os.kill(other, signal.SIGKILL)
    expect('what it said', (b.folder / 'second').read_text(), 'on the other stream\n')


def apphost(b):
    """The small program that starts an image, as the SDK makes it: the image's name is put in."""
    root = pathlib.Path(os.path.realpath(shutil.which('dotnet'))).parent
    blank = next(root.glob('sdk/*/AppHostTemplate/apphost')).read_bytes()
    mark = b'c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2'
    image = pathlib.Path(b.program)
    for name in image.name, image.stem + '.runtimeconfig.json':
        shutil.copy(image.parent / name, b.folder / name)
    app = b.folder / image.stem
    app.write_bytes(blank.replace(mark, image.name.encode().ljust(len(mark), b'\0')))
    app.chmod(0o755)
    b.env['DOTNET_ROOT'] = str(root)
    return app


def dotnet(b):
    """`dotnet app.dll`, the image alone, apphost, exec; b.program is counted_clr.dll."""
    for i, words in enumerate((['dotnet', b.program], [b.program], [apphost(b)],
                               ['dotnet', 'exec', b.program])):
        image = pathlib.Path(b.program)
        b.log = b.folder / f'{i}.mlpd'
        done = subprocess.run([b.profview, 'run', '--record', b.log, '--', *words], env=b.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        expect('code', (words, done.returncode), (words, 0))
        expect_in('its output', 'phase=1', done.stdout)
        r = b.report()
        expect('complete', r['source']['complete'], True)
        expect_in('host', 'coreclr', r['target']['args'])
        if image.stem not in [a['name'] for a in r['assemblies'] or []]:
            raise Wrong('the program is not among the assemblies')


def dotnet_run(b):
    """`dotnet run` is followed into the program that is meant; the SDK's own are left out."""
    project = b.folder / 'thrower'
    project.mkdir()
    (project / 'thrower.csproj').write_text(
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>'
        '<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>'
        '</PropertyGroup></Project>')
    (project / 'thrower.cs').write_text(
        'for (int i = 0; i < 20; i++) try { throw new System.Exception (); } catch { }'
        ' System.Console.WriteLine ("thrown");')
    built = subprocess.run(['dotnet', 'build', project, '-nodeReuse:false',
                            '-p:UseSharedCompilation=false'], env=b.env, capture_output=True,
                           text=True, check=False)
    if built.returncode:
        print(built.stdout[-500:])
        sys.exit(77)
    done = subprocess.run([b.profview, 'run', '--record', b.log, '--', 'dotnet', 'run',
                           '--no-build', '--project', project], env=b.env, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    expect('code', done.returncode, 0)
    expect_in('its output', 'thrown', done.stdout)
    expect('exceptions', b.report()['exceptions']['thrown'], 20)
    tree = b.folder / 'tree'
    done = subprocess.run([b.profview, 'run', '--record', f'{tree}/', '--', 'dotnet', 'run', '--no-build', '--project',
                           project], env=b.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    expect('code of a tree', (done.returncode, done.stderr), (0, done.stderr))
    rows = json.loads((tree / 'index.json').read_text())['processes']
    reasons = {'run' in r['argv']: r['reason'] for r in rows if pathlib.Path(r['exe']).name in ('dotnet', 'thrower')}
    expect("the SDK's process", reasons.get(True), "of .NET's SDK, which builds or starts the program")
    expect('the program that is meant', reasons.get(False, ''), None)
    b.env['DOTNET_EnableDiagnostics'] = '0'
    refused_ = b.call('run', '--', 'dotnet', 'run', code=3)
    expect_in('no profilers', 'DOTNET_EnableDiagnostics=0', refused_.stderr)


def cost(b):
    """The overview tells what recording costs; a key turns the dearest kind off."""
    with in_terminal(b) as t:
        t.run(b.profview, 'run', '--calls', '--', 'mono', b.program, '3', LONG, 'busy')
        pid = b.probe_of('run_me.exe')['pid']
        t.wait('Cost of recording')
        expect_in('the dearest', ' calls ', t.wait_row('T turns it off'))
        t.type('2v')
        t.wait('for each call; an estimate')
        t.wait("without the probe's cost")
        t.type('v4S')
        t.wait('heap shot asked for')
        t.wait_row('▸', 0)
        t.type('1')
        t.type('T')
        t.wait('calls turned off')
        wait_for('calls to be off', lambda: ' calls=off ' in b.tell(pid, 'stats').stdout)
        t.keys('C-t')
        t.wait('calls turned on again')
        wait_for('calls to be on', lambda: ' calls=on ' in b.tell(pid, 'stats').stdout)
        t.wait(lambda text: 'T turns it off' in text and ' calls  ' in text)
        t.keys('C-t')
        t.wait('all that was asked for is recorded')
        for kind in 'sample', 'exception', 'monitor', 'alloc':
            for state in 'off', 'on':
                b.tell(pid, 'set', f'{kind}={state}')
                stats = b.tell(pid, 'stats').stdout
                expect(f'{kind}={state}', f' {kind}=off ' in stats, state == 'off')
        expect_in('why', 'cannot be set', b.tell(pid, 'set', 'gc=off', code=3).stderr)
        expect_in('why', 'on, off or samples', b.tell(pid, 'set', 'sample=x', code=3).stderr)
        t.keys('q')
        t.wait('leave it running (l)')
        t.keys('e')
        t.wait_prompt()


def attach(b):
    """A program that was left is joined again; one viewer at a time; a file is just followed."""
    with in_terminal(b) as t:
        t.run(b.profview, 'run', '--', 'mono', b.program, '3', LONG)
        pid = b.probe_of('run_me.exe')['pid']
        t.wait('LIVE')
        expect_in('a second viewer', 'another viewer', b.call('attach', pid, code=3).stderr)
        t.keys('q')
        t.wait('leave it running (l)')
        t.keys('l')
        t.wait('runs on')
        wait_for('nobody to read', lambda: ' reader=no ' in b.tell(pid, 'stats').stdout)
        for _ in range(3):
            t.run(b.profview, 'attach', pid)
            t.wait('LIVE')
            expect_in('the name of the program', ' mono ', t.text().splitlines()[0])
            expect_in('stats', ' reader=yes ', b.tell(pid, 'stats').stdout)
            t.type('2')
            t.wait('Called by')
            t.keys('Q')
            t.wait('is lost. Leave?')
            t.keys('y')
            t.wait_prompt()
            t.keys('C-l')
        os.kill(pid, signal.SIGKILL)
        wait_for('the relay to tidy up', lambda: not b.left_over())
        options = f'--profile=profview:nodefaults,exception,output={b.log}'
        lib = str(pathlib.Path(b.profview).parent / 'probe')
        with subprocess.Popen(['mono', options, b.program, str(THROWN), LONG],
                              env={**b.env, 'LD_LIBRARY_PATH': lib},
                              stdout=subprocess.DEVNULL) as mono:
            b.probe_of('run_me.exe')
            t.run(b.profview, 'attach', mono.pid)
            t.type('X')
            t.wait_row('RunMe.Throw() ← RunMe.Main', THROWN)
            t.keys('Q')
            t.wait_prompt()
            mono.terminate()
    for pid in os.getpid(), 2 ** 22 + 1:
        b.call('attach', '--via', 'probe', pid, code=3)


def thrown_in(b, log):
    done = b.call('report', log, '--format', 'json', '--no-index', '--section', 'exceptions')
    try:
        return json.loads(done.stdout)['exceptions']['thrown']
    except (ValueError, KeyError, TypeError):
        return 0


def inject(b):
    """Mono without a probe: one is put in when that is wanted, and it ends as it would have."""
    until, printed = b.folder / 'until', b.folder / 'printed'
    with open(printed, 'w') as out, \
            subprocess.Popen(['mono', b.program, '3', LONG, 'busy', until], env=b.env, stdout=out,
                             stderr=subprocess.STDOUT) as mono:
        wait_for('it to run', lambda: 'thrown=3' in printed.read_text())
        try:
            joins = [p['join'] for p in b.processes() if p['pid'] == mono.pid]
            expect('how it can be joined', joins, ['attach'])
            expect_in('why not', '--inject', b.call('attach', mono.pid, code=3).stderr)
            with subprocess.Popen([b.profview, 'attach', '--inject', '--record', b.log, str(mono.pid)],
                                  env=b.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) as viewer:
                wait_for('exceptions', lambda: b.log.exists() and thrown_in(b, b.log) > 20)
                b.tell(mono.pid, 'heapshot')
                wait_for('a heap shot', lambda: b.report()['heap_shots'])
                viewer.send_signal(signal.SIGINT)
                expect_in('a warning', 'running Mono', viewer.communicate(timeout=DEADLINE)[1])
            r = b.report()
            classes = {c['name'] for c in r['heap_shots'][0]['classes']}
            expect('classes by name', {'System.String', 'System.Byte[]'} <= classes, True)
            expect('images', any('run_me.exe' in i['name'] for i in r['images']), True)
            expect('the process', any(i['name'] == 'mono' for i in r['images']), True)
            expect('stacks', {tuple(s['stack'][-2:]) for s in r['throw_sites']},
                   {('RunMe:ThrowOnce ()', 'RunMe:Throw ()')})
            second = b.folder / 'second.mlpd'
            with subprocess.Popen([b.profview, 'attach', '--record', second, str(mono.pid)], env=b.env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as viewer:
                wait_for('it to be joined again', lambda: second.exists() and thrown_in(b, second) > 5)
                viewer.send_signal(signal.SIGINT)
                viewer.wait(DEADLINE)
            b.call('ctl', mono.pid, 'stop')  # nobody reads: it may complain of that
            expect_in('once only', 'starts none twice',
                      b.call('attach', '--inject', mono.pid, code=3).stderr)
            until.touch()
            expect('its code', mono.wait(DEADLINE), 7)
        finally:
            mono.kill()
    expect_in('its output', 'done\n', printed.read_text())
    sleeper = subprocess.Popen(['sleep', '1000'])
    try:
        expect_in('not Mono', 'no probe', b.call('attach', '--inject', sleeper.pid, code=3).stderr)
    finally:
        sleeper.kill()
        sleeper.wait()
    with open(printed, 'w') as out, \
            subprocess.Popen(['mono', '--attach=disable', b.program, '3', LONG, 'busy', until],
                             env=b.env, stdout=out, stderr=subprocess.STDOUT) as mono:
        until.unlink()
        expect_in('switched off', 'switched off',
                  b.call('attach', '--inject', mono.pid, code=3).stderr)
        until.touch()
        mono.wait(DEADLINE)


CASES = {'inject': inject, 'mono': mono_plain, 'image': image, 'script': script, 'sealed': sealed,
         'refused': refused, 'signalled': signalled, 'inherited': inherited, 'shots': shots, 'rates': rates, 'native': native, 'ps': ps_and_ctl,
         'screen': screen, 'ask': ask, 'attach': attach, 'cost': cost, 'several': several, 'dotnet': dotnet, 'dotnet-run': dotnet_run, 'killed': killed}


def main(case, profview, program):
    # The processes that the command leaves may still end its log in there.
    with tempfile.TemporaryDirectory(prefix='run', ignore_cleanup_errors=True) as folder:
        try:
            CASES[case](Bench(profview, program, folder))
        except (Wrong, TimedOut) as wrong:
            print(f'{case}: {wrong}')
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

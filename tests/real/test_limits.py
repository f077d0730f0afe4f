#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program's surroundings allow: terminals that go away, limits of threads, memory and files.

usage: test_limits.py CASE PROFVIEW LIMITED NATIVE_MODULE [COUNTED.DLL DOTNET]   ('none': skipped)
"""
import fcntl
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import termios
import time

import target
from target import DEADLINE, SKIP, wait_for
from test_clr import started
from verdict import Verdict

LAST = 500  # blocks that limited.c makes when it is told to end


class Bench:
    def __init__(self, folder, profview, program, module, dll='none', dotnet='none'):
        self.folder, self.profview, self.program = pathlib.Path(folder), profview, program
        self.module, self.dll, self.dotnet = os.path.abspath(module), dll, dotnet
        self.log = self.folder / 'log.mlpd'
        self.end = self.folder / 'end'  # the program ends when this is there

    def report(self):
        done = subprocess.run([self.profview, 'report', '--no-index', '--format', 'json', '--section', 'all', self.log],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        return json.loads(done.stdout)

    def tool(self, *words, before=()):
        return subprocess.run([*before, self.profview, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=DEADLINE, check=False)

    def native(self):
        """The program, with a probe that waits for somebody who joins."""
        os.mkfifo(self.folder / 'pipe')
        env = {**os.environ, 'LD_PRELOAD': self.module, 'PROFVIEW_OPTIONS': f'alloc,control=on,output={self.folder}/pipe'}
        return subprocess.Popen([self.program, self.end], env=env)


def in_terminal(*words):
    """Runs it as the leader of a session in a terminal of its own; its process, the terminal's other end."""
    ours, theirs = pty.openpty()

    def enter():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen([str(w) for w in words], stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=enter,
                               env={**os.environ, 'TERM': 'xterm'})
    os.close(theirs)
    return process, ours


def grows(b):
    return b.log.exists() and b.log.stat().st_size > 0


def hang_up(v, b, *words):
    """The terminal goes while the program runs; what the program does then is in the log all the same."""
    viewer, terminal = in_terminal(b.profview, *words)
    try:
        os.set_blocking(terminal, False)

        def shown():
            try:
                os.read(terminal, 1 << 16)  # else it would be held up
            except BlockingIOError:
                pass
            return grows(b) and has_signal(viewer.pid, 'SigCgt')

        wait_for('the log', shown)
        os.close(terminal)
        wait_for('the hang-up', lambda: viewer.poll() is not None or has_signal(viewer.pid, 'SigIgn'))
        b.end.touch()
        viewer.wait(DEADLINE)
    finally:
        b.end.touch()
        viewer.kill()
        viewer.wait()
    r = b.report()
    v.equal('complete', r['source']['complete'], True)
    sizes = {s['from_bytes']: s['allocations'] for s in r['allocation_sizes'] or []}
    v.at_least('blocks made after the terminal had gone', sizes.get(512, 0), LAST)
    v.equal('why it ended', r['source']['end_known_from'], "ended: the probe's farewell")


def has_signal(pid, field):
    """Whether a hang-up is caught (SigCgt), or ignored (SigIgn), by the process."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    mask = [line.split()[1] for line in status.splitlines() if line.startswith(field)]
    return bool(int(mask[0], 16) & 1 << (signal.SIGHUP - 1))


def hang_up_run(v, b):
    hang_up(v, b, 'run', '--alloc', '--record', b.log, '--', b.program, b.end)


def hang_up_attach(v, b):
    program = b.native()
    try:
        wait_for('the probe', lambda: str(program.pid) in subprocess.run(
            [b.profview, 'ps'], capture_output=True, text=True, check=False).stdout)
        hang_up(v, b, 'attach', program.pid, '--record', b.log)
    finally:
        program.kill()
        program.wait()


def hang_up_pipe(v, b):
    """Also where the viewer only reads what the program writes by itself."""
    program = b.native()
    try:
        hang_up(v, b, '--follow', b.folder / 'pipe', '--record', b.log)
    finally:
        program.kill()
        program.wait()


class Group:
    """A cgroup of its own with that controller, v2 or v1; the test is skipped where there can be none. It is removed
    when all that was put in has ended."""

    def __init__(self, controller):
        self.path = None
        for line in pathlib.Path('/proc/self/mountinfo').read_text().splitlines():
            words, (kind, _, options) = line.split(' - ')[0].split(), line.split(' - ')[1].split(' ', 2)
            folder = pathlib.Path(words[4], f'profview-test-{os.getpid()}')
            known = folder.parent / 'cgroup.subtree_control'
            v1 = kind == 'cgroup' and controller in options.split(',')
            v2 = kind == 'cgroup2' and (controller == 'freezer' or controller in known.read_text().split())
            try:
                if v1 or v2:
                    folder.mkdir()
                    self.path, self.v2 = folder, v2
                    break
            except OSError:
                continue
        if not self.path:
            print(f'no cgroup of {controller} can be made here')
            sys.exit(SKIP)

    def write(self, name, value):
        (self.path / name).write_text(f'{value}\n')

    def number(self, name):
        return int((self.path / name).read_text())

    def take(self, pid):
        self.write('cgroup.procs', pid)

    def leave(self):
        wait_for('the cgroup to be empty', lambda: not (self.path / 'cgroup.procs').read_text())
        self.path.rmdir()


class Dotnet:
    """The program for .NET, in its first pause, in a cgroup with that controller. Use as a context."""

    def __init__(self, b, controller):
        if 'none' in (b.dll, b.dotnet):
            print('dotnet is not installed')
            sys.exit(SKIP)
        self.group = Group(controller)
        worlds = ['heap', 'pause']
        self.program = target.Program([*started(b.dotnet, b.dll), *worlds], b.folder)
        self.pid = self.program.process.pid
        self.program.wait_phase(1)
        self.group.take(self.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.__exit__()
        self.group.leave()


def joins(b, pid, *words, seconds=3):
    """What is said by an attach that is refused; it is interrupted where it is not."""
    try:
        done = subprocess.run(['timeout', '-s', 'INT', str(seconds), b.profview, 'attach', *words, '--record', b.log, str(pid)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)
        return done.returncode, done.stderr
    finally:
        b.log.unlink(missing_ok=True)


def threads(v, b):
    """No thread left: refused by each way, with the figure; and the program ends as it does alone."""
    with Dotnet(b, 'pids') as d:
        most = d.group.number('pids.current') + 1
        d.group.write('pids.max', most)
        for way in ('events', 'probe', 'auto'):
            code, said = joins(b, d.pid, '--via', way)
            v.equal(f'{way}: exit code', code, 3)
            v.true(f'{way}: the figures', f'1 more thread, and 4 are needed: pids.max of its cgroup is {most}' in said, said)
        d.group.write('pids.max', 'max')
        d.program.go()
        d.program.wait()


def unseen_threads(v, b):
    """The limit cannot be seen, so the runtime is asked: that nothing comes of it is said."""
    with Dotnet(b, 'pids') as d:
        d.group.write('pids.max', d.group.number('pids.current'))
        hidden = subprocess.run(
            ['unshare', '-m', 'sh', '-c', 'umount "$0" && exec "$@"', d.group.path.parent, 'timeout', '-s', 'INT', '15',
             b.profview, 'attach', '--via', 'events', '--record', b.log, str(d.pid)], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=DEADLINE, check=False)
        v.equal('exit code', hidden.returncode, 3)
        v.true('nothing comes', 'writes nothing into it, as when it gets no more threads' in hidden.stderr, hidden.stderr)


def memory(v, b):
    """Too little memory left for any way; then for the probe alone."""
    with Dotnet(b, 'memory') as d:
        used = d.group.number('memory.current' if d.group.v2 else 'memory.usage_in_bytes')
        limit = 'memory.max' if d.group.v2 else 'memory.limit_in_bytes'
        d.group.write(limit, used + (5 << 20))
        code, said = joins(b, d.pid, '--via', 'events')
        v.equal('exit code', code, 3)
        v.true('the figures', 'MiB of memory left, and 10 MiB are needed: memory.' in said, said)
        d.group.write(limit, used + (14 << 20))
        code, said = joins(b, d.pid, '--via', 'probe')
        v.equal('exit code', code, 3)
        v.true('the figures', 'MiB of memory left, and 16 MiB are needed: memory.' in said, said)
        d.program.go()
        d.program.wait()


def held(v, b):
    """A program that is stopped, or frozen, is said to be that, soon."""
    group = Group('freezer')
    program = b.native()
    try:
        wait_for('the probe', lambda: str(program.pid) in subprocess.run(
            [b.profview, 'ps'], capture_output=True, text=True, check=False).stdout)
        program.send_signal(signal.SIGSTOP)
        wait_for('it to stand still', lambda: ') T ' in pathlib.Path(f'/proc/{program.pid}/stat').read_text())
        code, said = joins(b, program.pid, seconds=DEADLINE)
        v.equal('exit code', code, 3)
        v.true('it is stopped', f'process {program.pid} is stopped' in said, said)
        program.send_signal(signal.SIGCONT)
        group.take(program.pid)
        group.write('cgroup.freeze' if group.v2 else 'freezer.state', 1 if group.v2 else 'FROZEN')
        wait_for('it to be frozen', lambda: 'frozen 1' in (group.path / 'cgroup.events').read_text() if group.v2 else
                 (group.path / 'freezer.state').read_text() == 'FROZEN\n')
        code, said = joins(b, program.pid, seconds=DEADLINE)
        v.equal('exit code', code, 3)
        v.true('it is frozen', f'process {program.pid} is frozen, by its cgroup' in said, said)
        group.write('cgroup.freeze' if group.v2 else 'freezer.state', 0 if group.v2 else 'THAWED')
    finally:
        program.kill()
        program.wait()
        group.leave()


def noexec(v, b):
    """A program whose /tmp takes no code: the probe is refused with that, and its events are read instead."""
    if 'none' in (b.dll, b.dotnet):
        print('dotnet is not installed')
        sys.exit(SKIP)
    place = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o noexec none /tmp && exec "$@"', 'sh']
    if subprocess.run([*place, 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
        print('nothing can be mounted here')
        sys.exit(SKIP)
    with target.Program([*place, *started(b.dotnet, os.path.abspath(b.dll)), 'heap', 'pause'], b.folder) as program:
        program.wait_phase(1)
        code, said = joins(b, program.process.pid, '--via', 'probe')
        v.equal('exit code', code, 3)
        v.true('the reason', 'may not load code from its /tmp (mounted noexec)' in said, said)
        said = joins(b, program.process.pid)[1]
        v.true('auto', 'its event stream is read instead' in said and 'noexec' in said, said)
        program.go()
        program.wait()


def little(v, b):
    """Too little memory for the probe, too few threads or descriptors for the viewer: the limit is named."""
    b.end.touch()
    words = [b.profview, 'run', '--record', b.log, '--', b.program, b.end]
    how = {'stdin': subprocess.DEVNULL, 'capture_output': True, 'text': True, 'timeout': DEADLINE, 'check': False}
    done = subprocess.run(['prlimit', f'--as={64 << 20}', *words], **how)
    v.equal('memory: the program\'s code', done.returncode, 5)
    v.true('memory: the limit', 'too little: RLIMIT_AS is 64 MiB' in done.stderr, done.stderr)
    b.log.unlink(missing_ok=True)
    for most in (7, 10):
        done = subprocess.run(['prlimit', f'--nofile={most}', *words], **how)
        v.true(f'{most} descriptors: refused', done.returncode not in (0, 5), done)
        v.true(f'{most} descriptors: the limit', f'RLIMIT_NOFILE is {most}' in done.stderr, done.stderr)
    b.log.unlink(missing_ok=True)
    group = Group('pids')
    try:
        group.write('pids.max', 4)
        done = subprocess.run(['sh', '-c', 'echo $$ > "$0" && exec "$@"', group.path / 'cgroup.procs', *words], **how)
        v.equal('threads: exit code', done.returncode, 125)
        v.true('threads: the limit', 'out of memory or threads (pids.max of its cgroup is 4)' in done.stderr, done.stderr)
    finally:
        group.leave()


def copied(v, b):
    """A followed file that is copied and emptied (logrotate's copytruncate): its end is known when its writer ends."""
    env = {**os.environ, 'LD_PRELOAD': b.module, 'PROFVIEW_OPTIONS': f'alloc,output={b.log}'}
    program = subprocess.Popen([b.program, b.end], env=env)
    try:
        wait_for('the log', lambda: grows(b))
        follower = subprocess.Popen([b.profview, '--follow', b.log, '--dump'], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for('it to be followed', lambda: any(
            os.path.samefile(fd, b.log) for fd in pathlib.Path(f'/proc/{follower.pid}/fd').iterdir() if fd.exists()))
        wait_for('its writer to be watched', lambda: any(
            os.readlink(fd) == 'anon_inode:[pidfd]' for fd in pathlib.Path(f'/proc/{follower.pid}/fd').iterdir()))
        os.truncate(b.log, 0)
        b.end.touch()
        program.wait(DEADLINE)
        began = time.monotonic()
        follower.communicate(timeout=DEADLINE)
        v.between('seconds until its end is known', time.monotonic() - began, 0, 5)
        damage = b.report()['source']['damage']
        v.true('what is wrong with it', 'truncated while written' in str(damage), damage)
    finally:
        program.kill()
        program.wait()


def ends_as(v, b, what, line, sign, code):
    """What report, check, dump and screen say of the log's end."""
    r = b.report()
    v.equal(f'{what}: report', (r['source']['end_known_from'], r['source']['damage']), (line, []))
    done = b.tool('dump', b.log)
    v.equal(f'{what}: dump', (done.returncode, 'damage' in done.stdout), (0, False))
    done = b.tool('--no-index', b.log, '--dump', '--size', '160x20')
    v.true(f'{what}: screen', f'■ {sign}' in done.stdout, done.stdout)
    v.equal(f'{what}: exit code', done.returncode, 0)
    rules = b.folder / 'rules'
    rules.write_text('[check]\nversion = 1\n[rule all]\nkind = alloc.total\nmax = 1GiB\n')
    done = b.tool('check', b.log, '--rules', rules)
    v.equal(f'{what}: check', done.returncode, code)
    return r['source'], done.stdout + b.tool('report', '--no-index', b.log).stdout


def written(v, b):
    """
    A log whose writer goes on is not cut off: whether the program writes, seen or in a place where no process is, or a
    viewer does. Once nobody writes, it is what it was.
    """
    env = {**os.environ, 'LD_PRELOAD': b.module, 'PROFVIEW_OPTIONS': f'alloc,output={b.log}'}
    alone = ['unshare', '-pmf', '--mount-proc']
    open_end = 'not reached: the log is still being written'
    with subprocess.Popen([b.program, b.end], env=env) as program:
        wait_for('the log', lambda: grows(b))
        source, said = ends_as(v, b, 'written', open_end, 'NOT ENDED', 5)
        v.equal('written: complete, end', (source['complete'], source['end']), (None, None))
        v.true('written: the words', said.count('the log is still being written') >= 2 and 'end not reached' in said, said)
        if subprocess.run([*alone, 'true'], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            said = b.tool('report', '--no-index', b.log, before=alone).stdout
            v.true('written by nobody seen', open_end in said, said)
        program.kill()
    ends_as(v, b, 'killed', "cut off: killed, replaced by exec, or ended without the probe's farewell", 'CUT OFF', 5)
    b.log.unlink()
    program = b.native()
    try:
        wait_for('the probe', lambda: b.tool('ctl', program.pid, 'stats').returncode == 0)
        with subprocess.Popen([b.profview, 'attach', str(program.pid), '--record', b.log], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
            wait_for('the record', lambda: grows(b))
            ends_as(v, b, 'a record', open_end, 'NOT ENDED', 5)
            b.end.touch()
            viewer.wait(DEADLINE)
    finally:
        program.kill()
        program.wait()
    ends_as(v, b, 'ended', "ended: the probe's farewell", 'ENDED', 0)
    b.log.unlink()
    b.end.unlink()
    with subprocess.Popen([b.profview, 'run', '--alloc', '--record', b.log, '--', b.program, b.end], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
        wait_for('the log', lambda: grows(b))
        viewer.kill()
    wait_for('the record to be left', lambda: 'cut off' in b.tool('report', '--no-index', b.log).stdout)
    b.end.touch()
    said = 'cut off: killed, replaced by exec, or ended without the farewell; or who recorded was killed'
    v.equal('its recorder was killed', b.report()['source']['end_known_from'], said)


def signals_left(v, b):
    """No signal may be pending: samples cannot be had, which is said, and the program ends as it does alone.
    PROGRAM is for Mono here."""
    target.need('mono')
    for left in (0, 5):
        log = b.folder / f'{left}.mlpd'
        done = subprocess.run(['prlimit', f'--sigpending={left}', b.profview, 'run', '--record', log, '--', 'mono', b.program],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)
        v.equal(f'{left}: exit code', done.returncode, 0)
        v.equal(f'{left}: what it printed', done.stdout, 'computed\n')
        said = subprocess.run([b.profview, 'report', '--no-index', '--section', 'coverage', log], capture_output=True,
                              text=True, timeout=DEADLINE, check=True).stdout
        line = [x.split() for x in said.splitlines() if x.strip().startswith('samples ')][0]
        v.true(f'{left}: samples', line[1] == 'partial' and '(ulimit -i)' in ' '.join(line), said)


def little_stack(v, b):
    """With `ulimit -s 128` the screen is drawn, and the program's own limit is what it was."""
    words = 'ulimit -s 128; exec "$0" run --record "$1" -- sh -c "ulimit -s > $2"'
    done = subprocess.run(['sh', '-c', words, b.profview, b.log, b.folder / 'limit'], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=DEADLINE, check=False)
    v.equal('exit code', done.returncode, 0)
    v.true('the screen', 'Where time ran' in done.stderr, done.stderr)
    v.equal('the limit', (b.folder / 'limit').read_text(), '128\n')


def few_threads(v, b):
    """
    Mono is not recorded where it might not be able to make a thread, and runs as it does alone. PROGRAM is for Mono
    here; in pid namespaces, since its handler of crashes signals all that it may.
    """
    target.need('mono')
    inside = ['unshare', '-pf', '--mount-proc', '--kill-child']
    if subprocess.run([*inside, 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
        sys.exit(SKIP)
    group = Group('pids')
    try:
        for most in (28, 16):
            group.write('pids.max', most)
            words = [*inside, b.profview, 'run', '--record', b.folder / f'{most}.mlpd', '--', 'mono', b.program]
            done = subprocess.run(['sh', '-c', 'echo $$ > "$0" && exec "$@"', group.path / 'cgroup.procs', *words],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)
            v.equal(f'{most}: what it printed', done.stdout, 'computed\n')
            v.equal(f'{most}: exit code', done.returncode, 125)
            v.true(f'{most}: the limit', f'pids.max of its cgroup is {most}' in done.stderr, done.stderr)
    finally:
        group.leave()


def main(case, *words):
    v = Verdict(f'limits {case}')
    with target.scratch() as folder:
        b = Bench(folder, *words)
        globals()[case.replace('-', '_')](v, b)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
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

import target
from target import DEADLINE, SKIP, wait_for
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


def main(case, *words):
    v = Verdict(f'limits {case}')
    with target.scratch() as folder:
        b = Bench(folder, *words)
        globals()[case.replace('-', '_')](v, b)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

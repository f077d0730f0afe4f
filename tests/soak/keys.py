#!/usr/bin/env python3
"""Random keys on a real terminal, with resizes, suspends and a writer that is killed: nothing breaks.

usage: keys.py PROFVIEW BIGLOG LOG... [--seconds N] [--seed N]

PROFVIEW is best one that was built with sanitizers (meson setup -Db_sanitize=address,undefined). By
turns it browses LOG, and follows a pipe whose writer (BIGLOG) is killed. Prints how many keys, sizes,
suspends and kills there were; exit code 1 where a run ends by
a signal, with an error of a sanitizer, or not within a minute after `Q`.
"""
import argparse
import fcntl
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'bench'))
from screen import Program  # noqa: E402

SPECIAL = ['\r', '\t', '\x1b', '\x7f', '\x0c', '\x01', '\x0b', '\x0e', '\x0f', '\x12', '\x15', '\x04', '\x06',
           '\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\x1b[5~', '\x1b[6~', '\x1b[H', '\x1b[F', '\x1b[3~', '\x1b[Z',
           '\x1bOP', '\x1bOR', '\x1bOS', '\x1b[15~', '\x1b[17~', '\x1b[18~', '\x1b[<0;30;9M', '\x1b[<0;30;9m',
           '\x1b[<64;9;9M', 'é', '\xff']
PRINTABLE = [chr(c) for c in range(32, 127)]
NEVER = 'qQ'  # they leave; the last key of each run is Q
PROMPTS = [':', '/', '\\', "'", 'e']
TEXTS = ['a', 'lib | !b', '(', 'self>1ms', '1.5s', '-10s..', 'all', 'tree', 'flame', 'methods', 'thread Main', '\x15']
SIZES = [(120, 36), (80, 24), (40, 10), (200, 60), (20, 5), (1, 1), (300, 90), (60, 15)]


class Tail:
    """The end of what was written: a screen that changes its size meanwhile has no cells to look at."""

    def __init__(self):
        self.data = b''

    def feed(self, data):
        self.data = (self.data + data)[-2000:]

    def text(self):
        return repr(self.data)


def a_key(dice):
    kind = dice.random()
    if kind < 0.03:  # no file is ever written: Esc ends what e asks
        return dice.choice(PROMPTS) + dice.choice(TEXTS) + dice.choice(['\x1b', '\t\x1b'])
    if kind < 0.35:
        return dice.choice(SPECIAL)
    if kind < 0.5:
        return dice.choice('0123456789')
    return dice.choice([c for c in PRINTABLE if c not in NEVER])


class Run:
    def __init__(self, a, dice, count):
        self.a, self.dice, self.count, self.writer, self.killed = a, dice, count, None, False
        self.last = []

    def start(self, folder):
        words = ['/usr/bin/env', f'HOME={folder}', f'XDG_CACHE_HOME={folder}', f'XDG_CONFIG_HOME={folder}',
                 f'XDG_STATE_HOME={folder}', f'ASAN_OPTIONS=log_path={folder}/asan:detect_leaks=1:exitcode=99',
                 f'UBSAN_OPTIONS=log_path={folder}/asan:halt_on_error=1:print_stacktrace=1', self.a.profview]
        if self.dice.random() < 0.5:
            pipe = f'{folder}/pipe'
            if not os.path.exists(pipe):
                os.mkfifo(pipe)
            out = os.open(pipe, os.O_RDWR)
            kind = self.dice.choice(['calls', 'methods', 'threads', 'stacks', 'classes'])
            self.writer = subprocess.Popen([self.a.biglog, kind, '2000', '--rate', '2'], stdout=out,
                                           stderr=subprocess.DEVNULL)
            os.close(out)
            words += ['--follow', pipe]
        else:
            words += [self.dice.choice(self.a.logs)]
        self.program = Program(words)
        shown = self.program.until(lambda text: 'F10' in text or 'Home' in text, 60) is not None
        self.program.screen = Tail()
        return shown

    def ended(self):
        return os.waitid(os.P_PID, self.program.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def turn(self):
        p, dice = self.program, self.dice
        self.last = self.last[-40:]
        what = dice.random()
        if what < 0.01:
            self.count['sizes'] += 1
            columns, rows = dice.choice(SIZES)
            fcntl.ioctl(p.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        elif what < 0.013:
            self.count['suspends'] += 1
            os.kill(p.pid, signal.SIGSTOP)
            p.keys(a_key(dice))
            os.kill(p.pid, signal.SIGCONT)
        elif what < 0.015 and self.writer and self.writer.poll() is None:
            self.count['kills'] += 1
            self.killed = True
            self.writer.kill()
        else:
            self.count['keys'] += 1
            self.last.append(a_key(dice))
            p.keys(self.last[-1])
        p.catch_up()

    def finish(self):
        """The exit code after Q; None: it hangs."""
        p = self.program
        end = time.monotonic() + 60
        for key in '\x1b\x1b\x1bQ', 'Q', 'Q':
            p.keys(key)
            until = time.monotonic() + 20
            while time.monotonic() < min(end, until):
                if not p.read(0.5):
                    _, status = os.waitpid(p.pid, 0)
                    os.close(p.fd)
                    return os.waitstatus_to_exitcode(status)
        os.kill(p.pid, signal.SIGKILL)
        os.waitpid(p.pid, 0)
        return None


def one(a, dice, count, until):
    with tempfile.TemporaryDirectory(prefix='keys-') as folder:
        run = Run(a, dice, count)
        try:
            if not run.start(folder):
                return 'no first frame:\n' + run.program.screen.text()
            end = min(until, time.monotonic() + 30)
            while time.monotonic() < end and not run.ended():
                run.turn()
            early = run.ended()
            code = os.waitstatus_to_exitcode(os.waitpid(run.program.pid, 0)[1]) if early else run.finish()
        finally:
            if run.writer:
                run.writer.kill()
                run.writer.wait()
        said = ''.join(f.read_text(errors='replace')[:4000] for f in pathlib.Path(folder).glob('asan*'))
        if early and code == 3 and not said and run.killed and 'no bytes at all' in run.program.screen.text():
            return None  # its writer was killed before it wrote anything
        if said or early or code not in (0, 4):
            return f'exit {code}{" before Q" if early else ""}\n{said}\nlast keys {run.last}\n{run.program.screen.text()}'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('profview')
    parser.add_argument('biglog')
    parser.add_argument('logs', nargs='+')
    parser.add_argument('--seconds', type=float, default=600)
    parser.add_argument('--seed', type=int, default=None)
    a = parser.parse_args()
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(1 << 32)
    count = {'runs': 0, 'keys': 0, 'sizes': 0, 'suspends': 0, 'kills': 0}
    until, wrong = time.monotonic() + a.seconds, 0
    while time.monotonic() < until and wrong < 3:
        dice = random.Random(seed + count['runs'])
        count['runs'] += 1
        why = one(a, dice, count, until)
        if why:
            wrong += 1
            print(f'seed {seed + count["runs"] - 1}: {why}', flush=True)
    print(f'seed {seed}: ' + ', '.join(f'{n} {what}' for what, n in count.items()) + f'; {wrong} failed')
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random keys on a real terminal, with resizes, suspends and a writer that is killed: nothing breaks.

usage: keys.py PROFVIEW BIGLOG LOG... [--seconds N] [--seed N] [--only WAY]

PROFVIEW is best one that was built with sanitizers (meson setup -Db_sanitize=address,undefined). By
turns it browses LOG, follows a pipe whose writer (BIGLOG) is killed, follows a file whose writer ends,
compares two of the logs, browses a folder of them as if each were of a process, and runs a program
where the probes are next to PROFVIEW. Prints how many
keys, commands, clicks, pastes, sizes, suspends and kills there were; exit code 1 where a run ends by
a signal, with an error of a sanitizer, or not within five minutes after `Q`.
"""
import argparse
import collections
import fcntl
import gzip
import json
import os
import pathlib
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'bench'))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tools'))
from screen import Program  # noqa: E402
import recorded_folder  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = re.compile(r'^COMMAND\(\w+, *"([^"]+)", *"((?:[^"\\]|\\.)*)"', re.M)
KEYS = {'Enter': '\r', 'Tab': '\t', 'Esc': '\x1b', 'Backspace': '\x7f', 'Space': ' ', 'lt': '<', 'Up': '\x1b[A',
        'Down': '\x1b[B', 'Right': '\x1b[C', 'Left': '\x1b[D', 'PgUp': '\x1b[5~', 'PgDn': '\x1b[6~', 'Home': '\x1b[H',
        'End': '\x1b[F', 'Del': '\x1b[3~', 'Shift-Tab': '\x1b[Z', 'F1': '\x1bOP', 'F2': '\x1bOQ', 'F3': '\x1bOR', 'F4': '\x1bOS',
        'F5': '\x1b[15~', 'F6': '\x1b[17~', 'F7': '\x1b[18~', 'F9': '\x1b[20~', 'F10': '\x1b[21~'}
ODD = ['é', '\udcff', '\x01', '\x00', '\x1b[24~', '\x1b[200~', '\x1b[<', '\x1b[<0;0;0M', '\x1b[<0;99999;99999M']
PRINTABLE = [chr(c) for c in range(32, 127)]
NEVER = ['q', 'Q', KEYS['F10']]  # they leave; the last key of each run is Q
LEFT = 300  # seconds
LEAVES = ['quit', 'quit!', 'export']  # a file would be written where this runs
PROMPTS = ['/', '\\', "'", 'e']
TEXTS = ['a', 'lib | !b', '(', 'self>1ms', '1.5s', '-10s..', '/[/', 'class:x', '\x15', 'é' * 60, '0x10', '=24', '>1MiB']
PASTED = ['Q', 'q', 'jjj\n', 'public static void Main()\r\n{\r\n}\r\n', 'é', '\x00', '\x1b[A', '\x1b[200~', 'x' * 5000, '\t', '"']
WORDS = ['', '', '', ' all', ' 0.3 %', ' 0', ' 30s', ' off', ' samples', ' alloc_bytes', ' live_bytes', ' 1.5s..2s', ' -1s..',
         ' decimal', ' Main', ' 0x1', ' thread', ' name self_ns', ' x' * 90]
WAYS = ['log', 'log', 'killed', 'ends', 'compared', 'folder', 'run']
SIZES = [(120, 36), (80, 24), (40, 10), (200, 60), (20, 5), (1, 1), (300, 90), (60, 15)]


class Tail:
    """The end of what was written: a screen that changes its size meanwhile has no cells to look at."""

    def __init__(self):
        self.data = b''

    def feed(self, data):
        self.data = (self.data + data)[-2000:]

    def text(self):
        return repr(self.data)


def key_of(word):
    """As commands.def writes it."""
    if len(word) > 2 and word[0] == '<' and word[-1] == '>':
        inner = word[1:-1]
        return chr(ord(inner[2].upper()) - 64) if inner.startswith('C-') else KEYS[inner]
    return word


def commands():
    """Names and keys of all commands that do not leave."""
    rows = COMMAND.findall((TOP / 'tui' / 'commands.def').read_text(encoding='utf-8'))
    keys = {key_of(re.sub(r'\\(.)', r'\1', word)) for _, words in rows for word in words.split()}
    return [name for name, _ in rows if name not in LEAVES], sorted(keys - set(NEVER))


NAMES, ALL_KEYS = commands()


CLICK = '\x1b[<0;'


def a_click(dice):
    """A click, a drag, a wheel; mostly within the frame, whatever its size is."""
    x, y = dice.choice([(120, 36), (80, 24), (40, 10), (400, 100)])
    at = lambda: (dice.randint(1, x), dice.randint(1, y))  # noqa: E731
    kind = dice.random()
    if kind < 0.2:
        return '\x1b[<%d;%d;%dM' % (dice.choice([64, 65]), *at())
    down, up = at(), at()
    if kind < 0.7:
        up = down
    moved = '' if up == down else '\x1b[<32;%d;%dM' % up
    return CLICK + '%d;%dM' % down + moved + '\x1b[<0;%d;%dm' % up


def a_paste(dice):
    """Text in brackets is no keys: what would leave does not."""
    text = ''.join(dice.choice(PASTED) for _ in range(dice.randint(1, 4)))
    return '\x1b[200~' + text + '\x1b[201~'


def a_key(dice, count):
    kind = dice.random()
    if kind < 0.02:
        count['pasted'] += 1
        return dice.choice(['', '', '/', '\\', ':']) + a_paste(dice) + dice.choice(['', '\x1b'])
    if kind < 0.03:  # no file is ever written: Esc ends what e asks
        return dice.choice(PROMPTS) + dice.choice(TEXTS) + dice.choice(['\x1b', '\t\x1b'])
    if kind < 0.06:  # what is searched for or filtered by stays
        return dice.choice(['/', '\\']) + dice.choice(TEXTS) + '\r'
    if kind < 0.14:
        count['commands'] += 1
        return ':' + dice.choice(NAMES) + dice.choice(WORDS) + dice.choice(['\r', '\r', '\r', '\t\r', '\x1b'])
    if kind < 0.22:
        count['clicks'] += 1
        return a_click(dice)
    if kind < 0.24:
        return dice.choice(ODD)
    if kind < 0.36:
        return dice.choice('0123456789')
    if kind < 0.55:
        return dice.choice(['\r', '\r', '\x7f', 'j', 'G', ' ', '\t', 'B', 'a', 'm', ';'])
    return dice.choice(ALL_KEYS)


def make_folder(folder, logs, dice):
    """A recording of a process for each log, as a probe's starter leaves one."""
    os.mkdir(folder)
    rows = []
    for i, log in enumerate(logs):
        data = pathlib.Path(log).read_bytes()
        pathlib.Path(folder, f'{i}.mlpd').write_bytes(gzip.decompress(data) if log.endswith('.gz') else data)
        rows.append((100 + i, 99 + i, 0, f'/bin/p{i}', [f'p{i}', '-x'], 'native', f'{i}.mlpd', None, dice.randrange(10 ** 9),
                     recorded_folder.BEGAN + i, None, None, None))
    recorded_folder.put_index(folder, [dict(zip(recorded_folder.NAMES, row)) for row in rows])
    return dice.choice([[], ['--follow']]) + [folder] + dice.choice([[], [], ['--process', 'all']])


class Run:
    def __init__(self, a, dice, count):
        self.a, self.dice, self.count, self.writer, self.killed = a, dice, count, None, False
        self.last = []

    def write(self, out, megabytes, rate):
        kind = self.dice.choice(['calls', 'methods', 'threads', 'stacks', 'classes'])
        self.writer = subprocess.Popen([self.a.biglog, kind, str(megabytes), '--rate', str(rate)], stdout=out,
                                       stderr=subprocess.DEVNULL)
        os.close(out)

    def arguments(self, way, folder):
        logs = self.a.logs
        if way == 'killed':
            os.mkfifo(f'{folder}/pipe')
            self.write(os.open(f'{folder}/pipe', os.O_RDWR), 2000, 2)
            return ['--follow', f'{folder}/pipe']
        if way == 'ends':
            self.write(os.open(f'{folder}/grows.mlpd', os.O_WRONLY | os.O_CREAT), self.dice.choice([1, 5, 20]), 2)
            return ['--follow', f'{folder}/grows.mlpd']
        if way == 'compared':
            return ['--base', self.dice.choice(logs), self.dice.choice(logs)]
        if way == 'folder':
            return make_folder(f'{folder}/several', [log for log in logs if '.mlpd' in log], self.dice)
        if way == 'run':
            program = f'{self.a.biglog} calls 5 --rate {self.dice.choice([1, 5])} | cat -v | tail -c 3000'
            return ['run', '--', '/bin/sh', '-c', program]
        return [self.dice.choice(logs)]

    def start(self, folder):
        words = ['/usr/bin/env', f'HOME={folder}', f'XDG_CACHE_HOME={folder}', f'XDG_CONFIG_HOME={folder}',
                 f'XDG_STATE_HOME={folder}', f'ASAN_OPTIONS=log_path={folder}/asan:detect_leaks=1:exitcode=99',
                 f'UBSAN_OPTIONS=log_path={folder}/asan:halt_on_error=1:print_stacktrace=1',
                 f'TSAN_OPTIONS=log_path={folder}/asan:exitcode=99', self.a.profview]
        self.way = self.dice.choice([self.a.only] if self.a.only else WAYS)
        if self.way == 'run' and not pathlib.Path(self.a.profview).with_name('probe').exists():
            self.way = 'log'
        self.words = self.arguments(self.way, folder)
        self.program = Program(words + self.words)
        shown = self.program.until(lambda text: 'F10' in text or 'Home' in text, 60) is not None
        self.program.screen = Tail()
        return shown

    def unread(self):
        """Bytes that the terminal holds for it."""
        try:
            here = os.open(f'/proc/{self.program.pid}/fd/0', os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:  # it has ended
            return 0
        try:
            return struct.unpack('i', fcntl.ioctl(here, termios.FIONREAD, b'\0\0\0\0'))[0]
        finally:
            os.close(here)

    def press(self, text):
        """A viewer that left by a click reads no more, and what a terminal holds for it has an end. A key of
        several bytes begins once all before it was read, so that a full terminal does not cut it in two."""
        data = text.encode(errors='surrogateescape')
        until = time.monotonic() + 20
        while self.unread() and time.monotonic() < until and not self.ended():
            self.program.catch_up()
            time.sleep(0.001)
        while data and not self.ended():
            if select.select([], [self.program.fd], [], 0.2)[1]:
                data = data[os.write(self.program.fd, data[:512]):]
            else:
                self.program.catch_up()

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
            self.press(a_key(dice, self.count))
            os.kill(p.pid, signal.SIGCONT)
        elif what < 0.015 and self.writer and self.writer.poll() is None:
            self.count['kills'] += 1
            self.killed = True
            self.writer.kill()
        else:
            self.count['keys'] += 1
            self.last.append(a_key(dice, self.count))
            self.press(self.last[-1])
        p.catch_up()

    def finish(self):
        """The exit code after Q; None: it hangs. A busy machine may leave it many keys to answer before."""
        p = self.program
        end = time.monotonic() + LEFT
        keys = '\x1b\x1b\x1bQ'
        while time.monotonic() < end:
            p.keys(keys)
            keys, until = 'Q', time.monotonic() + 20
            while time.monotonic() < until:
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
        if early and code in (0, 4) and not said and any(key.startswith(CLICK) for key in run.last):
            count['left by a click'] += 1  # on F10 below
            return None
        if said or early or code not in (0, 4):
            return f'{" ".join(run.words)}: exit {code}{" before Q" if early else ""}\n{said}\nlast keys {run.last}\n{run.program.screen.text()}'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('profview')
    parser.add_argument('biglog')
    parser.add_argument('logs', nargs='+')
    parser.add_argument('--seconds', type=float, default=600)
    parser.add_argument('--seed', type=int, default=None)
    parser.add_argument('--only', choices=sorted(set(WAYS)), default=None)
    a = parser.parse_args()
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(1 << 32)
    count = collections.Counter({name: 0 for name in ('runs', 'keys', 'commands', 'clicks', 'sizes', 'suspends', 'kills', 'left by a click')})
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

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How calm the screen is while a program is watched: cells that change, bytes and writes a second.

usage: calm.py PROFVIEW [--seconds S] [--rest S]
Watches the demo (Mono) at 120x36 and htop in the same run, then over a line of 20 kB/s. This measures; it is no test.
"""
import argparse
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

from screen import Program

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS, ROWS, HALF = 120, 36, 0.5
APART = 0.05  # writes closer together are one, in pieces
OPTIONS = ('nodefaults,calls,callspec=program,sample=200,alloc,exception,monitor,counter,gchandle,finalization,'
           'heapshot=8000ms,output=')
# Name, how to go there, cells that may change in half a second.
VIEWS = (('Home', ':overview\r', 60), ('Methods', ':methods\r', 60), ('Tree', ':tree\r', None), ('Flame', ':flame\r', 20),
         ('GC', '5', None))


def row(what, figure, target, missed):
    print(f'| {what} | {figure} | {target} | {"MISSED" if missed else "ok"} |', flush=True)


def watch(v, seconds):
    """Cells that change each half second, bytes and writes a second, and the pictures."""
    pictures, writes, start, before, drawn = [v.screen.text()], 0, time.monotonic(), v.bytes, 0.0
    for turn in range(1, int(seconds / HALF) + 1):
        while (left := start + turn * HALF - time.monotonic()) > 0:
            at = v.read_at
            v.read(left)
            if v.read_at != at:
                writes += v.read_at - drawn > APART
                drawn = v.read_at
        pictures.append(v.screen.text())
    cells = [sum(a != b for a, b in zip(x, y)) for x, y in zip(pictures, pictures[1:])]
    return sum(cells) / len(cells), max(cells), (v.bytes - before) / seconds, writes / seconds, pictures


class SlowLine(Program):
    """A program at the other end of a line that keeps what it cannot carry yet, as ssh does."""

    def __init__(self, words, columns, rows, rate=20000, delay=0.15, keeps=1 << 16):
        super().__init__(words, columns, rows)
        self.rate, self.delay, self.keeps = rate, delay, keeps
        self.queue, self.back, self.free, self.queued = [], [], 0.0, 0

    def read(self, wait):
        stop = time.monotonic() + wait
        while True:
            now = time.monotonic()
            if self.queued < self.keeps and select.select([self.fd], [], [], 0)[0]:
                data = os.read(self.fd, 4096)
                self.free = max(self.free, now) + len(data) / self.rate
                self.queue.append((self.free + self.delay, data))
                self.queued += len(data)
            while self.queue and self.queue[0][0] <= now:
                _, data = self.queue.pop(0)
                self.queued -= len(data)
                self.bytes += len(data)
                self.read_at = now
                self.screen.feed(data)
                self.back += [(now + self.delay, self.screen.reply)] if self.screen.reply else []
                self.screen.reply = b''
            while self.back and self.back[0][0] <= now:
                os.write(self.fd, self.back.pop(0)[1])
            if now >= stop:
                return True
            time.sleep(0.002)

    def keys(self, text):
        self.back.append((time.monotonic() + self.delay, text.encode()))


def pressed(v, key, holds):
    start = time.monotonic()
    v.keys(key)
    while not holds(v.screen.text()) and time.monotonic() < start + 20:
        v.read(0.005)
    return (time.monotonic() - start) * 1000


def slow(profview, folder, columns, rows):
    """Keys over 20 kB/s and a round trip of 300 ms, from the first seconds on."""
    program = demo(folder, 60)
    v = SlowLine([profview, '--follow', folder / 'pipe'], columns, rows)
    pressed(v, '', lambda text: '[1 Home' in text)
    first = pressed(v, '2', lambda text: '[2 CPU' in text)
    v.read(4)
    moved = []
    for _ in range(10):
        before = v.screen.text().split('\n')
        at = next((i for i, line in enumerate(before) if line[:1] == '▶'), None)
        moved.append(pressed(v, 'j', lambda text, a=at: text.split('\n')[a or 0][:1] != '▶'))
        v.read(0.37)
    rooms = [pressed(v, key, lambda text, n=name: n in text) for key, name in (('3', '[3 Alloc'), ('5', '[5 GC'), ('1', '[1 Home'))]
    row(f'{columns}x{rows}, 20 kB/s, 300 ms: another room in the first second', f'{first:.0f} ms', '500 ms', first > 500)
    row(f'{columns}x{rows}, slow: the cursor', f'{sorted(moved)[5]:.0f} ms, worst {max(moved):.0f}', '500 ms', max(moved) > 500)
    row(f'{columns}x{rows}, slow: another room', f'{max(rooms):.0f} ms at most', '500 ms', max(rooms) > 500)
    program.kill()
    program.wait()
    os.kill(v.pid, signal.SIGTERM)
    os.close(v.fd)
    os.waitpid(v.pid, 0)
    (folder / 'pipe').unlink()


def starts(line):
    """The columns in which the words of a line begin."""
    return tuple(m.start() for m in re.finditer(r'(?<!\S)\S', line))


def htop(seconds):
    if not shutil.which('htop'):
        print('htop is not here: apt-get install htop')
        return None
    v = Program([shutil.which('htop')], COLUMNS, ROWS)
    v.until(lambda text: 'F10' in text)
    watch(v, 3)
    mean, most, rate, writes, _ = watch(v, seconds)
    row('htop', f'{mean:.0f} cells, at most {most}; {rate:.0f} B/s; {writes:.1f} writes/s', '-', False)
    v.keys('q')
    v.wait()
    return rate


def demo(folder, seconds):
    subprocess.run(['mcs', f'-out:{folder}/demo.exe', HERE.parent / 'real/demo.cs'], check=True)
    os.mkfifo(folder / 'pipe')
    return subprocess.Popen(['mono', f'--profile=log:{OPTIONS}{folder}/pipe', f'{folder}/demo.exe', str(seconds)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('profview', type=os.path.abspath)
    p.add_argument('--seconds', type=float, default=10)
    p.add_argument('--rest', type=float, default=10, help='seconds before the first figures are taken')
    a = p.parse_args()
    print(f'{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n')
    print('| live, 120x36, each half second | measured | target | |\n|---|---|---|---|')
    peer = htop(a.seconds)
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as name:
        folder = pathlib.Path(name)
        os.environ['XDG_CACHE_HOME'] = os.environ['XDG_CONFIG_HOME'] = name
        program = demo(folder, int(a.rest + len(VIEWS) * (a.seconds + 4) + 30))
        v = Program([a.profview, '--follow', folder / 'pipe'], COLUMNS, ROWS)
        watch(v, a.rest)
        for view, keys, cells in VIEWS:
            v.keys(keys)
            watch(v, 3)
            mean, most, rate, writes, pictures = watch(v, a.seconds)
            tops = {starts(picture.split('\n')[0]) for picture in pictures[-10:]}
            row(view, f'{mean:.0f} cells, at most {most}', cells or '-', cells is not None and mean > cells)
            row(f'{view}: sent', f'{rate:.0f} B/s', f'{2 * peer:.0f} B/s' if peer else '-', peer and rate > 2 * peer)
            row(f'{view}: writes', f'{writes:.1f}/s', '2/s', writes > 2.2)
            row(f'{view}: sets of column starts in row 1, ten frames', len(tops), '1', len(tops) > 1)
        v.keys('Q')
        v.keys('y')
        v.wait()
        program.kill()
        program.wait()
        (folder / 'pipe').unlink()
        for columns, rows in (120, 36), (200, 60):
            slow(a.profview, folder, columns, rows)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes the pictures of this folder: real programs, followed live in a real terminal (tmux).

    ./screenshots/make.py            all of them, from a live run of the demo and a few of others (a minute)
    ./screenshots/make.py LOG        the frames of the demo, of a finished log
    ./screenshots/make.py --light    on a light ground: NAME-light.png

Each view is shown by its key and captured with its colours. The terminal tells its ground when it is asked. Needs rsvg-convert and pngquant (Debian:
librsvg2-bin, pngquant).
"""
import argparse
import html
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLS, ROWS = 120, 36
CELL_W, CELL_H, FONT = 8.4, 17, 14
PALETTE = ['#3b4048', '#e06c75', '#98c379', '#d8b365', '#61afef', '#c678dd', '#56b6c2', '#d5d8de',
           '#7f848e', '#ff8a93', '#b5e08f', '#f0cf86', '#8ac6ff', '#e29bf5', '#7fd6e0', '#ffffff']
PALETTE_LIGHT = ['#1c1e22', '#c0392b', '#2e7d32', '#8a6d00', '#1f5fbf', '#8e44ad', '#00727f', '#d5d8de',
                 '#5c6370', '#d9534f', '#43a047', '#b58900', '#3b82f6', '#a65fc9', '#0097a7', '#ffffff']
# (background, foreground, the sixteen that the user owns, what a file's name ends in)
DARK, LIGHT = ('#16181d', '#d5d8de', PALETTE, ''), ('#fafafa', '#1c1e22', PALETTE_LIGHT, '-light')
# (file, keys to send, text that tells that the pane is there)
FRAMES = [
    ('overview', '', 'Home'),
    ('methods', '2', 'Called by'),
    ('tree', '2', '[Tree]'),
    ('flame', '2', '[Flame]'),
    ('alloc', '3', 'Alloc'),
    ('gc', '5', 'LASTED'),
    ('shots', '4', 'Classes of'),
    ('locks', 'L', '[Locks]'),
    ('threads', '6', '[Threads]'),
    ('exceptions', 'X', 'Errors]'),
    ('jit', 'J', '[JIT]'),
    ('counters', 'C', '[Counters]'),
    ('info', 'i', '[Recording]'),
    ('findings', 'M', '[Findings]'),
    ('help', 'F1', 'elp'),
    ('columns', ['F1', ':', 'methods', 'Enter', 'F1'], 'Time in the method itself'),
]
# Of recordings of other programs: how each is made (a committed one is there), and its frames as above.
BUILD = ROOT / 'build'
BASED = ['--base', 'shop.mlpd.gz', '--base-range', '..1.4s', '--per', 'second']
# (options and log, how it is made, frames)
OTHERS = [
    (['shop.mlpd.gz'], [], [('growth', ['4', '4'], '[Growth]'), ('diff', ['4'], '[Diff]'),
                            ('objects', ['4'], '[Objects]'), ('keepers', 'o', 'KEPT BY'),
                            ('paths', ['c', 'G', 'W'], 'KEPT BY'), ('roots', 'K', '[Roots]'),
                            ('handles', 'H', '[Handles]'), ('loaded', 'A', '[Loaded]'),
                            ('kinds', ['0', '0'], '[Kinds]'), ('events', ['0', 'G'], '[Stream]'),
                            ('cause', [':', 'cause', 'Enter'], '[Cause]'), ('survival', ['C-r', '3', '3'], '[Survival]'),
                            ('callers', ['2', '2', 'B'], '  callers ')]),
    ([*BASED, 'shop.mlpd.gz'], [], [('base', ['2', 'C-n', 'C-n'], 'VERDICT'), ('base-flame', ['2', '2'], '[Flame]')]),
    (['orders.mlpd.gz'], [], [('held', ['4'], '[Held]'), ('marks', ['7', '7', '7', '7'], '[Marks]')]),
    (['served.mlpd.gz'], [], [('spans', [':spans<Enter>'], 'Spans')]),
    (['routes.mlpd.gz'], [], [('routes', '7', '[Routes]'), ('pool', ['6', '6', '6'], '[Pool]')]),
    (['audited.mlpd'], ['--sample=1000', '--', BUILD / 'tests/real/audited'],
     [('timeline', ['D'], '[Timeline]'), ('heat', [':', 'flame', 'Enter', 'd'], 'Heat:')]),
    (['covered.mlpd'], ['--probe', 'coverage', '--', 'mono', 'leaky.exe'],
     [('coverage', ['V'], '[Coverage]')]),
    (['archives/'], ['--', 'sh', '-c', '(xz -9e < profview > /dev/null & gzip -9 < profview > /dev/null; wait; '
                                     './profview report shop.mlpd.gz --no-index > /dev/null)'],
     [('processes', ['P'], 'PROGRAM')]),
]

# What only a probe that is asked while its program runs can say: (options and program, frames)
LIVE = [(['--sample', '--', 'sh', '-c', "'exec xz -9e < profview > /dev/null'"], [('cost', '', 'Cost of recording')])]


def colour(n, ground):
    if n < 16:
        return ground[2][n]
    if n >= 232:
        return '#%02x%02x%02x' % ((8 + 10 * (n - 232),) * 3)
    n -= 16
    return '#%02x%02x%02x' % tuple(0 if v == 0 else 55 + 40 * v for v in (n // 36, n // 6 % 6, n % 6))


class Style:
    def __init__(self, ground):
        self.ground = ground
        self.fg = self.bg = None
        self.bold = self.dim = self.under = self.reverse = False

    def apply(self, codes):
        codes = [int(c or 0) for c in codes.split(';')]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.__init__(self.ground)
            elif c in (38, 48) and codes and codes.pop(0) == 5:
                setattr(self, 'fg' if c == 38 else 'bg', colour(codes.pop(0), self.ground))
            elif c in (39, 49):
                setattr(self, 'fg' if c == 39 else 'bg', None)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = self.ground[2][c - 30 if c < 90 else c - 82]
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = self.ground[2][c - 40 if c < 100 else c - 92]
            elif c in (1, 2, 4, 7):
                setattr(self, {1: 'bold', 2: 'dim', 4: 'under', 7: 'reverse'}[c], True)
            elif c in (22, 24, 27):
                self.bold, self.dim = (False, False) if c == 22 else (self.bold, self.dim)
                self.under = self.under and c != 24
                self.reverse = self.reverse and c != 27

    def colours(self):
        fg, bg = self.fg or self.ground[1], self.bg or self.ground[0]
        return (bg, fg) if self.reverse else (fg, bg)


def runs(line, style):
    """(column, text, style) of one captured line; its end has the style that the next one begins with."""
    col = 0
    for part in re.split(r'(\x1b\[[0-9;]*m|\x1b\(B|\x0e|\x0f)', line):
        if part.startswith('\x1b['):
            style.apply(part[2:-1])
        elif part and part[0] not in '\x1b\x0e\x0f':
            yield col, part
            col += len(part)


def svg(lines, ground):
    style, background = Style(ground), ground[0]
    width, height = COLS * CELL_W + 16, ROWS * CELL_H + 16
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT}">',
           f'<rect width="100%" height="100%" rx="6" fill="{background}"/>']
    for row, line in enumerate(lines[:ROWS]):
        y = 8 + row * CELL_H
        for col, text in runs(line, style):
            fg, bg = style.colours()
            x, w = 8 + col * CELL_W, len(text) * CELL_W
            if bg != background:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{w:.1f}" height="{CELL_H}" fill="{bg}"/>')
            if style.under:
                out.append(f'<rect x="{x:.1f}" y="{y + 15}" width="{w:.1f}" height="1" fill="{fg}"/>')
            if text.strip():
                extra = (' font-weight="bold"' if style.bold else '') + (' opacity="0.7"' if style.dim else '')
                out.append(f'<text x="{x:.1f}" y="{y + 13}" textLength="{w:.1f}" fill="{fg}"{extra} '
                           f'xml:space="preserve">{html.escape(text)}</text>')
    return '\n'.join(out + ['</svg>', ''])


class Terminal:
    def __init__(self, folder, ground):
        self.ground = ground
        self.socket = os.path.join(folder, 'tmux')

    def tmux(self, *args):
        return subprocess.run(['tmux', '-S', self.socket, '-f', '/dev/null', *args], check=True,
                              capture_output=True, text=True).stdout

    def start(self, command):
        env = dict(os.environ, LC_ALL='C.UTF-8', TERM='xterm-256color')
        env.pop('NO_COLOR', None)
        background, foreground = self.ground[:2]
        subprocess.run(['tmux', '-S', self.socket, '-f', '/dev/null', 'start-server', ';',
                        'set', '-g', 'default-terminal', 'tmux-256color', ';',
                        'set', '-g', 'window-style', f'bg={background},fg={foreground}', ';',
                        'new-session', '-d', '-x', str(COLS), '-y', str(ROWS), command], check=True, env=env)

    def until(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            screen = self.tmux('capture-pane', '-p')
            if text in screen:
                return
            time.sleep(0.05)
        raise SystemExit(f'the screen never showed {text!r}:\n{screen}')

    def picture(self, name, keys, text):
        for key in [keys] if isinstance(keys, str) and keys else keys:
            self.tmux('send-keys', key)
        self.until(text)
        before = None
        for _ in range(40):  # a frame that stands still, or the newest of a live one
            lines = self.tmux('capture-pane', '-p', '-e', '-N').split('\n')
            if lines == before:
                break
            before = lines
            time.sleep(0.15)
        drawn = subprocess.run(['rsvg-convert'], input=svg(lines, self.ground).encode(), stdout=subprocess.PIPE, check=True)
        small = subprocess.run(['pngquant', '--strip', '64', '-'], input=drawn.stdout, stdout=subprocess.PIPE, check=True)
        file = f'screenshots/{name}{self.ground[3]}.png'
        (ROOT / file).write_bytes(small.stdout)
        print(file)

    def stop(self):
        subprocess.run(['tmux', '-S', self.socket, 'kill-server'], capture_output=True)


def others(folder, ground):
    """Recordings without a screen, each browsed."""
    for file in BUILD / 'profview', *(ROOT / 'tests/golden').glob('*.mlpd.gz'):
        os.symlink(file, f'{folder}/{file.name}')
    shutil.copy(BUILD / 'tests/real/leaky.exe', folder)  # the view shows its path
    for options, words, frames in OTHERS:
        if words:
            subprocess.run([BUILD / 'profview', 'run', '--record', options[0], *words], check=True, cwd=folder,
                           stdin=subprocess.DEVNULL, capture_output=True)
        term = Terminal(tempfile.mkdtemp(dir=folder), ground)
        try:
            term.start(f'cd {folder} && ./profview --no-index ' + ' '.join(options))
            term.until('■ END')  # only then it is known what the log has
            for frame in frames:
                term.picture(*frame)
            term.tmux('send-keys', 'Q')
        finally:
            term.stop()
    for words, frames in LIVE:
        term = Terminal(tempfile.mkdtemp(dir=folder), ground)
        try:
            term.start(f'cd {folder} && ./profview run ' + ' '.join(words))
            for frame in frames:
                term.picture(*frame)
            term.tmux('send-keys', 'Q')
        finally:
            term.stop()


def main(log, ground):
    profview = BUILD / 'profview'
    for tool in 'rsvg-convert', 'pngquant':
        if not shutil.which(tool):
            raise SystemExit(f'{tool} is missing: apt install librsvg2-bin pngquant')
    with tempfile.TemporaryDirectory() as folder:
        term = Terminal(folder, ground)
        try:
            command = f'{profview} {log}' if log else f'{ROOT}/bootstrap.sh demo 40'
            term.start(command)
            term.until('1 Home', 120)
            if not log:
                term.until('00:00:1', 60)  # some seconds of real life on the clock
                term.tmux('send-keys', 'S')
                term.until('heap shot asked for')
            for frame in FRAMES:
                term.picture(*frame)
            term.tmux('send-keys', 'Q')
        finally:
            term.stop()
        if not log:
            others(folder, ground)


if __name__ == '__main__':
    words = argparse.ArgumentParser()
    words.add_argument('--light', action='store_true')
    words.add_argument('log', nargs='?')
    given = words.parse_args()
    main(given.log, LIGHT if given.light else DARK)

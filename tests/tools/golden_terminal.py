#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Graphs in terminals that have less, compared with committed frames: without colour (NO_COLOR), and with
the characters and colours of the Linux console (TERM=linux). Below each frame stand the attributes of its
cells, which the text alone does not show.

usage: golden_terminal.py PROFVIEW FOLDER TESTS_REAL

With PV_GOLDEN=write in the environment the frames are written instead.
"""
import difflib
import gzip
import os
import pathlib
import re
import sys
import tempfile

# Keys, and the text that says what they did, before the next ones.
PANES = {'home': [], 'lanes': [('{{{{{{{{{{{{{{{{{{{{', 'at 00:00:01')], 'methods': [('2', 'Called by Shop.Main()')],
         'flame': [('222|', '100 % = 18 samples'), ('jjj', 'ExecutionContext')], 'timeline': [('D', 'running 100 %')],
         'heat': [('222', '100 % = 3 samples'), ('d', '1 sample a cell')]}
TERMINALS = {'mono': {'NO_COLOR': '1'}, 'console': {'TERM': 'linux'}}
COLUMNS, ROWS = 80, 24
NAMES = {1: 'bold', 2: 'faint', 4: 'underlined', 7: 'reverse'}
OFF = {22: (1, 2), 24: (4,), 27: (7,)}
# What the console's own font has of all that may be drawn (code page 437) beyond ASCII.
CONSOLE = set('▄█▌░▒▓─│┌┐└┘┤═║►▶▲▼•·←→↑↓■○µ±δ')


def attributes(captured):
    """'row: from-to what' of every run of cells that is not plain."""
    on, colour = set(), None
    for y, line in enumerate(captured.split('\n')[:ROWS]):
        x, runs = 0, []
        for part in re.split(r'(\x1b\[[0-9;]*m|\x1b\(B|\x0e|\x0f)', line):
            if part.startswith('\x1b['):
                for code in (int(c or 0) for c in part[2:-1].split(';')):
                    if code == 0:
                        on, colour = set(), None
                    elif code in NAMES:
                        on = on | {code}
                    elif code in OFF:
                        on = on - set(OFF[code])
                    elif 30 <= code <= 37:
                        colour = code - 30
                    elif code == 39:
                        colour = None
                    elif code == 49:
                        pass  # no ground is ever painted here
                    else:
                        raise SystemExit(f'a cell has the attribute {code}: {line!r}')
            elif part and part[0] not in '\x1b\x0e\x0f':
                words = [NAMES[code] for code in sorted(on)] + [f'colour {colour}'] * (colour is not None)
                if words:
                    runs.append(f'{x}-{x + len(part) - 1} {" ".join(words)}')
                x += len(part)
        if runs:
            yield f'{y}: {", ".join(runs)}'


def frame(t):
    captured = t.tmux('capture-pane', '-p', '-e', '-N')
    return t.text() + 'attributes, by row and columns\n' + ''.join(f'{line}\n' for line in attributes(captured))


def settled(t, want):
    """The frame as it is wanted, or else as it stays."""
    seen, same = None, 0
    while same < 20:
        now = frame(t)
        if now == want:
            return now
        same = same + 1 if now == seen and '■' in now.split('\n', 1)[0] else 0
        seen = now
    return seen


def main(profview, folder, tests_real):
    sys.path.insert(0, tests_real)
    import term
    write, wrong, made = os.environ.get('PV_GOLDEN') == 'write', [], set()
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as scratch:
        log = pathlib.Path(scratch, 'shop.mlpd')
        log.write_bytes(gzip.decompress((folder / 'shop.mlpd.gz').read_bytes()))
        with term.Terminal(scratch, COLUMNS, ROWS, {'XDG_CACHE_HOME': scratch, 'XDG_CONFIG_HOME': scratch}) as t:
            for name, env in TERMINALS.items():
                for pane, keys in PANES.items():
                    path = folder / 'terminal' / f'{pane}-{name}-{COLUMNS}x{ROWS}.txt'
                    made.add(path)
                    want = path.read_text(encoding='utf-8') if path.exists() else ''
                    t.run('env', *(f'{k}={v}' for k, v in env.items()), os.path.abspath(profview), '--no-index', log)
                    t.wait('■')
                    settled(t, '')  # its time is that of the whole log
                    for typed, seen in keys:
                        t.type(typed)
                        t.wait(seen)
                    now = settled(t, want)
                    t.keys('Q')
                    t.wait('ready>')
                    t.run('clear')  # the console has no second screen
                    t.wait_prompt()
                    foreign = {c for c in now if ord(c) > 126} - CONSOLE if name == 'console' else ()
                    if foreign:
                        wrong.append(f'{path.name} has what the console has not: {" ".join(sorted(foreign))}')
                    if name == 'mono' and 'colour' in now:
                        wrong.append(f'{path.name} has a colour')
                    if write:
                        path.parent.mkdir(exist_ok=True)
                        path.write_text(now, encoding='utf-8')
                    elif now != want:
                        wrong.append('\n'.join(difflib.unified_diff(want.splitlines(), now.splitlines(), path.name, 'now',
                                                                    lineterm='')))
    wrong += [f'{path.name} belongs to no case' for path in folder.glob('terminal/*.txt') if path not in made]
    print('\n'.join(wrong))
    print(f'{len(made)} frames, {len(wrong)} wrong')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cursor, values, zoom and characters of charts in a real terminal (tmux).

usage: test_chart_screen.py CASE PROFVIEW LOG.GZ
"""
import gzip
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import term  # noqa: E402

CASES = {'wide': (120, 36, {}), 'usual': (80, 24, {}), 'small': (40, 10, {}),
         'plain': (80, 24, {'NO_COLOR': '1'}), 'ascii': (80, 24, {'LC_ALL': 'C'}),
         'console': (80, 24, {})}
COLOUR = re.compile(r'\x1b\[[\d;]*(?:3[0-8]|4[0-8]|9\d)')
BRAILLE = re.compile('[\u2801-\u28ff]')
STOPPED = re.compile(r'at ([\d.]+) s: heap ([\d.]+ MiB), pause ([\d.]+ \w+)')

UNIT = {'ns': 0.001, 'us': 1, 'ms': 1000}


def check(what, true, seen=''):
    if not true:
        sys.exit(f'FAILED {what}\n{seen}')


def charted(t):
    """The only collection from 1.3 to 1.42 s: its heap and its stop, as the list below has them."""
    t.wait('a column')
    t.wait(re.compile(r' 0 s .* 1 s .* 2 s').search)  # round times
    t.type(':range 1.3s..1.42s')
    t.keys('Enter')
    t.wait('1.4 s')
    t.wait(re.compile(r'a column [12][.\d]* ms').search)
    t.keys('{')
    t.wait(STOPPED.search)
    stopped = {}                        # by the time of the column
    while not stopped or STOPPED.search(t.text())[3] != '0 ns':
        before = STOPPED.search(t.text())
        if before[3] != '0 ns':
            stopped[before[1]] = UNIT[before[3].split()[1]] * float(before[3].split()[0])
        t.keys('{')
        t.wait(lambda screen, last=before: STOPPED.search(screen) and STOPPED.search(screen)[1] != last[1])
    check('the stop of 1.45 ms at 1.415 s, by columns', abs(sum(stopped.values()) - 1450) < 10 and
          all(1.41 <= float(at) < 1.42 for at in stopped), f'{stopped}\n{t.text()}')
    t.keys('}')
    t.wait(lambda screen: STOPPED.search(screen) and STOPPED.search(screen)[3] != '0 ns')
    t.type('))')                        # 100 ms, 50 ms, with the cursor where it was
    t.wait(re.compile(r'figures from 00:00:01\.3[5-9]\d to 00:00:01\.4[12]\d').search)
    t.wait(re.compile(r' 1\.38 s .* 1\.4 s ').search)
    t.type('*')
    t.wait(re.compile(r' 0 s .* 1 s .* 2 s').search)


def glyphs(t, case):
    t.type(':glyphs braille')
    t.keys('Enter')
    if case in ('ascii', 'console'):
        t.wait('not UTF-8' if case == 'ascii' else 'has no Braille')
        check('no Braille', not BRAILLE.search(t.text()), t.text())
        return
    t.wait(BRAILLE.search)
    t.type(':glyphs block')
    t.keys('Enter')
    t.wait(lambda screen: not BRAILLE.search(screen) and '█' in screen)


def session(t, case, profview, log):
    t.run(*(['env', 'TERM=linux'] if case == 'console' else []), profview, '--no-index', log)
    t.wait('END')                       # all is read: a range that is asked for before is too short
    t.keys('5')
    if case != 'small':
        charted(t)
        glyphs(t, case)
        return
    t.wait('STOPPED')                   # no room for the chart: the keys say what they do
    t.keys('{')
    t.wait('the cursor of time is at')
    t.keys(')')
    t.wait('figures from')
    t.keys('*')
    t.wait('figures of the whole')


def main(case, profview, log):
    columns, rows, env = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'shop.mlpd')
        path.write_bytes(gzip.decompress(pathlib.Path(log).read_bytes()))
        own = {**env, 'XDG_CACHE_HOME': folder, 'XDG_CONFIG_HOME': folder}
        with term.Terminal(folder, columns, rows, own) as t:
            session(t, case, os.path.abspath(profview), path)
            if 'NO_COLOR' in env:
                coloured = t.tmux('capture-pane', '-p', '-e')
                check('no colour', not COLOUR.search(coloured), coloured)
            if env.get('LC_ALL') == 'C':
                check('ASCII alone', t.text().isascii(), t.text())
            t.keys('q')
            t.wait(lambda screen: 'ready>' in screen)
    print(f'{case}: a cursor with values, zoom and characters of charts')


main(*sys.argv[1:])

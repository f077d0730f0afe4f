#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stream of events in a real terminal (tmux), at several sizes, without colour and in ASCII.

usage: test_stream_screen.py CASE PROFVIEW LOG.GZ
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
         'plain': (80, 24, {'NO_COLOR': '1'}), 'ascii': (80, 24, {'LC_ALL': 'C'})}
COLOUR = re.compile(r'\x1b\[[\d;]*(?:3[0-8]|4[0-8]|9\d)')


def at(time):
    """A row of that second under the cursor."""
    def row(screen):
        return any(line[:1] in '▶>' and time in line for line in screen.splitlines() if line)

    row.__doc__ = f'the cursor at {time}'
    return row


def check(what, true, seen=''):
    if not true:
        sys.exit(f'FAILED {what}\n{seen}')


def session(t, profview, log, wide):
    t.run(profview, '--no-index', log)
    t.wait('Home')
    t.keys('0')
    t.wait(at('-00:00:00'))         # the log has ended: its beginning
    t.type("'2s")
    t.keys('Enter')
    t.wait(at('00:00:02'))
    t.keys('k')
    t.wait(at('00:00:0'))
    t.keys('G')                     # the end of the log, not of the page
    t.wait(at('00:00:03'))
    t.keys('g')
    t.wait(at('-00:00:00'))
    t.type('\\kind:exception.throw')
    t.keys('Enter')
    t.wait('object 0x')
    check('only throws', 'clause 0' not in t.text(), t.text())
    t.keys('Enter')
    t.wait('[Exceptions]' if wide else '[8 Errors]')
    t.keys('BSpace')
    t.wait('object 0x')
    t.keys('DC')
    t.wait(lambda screen: 'object 0x' not in screen or 'clause 0' in screen)


def main(case, profview, log):
    columns, rows, env = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'shop.mlpd')
        path.write_bytes(gzip.decompress(pathlib.Path(log).read_bytes()))
        with term.Terminal(folder, columns, rows, {**env, 'XDG_CACHE_HOME': folder}) as t:
            session(t, os.path.abspath(profview), path, columns >= 80)
            if 'NO_COLOR' in env:
                coloured = t.tmux('capture-pane', '-p', '-e')
                check('no colour', not COLOUR.search(coloured), coloured)
            if env.get('LC_ALL') == 'C':
                check('ASCII alone', t.text().isascii(), t.text())
            t.keys('q')
            t.wait(lambda screen: 'ready>' in screen.splitlines()[-1] or 'ready>' in screen)
    print(f'{case}: the stream at a time, at both ends, filtered, and back from another view')


main(*sys.argv[1:])

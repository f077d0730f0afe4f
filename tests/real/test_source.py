#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The view of sources on a real terminal: from the hottest method to its planted line, from hot line to hot
line, and back; a file that is newer than the program's start and lies elsewhere; the editor.

usage: test_source.py native|mono PROFVIEW PROGRAM SOURCE
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from term import Terminal
from verdict import Verdict

# What the program is started with, and the comment at the end of its hottest line.
HOW = {'native': (['run', '--sample=1000'], 'inlined'),
       'mono': (['run', '--sample=1000', '--probe', 'lines'], 'spin')}


def planted(source, mark):
    """The number of the line that a comment at its end names."""
    return next(n for n, text in enumerate(source.read_text().splitlines(), 1) if text.endswith(f'/* {mark} */'))


def cursor(screen):
    """The number of the line under the cursor, which ends where its title does."""
    head = next((line for line in screen.splitlines() if ' LINE▲ ' in line), None)
    row = next((line for line in screen.splitlines() if line.startswith('▶')), None)
    return int(row[:head.index('▲') + 1].split()[-1]) if head and row else None


def at(hot, what):
    """What waits until the cursor stands on the hot line, or on the head of its loop, which is as hot."""
    def there(screen):
        return 'SOURCE' in screen and cursor(screen) in (hot, hot - 1)

    there.__doc__ = f'{what}: the cursor on line {hot}'
    return there


def ways(v, t, source, hot, name):
    """To the source of the hottest method, from line to line, and back."""
    t.keys('2', 'C-s')
    t.wait(at(hot, 'the hottest line of the hottest method'))
    screen = t.text()
    v.true('the file is named', re.search(rf'^ /.*/{re.escape(source.name)}, .* samples$', screen, re.M), screen)
    v.true('it is not newer than the program', 'CHANGED' not in screen, screen)
    row = next(line for line in screen.splitlines() if line.startswith('▶'))
    share = float(re.search(r'\d+\.\d', row)[0])
    v.true('its share stands there', share > 20, row)
    text = source.read_text().splitlines()[cursor(screen) - 1].strip()
    v.true('and its text', text[:12] in row, row)
    first = cursor(screen)
    t.keys('n')
    t.wait(lambda s: 'SOURCE' in s and (cursor(s) not in (first, None) or 'the only hot line' in s))
    t.keys('N')
    t.wait(lambda s: 'SOURCE' in s and cursor(s) == first)
    t.keys('Enter')
    t.wait(lambda s: '[Methods]' in s and name in s)
    t.keys('BSpace')
    t.wait(at(hot, 'Backspace returns to the line'))
    t.keys('BSpace')
    t.wait('[Methods]')


def in_tree(v, t, hot, name):
    """The same line from the call tree, from a search."""
    t.type(':tree')
    t.keys('Enter')
    t.wait('CALL TREE')
    t.type('/' + name)
    t.keys('Enter')
    t.wait(lambda s: name in next((line for line in s.splitlines() if line.startswith('▶')), ''))
    t.keys('C-s')
    t.wait(at(hot, 'from the tree'))
    t.keys('q')
    t.wait('[Tree]')


def editor(v, t, top, source, first):
    """The file and the line are words of the editor's, whose screen this is until it ends."""
    t.keys('C-v')
    t.wait('edit here')
    words = pathlib.Path(top, 'words').read_text(encoding='utf-8').splitlines()
    v.equal('words of the editor', words, ['-w', f'+{first}', str(source)])
    v.true('nothing of the screen is left', 'SOURCE' not in t.text(), t.text())
    t.keys('3', 'Enter')
    t.wait(lambda s: 'SOURCE' in s and 'ended with exit code 3' in s)
    t.keys('C-v')
    t.wait('edit here')
    t.keys('Enter')
    t.wait(lambda s: cursor(s) == first)
    v.true('an end without a word', 'ended' not in t.text() and 'nothing changes' not in t.text(), t.text())


def main(how, profview, program, source):
    profview, program, source = (pathlib.Path(p).absolute() for p in (profview, program, source))
    words, mark = HOW[how]
    v = Verdict(f'source of {how}')
    with tempfile.TemporaryDirectory() as top:
        os.environ['XDG_CACHE_HOME'] = os.environ['XDG_CONFIG_HOME'] = top
        log = pathlib.Path(top) / 'a.mlpd'
        subprocess.run([profview, *words, '--record', log, '--', *(['mono', '--debug'] if how == 'mono' else []), program],
                       check=True, capture_output=True, timeout=120)
        hot, name = planted(source, mark), {'native': 'mix', 'mono': 'Spin'}[how]
        # Where the compiler's output was kept from another build its paths are of that one.
        report = subprocess.run([profview, 'report', log, '--section', 'lines', '--limit', '0', '--format', 'json'],
                                check=True, capture_output=True, text=True, timeout=150).stdout
        file = next(r['file'] for r in json.loads(report)['lines'] if (r['file'] or '').endswith('/' + source.name))
        there = [] if file == str(source) else ['--source', f'{os.path.dirname(file)}={source.parent}']
        copy = pathlib.Path(top, 'elsewhere', source.name)
        copy.parent.mkdir()
        shutil.copy(source, copy)
        command = pathlib.Path(top, 'my-editor')
        command.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{top}/words\necho edit here\nread x\nexit ${{x:-0}}\n')
        command.chmod(0o755)
        with Terminal(top, env={'VISUAL': f'{command} -w'}) as t:
            t.run(profview, '--no-index', *there, log)
            t.wait_end()
            ways(v, t, source, hot, name)
            in_tree(v, t, hot, name)
            t.keys('Q')
            t.wait_prompt()
            t.run(profview, '--no-index', '--source', f'{os.path.dirname(file)}={copy.parent}', log)
            t.wait_end()
            t.keys('2', 'C-s')
            t.wait(lambda s: 'CHANGED' in s and 'elsewhere/' in s)
            t.wait(at(hot, 'the copy'))
            editor(v, t, top, copy, cursor(t.text()))
            t.keys('Q')
            t.wait_prompt()
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

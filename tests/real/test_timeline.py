#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ran on a thread between 3 and 4 s, of a C program that planted it, in at most five keys; in tmux.

usage: test_timeline.py PROFVIEW LIBRARY PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

import target
from term import Terminal
from verdict import Verdict

SIZES = (120, 36), (80, 24), (40, 10)
TITLE = r'thread "auditor" (\d+\.\d+)-(\d+\.\d+) s'


def record(folder, library, program):
    log = os.path.join(folder, 'audited.mlpd')
    subprocess.run([program], check=True, timeout=target.DEADLINE,
                   env=os.environ | {'LD_PRELOAD': library,
                                     'PROFVIEW_OPTIONS': f'nodefaults,sample=1000,output={log}'})
    return log


def press(terminal, keys):
    for key in keys:
        if len(key) > 1 and key[0] == '/':
            terminal.type(key)
            terminal.keys('Enter')
        elif key[0] == ':':
            terminal.type(key)
            terminal.keys('Enter')
        else:
            terminal.keys(key)


def answered(screen):
    """the calls of the auditor"""
    return 'audit_the_books' in screen and 'thread "auditor"' in screen


def by_cells(v, t):
    """The timeline, the thread, its work from end to end, the calls."""
    press(t, ['D', '/aud', 'Space', ')', 'Enter'])
    screen = t.wait(answered) and t.text()
    v.true('only its calls', 'works' not in screen, screen)
    times = re.search(TITLE, screen)
    v.true('the time stands in the title', times, screen)
    v.between('from', float(times[1]), 2.8, 3.2)
    v.between('to', float(times[2]), 3.8, 4.4)
    t.keys('BSpace')
    t.wait('worker')
    v.true('Backspace restores', 'thread "' not in t.text(), t.text())


def by_words(v, t):
    press(t, [':thread aud', ':range 3s..4s', ':tree'])
    t.wait(lambda screen: answered(screen) and 'thread "auditor" 3.0-4.0 s' in screen)
    v.true('only its calls', 'works' not in t.text(), t.text())
    t.keys('C-r')
    t.wait(lambda screen: 'works' in screen and 'thread "' not in screen.splitlines()[4])


def lanes(screen):
    """a lane of each thread"""
    return (re.search('^.work.* .*(RRR|▇▇▇)', screen, re.M) and re.search('^.audi.* .*(RRR|▇▇▇)', screen, re.M) and
            screen)


def at_sizes(v, t):
    t.keys('D')
    for size in SIZES:
        t.resize(*size)
        screen = t.wait(lanes)
        v.true(f'{size}: a time axis', re.search(r' 2 s ', screen), screen)


def main(profview, library, program):
    v = Verdict('timeline')
    with tempfile.TemporaryDirectory() as folder:
        log = record(folder, library, program)
        for more in ({}, {'NO_COLOR': '1'}, {'LC_ALL': 'C'}):
            with tempfile.TemporaryDirectory() as own, Terminal(own, *SIZES[0], env=more) as t:
                t.run(profview, '--no-index', log)
                t.wait('audited.mlpd')
                t.wait(' ENDED')
                by_cells(v, t)
                by_words(v, t)
                at_sizes(v, t)
                t.keys('Q')
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

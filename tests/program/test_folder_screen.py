#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes of a recorded folder in a real terminal (tmux): chosen, gone back to, and while they come and go.

usage: test_folder_screen.py CASE PROFVIEW MAKE_LOG SHOP
"""
import os
import pathlib
import re
import struct
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'real'), str(HERE.parent / 'tools')]
import recorded_folder  # noqa: E402
import term  # noqa: E402

CASES = {'wide': (120, 36, {}), 'usual': (80, 24, {}), 'small': (40, 10, {}),
         'plain': (80, 24, {'NO_COLOR': '1'}), 'ascii': (80, 24, {'LC_ALL': 'C'})}
COLOUR = re.compile(r'\x1b\[[\d;]*(?:3[0-8]|4[0-8]|9\d)')


def cursor_on(text, without=None):
    def row(screen):
        return any(line[:1] in '▶>' and text in line and not (without and without in line)
                   for line in screen.splitlines() if line)

    row.__doc__ = f'the cursor on {text}'
    return row


def after(second, first):
    def in_order(screen):
        rows = screen[screen.find('  PRO'):]  # the column's head, which is cut where there is little room
        return -1 < rows.find(first) < rows.find(second)

    in_order.__doc__ = f'{second} after {first}'
    return in_order


def without(text):
    def gone(screen):
        return text not in screen

    gone.__doc__ = f'no {text}'
    return gone


def check(what, true, seen=''):
    if not true:
        sys.exit(f'FAILED {what}\n{seen}')


def chosen(t, folder, profview, wide):
    """The heaviest first; another one by Enter; back to the list, and to the first again."""
    t.run(profview, '--no-index', folder)
    t.wait('mono 1001, 2 of 6')
    t.wait('Processes' if wide else 'Home')
    t.keys('P')
    t.wait(cursor_on('sh -c'))
    check('no escape', '\x1b' not in t.text())
    t.keys('Down')
    t.wait(cursor_on('mono shop'))
    t.keys('Enter')
    t.wait('all views are of this process')
    t.keys('Down', 'Enter')
    t.wait('not recorded')
    t.keys('Down')
    t.wait(cursor_on('strings', 'env'))
    t.keys('Enter')
    t.wait('strings 1003, 5 of 6')
    t.wait('Home')
    t.keys('2')
    t.wait('CPU]')
    t.wait('strings 1003, 5 of 6')
    t.keys('P')
    t.wait(cursor_on('strings', 'env'))
    t.keys('k', 'k', 'k')
    t.wait(cursor_on('sh -c'))
    t.keys('Enter')
    t.wait('sh 1000, 1 of 6')
    t.keys('2')
    t.wait('Shop.Main.Run')         # a method that only this log has
    t.keys('1')
    t.wait('Home]' if wide else 'Home')
    t.keys('BSpace')
    t.wait(cursor_on('sh -c'))
    t.type('/shop')
    t.keys('Enter')
    t.wait(cursor_on('mono shop'))
    t.keys('Enter')
    t.wait('mono 1001, 2 of 6')
    t.keys('BSpace')
    t.wait(cursor_on('mono shop'))


def one_that_is_no_log(t, folder):
    """Its log went bad meanwhile: that is said, and the viewer goes on."""
    (folder / '1003-1.mlpd').write_text('nothing of a log\n', encoding='utf-8')
    t.type('/strings s')
    t.keys('Enter')
    t.wait(cursor_on('strings', 'env'))
    t.keys('Enter')
    t.wait('FAILED')
    t.wait('not a profiler log')
    t.keys('BSpace')
    t.wait(cursor_on('strings', 'env'))
    t.type('/mono')
    t.keys('Enter')
    t.wait(cursor_on('mono shop'))
    t.keys('Enter')
    t.wait('mono 1001, 2 of 6')
    t.keys('BSpace')
    t.wait(cursor_on('mono shop'))


def sorted_and_filtered(t, tall):
    """As every list."""
    t.type('\\busy')
    t.keys('Enter')
    t.wait(without('mono shop'))
    t.wait('busyb')  # all of it where there is room
    t.keys('DC')
    t.wait('mono shop')
    t.wait(after('env -i', 'mono shop'))    # by the time of each with all that is below it
    t.type(':sort program')
    t.keys('Enter')
    if not tall:                            # a new order begins at its top
        t.keys(*['Down'] * 6)
    t.wait(after('mono shop', 'env -i'))
    t.keys('I')
    t.wait(after('env -i', 'mono shop'))


def of_this_process(log):
    """The log says that this process writes it, so that it is followed on."""
    data = bytearray(log)
    major = data[4]
    at = 8
    struct.pack_into('<Q', data, at, int(time.time() * 1000) + 1000)
    struct.pack_into('<I', data, at + (16 if major >= 3 else 8) + 8, os.getpid())
    return bytes(data)


def live(t, folder, profview, wide):
    """The list grows, a log grows, a process ends."""
    rows = list(recorded_folder.rows())
    late = folder / '1005-0.mlpd'
    whole = of_this_process((folder / '1001-0.mlpd').read_bytes())
    recorded_folder.put_index(folder, rows)
    t.run(profview, '--no-index', '--follow', folder)
    t.wait('mono 1001, 2 of 6')
    t.keys('P')
    t.wait(cursor_on('sh -c'))
    late.write_bytes(whole[:60000])
    new = {**rows[0], 'pid': 1005, 'ppid': 1000, 'log': late.name, 'argv': ['latecomer', '-x'], 'exe': '/bin/latecomer',
           'cpu_ns': 50000000, 'end_ns': None, 'exit_code': None}
    recorded_folder.put_index(folder, rows + [new])
    t.wait('mono 1001, 2 of 7')
    if wide:
        t.wait('latecomer -x')      # below an unfolded row
    t.type('/latecomer')
    t.keys('Enter')
    t.wait(cursor_on('latecomer'))
    t.keys('Enter')
    t.wait('latecomer 1005, 7 of 7')
    t.wait('LIVE')
    t.keys('0', '0')                # kinds of events
    before = t.wait(counted)
    with late.open('ab') as log:
        log.write(whole[60000:])
    t.wait(more_than(before))
    new.update(end_ns=recorded_folder.BEGAN + 6 * recorded_folder.S, exit_code=7)
    recorded_folder.put_index(folder, rows + [new])
    t.keys('P')
    t.wait(cursor_on('latecomer'))
    if wide:
        t.wait(lambda screen: re.search(r'ended +7 ', screen))


def events(screen):
    """Calls met so far, in the list of kinds, which rounds them to three digits."""
    found = re.search(r'^\W*(\d[\d.]*)( [kM])?  .*method\.enter$', screen, re.M)
    return found and float(found[1]) * {None: 1, ' k': 1e3, ' M': 1e6}[found[2]]


def counted(screen):
    """a count of calls"""
    return events(screen)


def more_than(before):
    def more(screen):
        now = events(screen)
        return now and now > before

    more.__doc__ = f'more than {before} calls'
    return more


def main(case, profview, make_log, shop):
    columns, rows, env = CASES[case]
    profview = os.path.abspath(profview)
    with tempfile.TemporaryDirectory() as made:
        folder = recorded_folder.make(pathlib.Path(made, 'recording'), make_log, shop)
        with term.Terminal(made, columns, rows, {**env, 'XDG_CACHE_HOME': made}) as t:
            chosen(t, folder, profview, columns >= 80)
            sorted_and_filtered(t, rows >= 24)
            one_that_is_no_log(t, folder)
            if 'NO_COLOR' in env:
                coloured = t.tmux('capture-pane', '-p', '-e')
                check('no colour', not COLOUR.search(coloured), coloured)
            if env.get('LC_ALL') == 'C':
                check('ASCII alone', t.text().isascii(), t.text())
            t.keys('Q')
            t.wait(lambda screen: 'ready>' in screen and 'Home' not in screen)
            live(t, folder, profview, columns >= 80)
            t.keys('Q')
            t.wait(lambda screen: 'ready>' in screen and 'Home' not in screen)
    print(f'{case}: chosen, back, sorted, filtered, and while processes come')


main(*sys.argv[1:])

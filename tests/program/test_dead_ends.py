#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every row leads somewhere, or says why it does not: a real terminal (tmux) at three sizes.

usage: test_dead_ends.py SIZE PROFVIEW SERVED.GZ ROUTES.GZ SHOP.GZ
"""
import gzip
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import term  # noqa: E402

SIZES = {'wide': (120, 36), 'usual': (80, 24), 'small': (40, 10)}


def cursor_at(*texts):
    """A row under the cursor with all of these."""
    def row(screen):
        return any(line[:1] in '▶>' and all(t in line for t in texts)
                   for line in screen.splitlines() if line)

    row.__doc__ = f'the cursor at {texts}'
    return row


def whole_again(screen):
    """the place before, without the range"""
    return 'range' not in screen.splitlines()[0] and 'took' not in screen \
        and cursor_at('628 ms')(screen)


def kinds(t):
    t.type(':kinds')
    t.keys('Enter')
    t.wait(cursor_at('class.load'))
    t.type('/ext.mark.span')
    t.keys('Enter')
    t.wait(cursor_at('ext.mark.span'))
    t.keys('Enter')
    t.wait('kind:ext.mark.span')
    t.wait(cursor_at('00:00:02'))
    t.keys('BSpace')
    t.wait(cursor_at('ext.mark.span'))


def each_alone(screen):
    """the pool's threads one by one"""
    return 'range' in screen.splitlines()[0] and '(4)' not in screen and screen.count('TP Worker') >= 4


def pools(t):
    t.type(':threads')
    t.keys('Enter')
    t.wait(cursor_at('(4)'))    # the busiest
    t.type('/TP Gate')
    t.keys('Enter')
    t.wait(cursor_at('TP Gate'))
    t.type('/TP Worker')
    t.keys('Enter')
    t.wait(cursor_at('(4)'))
    t.keys('Enter')                 # each of these
    t.wait(each_alone)
    t.keys('BSpace')
    t.wait(cursor_at('(4)'))
    t.type(':thread .NET TP Worker')
    t.keys('Enter')
    t.wait(each_alone)
    t.type(':thread all')
    t.keys('Enter')
    t.wait(lambda screen: 'range' not in screen.splitlines()[0])


def spans(t, wide):
    t.keys('7')
    t.wait(cursor_at('GET /orders/*' if wide else '10'))
    t.keys('7')
    t.wait(cursor_at('628 ms'))
    t.type(':routes')
    t.keys('Enter')
    t.wait(cursor_at('GET /orders/*' if wide else '10'))
    t.keys('Enter')                 # its spans
    t.wait(cursor_at('628 ms'))
    if wide:
        t.wait('GET /slow/*')
        t.wait('Spans of GET /orders/*')
        t.wait('a second')
    t.keys('Enter')                 # the thread and the time of the longest
    t.wait('.NET TP Worker' if wide else '628 ms of the thread')
    t.wait(cursor_at('00:00:02.523'))
    t.keys('BSpace')
    t.wait(whole_again)
    kinds(t)
    pools(t)


def metered(t, _):
    t.type(':routes')
    t.keys('Enter')
    t.wait(cursor_at('480'))
    t.keys('Enter')
    t.wait("the server's meter only counts")


def clock(t):
    t.type(':collections')
    t.keys('Enter')
    t.wait(cursor_at('00:00:03.139'))
    t.type(':clock')
    t.keys('Enter')
    t.wait(cursor_at('@12:57:44.139'))
    t.keys('0')
    t.wait(lambda screen: '@12:57:40.98' in screen)
    t.keys('C-e')
    t.wait(cursor_at('-00:00:00.01'))


def fine(t):
    t.keys('M')
    t.wait('looked at and fine')
    t.keys('G')
    t.type('/looked at')
    t.keys('Enter')
    t.wait(cursor_at('looked at'))
    t.keys('Enter')                 # each of them
    t.wait(lambda screen: 'looked at and fine' not in screen.split('Backspace')[0])
    t.type('/static ')
    t.keys('Enter')
    t.wait(cursor_at('static '))
    t.keys('BSpace')
    t.wait(cursor_at('looked at'))


def locks(t, wide):
    fine(t)
    clock(t)
    t.keys('L')
    t.wait(cursor_at('673 ms'))
    if wide:
        t.wait_row('611 ms', 199)
        t.wait('HELD IN')
    t.keys('Enter')
    t.wait(cursor_at('8.56 ms'))
    t.keys('Enter')                 # what the holder did then
    t.wait(cursor_at('100 '))
    t.type(':range 0.00001s..0.00002s')
    t.keys('Enter')
    t.wait('this thread made no call then')
    t.keys('|')
    t.wait('nothing ran in this time')


def main():
    size, profview, *logs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        env = {'TZ': 'UTC', 'XDG_CACHE_HOME': folder, 'XDG_CONFIG_HOME': folder}
        for i, log in enumerate(logs):
            pathlib.Path(folder, f'{i}.mlpd').write_bytes(gzip.decompress(pathlib.Path(log).read_bytes()))
        with term.Terminal(folder, *SIZES[size], env=env.items()) as t:
            os.chdir(folder)
            if size == 'wide':
                t.run('env', 'TERM=nosuch', profview, 'run', '--', 'touch', f'{folder}/ran')
                t.wait('is unknown here')
                t.wait_prompt()
                assert not pathlib.Path(folder, 'ran').exists()
            for i, look in enumerate((spans, metered, locks)):
                t.run(profview, '--no-index', f'{folder}/{i}.mlpd')
                t.wait_end()
                look(t, size == 'wide')
                t.keys('Q')
                t.wait_prompt()


if __name__ == '__main__':
    main()

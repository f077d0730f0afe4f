#!/usr/bin/env python3
"""profview.conf: its filters have names on the screen and in reports; what is wrong in it is said and left out.

usage: test_conf.py PROFVIEW LOG.gz
"""
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

CONF = '''# filters of mine
filter shop = Shop | Shelf
filter serve=\\shop Serve
filter 9x = a
filter bad = a |
colour = blue

nonsense
theme = red-green
'''
SAID = ("line 4: a filter's name", 'line 5, character 16: nothing after |', 'line 6: the key is not known',
        'line 8: it has no =', 'line 9: a theme is usual or red-green-blind')
wrong = []


def check(what, ok, detail):
    if not ok:
        wrong.append(f'{what}: {detail}')


def names(profview, log, env, text):
    done = subprocess.run([profview, 'report', log, '--section', 'methods', '--format', 'json', '--filter', text],
                          capture_output=True, text=True, env=env, check=False)
    return done, [r['readable'] for r in json.loads(done.stdout)['methods']] if done.stdout else []


def screen(profview, log, env, keys):
    return subprocess.run([profview, '--dump', '--no-index', '--size', '100x20', '--keys', keys, log],
                          capture_output=True, text=True, env=env, check=True).stdout


def rows(profview, log, env):
    done, got = names(profview, log, env, '\\serve')
    check('a report', got == ['Shop.Serve(int)'], got)
    for text in SAID:
        check('complaint', text in done.stderr, done.stderr)
    check('complaints', done.stderr.count('\n') == len(SAID), done.stderr)
    check('plain words', names(profview, log, env, 'serve')[1] == ['Shop.Serve(int)'], 'others')
    done, got = names(profview, log, env, 'a \\nope')
    check('unknown', done.returncode == 2 and 'character 3: no filter is named nope' in done.stderr, done.stderr)
    frame = screen(profview, log, env, '2\\\\serve<Enter>')
    check('the screen', 'Shop.Serve' in frame and 'Shop.Main()' not in frame, frame)
    frame = screen(profview, log, env, '2\\\\ser')
    check('while it is typed', 'no filter is named ser' in frame, frame)
    frame = screen(profview, log, env, '2\\\\ser<Tab>')
    check('Tab', 'Filter: \\serve' in frame, frame)


def files(profview, log, env, conf):
    for what, data, said in (('a byte 0', b'filter a = b\0', 'byte 0'), ('too long', b'#' * 70000, '64 KiB'),
                             ('control', b'filter a = \x1b[2J\n', 'line 1: it has a control character'),
                             ('empty', b'', '')):
        conf.write_bytes(data)
        done, _ = names(profview, log, env, 'Serve')
        check(what, done.returncode == 0 and said in done.stderr and '\x1b' not in done.stderr and
              bool(said) == bool(done.stderr), done.stderr)
    conf.unlink()
    os.mkfifo(conf)
    done, _ = names(profview, log, env, 'Serve')
    check('a pipe', done.returncode == 0 and 'no regular file' in done.stderr, done.stderr)
    conf.unlink()
    done, _ = names(profview, log, env, 'Serve')
    check('none', done.returncode == 0 and not done.stderr, done.stderr)


def painted(profview, log, env):
    """All that it writes to a terminal until the flame is there."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(profview, [profview, '--no-index', log], {**env, 'TERM': 'xterm-256color', 'NO_COLOR': ''})
    data = b''
    for part, keys in (b'F10', b'222'), (b'U Shop.Serve', b'Q'):
        while part not in data:
            data += os.read(fd, 1 << 16)
        os.write(fd, keys)
    try:
        while more := os.read(fd, 1 << 16):
            data += more
    except OSError:
        pass
    os.close(fd)
    os.waitpid(pid, 0)
    return data


def themes(profview, log, env, conf):
    green, yellow = b'48;5;114m', b'48;5;227m'  # of the program's own code in a flame
    for text, wants, not_wants in ('', green, yellow), ('theme = usual', green, yellow), ('theme = red-green-blind', yellow, green):
        conf.write_text(text + '\n', encoding='utf-8')
        got = painted(profview, log, env)
        check(f'colours of {text!r}', wants in got and not_wants not in got, got[-3000:])


def main(profview, log):
    with tempfile.TemporaryDirectory() as folder:
        conf = pathlib.Path(folder, 'profview', 'profview.conf')
        conf.parent.mkdir()
        conf.write_text(CONF, encoding='utf-8')
        env = {**os.environ, 'XDG_CONFIG_HOME': folder, 'LC_ALL': 'C.UTF-8'}
        rows(profview, log, env)
        themes(profview, log, env, conf)
        files(profview, log, env, conf)
    print('\n'.join(wrong) or 'all as it should be')
    sys.exit(bool(wrong))


main(*sys.argv[1:])

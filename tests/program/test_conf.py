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
units = metric
columns nowhere = name
columns methods = calls colour
'''
SAID = ("line 4: a filter's name", 'line 5, character 16: nothing after |', 'line 6: the key is not known',
        'line 8: it has no =', 'line 9: a theme is usual or red-green-blind', 'line 10: units are binary or decimal',
        'line 11: there is no view of that name', 'line 12: methods has no column colour')
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


SET = """# mine, and it stays
colour = blue
  units =  binary
columns classes = allocated_bytes
# between
columns methods = calls
filter a = b
columns methods = self_ns"""
SAVED = """# mine, and it stays
colour = blue
units = decimal
columns classes = allocated_bytes
# between
filter a = b
columns call_tree = calls samples
"""


def head(frame, title):
    """The words of the list's line of titles."""
    return next(line.replace('▼', '').partition('…')[0].split() for line in frame.splitlines() if title in line)


def settings(profview, log, env, conf):
    """Columns and units come from the file, keys change them, and save writes them back, by rename."""
    for glyphs, options, locale, drawn in (('block', [], 'C.UTF-8', '█'), ('braille', [], 'C.UTF-8', '⣿'),
                                           ('ascii', [], 'C.UTF-8', '###'), ('braille', [], 'C', '###'),
                                           ('braille', ['--glyphs', 'block'], 'C.UTF-8', '█'),
                                           ('block', ['--ascii'], 'C.UTF-8', '###')):
        conf.write_text(f'glyphs = {glyphs}\n', encoding='utf-8')
        frame = subprocess.run([profview, '--dump', '--no-index', *options, '--keys', '5', log], capture_output=True,
                               text=True, check=True, env={**env, 'LC_ALL': locale}).stdout
        check(f'glyphs = {glyphs} {options} in {locale}', drawn in frame and
              sum(sign in frame for sign in ('█', '⣿', '###')) == 1, frame)
    conf.write_text('glyphs = dots\n', encoding='utf-8')
    done = subprocess.run([profview, '--dump', '--no-index', log], capture_output=True, text=True, check=True, env=env)
    check('glyphs = dots', 'line 1: glyphs are block, braille or ascii; the line is left out' in done.stderr, done.stderr)
    conf.write_text('glyphs = block\n', encoding='utf-8')
    screen(profview, log, env, '2:glyphs<Space>ascii<Enter><C-w>')
    check('glyphs are saved', conf.read_text(encoding='utf-8') == 'glyphs = ascii\n', conf.read_text(encoding='utf-8'))
    conf.write_text('columns methods = calls,self_ns\nunits = decimal\n', encoding='utf-8')
    frame = screen(profview, log, env, '2')
    check('columns of the file', head(frame, 'METHOD') == ['SELF', 'CALLS', 'METHOD'], frame)
    check('units of the file', ' 4.70 MB' in frame and 'MiB' not in frame, frame)
    frame = screen(profview, log, env, '2:columns<Space>all<Enter>')
    check('all columns', {'SELF%', 'TOTAL%', 'CALLS', 'METHOD'} <= set(head(frame, 'METHOD')), frame)
    frame = screen(profview, log, env, '2:columns<Space>calls<Space>total_n<Tab><Enter>:units<Space>binary<Enter>')
    check('columns by key', head(frame, 'METHOD') == ['TOTAL', 'CALLS', 'METHOD'], frame)
    check('units by key', ' 4.48 MiB' in frame and ' MB' not in frame, frame)
    check('F2 begins with those that are shown', ':columns self_ns calls name' in screen(profview, log, env, '2<F2>'),
          screen(profview, log, env, '2<F2>'))
    for keys, said in (('2:columns<Space>nope<Enter>', 'methods has no column nope'),
                       ('222:columns<Space>calls<Enter>', 'this view has no columns'),
                       ('2:units<Space>metric<Enter>', 'units are binary or decimal')):
        check(keys, said in screen(profview, log, env, keys), screen(profview, log, env, keys))
    conf.unlink()
    frame = screen(profview, log, env, '2<C-w>')
    check('nothing to save', 'nothing was set' in frame and not conf.exists(), frame)
    real = conf.with_name('elsewhere')
    real.write_text(SET, encoding='utf-8')
    real.chmod(0o640)
    conf.symlink_to(real)
    frame = screen(profview, log, env, '2:columns<Space>all<Enter>2:columns<Space>calls,samples<Enter><C-g><C-w>')
    check('it says where', f'written into {conf}' in ' '.join(frame.split()), frame)
    check('what was saved', real.read_text(encoding='utf-8') == SAVED, real.read_text(encoding='utf-8'))
    check('a link stays one, the mode as well', conf.is_symlink() and real.stat().st_mode & 0o777 == 0o640, oct(real.stat().st_mode))
    check('nothing else is left', sorted(p.name for p in conf.parent.iterdir()) == ['elsewhere', 'profview.conf'],
          list(conf.parent.iterdir()))
    conf.unlink()
    real.unlink()
    frame = screen(profview, log, env, '2<C-g><C-w>')
    check('a new file', conf.read_text(encoding='utf-8') == 'units = decimal\n', frame)
    conf.write_bytes(b'units = binary\0\n')
    frame = screen(profview, log, env, '2<C-g><C-w>')
    check('a file that is none is refused and stays', 'byte 0' in frame and conf.read_bytes() == b'units = binary\0\n', frame)
    conf.unlink()
    conf.parent.rmdir()
    nested = {**env, 'XDG_CONFIG_HOME': f'{conf.parent.parent}/new/config'}
    screen(profview, log, nested, '2<C-g><C-w>')
    check('folders are made', pathlib.Path(nested['XDG_CONFIG_HOME'], 'profview', 'profview.conf').exists(), 'none')
    conf.parent.mkdir()


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
        settings(profview, log, env, conf)
        files(profview, log, env, conf)
    print('\n'.join(wrong) or 'all as it should be')
    sys.exit(bool(wrong))


main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""profview.conf: its filters have names on the screen and in reports; what is wrong in it is said and left out.

usage: test_conf.py PROFVIEW LOG.gz
"""
import json
import os
import pathlib
import pty
import shutil
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
theme = red/green
units = metric
columns nowhere = name
columns methods = calls colour
'''
SAID = ("line 4: a filter's name", 'line 5, character 16: nothing after |', 'line 6: the key is not known',
        'line 8: it has no =', 'line 9: a theme', 'line 10: units are binary or decimal',
        'line 11: there is no view of that name', 'line 12: methods has no column colour')
OWN = 'TERM', 'NO_COLOR', 'COLORFGBG'  # what a case may set
# a terminal of 16 colours, and one whose numbers are red, green and blue: few systems have theirs
TERMINFO = r"""profview-16|sixteen colours,
	colors#16, pairs#256, setaf=\E[3%p1%dm, setab=\E[4%p1%dm, op=\E[39;49m, use=xterm-256color,
profview-direct|direct colours,
	RGB, colors#0x1000000, pairs#0x7fff, op=\E[39;49m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
	use=xterm-256color,
"""
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
    return next(line.replace('▼', '').partition('…')[0].partition('row ')[0].split() for line in frame.splitlines() if title in line)


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
    frame = screen(profview, log, env, '2<F2>')
    check('F2 says which are shown', [f'[{x}] {title} ' in frame for x, title in (('x', 'SELF'), ('x', 'CALLS'), (' ', 'TOTAL'))]
          == [True] * 3, frame)
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
    conf.write_text('source /src/b = /here/b\nsource /src/a b = /old\n', encoding='utf-8')
    given = ['--source', '/src/a b/=/new=place', '--source', '/more=/here']
    subprocess.run([profview, '--dump', '--no-index', *given, '--keys', '2<C-w>', log], capture_output=True, check=True, env=env)
    check('maps of sources are saved', conf.read_text(encoding='utf-8') ==
          'source /src/b = /here/b\nsource /src/a b = /new=place\nsource /more = /here\n', conf.read_text(encoding='utf-8'))
    conf.write_text('source /src = \nsource = /a\n' + 17 * 'source /a = /b\n', encoding='utf-8')
    done = subprocess.run([profview, '--dump', '--no-index', log], capture_output=True, text=True, check=True, env=env)
    check('maps that are none', [f'line {n}: a source has' in done.stderr for n in (1, 2, 3, 18, 19)] == [True, True, False, False, True],
          done.stderr)
    conf.write_bytes(b'units = binary\0\n')
    frame = screen(profview, log, env, '2<C-g><C-w>')
    check('a file that is none is refused and stays', 'byte 0' in frame and conf.read_bytes() == b'units = binary\0\n', frame)
    conf.unlink()
    conf.parent.rmdir()
    nested = {**env, 'XDG_CONFIG_HOME': f'{conf.parent.parent}/new/config'}
    screen(profview, log, nested, '2<C-g><C-w>')
    check('folders are made', pathlib.Path(nested['XDG_CONFIG_HOME'], 'profview', 'profview.conf').exists(), 'none')
    conf.parent.mkdir()


def painted(profview, log, env, *options, told=b''):
    """All that it writes to a terminal until the flame is there; `told` is the terminal's answer about its ground."""
    env = {**env, 'TERM': 'xterm-256color', 'NO_COLOR': '', 'COLORFGBG': '', **{o: v for o, v in env.items() if o in OWN}}
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(profview, [profview, '--no-index', *options, log], env)
    data, since = b'', 0
    for part, keys in (b'F10', b'222'), (b'Shop.Serve', b'Q'):
        while part not in data[since:]:
            data += os.read(fd, 1 << 16)
            if told and b'\033]11;?' in data:
                os.write(fd, told)
                told = b''
        os.write(fd, keys)
        since = len(data)
    try:
        while more := os.read(fd, 1 << 16):
            data += more
    except OSError:
        pass
    os.close(fd)
    os.waitpid(pid, 0)
    return data


def themes(profview, log, env, conf):
    usual, red, blue = b'48;5;62m', b'48;5;88m', b'48;5;20m'  # of the program's own code in a flame
    near, direct = b'48;5;130m', b'48:2::171:85:1m'  # of #ab5501
    dark, light = b'38;5;80m', b'38;5;24m'  # accent
    theme = conf.with_name('mine.theme')
    theme.write_text('# mine\nown.fill = 88\nlight.own.fill = 20\nown.fil = 3\naccent = 256\naccent\nown.text = default\n', encoding='utf-8')
    conf.with_name('rgb.theme').write_text('own.fill = #ab5501\n', encoding='utf-8')
    conf.with_name('empty.theme').mkdir()
    (conf.parent / 'terms').write_text(TERMINFO, encoding='utf-8')
    subprocess.run(['tic', '-x', '-o', conf.parent / 'terminfo', conf.parent / 'terms'], check=True)
    env = {**env, 'TERMINFO_DIRS': f'{conf.parent}/terminfo:'}
    for text, env_too, options, wants, not_wants in (
            ('', {}, [], [usual, dark], [light]),
            ('theme = usual', {}, [], [usual], [red]),
            ('theme = red-green-blind', {}, [], [usual], [red]),
            ('theme = mine', {}, [], [red, b'mine.theme: line 4: no colour has that name', b'line 5: a colour is a number',
                                      b'line 6: it has no =', b'line 7: a fill cannot be default'], [usual]),
            ('background = grey\ntheme = nowhere', {}, [], [usual, dark, b'line 1: a background is auto, dark or light',
                                                             b'line 2: there is no such theme'], [light]),
            ('theme = empty', {}, [], [usual, b'empty.theme: it is no regular file'], []),
            ('theme = mine\nbackground = light', {}, [], [blue, light], [red, dark]),
            ('theme = mine\nbackground = light', {}, ['--background', 'dark'], [red, dark], [blue, light]),
            ('background = light', {'COLORFGBG': '15;0'}, [], [light], [dark]),
            ('', {'COLORFGBG': '0;default;15'}, [], [light], [dark]),
            ('', {'COLORFGBG': '15;0'}, [], [dark], [light]),
            ('theme = mine', {'NO_COLOR': '1'}, [], [b'Shop.Serve'], [b'8;5;', b'[38', b'[48', b'[3m']),
            ('theme = mine', {}, ['--color', 'never'], [b'Shop.Serve'], [b'8;5;', b'[38', b'[48']),
            ('theme = mine', {'NO_COLOR': '1'}, ['--color', 'always'], [red], [usual]),
            ('theme = mine', {'TERM': 'profview-16'}, [], [b'[36m', b'Shop.Serve'], [b'8;5;', b'[46m', b'[44m']),
            ('theme = mine\nbackground = light', {'TERM': 'profview-16'}, [], [b'[34m', b'Shop.Serve'], [b'8;5;', b'[36m']),
            ('theme = rgb', {}, [], [near], [usual]),
            ('theme = rgb', {'TERM': 'profview-direct'}, [], [direct, b'38:2::95:215:215m'], [near])):
        conf.write_text(text + '\n', encoding='utf-8')
        got = painted(profview, log, {**env, **env_too}, *options)
        check(f'colours of {text!r} {env_too} {options}', all(w in got for w in wants) and not any(w in got for w in not_wants),
              ([w for w in wants if w not in got], [w for w in not_wants if w in got]))
    conf.unlink()
    attributes = b'\033[?62;22c'
    for told, said, wants, not_wants in (
            (b'\033]11;rgb:fafa/fafa/fafa\033\\' + attributes, '15;0', light, dark),
            (b'\033]11;rgb:16/18/1d\a' + attributes, '0;15', dark, light),
            (b'j\033]11;rgb:fafa/fafa/fafa\033\\' + attributes + b'k', '15;0', light, dark),
            (b'\033]11;rgb:zz/fafa/fafa\033\\' + attributes, '0;15', light, dark),
            (attributes, '0;15', light, dark)):
        got = painted(profview, log, {**env, 'COLORFGBG': said}, told=told)
        check(f'the ground by {told!r}, {said}', wants in got and not_wants not in got, got[-3000:])
    (conf.parent / 'terms').unlink()
    shutil.rmtree(conf.parent / 'terminfo')
    for made in conf.parent.glob('*.theme'):
        made.rmdir() if made.is_dir() else made.unlink()


def main(profview, log):
    with tempfile.TemporaryDirectory() as folder:
        conf = pathlib.Path(folder, 'profview', 'profview.conf')
        conf.parent.mkdir()
        conf.write_text(CONF, encoding='utf-8')
        env = {n: v for n, v in os.environ.items() if n not in OWN} | {'XDG_CONFIG_HOME': folder, 'LC_ALL': 'C.UTF-8'}
        rows(profview, log, env)
        themes(profview, log, env, conf)
        settings(profview, log, env, conf)
        files(profview, log, env, conf)
    print('\n'.join(wrong) or 'all as it should be')
    sys.exit(bool(wrong))


main(*sys.argv[1:])

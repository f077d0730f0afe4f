#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is no log is one line and exit 3, with a terminal and without; what may become one is waited for.

usage: test_no_log.py PROFVIEW LOG
"""
import gzip
import os
import pathlib
import re
import select
import socket
import subprocess
import sys
import tempfile

import test_terminal
from test_terminal import ENTER_SCREEN, LEAVE_SCREEN, Viewer, check

PNG = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR' + bytes(64)


def things(folder, log):
    """Each with the words that its line must hold."""
    whole = gzip.decompress(pathlib.Path(log).read_bytes())
    made = {
        'text': (b'# notes\nnothing of a log\n' * 40, 'not a profiler log: it looks like text'),
        'picture.png': (PNG, 'not a profiler log: it looks like a picture'),
        'data.json': (b'{"a": [1, 2, 3]}\n', 'not a profiler log: it looks like JSON'),
        'text.gz': (gzip.compress(b'nothing of a log\n' * 40), 'not a profiler log'),
        'zeros': (bytes(100000), 'not a profiler log'),
        'noise': (bytes((i * 7919 + i // 3) % 251 + 1 for i in range(5000)), 'not a profiler log'),
        'empty': (b'', 'empty: no bytes at all'),
        'empty.gz': (gzip.compress(b''), 'empty: no bytes at all'),
        'begun': (whole[:3], ''),
    }
    for name, (data, words) in made.items():
        path = folder / name
        path.write_bytes(data)
        yield path, words
    yield folder, 'the folder is no recording'
    bound = folder / 'socket'
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(bound))
    yield bound, 'it is a socket, not a log'
    yield pathlib.Path('/dev/zero'), 'not a profiler log: it holds zeros'
    yield folder / 'absent', 'No such file or directory'
    yield pathlib.Path('/dev/null'), 'empty: no bytes at all'
    yield pathlib.Path(sys.executable), 'not a profiler log: it looks like an ELF program'
    if os.geteuid() != 0:
        closed = folder / 'closed'
        closed.write_bytes(whole)
        closed.chmod(0)
        yield closed, 'Permission denied'


def one_line(what, said, path, words):
    lines = said.splitlines()
    check(f'{what}: one line', len(lines) == 1, repr(said[:500]))
    check(f'{what}: its words', lines and lines[0].startswith(f'profview: {path}: ')
          and words in lines[0], repr(lines[:1]))


def without_a_terminal(profview, path, words):
    for more in ([], ['--dump'], ['--dump', '--size', '80x24', '--keys', '2']):
        what = f'{path.name} {" ".join(more)}'
        done = subprocess.run([profview, path, *more], capture_output=True, text=True, timeout=150,
                              check=False, stdin=subprocess.DEVNULL)
        check(f'{what}: exit code', done.returncode == 3, done.returncode)
        check(f'{what}: nothing on standard output', done.stdout == '', repr(done.stdout[:200]))
        one_line(what, done.stderr, path, words)


def with_a_terminal(profview, path, words):
    what = f'{path.name} in a terminal'
    v = Viewer([profview, str(path)])
    check(f'{what}: exit code', (code := v.end()) == 3, code)
    said = v.seen.decode('utf-8', 'replace')
    if ENTER_SCREEN in v.seen:  # a slow machine; the line stands below what was there before
        said = re.sub(r'\x1b(\[[0-9;?]*[A-Za-z]|[>=])', '', said.rsplit(LEAVE_SCREEN.decode(), 1)[-1])
        said = said.replace('\r', '')
    one_line(what, said, path, words)
    v.restored(what)
    v.close()


def a_pipe(profview, folder):
    """Nothing is known of a pipe before its first bytes: the screen may come and must go."""
    fifo = folder / 'fifo'
    os.mkfifo(fifo)
    read = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(read, True)
    v = Viewer([profview, '-'], stdin=read)
    with fifo.open('wb', buffering=0) as to:
        os.close(read)
        v.wait_for(ENTER_SCREEN, 'pipe: the screen while nothing came')
        to.write(b'nothing of a log\n' * 100)
    check('pipe: exit code', (code := v.end()) == 3, code)
    check('pipe: its words', b'not a profiler log: it looks like text' in
          v.seen.rsplit(LEAVE_SCREEN, 1)[-1], v.seen[-300:])
    v.restored('pipe')
    v.close()


def nobody_writes(profview, folder, log):
    """A named pipe without a writer is waited for, and a line says so; then it is read as ever."""
    data = gzip.decompress(pathlib.Path(log).read_bytes())
    verbs = ['report'], ['brief'], ['dump'], ['--dump'], ['report', '--range', '0..1s']
    begun = []
    for i, (verb, *more) in enumerate(verbs):
        fifo = folder / f'silent{i}'
        os.mkfifo(fifo)
        begun.append((fifo, subprocess.Popen(
            [profview, *([verb] if verb != '--dump' else []), fifo, *(more or ['--dump'] * (verb == '--dump'))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)))
    for fifo, process in begun:
        come, _, _ = select.select([process.stderr], [], [], 60)
        line = process.stderr.readline().decode() if come else ''
        check(f'{process.args[1:]}: waits aloud',
              line == f'profview: {fifo}: nothing has come yet, still waiting\n', line)
        with fifo.open('wb') as to:
            to.write(data)
        out, rest = process.communicate(timeout=150)
        check(f'{process.args[1:]}: then reads', (process.returncode, rest) == (0, b'') and len(out) > 500,
              (process.returncode, rest))


def no_file_to_convert(profview, folder):
    """What gives other bytes when it is read again is refused before it is read, with or without a writer."""
    fifo = folder / 'no-writer'
    os.mkfifo(fifo)
    for path in fifo, '/dev/zero', '/dev/null':
        to = folder / 'converted.mlpd'
        done = subprocess.run([profview, 'convert', path, '-o', to], capture_output=True, text=True,
                              timeout=150, check=False, stdin=subprocess.DEVNULL)
        check(f'convert {path}', (done.returncode, done.stderr, to.exists()) ==
              (2, f'profview: {path}: convert reads its input twice: give a file\n', False), done)


def grows(profview, folder, log):
    path = folder / 'grows.mlpd'
    path.write_bytes(b'')
    v = Viewer([profview, '--follow', str(path)])
    v.wait_for(b'WAITING', 'a file that grows: it is waited for', anew=True)
    with path.open('ab') as to:
        to.write(gzip.decompress(pathlib.Path(log).read_bytes()))
    v.wait_for(b'Shop.Main', 'a file that grows: its figures', anew=True)
    v.keys('Q')
    check('a file that grows: exit code', (code := v.end()) == 0, code)
    v.close()


def main(profview, log):
    profview = os.path.abspath(profview)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ['XDG_CACHE_HOME'] = str(folder / 'cache')
        for path, words in things(folder, log):
            without_a_terminal(profview, path, words)
            with_a_terminal(profview, path, words)
        a_pipe(profview, folder)
        nobody_writes(profview, folder, log)
        no_file_to_convert(profview, folder)
        grows(profview, folder, log)
    print('\n'.join(test_terminal.FAILED) or 'what is no log was said in one line each time')
    sys.exit(1 if test_terminal.FAILED else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A conversion that takes long says on a terminal how far it is; Ctrl-C ends it and leaves no file.

usage: test_progress.py PROFVIEW BIGLOG LOG
"""
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import test_terminal
from test_terminal import Viewer, check

LINE = rb'\r\x1b\[Kprofview: ([^\r\n]*)'


def shown(viewer):
    return [m.decode(errors='replace') for m in re.findall(LINE, viewer.seen)]


def slowly(folder, profview, log, to):
    """A pipe whose writer makes a pause: the line stands there, and Ctrl-C ends the wait."""
    pipe, out = folder / 'pipe', folder / f'page.{to}'
    os.mkfifo(pipe)
    whole, gate = gzip.decompress(pathlib.Path(log).read_bytes()), threading.Event()

    def write():
        with open(pipe, 'wb', buffering=0) as f:
            f.write(whole[:len(whole) // 2])
            gate.wait(60)

    writer = threading.Thread(target=write)
    writer.start()
    viewer = Viewer([profview, 'convert', '-o', out, pipe])
    viewer.wait_for(b'\r\x1b[Kprofview: reading: ', f'{to}: a line of progress')
    viewer.keys('\x03')
    code = viewer.end()
    check(f'{to}: exit code', code == 130, code)
    check(f'{to}: it says so', b'stopped, nothing was written' in viewer.seen, viewer.seen[-300:])
    check(f'{to}: the line is gone first', viewer.seen.index(b'\r\x1b[K') < viewer.seen.index(b'stopped'), viewer.seen)
    check(f'{to}: no file', sorted(p.name for p in folder.iterdir()) == ['pipe'], list(folder.iterdir()))
    gate.set()
    writer.join()
    pipe.unlink()


def large(folder, profview, biglog):
    """Of a file the share that was read, and which thread; the whole is written as without a terminal."""
    log = folder / 'big.mlpd'
    with open(log, 'wb') as f:
        subprocess.run([biglog, 'threads', '24'], stdout=f, check=True)
    viewer = Viewer([profview, 'convert', '-o', folder / 'a.html', log])
    code = viewer.end(100)
    lines = shown(viewer)
    check('a large file: exit code', code == 0, code)
    said = [m for m in lines if re.fullmatch(r'(reading|thread \d+ of \d+): [0-9.]+ %, .*', m)]
    check('a large file: shares', said and all(float(m.split(': ')[1].split()[0]) <= 100 for m in said), lines[:5])
    check('a large file: threads', any(m.startswith('thread ') for m in said), lines[-5:])
    quiet = subprocess.run([profview, 'convert', '-o', folder / 'b.html', log], capture_output=True, check=False)
    check('without a terminal: no such line', b'\r' not in quiet.stderr and quiet.returncode == 0, quiet.stderr)
    check('the same page', (folder / 'a.html').read_bytes() == (folder / 'b.html').read_bytes(), 'pages differ')


def main(profview, biglog, log):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for to in 'html', 'pb.gz', 'trace.json':
            slowly(folder, profview, log, to)
        large(folder, profview, biglog)
    print('\n'.join(test_terminal.FAILED) or 'how far it is was said, and nothing was left where it was stopped')
    sys.exit(1 if test_terminal.FAILED else 0)


if __name__ == '__main__':
    main(*map(os.path.abspath, sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Control sockets that killed programs left are removed by the next run; others stay. Where /tmp takes no files, TMPDIR does;
a native program that cannot be joined is refused with a way out.

usage: test_left.py PROFVIEW
"""
import os
import pathlib
import socket
import stat
import subprocess
import sys
import tempfile

from verdict import Verdict


def dead():
    """The number of a process that has ended."""
    child = subprocess.Popen(['true'])
    child.wait()
    return child.pid


def bound(path, listens=False):
    """It gets its name when it is ready: other runs sweep there, too."""
    one = socket.socket(socket.AF_UNIX)
    before = path.with_name(f'made-{path.name}')
    before.unlink(missing_ok=True)
    one.bind(str(before))
    if listens:
        one.listen()
    before.rename(path)
    return one


def read_only(v, profview):
    """A /tmp that takes no files: those of the viewer and of the program stand in TMPDIR."""
    inside = 'mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && exec "$@"'
    if os.geteuid() != 0 or subprocess.run(['unshare', '-m', 'sh', '-c', inside, 'sh', 'true'], check=False).returncode:
        return
    with tempfile.TemporaryDirectory(dir='/var/tmp') as other:
        done = subprocess.run(['unshare', '-m', 'sh', '-c', inside, 'sh', profview, 'run', '--record', f'{other}/log.mlpd', '--',
                               'sleep', '0'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=os.environ | {'TMPDIR': other}, text=True, timeout=150, check=False)
        v.equal('run where /tmp is read-only', done.returncode, 0)
        v.true('nothing is said of it', 'no folder' not in done.stderr, done.stderr)
        v.true('there is a log', pathlib.Path(other, 'log.mlpd').exists())


def refused(v, profview):
    """A native program that runs without a probe, which is asked for: the way out is an option."""
    with subprocess.Popen(['sleep', '60']) as program:
        done = subprocess.run([profview, 'attach', '--via', 'probe', str(program.pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=150, check=False)
        program.kill()
    v.equal('attach to a native program: exit', done.returncode, 3)
    v.true('the way out', '--via outside' in done.stderr, done.stderr)


def main(profview):
    v = Verdict('left')
    refused(v, os.path.abspath(profview))
    read_only(v, os.path.abspath(profview))
    folder = pathlib.Path(f'/tmp/profview-{os.geteuid()}')
    folder.mkdir(mode=0o700, exist_ok=True)
    v.equal('the folder is private', stat.S_IMODE(folder.stat().st_mode), 0o700)
    left, held, text, own = folder / str(dead()), folder / f'{dead()}-2', folder / f'{dead()}', folder / f'{os.getpid()}-3'
    while text in (left, held):
        text = folder / str(dead())
    try:
        bound(left).close()
        # The one that listens is as of a container that shares the folder: its number is another process's here.
        with bound(held, True), bound(own):
            text.write_text('no socket', encoding='ascii')
            with tempfile.TemporaryDirectory() as logs:
                subprocess.run([profview, 'run', '--record', f'{logs}/log.mlpd', '--', 'sleep', '0'], check=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=150)
            v.true('a socket that nobody listens at is gone', not left.exists())
            v.true('one that somebody listens at stays', held.exists())
            v.true('one of a process that lives stays', own.exists())
            v.true('what is no socket stays', text.exists())
    finally:
        for path in (left, held, text, own):
            path.unlink(missing_ok=True)
    return v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

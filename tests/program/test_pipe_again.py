#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is read twice gives the same from a pipe as from a file: ranges, objects, names of threads.

usage: test_pipe_again.py PROFVIEW LOG.GZ LOG2007
"""
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

DEADLINE = 120
ASKED = (
    ['--range', '500us..2s'],
    ['--range=-1s..'],
    ['--thread', 'Main'],
    ['--section', 'heap_objects', '--shot', '2', '--limit', '30'],
    ['--section', 'heap_classes', '--shot', '1', '--retained'],
    ['--section', 'heap_diff', '--base', '0', '--shot', '3'],
    ['--section', 'heap_ladder'],
    ['--section', 'heap_diff', '--base', '0', '--shot', '9'],
)
SMALL = ('--spool', '64KiB')  # the log is larger
TOO_SMALL = (
    (['--thread', 'Main'], 'than the spool keeps'),
    (['--range=-1s..'], 'than the spool keeps'),
    (['--section', 'heap_objects', '--shot', '0'], 'than the spool holds'),
    (['--section', 'heap_ladder'], 'than the spool holds'),
)
KEYS = (':range 500ms..2s\r2', ':range 500ms..2s\r5', '4', '4444', '444')


def fed(command, data, after=()):
    """The program with the log on its standard input."""
    end, begin = os.pipe()

    def write():
        with os.fdopen(begin, 'wb', buffering=0) as pipe:
            try:
                pipe.write(data)
            except BrokenPipeError:
                pass
    writer = threading.Thread(target=write)
    writer.start()
    done = subprocess.run([*command, '-', *after], stdin=end, capture_output=True,
                          timeout=DEADLINE, check=False)
    os.close(end)
    writer.join()
    return done


def told(done):
    """Exit code, report without what names its input, and what was said."""
    said = done.stderr.decode().replace('profview: -:', '')
    if not done.stdout:
        return done.returncode, None, said
    j = json.loads(done.stdout)
    for key in ('path', 'file_bytes'):
        j.get('source', {}).pop(key, None)
    return done.returncode, j, said


def frame(done):
    """A frame without its first line, which names the input."""
    return done.returncode, done.stdout.decode().split('\n')[2:-2]


def check(what, same, seen, wanted):
    if same:
        return 0
    print(f'{what}: differs\n  {str(seen)[:1500]}\n  {str(wanted)[:1500]}', file=sys.stderr)
    return 1


def compare(profview, log, data, options):
    command = [profview, 'report', '--format', 'json', '--no-index', *options]
    alone = subprocess.run([*command, str(log)], capture_output=True, timeout=DEADLINE,
                           check=False)
    alone.stderr = alone.stderr.replace(f'profview: {log}:'.encode(), b'')
    a, b = told(fed(command, data)), told(alone)
    return check(f'{log.name} {" ".join(options)}', a == b, a, b)


def refuse(profview, log, data, options, why):
    """What is no longer kept cannot be read again, and that is said."""
    done = fed([profview, 'report', '--format', 'json', *SMALL, *options], data)
    seen = done.returncode, done.stderr.decode()
    return check(f'{log.name} {" ".join(SMALL)} {" ".join(options)}',
                 done.returncode != 0 and why in seen[1], seen, why)


def compare_frame(profview, log, data, keys):
    command = [profview, '--dump', '--size', '110x40', '--ascii', '--no-index', '--keys', keys]
    alone = subprocess.run([*command, str(log)], capture_output=True, timeout=DEADLINE,
                           check=False)
    a, b = frame(fed(command, data)), frame(alone)
    return check(f'{log.name} keys {keys!r}', a == b, a, b)


def stopped(profview, data):
    """More comes than the spool keeps while the viewer is stopped: the frame says how much was dropped."""
    with subprocess.Popen([profview, *SMALL, '--dump', '--size', '400x36', '--ascii', '--no-index', '--keys', '2', '-'],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as viewer:
        children = pathlib.Path(f'/proc/{viewer.pid}/task/{viewer.pid}/children')
        end = time.monotonic() + DEADLINE
        while not children.read_text() and time.monotonic() < end:  # the drainer
            time.sleep(0.02)
        viewer.stdin.write(data[:20000])
        viewer.stdin.flush()
        viewer.send_signal(signal.SIGSTOP)
        viewer.stdin.write(data[20000:])
        viewer.stdin.close()
        viewer.send_signal(signal.SIGCONT)
        lines = viewer.stdout.read().decode().splitlines()
    return (check('dropped, in the first line', ' dropped ' in lines[0], lines[0], 'dropped')
            + check('dropped, in the coverage', 'dropped unread' in lines[-2], lines[-2], 'dropped unread'))


def main(profview, packed, old):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'log.mlpd')
        log.write_bytes(gzip.decompress(pathlib.Path(packed).read_bytes()))
        for options in ASKED:
            wrong += compare(profview, log, log.read_bytes(), options)
        for options, why in TOO_SMALL:
            wrong += refuse(profview, log, log.read_bytes(), options, why)
        for path in (pathlib.Path(packed), pathlib.Path(old)):
            for options in (ASKED[0], ASKED[1], ASKED[3]):
                wrong += compare(profview, path, path.read_bytes(), options)
        wrong += stopped(profview, log.read_bytes())
        for keys in KEYS:
            wrong += compare_frame(profview, log, log.read_bytes(), keys)
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A million samples at 10,000 a second while threads and libraries come and go: none does harm.

usage: sampled_hard.py PROFVIEW LIBRARY PROGRAM [SECONDS [RATE]]

SECONDS of processor time, 100 by default, some a million samples. The program must print what it
prints without the probe; every stack of its own functions must be one that it can have, from the
thread's start to the innermost. Prints what was seen; exit code 1 if anything is wrong.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PIECES = 9000  # about a second of processor time
DEEPEST = 12
CALLERS = {'leaf': {'down'}, 'down': {'down', 'short_life'}, 'short_life': {'start_thread'},
           'call_zlib': {'come_and_go'}, 'call_lzma': {'come_and_go'},
           'come_and_go': {'start_thread'}}


def plain(name):
    """Of libc, where its debug file is not there, the thread's start has no name."""
    return 'start_thread' if name.startswith('libc.so.6+') else name.split(' [')[0]


def run(program, pieces, more):
    began = time.monotonic()
    done = subprocess.run([program, str(pieces)], env=os.environ | more, text=True,
                          capture_output=True, check=False)
    print(f'{time.monotonic() - began:.0f} s, exit code {done.returncode}: {done.stderr.strip()}')
    return done.returncode, done.stdout


def paths(tree):
    node = {n['id']: n for n in tree}
    for n in tree:
        path, at = [], n
        while at:
            path.append(plain(at['method']))
            at = node.get(at['parent'])
        yield n['samples'], path


def look(tree):
    """Samples by what is wrong with the stack; '' where nothing is."""
    found = collections.Counter()
    for samples, path in paths(tree):
        if not samples:
            continue
        what = ''
        for name, caller in zip(path, path[1:] + ['(nothing)']):
            if name in CALLERS and caller not in CALLERS[name]:
                what = f'{name} called by {caller}'
        if path.count('down') > DEEPEST:
            what = 'deeper than it is'
        found[what] += samples
    return found


def main(profview, library, program, seconds='100', rate='10000'):
    pieces = int(float(seconds) * PIECES)
    bare = run(program, pieces, {})
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'samples.mlpd')
        own = run(program, pieces, {
            'LD_PRELOAD': os.path.abspath(library),
            'PROFVIEW_OPTIONS': f'nodefaults,sample={rate},output={log}'})
        done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index',
                               '--section', 'call_tree,samples,coverage', '--limit', '0'],
                              text=True, capture_output=True, check=True)
        print(f'{log.stat().st_size} bytes')
    d = json.loads(done.stdout)
    found = look(d['call_tree'])
    print(f'{sum(found.values())} samples in {len(d["call_tree"])} places of the call tree')
    for what, n in found.most_common():
        print(f'  {n} {what or "as they can be"}')
    print(next(c['detail'] for c in d['coverage'] if c['what'] == 'samples'))
    bad = own != bare or own[0] != 0 or not found[''] or len(found) > 1
    print('something is wrong' if bad else 'nothing is wrong')
    return bad


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

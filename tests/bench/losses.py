#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Share of events that are lost at full speed of an instrumented C++ program, and what waiting costs.

usage: losses.py PROFVIEW build/tests/real/full-speed [--depth N] [--threads N,N] [--runs N]

Each row: threads; seconds bare; then for block=no (as with a screen), a record without a screen and
block=yes: the worst share lost, median seconds.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

WAYS = {'block=no': ['--probe', 'block=no'], 'record': [], 'block=yes': ['--probe', 'block=yes']}


def timed(words):
    began = time.monotonic()
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    return time.monotonic() - began


def lost(profview, log):
    said = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--section', 'events,counters',
                           log], check=True, capture_output=True)
    r = json.loads(said.stdout)
    events = sum(n for kind, n in r['events'].items() if kind.startswith('method.'))
    gone = sum(c['samples'][-1][1] for c in r['counters'] or [] if c['name'] == 'lost events' and c['samples'])
    return gone / (events + gone), events + gone


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('profview')
    parser.add_argument('program')
    parser.add_argument('--depth', default='33')
    parser.add_argument('--threads', default='2,4,8,16')
    parser.add_argument('--runs', type=int, default=3)
    o = parser.parse_args()
    print('threads     bare' + ''.join(f'{way:>24}' for way in WAYS))
    with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:
        log = pathlib.Path(folder, 'log.mlpd')
        for threads in o.threads.split(','):
            bare = statistics.median(timed([o.program, threads, o.depth]) for _ in range(o.runs))
            found = {way: [] for way in WAYS}
            for _ in range(o.runs):
                for way, words in WAYS.items():
                    log.unlink(missing_ok=True)
                    took = timed([o.profview, 'run', '--calls', *words, '--record', log, '--', o.program,
                                  threads, o.depth])
                    found[way].append((took, *lost(o.profview, log)))
            cells = ''.join(f'{100 * max(f[1] for f in rows):11.2f} %  {statistics.median(f[0] for f in rows):6.2f} s'
                            for rows in found.values())
            print(f'{threads:>7} {bare:6.2f} s{cells}', flush=True)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Classes of objects that one thread of a real program allocates and another one speaks of.

usage: test_strangers.py PROFVIEW STRANGERS.EXE

Buffers are written when they are full, so the allocation often stands behind what the other thread
did with the object, at an address that another object had before: handles, throws and locks must be
those of the classes that the program says. The same through the index and for parts of the time.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

from verdict import Verdict

OPTIONS = 'nodefaults,alloc,gc,gcmove,gchandle,exception,monitor'
CLASSES = ('Alpha', 'Beta', 'Gamma')


def report(profview, log, *args):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--limit', '0', '--section',
                           'handle_sites,throw_sites,locks,wait_sites', *args],
                          capture_output=True, timeout=120, check=True)
    return json.loads(done.stdout)


def by_class(rows, figure, mine=lambda row: True):
    """Wrong classes show up under their own names."""
    sums = collections.Counter()
    for row in rows:
        if mine(row) and row[figure]:
            sums[row['class']] += row[figure]
    return dict(sums)


def is_work(row):
    return any('Strangers:Work ' in frame for frame in row['stack'])


def main(profview, exe):
    v = Verdict('strangers')
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/strangers.mlpd'
        done = subprocess.run(['mono', f'--profile=log:{OPTIONS},output={log}', exe],
                              env={**os.environ, 'MONO_GC_PARAMS': 'nursery-size=64k'},
                              capture_output=True, text=True, timeout=200, check=True)
        said = collections.defaultdict(dict)
        for line in done.stdout.splitlines():
            what, name, n = line.split()
            said[what][name] = int(n)
        for how, args in {'alone': ['--no-index', '--jobs', '1'], 'two': ['--no-index', '--jobs', '2'],
                          'first': [], 'index': [], 'all of the time': ['--range', '0s..1h']}.items():
            r = report(profview, log, *args)
            v.equal(f'{how}: handles', by_class(r['handle_sites'], 'created', is_work),
                    said['handles'])
            v.equal(f'{how}: thrown', by_class(r['throw_sites'], 'thrown', is_work), said['thrown'])
            waits = by_class(r['wait_sites'], 'contentions', is_work)
            v.equal(f'{how}: contended, by site', waits, said['contended'])
            locks = by_class(r['locks']['objects'], 'contentions')
            v.equal(f'{how}: contended', {c: locks.get(c) for c in CLASSES}, said['contended'])
        begin = report(profview, log, '--no-index', '--range', '0s..0.2s')
        rest = report(profview, log, '--no-index', '--range', '0.2s..1h')
        for key, figure, rows in (('handles', 'created', lambda r: r['handle_sites']),
                                  ('thrown', 'thrown', lambda r: r['throw_sites']),
                                  ('contended', 'contentions', lambda r: r['wait_sites'])):
            sums = collections.Counter(by_class(rows(begin), figure, is_work))
            sums.update(by_class(rows(rest), figure, is_work))
            v.equal(f'two ranges: {key}', dict(sums), said[key])
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

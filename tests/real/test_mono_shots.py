#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heap shots of our Mono module: how many, what is in them, and what becomes of those too large.

usage: test_mono_shots.py CASE PROFVIEW COUNTED.EXE MODULE
"""
import os
import pathlib
import subprocess
import sys

import checks
import target
from test_mono import Run
from test_mono_probe import Probed, names, stock_reads
from verdict import Verdict


def state(r, what):
    return next(c for c in r.json['coverage'] if c['what'] == what)


def every_collection(v, r):
    """Each major collection has one, in its place among the moves, with its own roots."""
    majors = r.log.collections[1]
    v.at_least('major collections', majors, 3)
    v.equal('heap shots', len(r.json['heap_shots']), majors)
    for s in r.json['heap_shots']:
        v.at_least('roots of a shot', s['roots'], 1)
        v.at_least('references of a shot', s['references'], 1)
    v.equal('state of heap shots', state(r, 'heap_shots')['state'], 'complete')
    checks.shots(v, r)


def at_the_end(v, r):
    v.equal('heap shots', len(r.json['heap_shots']), 1)
    checks.shots(v, r)


def none(v, r):
    v.equal('heap shots', r.json['heap_shots'], [])


def discarded(v, r):
    """Whole or not at all: what has no room leaves nothing behind but a count."""
    v.equal('heap shots', len(r.json['heap_shots'] or []), 0)
    v.equal('objects of no shot', r.log.events['heap.object'], 0)
    v.equal('state of heap shots', state(r, 'heap_shots')['state'], 'lost')
    counted = [c for c in r.json['counters'] if c['name'] == 'discarded heap shots']
    v.equal('discarded', counted[0]['samples'][-1][1], r.log.collections[1])


def seldom(v, r):
    v.equal('heap shots', len(r.json['heap_shots']), r.log.collections[1] // 3)


CASES = {
    'every': ('nodefaults,heapshot,alloc', 'heap collect allocs collect', (every_collection,)),
    'third': ('nodefaults,heapshot=3gc', 'heap collect collect', (seldom,)),
    'end': ('nodefaults,heapshot-on-shutdown', 'heap', (at_the_end,)),
    'end-mode': ('nodefaults,heapshot=onshutdown', 'heap', (at_the_end,)),
    'ondemand': ('nodefaults,heapshot=ondemand', 'heap collect', (none,)),
    'no-room': ('nodefaults,heapshot,heapshot-room=64k', 'heap collect', (discarded,)),
}


def main(case, profview, exe, module):
    options, worlds, wanted = CASES[case]
    os.environ['LD_LIBRARY_PATH'] = os.path.dirname(module)
    v = Verdict(f'mono-shots-{case}')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        with Probed(exe, worlds.split(), options, path) as program:
            said = program.wait()
        run = Run(profview, path, said, [])
        for check in (checks.source, checks.events, stock_reads, names) + wanted:
            check(v, run)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

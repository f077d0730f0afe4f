#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A C program under our own probe: the report says what the program and mprof-report say.

usage: test_native.py CASE PROFVIEW COUNTED-NATIVE
"""
import pathlib
import sys

import checks
import target
from test_mono import Run
from verdict import Verdict


def counter(v, r):
    values = {c['name']: c['samples'] for c in r.json['counters'] or []}
    for name, n in checks.said_of(r.said, 'counter').items():
        v.equal(f'last value of the counter {name}', values.get(name, [[0, None]])[-1][1], n)


def stock_agrees(v, r):
    v.equal('calls after mprof-report', r.mprof['calls_total'], r.log.events['method.enter'])
    v.equal('allocations after mprof-report', r.mprof['alloc_total'],
            (sum(r.log.alloc_count.values()), sum(r.log.alloc_bytes.values())))


ALWAYS = (checks.source, checks.events, checks.threads, stock_agrees)

CASES = {
    'calls': ('calls spin regions', (checks.calls, checks.times, checks.call_tree)),
    'unwound': ('unwound calls', (checks.calls, checks.times, checks.call_tree)),
    'allocs': ('allocs', (checks.allocations,)),
    'counters': ('counters', (counter,)),
    'everything': ('calls allocs regions counters unwound spin', (
        checks.calls, checks.times, checks.call_tree, checks.allocations, counter)),
}


def main(case, profview, exe):
    worlds, wanted = CASES[case]
    v = Verdict(f'native-{case}')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        with target.Native(exe, worlds.split(), path) as program:
            said = {k: n for k, n in program.wait().items() if n}
        run = Run(profview, path, said, [])
        v.equal('exit code', run.exit, 0)
        v.equal('standard error', run.complaint, '')
        if run.json:
            for check in ALWAYS + wanted:
                check(v, run)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

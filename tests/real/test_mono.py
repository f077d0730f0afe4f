#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real programs under the stock log profiler: `profview report` must say what others say too.

usage: test_mono.py CASE PROFVIEW COUNTED.EXE
"""
import functools
import json
import pathlib
import subprocess
import sys

import checks
import mprof
import rawlog
import target
from verdict import Verdict

ALWAYS = (checks.source, checks.events, checks.groups, checks.threads, checks.jit, checks.modules)
BASE = 'calls,calldepth=10000'
EVERYTHING = ('alloc,gcmove,gcroot,gchandle,finalization,exception,monitor,counter,jit,'
              'heapshot=ondemand')
WORLDS = 'calls allocs throws locks threads handles finalizers collect heap'


def alone(check):
    """The same check where allocations, and so the objects' classes, are not recorded."""
    return lambda v, r: check(v, r, classes=False)


# case: options, worlds, checks; `pause` in the worlds takes a heap shot each time
CASES = {
    'calls': (f'nodefaults,{BASE}', 'calls spin throws threads finalizers',
              (checks.calls, checks.times, checks.call_tree)),
    'calls-own': (f'nodefaults,{BASE},callspec=program', 'calls spin throws threads finalizers',
                  (checks.calls, checks.times, checks.call_tree)),
    'alloc': ('nodefaults,alloc', 'allocs finalizers',
              (checks.allocations, checks.sites, checks.collections_, checks.moves)),
    'sample': ('nodefaults,sample=1000', 'spin calls ' + 12 * 'spin ', (checks.samples,)),
    'sample-real': ('nodefaults,sample-real=500', 'spin calls ' + 6 * 'spin ', (checks.samples,)),
    'heapshot-on-demand': ('nodefaults,heapshot=ondemand,alloc', 'heap pause allocs heap pause',
                           (checks.shots, checks.alive, checks.allocations, checks.collections_)),
    'heapshot-every': ('nodefaults,heapshot=2gc', 'heap collect collect heap collect',
                       (checks.shots, checks.collections_)),
    'gcmove': ('nodefaults,gc,gcmove', 'heap allocs collect',
               (checks.moves, checks.collections_)),
    'gcroot': ('nodefaults,gc,gcroot,heapshot', 'heap threads collect',
               (checks.shots, checks.collections_)),
    'gchandle': ('nodefaults,gchandle,finalization', 'handles finalizers',
                 (checks.handles, checks.finalizers)),
    'exception': ('nodefaults,exception', 'throws calls', (alone(checks.exceptions),)),
    'exception-alloc': ('nodefaults,exception,alloc', 'throws calls', (checks.exceptions,)),
    'monitor': ('nodefaults,monitor', 'locks', (alone(checks.locks),)),
    'monitor-alloc': ('nodefaults,monitor,alloc', 'locks', (checks.locks, checks.allocations)),
    'counter': ('nodefaults,counter', 'rest', (checks.counters,)),
    'everything': (f'nodefaults,sample=500,{EVERYTHING}', WORLDS + ' pause spin rest heap pause', (
        checks.allocations, checks.sites, checks.collections_, checks.moves, checks.handles,
        checks.finalizers, checks.exceptions, checks.locks, checks.shots, checks.alive,
        checks.samples, checks.counters)),
    'everything-calls': (f'nodefaults,{BASE},sample=500,{EVERYTHING}',
                         WORLDS + ' pause spin rest heap pause', (
        checks.calls, checks.times, checks.call_tree, checks.allocations, checks.collections_,
        checks.moves, checks.handles, checks.finalizers, checks.exceptions, checks.locks,
        checks.shots, checks.alive, checks.samples, checks.counters)),
    'zip': (f'nodefaults,sample=500,{EVERYTHING},zip', WORLDS, (
        checks.allocations, checks.collections_, checks.moves, checks.handles,
        checks.finalizers, checks.exceptions, checks.locks)),
    # Addresses are used again after an unload; other readers mix the classes up, the program not.
    'domains': (f'nodefaults,{BASE},callspec=program,alloc', 'domains calls domains',
                (checks.calls, checks.times, checks.own_allocations, checks.domains)),
    'defaults': ('alloc', 'allocs throws', (checks.allocations, checks.exceptions)),
}


class Run:
    """One log and everything that is said about it."""

    def __init__(self, profview, path, said, pauses):
        self.path, self.said, self.pauses = path, said, pauses
        self.profview = profview
        self.inflated = len(rawlog.inflate(path.read_bytes()))
        self.log = rawlog.load(path)
        done = subprocess.run(
            [profview, 'report', str(path), '--format', 'json', '--limit', '0', '--section', 'all',
             '--waits', '--no-index'], capture_output=True, timeout=target.DEADLINE, check=False)
        self.exit, self.complaint = done.returncode, done.stderr.decode()
        self.json = json.loads(done.stdout) if done.stdout else None


    @functools.cached_property
    def mprof(self):
        return mprof.report(self.path)


def record(exe, options, worlds, path):
    """Runs the program; gives what it said last and what it said in each pause."""
    pauses = []
    with target.Mono(exe, worlds, options, path) as program:
        for i in range(worlds.count('pause')):
            pauses.append(program.wait_phase(i + 1))
            program.heapshot()
            program.go()
        return program.wait(), pauses


def main(case, profview, exe):
    options, worlds, wanted = CASES[case]
    v = Verdict(case)
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        said, pauses = record(exe, options, worlds.split(), path)
        run = Run(profview, path, said, pauses)
        v.equal('exit code', run.exit, 0)
        v.equal('standard error', run.complaint, '')
        if run.json:
            for check in ALWAYS + wanted:
                check(v, run)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

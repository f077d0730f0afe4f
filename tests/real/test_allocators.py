#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Blocks are counted under other allocators, or the log says that they are not seen.

usage: test_allocators.py PROFVIEW LIBRARY ALLOCATORS OWN-MALLOC PLUGIN-HOST PLUGIN \\
           SANITIZED [ALLOCATORS-LINKED...]
"""
import ctypes.util
import json
import os
import pathlib
import re
import subprocess
import sys

import target
from verdict import Verdict

WORDS = 'malloc,free,heapshot-on-shutdown,linger=20000'
KEPT, SPARE = 10, 3  # others may ask for a block of a size of ours now and then
THERE = {name: ctypes.util.find_library(name)
         for name in ('jemalloc', 'tcmalloc_minimal', 'mimalloc')}


class Bench:
    def __init__(self, profview, library, folder):
        self.profview, self.library = profview, library
        self.log = pathlib.Path(folder, 'log.mlpd')

    def report(self):
        done = subprocess.run([self.profview, 'report', self.log, '--format', 'json', '--section',
                               'all', '--no-index'], capture_output=True, text=True, check=False)
        doc = json.loads(done.stdout)
        return doc, {c['what']: c for c in doc['coverage']}

    def preloaded(self, v, what, preload, *command):
        """Runs it with these in LD_PRELOAD; what it said, its report and coverage."""
        self.log.unlink(missing_ok=True)
        env = os.environ | {'LD_PRELOAD': ':'.join(preload),
                            'PROFVIEW_OPTIONS': f'output={self.log},{WORDS}'}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False,
                              timeout=target.DEADLINE)
        v.equal(f'{what}: exit code', (done.returncode, done.stderr), (0, ''))
        return done.stdout, *self.report()


def classes(text):
    """Of how many blocks of which size it said so."""
    return {int(size): int(n) for size, n in re.findall(r'^(\d+)=(\d+)$', text, re.M)}


def holds(name, size):
    bounds = [int(n) for n in re.findall(r'\d+', name)]
    return bounds[0] <= size <= bounds[-1]


def counted(v, what, said, doc, coverage):
    sizes = classes(said)
    v.true(f'{what}: the program said what it did', len(sizes) > 10, said)
    for size, n in sizes.items():
        got = sum(c['allocations'] for c in doc['classes'] if holds(c['name'], size))
        v.between(f'{what}: blocks of {size}', got, n, n + SPARE)
    v.equal(f'{what}: state', coverage['allocations']['state'], 'complete')
    alive = [c for c in doc['heap_shots'][-1]['classes'] if holds(c['name'], max(sizes))]
    v.equal(f'{what}: alive at the end', sum(c['objects'] for c in alive), KEPT)
    frees, allocations = doc['events'].get('ext.native.free', 0), sum(sizes.values())
    thrown = 1000 if 18008 in sizes else 0
    v.between(f'{what}: given back', frees, allocations - KEPT, allocations - KEPT + thrown + 100)


def bypassed(v, what, coverage, library):
    for row in 'allocations', 'allocation_stacks', 'heap_shots':
        v.equal(f'{what}: {row}', coverage[row]['state'], 'bypassed')
        v.true(f'{what}: {row} names the library', library in coverage[row]['detail'],
               coverage[row]['detail'])


def started(v, b, program):
    """`run` puts the probe in front of what is preloaded already."""
    for name, library in THERE.items():
        b.log.unlink(missing_ok=True)
        done = subprocess.run([b.profview, 'run', '--record', b.log, '--alloc', '--', program],
                              env=os.environ | {'LD_PRELOAD': library or ''}, text=True,
                              capture_output=True, check=False, timeout=target.DEADLINE)
        v.equal(f'run, {name}: exit code', done.returncode, 0)
        doc, coverage = b.report()
        v.equal(f'run, {name}: state', coverage['allocations']['state'], 'complete')
        if library:
            v.true(f'run, {name}: in the args', f'allocator={library}' in doc['target']['args'],
                   doc['target']['args'])


def sanitized(v, b, program):
    """A sanitizer's runtime has to be first, or ends the program."""
    b.log.unlink(missing_ok=True)
    done = subprocess.run([b.profview, 'run', '--record', b.log, '--', program], text=True,
                          capture_output=True, check=False, timeout=target.DEADLINE)
    v.equal('sanitized: exit code', done.returncode, 5)
    doc, coverage = b.report()
    v.equal('sanitized: state', coverage['allocations']['state'], 'bypassed')
    v.true('sanitized: in the args', 'bypassed=malloc:' in doc['target']['args'])


def main(profview, library, program, own, host, plugin, asan, *linked):
    library, program, own, host, plugin, *linked = (
        os.path.abspath(p) for p in (library, program, own, host, plugin, *linked))
    v = Verdict('allocators')
    with target.scratch() as folder:
        b = Bench(profview, library, folder)
        counted(v, 'libc', *b.preloaded(v, 'libc', [library], program, 'refused'))
        for name, other in THERE.items():
            if not other:
                print(f'{name} is not installed')
                continue
            counted(v, f'before {name}', *b.preloaded(v, name, [library, other], program))
            _, _, coverage = b.preloaded(v, f'behind {name}', [other, library], program)
            bypassed(v, f'behind {name}', coverage, other)
        for other in linked:
            counted(v, f'linked: {other}', *b.preloaded(v, other, [library], other))
        _, _, coverage = b.preloaded(v, 'its own', [library], own)
        bypassed(v, 'its own', coverage, os.path.basename(own))
        said, doc, coverage = b.preloaded(v, 'plugin', [library], host, plugin)
        v.equal('plugin: what it did', said, '1001\n')
        got = sum(c['allocations'] for c in doc['classes'] if holds(c['name'], 40))
        v.at_least('plugin: its blocks', got, 1000)
        started(v, b, program)
        if asan != 'none':
            sanitized(v, b, os.path.abspath(asan))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

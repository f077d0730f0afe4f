#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Stacks through libraries that were loaded a moment ago, one where the other one lay, reach main.

usage: test_stacks_fresh.py PROFVIEW LIBRARY FRESH FRESH_LIBRARY...
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from evidence import points
from verdict import Verdict

LEAST = 99.0  # percent of the samples
# ms of each visit to the first library; each further one is visited for so much longer. Names of what is
# loaded for less than a few rounds of the probe's writer may be those of the library behind it.
TIMES = {'short': 3, 'long': 60}
ALL = 1500  # ms, in all
NEAR = 3    # points between a library's share and that of its time, besides what chance does


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, timeout=150, text=True,
                          **more).stdout


def leaves(tree):
    """Names from the root on, and samples of its own, of each row that has some."""
    path = {0: []}
    for r in tree:
        path[r['id']] = path[r['parent']] + [r['method']]
    return [(path[r['id']], r['samples']) for r in tree if r['samples']]


def main(profview, probe, program, *libraries):
    v = Verdict('fresh')
    each = sum(range(1, len(libraries) + 1))
    for name, ms in TIMES.items():
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, 'fresh.mlpd')
            rounds = max(ALL // (ms * each), 1) * len(libraries)
            run(program, rounds, ms * 1000000, *libraries,
                env={**os.environ, 'LD_PRELOAD': probe, 'PROFVIEW_OPTIONS': f'output={log},sample=1000,nodefaults'})
            told = json.loads(run(profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                                  'call_tree,coverage', log))
        detail = next(c['detail'] for c in told['coverage'] if c['what'] == 'samples')
        print(f'{name}: {detail}')
        found = re.search(r'stacks: ([0-9.]+) % to their end', detail)
        v.at_least(f'{name}: to their end', float(found[1]) if found else 0, LEAST)
        rows = leaves(told['call_tree'])
        whole = sum(n for _, n in rows)
        v.at_least(f'{name}: samples', whole, 100)
        v.at_least(f'{name}: below main', 100 * sum(n for p, n in rows if 'main' in p) / whole, LEAST)
        for i, library in enumerate(libraries, 1):
            inner = f'inner [{pathlib.Path(library).name}]'
            share = 100 * sum(n for p, n in rows if p[-1] == inner) / whole
            if name == 'long':
                near = NEAR + points(100 * i / each, whole)
                v.between(f'{inner}, share', share, 100 * i / each - near, 100 * i / each + near)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

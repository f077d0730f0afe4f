# SPDX-License-Identifier: MIT
"""Folding the call tree, or the stacks: instructions, by callgrind, of calls (allocations) on paths
of which few have rows of their own, against the same ones where all have; and whether they grow as
the calls do.

usage: test_folding_cost.py FOLDING_COST
"""
import re
import shutil
import subprocess
import sys

ALL = 1000000
# Cap, paths, times at most of those that do not fold.
KINDS = {'calls': (1000, 10000, 1.8), 'stacks': (1000, 4000, 3)}
GROWTH = 4.4
TAKEN = re.compile(r'Collected : (\d+)')


def taken(program, kind, cap, paths):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
                           '--toggle-collect=pv_model_apply', program, kind,
                           str(cap), str(paths)], capture_output=True, text=True, check=True)
    return int(TAKEN.search(done.stderr)[1])


def main(program):
    if not shutil.which('valgrind'):
        sys.exit(77)
    bad = False
    for kind, (cap, paths, times) in KINDS.items():
        start = taken(program, kind, cap, 0)
        folded, four = (taken(program, kind, cap, n) - start for n in (paths, 4 * paths))
        plain = taken(program, kind, ALL, paths) - start
        print(f'{kind}: {folded / paths:.0f} instructions a path, {plain / paths:.0f} where none '
              f'folds: {folded / plain:.2f} times; {four / folded:.2f} times for four times the paths')
        bad |= folded > times * plain or four > GROWTH * folded
    sys.exit(bad)


if __name__ == '__main__':
    main(*sys.argv[1:])

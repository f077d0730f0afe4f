"""What folding the call tree costs: instructions, by callgrind, of calls on paths of which one of
ten is told apart, against the same calls where all are; and whether they grow as the calls do.

usage: test_folding_cost.py FOLDING_COST
"""
import re
import shutil
import subprocess
import sys

CAP, PATHS, ALL = 5000, 50000, 1000000
TIMES, GROWTH = 1.8, 4.4
TAKEN = re.compile(r'Collected : (\d+)')


def taken(program, cap, paths):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
                           '--toggle-collect=pv_model_apply', program,
                           str(cap), str(paths)], capture_output=True, text=True, check=True)
    return int(TAKEN.search(done.stderr)[1])


def main(program):
    if not shutil.which('valgrind'):
        sys.exit(77)
    start = taken(program, CAP, 0)
    folded, four = (taken(program, CAP, n) - start for n in (PATHS, 4 * PATHS))
    told_apart = taken(program, ALL, PATHS) - start
    print(f'{folded / PATHS:.0f} instructions a path, {told_apart / PATHS:.0f} where none folds: '
          f'{folded / told_apart:.2f} times; {four / folded:.2f} times for four times the paths')
    sys.exit(folded > TIMES * told_apart or four > GROWTH * folded)


if __name__ == '__main__':
    main(*sys.argv[1:])

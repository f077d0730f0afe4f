# SPDX-License-Identifier: MIT
"""Finding an address among those told so far takes time that hardly grows with them, in whatever
order they came: instructions, by callgrind, at n and 4n.

usage: test_ranges_cost.py RANGES_COST
"""
import re
import shutil
import subprocess
import sys

N = 8000
GROWTH = 5.2
TAKEN = re.compile(r'Collected : (\d+)')


def taken(program, order, n):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
                           '--toggle-collect=pv_ranges_find', '--toggle-collect=pv_ranges_add',
                           program, order, str(n)], capture_output=True, text=True, check=True)
    return int(TAKEN.search(done.stderr)[1])


def main(program):
    if not shutil.which('valgrind'):
        sys.exit(77)
    bad = False
    for order in ('back', 'shuffled'):
        some, four = taken(program, order, N), taken(program, order, 4 * N)
        print(f'{order}: {some / N:.0f} instructions an address, {four / some:.2f} times for four '
              f'times as many')
        bad |= four > GROWTH * some
    sys.exit(bad)


if __name__ == '__main__':
    main(*sys.argv[1:])

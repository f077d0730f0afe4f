#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Programs that leak nothing, under `profview run --leaks`: the finding of a leak accuses none of them.

usage: clean.py PROFVIEW [--write tests/README.md] [PROGRAM...]     names as in matrix.py --list

Prints a row for each: processes recorded, allocations, what is held at the end, the worst score of the finding
(50 and more is a warning). A program that is not installed is named and left out. Exit code 1: one is accused.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import matrix
from matrix_programs import PROGRAMS, fill

CLEAN = ('gcc', 'objdump', 'sqlite3', 'xz', 'zstd', 'sort', 'awk', 'jq', 'python3', 'perl with forks', 'lua',
         'openssl')
ACCUSED = 50
BEGIN, END = '<!-- clean: begin -->', '<!-- clean: end -->'
HEAD = ('program', 'logs', 'allocations', 'held at the end', 'worst score')


def told(profview, log):
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                           'held,findings', log], capture_output=True, check=True, timeout=matrix.DEADLINE)
    return json.loads(done.stdout)


def tried(program, profview):
    with tempfile.TemporaryDirectory(prefix='clean-', dir='/var/tmp') as top:
        folder, records = pathlib.Path(top, 'work'), pathlib.Path(top, 'records')
        folder.mkdir()
        fill(program, folder)
        matrix.Ran(folder, program.command, (profview, 'run', '--leaks', '--record', f'{records}/', '--'))
        logs = [told(profview, log) for log in sorted(records.glob('*.mlpd'))]
    leaks = [f for r in logs for f in r['findings'] if f['finding'] == 'leak']
    worst = max(leaks, key=lambda f: f['score'] or 0, default={'score': 0, 'text': ''})
    sums = [sum(h[key] for r in logs for h in r['held'] or []) for key in ('allocations', 'held_bytes')]
    return [str(len(logs)), f'{sums[0]:,}'.replace(',', ' '), f'{sums[1] / 1024:.0f} KiB',
            str(worst['score'] or 0)], worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('profview')
    parser.add_argument('--write', type=pathlib.Path)
    parser.add_argument('programs', nargs='*')
    o = parser.parse_args()
    rows, accused = [], 0
    for program in (p for p in PROGRAMS if p.name in (o.programs or CLEAN)):
        if matrix.missing(program, None):
            print(f'{program.name}: not installed')
            continue
        cells, worst = tried(program, os.path.abspath(o.profview))
        rows.append([program.name, *cells])
        print(' | '.join(rows[-1]), flush=True)
        if (worst['score'] or 0) >= ACCUSED:
            accused += 1
            print(f'    ACCUSED: {worst["text"]}')
    if o.write:
        matrix.write_table(o.write, HEAD, rows, (BEGIN, END))
    print(f'{len(rows)} programs, {accused} accused')
    return bool(accused)


if __name__ == '__main__':
    sys.exit(main())

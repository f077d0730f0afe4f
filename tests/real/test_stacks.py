#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The stacks of real programs reach the function that the system called, though neither they nor the
libraries below them keep frame pointers.

usage: test_stacks.py PROFVIEW LIBRARY DEEP [FRAMED...]        skips what is not installed
DEEP: deep.cpp; FRAMED: framed.c, built with frame pointers, of whose waits the system tells none.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from evidence import points
from workloads import PYTHON, SQL

# Percent of a program's samples, at least where they are many; and as it is, of which few samples are further away.
LEAST, USUAL = 99.0, 99.7
# It throws all the time: once libgcc has put the catching frame's registers into _Unwind_Resume's own
# frame, the callers of that frame are described by nothing until the jump. About 1 % of the samples.
LEAST_THROWING, USUAL_THROWING = 97.5, 99.0
ROUNDED = 0.1  # the log's figure has three digits
LEAST_WAITING = 95.0  # percent; by the first linked frames alone it was 22 and 67
ROOTS = {'_start', '__clone3', 'clone3'}


def report(profview, log, *more):
    out = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0',
                          '--section', 'call_tree,coverage', *more, log], check=True, capture_output=True)
    return json.loads(out.stdout)


def share(tree, program):
    """Percent of the samples whose outermost frame is where threads begin; stripped programs name no _start."""
    whole = sum(r['samples'] for r in tree)
    roots = {r['id']: r['method'] for r in tree if r['parent'] == 0}
    top = {}
    for row in tree:  # in preorder: parents come first
        top[row['id']] = row['id'] if row['parent'] == 0 else top[row['parent']]
    good = sum(r['samples'] for r in tree
               if roots[top[r['id']]].split(' ')[0] in ROOTS
               or roots[top[r['id']]].startswith(program + '+0x'))
    return whole, 100 * good / whole if whole else 0


def said(coverage):
    detail = next(c['detail'] for c in coverage if c['what'] == 'samples')
    found = re.search(r'stacks: ([0-9.]+) % to their end', detail)
    return float(found[1]) if found else 0.0


def sample(profview, library, folder, name, command):
    log = pathlib.Path(folder, name + '.mlpd')
    env = {**os.environ, 'LD_PRELOAD': library,
           'PROFVIEW_OPTIONS': f'output={log},sample=2000,nodefaults'}
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, timeout=150)
    told = report(profview, log)
    samples, reached = share(told['call_tree'], name)
    print(f'{name}: {samples} samples, {reached:.2f} % from where threads begin,',
          f'{said(told["coverage"])} % to their end as the log says')
    names = {r['method'] for r in told['call_tree']}
    aim, usual = (LEAST_THROWING, USUAL_THROWING) if name == 'deep' else (LEAST, USUAL)
    least = min(aim, usual - points(usual, samples)) - ROUNDED
    return [f'{name}: {what}' for what, bad in {
        'too few samples': samples < 30,
        'stacks are cut': reached < least or said(told['coverage']) < least,
        'main is not in the tree': name == 'deep' and 'main' not in names,
        'no caller in a file without symbols is told apart':
            name == 'sqlite3' and not any('libsqlite3' in n and '+0x' in n for n in names)
            and 'sqlite3VdbeExec' not in ' '.join(names),
    }.items() if bad]


def cut(profview, library, folder, deep):
    """Deeper than what is kept: the share that is cut is said, and the innermost functions stay."""
    log = pathlib.Path(folder, 'cut.mlpd')
    env = {**os.environ, 'LD_PRELOAD': library,
           'PROFVIEW_OPTIONS': f'output={log},sample=1000,nodefaults'}
    subprocess.run([deep, 'down', '2000'], check=True, env=env, timeout=150)
    told = report(profview, log)
    detail = next(c['detail'] for c in told['coverage'] if c['what'] == 'samples')
    downs = sum('down' in r['method'] for r in told['call_tree'])
    print(f'2000 deep: {downs} functions, {detail}')
    return [f'2000 deep: {what}' for what, bad in {
        'nothing is said of the cut': 'cut at the most callers that are kept' not in detail,
        'fewer than 500 functions are kept': downs < 500}.items() if bad]


def waits(profview, library, folder, program):
    """Waits of code with frame pointers reach where their threads begin, by the functions between."""
    name = pathlib.Path(program).name
    log = pathlib.Path(folder, name + '.mlpd')
    env = {**os.environ, 'LD_PRELOAD': library,
           'PROFVIEW_OPTIONS': f'output={log},sample-real=500,nodefaults'}
    subprocess.run([program], check=True, env=env, timeout=150)
    tree = report(profview, log, '--waits')['call_tree']
    samples, reached = share(tree, name)
    row = {r['id']: r for r in tree}
    below = dict.fromkeys(('works', 'contends'), 0)
    for r in tree:
        at, above = r, set()
        while at:
            above.add(at['method'])
            at = row.get(at['parent'])
        for function in below:
            below[function] += r['samples'] if r['method'].startswith('(') and function in above else 0
    print(f'{name}: {samples} samples, {reached:.2f} % from where threads begin, {below}')
    return [f'{name}: {what}' for what, bad in {
        'stacks are cut': reached < LEAST_WAITING,
        'waits have no function': not all(below.values())}.items() if bad]


def main(profview, library, deep, *framed):
    programs = {'deep': [deep], '300 deep': [deep, 'down', '300'],
                'sqlite3': ['sqlite3', ':memory:', SQL],
                'python3': ['/usr/bin/python3', '-I', '-c', PYTHON]}
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, command in programs.items():
            if shutil.which(command[0]):
                problems += sample(profview, library, folder, name, command)
        problems += cut(profview, library, folder, deep)
        for program in framed:
            problems += waits(profview, library, folder, program)
    sys.exit('\n'.join(problems) or 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

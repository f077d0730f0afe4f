#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Stacks of allocations reach the function that the system called, in programs without frame pointers,
and nothing stands still while libraries come and go.

usage: test_alloc_stacks.py PROFVIEW LIBRARY DEEP STORM        skips what is not installed
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LEAST = 99.0  # percent
SQL = ('with recursive c(x) as (select 1 union all select x + 1 from c where x < 30000) '
       'select count(*), sum(x % 7) from (select x, hex(x) h from c order by h);')
LIBRARIES = ['libz.so.1', 'libexpat.so.1', 'liblzma.so.5', 'libzstd.so.1', 'libstdc++.so.6']
ROOTS = re.compile(r'(_start|_*clone3?)( |$)|libc\.so\.6\+0x')  # clone3 has a name in debug information alone


def record(profview, library, folder, name, command, words):
    log = pathlib.Path(folder, name + '.mlpd')
    env = {**os.environ, 'LD_PRELOAD': library, 'PROFVIEW_OPTIONS': f'output={log},nodefaults,{words}'}
    out = subprocess.run(command, check=True, env=env, capture_output=True, text=True, timeout=120).stdout
    report = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0',
                             '--section', 'allocation_sites,coverage', log], check=True, capture_output=True)
    return json.loads(report.stdout), out


def is_root(name, program):
    return ROOTS.match(name) or name.startswith(program + '+0x')


def whole(profview, library, folder, name, command):
    told, _ = record(profview, library, folder, name, command, 'malloc,maxframes=64')
    sites = told['allocation_sites']
    all_of = sum(s['allocations'] for s in sites)
    good = sum(s['allocations'] for s in sites if len(s['stack']) > 1 and is_root(s['stack'][0], name))
    share = 100 * good / all_of if all_of else 0
    print(f'{name}: {all_of} allocations, {share:.2f} % from where threads begin')
    return [] if share >= LEAST and all_of > 1000 else [f'{name}: stacks are cut']


def storm(profview, library, folder, program):
    told, out = record(profview, library, folder, 'storm', [program, '300', *LIBRARIES],
                       'malloc,maxframes=32,sample=500')
    details = {c['what']: c['detail'] for c in told['coverage']}
    asked = int(re.search(r'(\d+) asked', out)[1])
    seen = sum(s['allocations'] for s in told['allocation_sites'])
    print('storm:', out.strip() + ';', details['allocation_stacks'])
    lost = re.search(r'([0-9 ]+) events? lost', details['losses'])
    return [] if seen >= asked or lost else [f'storm: {asked} blocks asked for, {seen} recorded']


def main(profview, library, deep, stormy):
    programs = {'deep': [deep], 'sqlite3': ['sqlite3', ':memory:', SQL]}
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, command in programs.items():
            if shutil.which(command[0]):
                problems += whole(profview, library, folder, name, command)
        problems += storm(profview, library, folder, stormy)
    sys.exit('\n'.join(problems) or 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

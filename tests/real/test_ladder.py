#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The growth ladder says the same of a program however often heap shots come.

usage: test_ladder.py PROFVIEW LEAKY.EXE

PROFVIEW_SOAK in the environment: for over a minute, with a shot each 10 s as well.
"""
import json
import os
import subprocess
import sys
import tempfile

from verdict import Verdict

SOAK = 'PROFVIEW_SOAK' in os.environ
SECONDS = 65 if SOAK else 6
SCHEDULES = ['1gc', '2gc', '1000ms'] + (['10000ms'] if SOAK else [])
LEAKED = {'Planted', 'System.Byte[]'}


def start(exe, kind, schedule, folder):
    log = f'{folder}/{kind}-{schedule}.mlpd'
    profile = f'log:nodefaults,alloc,gcmove,heapshot={schedule},output={log}'
    return log, subprocess.Popen(['mono', f'--profile={profile}', exe, kind, str(SECONDS)])


def ladder(profview, log):
    done = subprocess.run([profview, 'report', log, '--no-index', '--format', 'json', '--section',
                           'heap_ladder,heap_shots'], capture_output=True, text=True, timeout=240,
                          check=True)
    said = json.loads(done.stdout)
    return said['heap_ladder'], len(said['heap_shots'])


def leaks(v, rows, what):
    shape = {row['name']: row['shape'] for row in rows}
    for name in sorted(LEAKED):
        v.equal(f'{what}: {name}', shape.get(name), 'staircase')
    v.equal(f'{what}: first of all', {row['name'] for row in rows[:2]}, LEAKED)


def keeps_nothing(v, rows, what):
    for row in rows:
        v.true(f'{what}: no leak', row['shape'] != 'staircase' or row['score'] < 20, row)
    v.true(f'{what}: nothing suspicious', rows[0]['score'] < 20, rows[0])


def main(profview, exe):
    v = Verdict('ladder')
    with tempfile.TemporaryDirectory() as folder:
        runs = [(kind, schedule, *start(exe, kind, schedule, folder))
                for kind in ('leaks', 'none') for schedule in SCHEDULES]
        for kind, schedule, log, program in runs:
            what = f'{kind} at {schedule}'
            v.equal(f'{what}: exit code', program.wait(timeout=SECONDS + 120), 0)
            rows, shots = ladder(profview, log)
            v.at_least(f'{what}: shots', shots, 3)
            (leaks if kind == 'leaks' else keeps_nothing)(v, rows, what)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

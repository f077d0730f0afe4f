#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What reading each kind of event costs beside mprof-report, which reads the same log: 1.00 is the limit.

usage: kinds.py PROFVIEW [--runs N] [--scale F] [--only KIND ...] [--keep FOLDER] [--instructions]
Records kinds.cs under stock Mono, a log a kind, and prints a table for tests/bench/README.md: processor time of
mprof-report, and what that of `profview report --format json --no-index` is of it with two jobs and with one, least
of N by turns; the same of the wall with two jobs. What a log without events costs is taken off each.
--instructions: those of one run with one job, by callgrind: exact whatever else the machine does, fifty times as
slow, and silent about waits for memory. --scale: of the number of events. --keep: logs stay there, and are used
again where they are. PROFVIEW is to be a release build. This measures; it is no test.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import report

HERE = pathlib.Path(__file__).resolve().parent
# What is recorded, the program's word, how many times (some 30 MB of log each).
KINDS = {'heap shots': ('gc,gcroot,gcmove,heapshot=1gc', 'heap', 160000),
         'allocations with stacks': ('gcalloc', 'allocate', 800000),
         'handles': ('gchandle', 'handles', 400000),
         'finalizers': ('finalization', 'finalize', 2500000),
         'locks': ('monitor', 'lock', 200000),
         'exceptions': ('exception', 'throw', 500000),
         'moves': ('gc,gcmove', 'move', 1000)}
EMPTY = ('exception', 'none', 0)
SMALL = 0.1  # of those, for callgrind
SHORT = 0.005  # s: less is not compared


def record(program, log, words, word, count):
    if log.exists():
        return log
    done = subprocess.run(['mono', f'--profile=log:nodefaults,{words},output={log}', program, word, str(count)],
                          capture_output=True, text=True, check=False, timeout=600)
    if done.returncode or not log.exists():
        sys.exit(f'{word}: exit {done.returncode}: {done.stderr[-400:]}')
    return log


def instructions(command):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r'Collected : (\d+)', done.stderr)[1])


def commands(profview, log):
    own = [profview, 'report', str(log), '--format', 'json', '--no-index', '--jobs']
    return {'mprof': ['mprof-report', str(log)], '2': [*own, '2'], '1': [*own, '1']}


def least(profview, log, runs):
    """(wall, processor time) of each command in seconds, the least of those by turns."""
    got = {}
    for _ in range(runs):
        for key, command in commands(profview, log).items():
            wall, cpu, _ = report.run(command)
            before = got.get(key, (wall, cpu))
            got[key] = (min(before[0], wall), min(before[1], cpu))
    return got


def counted(profview, log):
    return {key: instructions(command) for key, command in commands(profview, log).items() if key != '2'}


def part(took, key):
    return f'{took[key] / took["mprof"]:.2f}' if took['mprof'] >= SHORT else 'too short'


def times(kind, log, profview, runs, start):
    got = least(profview, log, runs)
    wall, cpu = ({key: got[key][i] - start[key][i] for key in got} for i in (0, 1))
    print(f'| {kind}, {log.stat().st_size / 1e6:.0f} MB | {cpu["mprof"]:.2f} s | {part(cpu, "2")} '
          f'| {part(cpu, "1")} | {part(wall, "2")} |', flush=True)


def counts(kind, log, profview, start):
    got = counted(profview, log)
    theirs, ours = (got[key] - start[key] for key in ('mprof', '1'))
    events = report.events_in(profview, log)
    print(f'| {kind}, {log.stat().st_size / 1e6:.1f} MB | {theirs / 1e6:.0f} M | {ours / 1e6:.0f} M | '
          f'{ours / events:.0f} | {ours / theirs:.2f} |', flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('profview')
    p.add_argument('--runs', type=int, default=9)
    p.add_argument('--scale', type=float)
    p.add_argument('--only', action='append', choices=KINDS)
    p.add_argument('--keep', type=pathlib.Path)
    p.add_argument('--instructions', action='store_true')
    a = p.parse_args()
    scale = a.scale or (SMALL if a.instructions else 1)
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as made:
        folder = a.keep or pathlib.Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / 'kinds.exe'
        subprocess.run(['mcs', f'-out:{program}', HERE / 'kinds.cs'], check=True, stdout=subprocess.DEVNULL)
        empty = record(program, folder / 'empty.mlpd', *EMPTY)
        start = counted(a.profview, empty) if a.instructions else least(a.profview, empty, a.runs)
        print(f'load {os.getloadavg()[0]:.1f}, {"one run" if a.instructions else f"least of {a.runs}"}\n')
        print('| log | `mprof-report` | `--jobs 1` | an event | of it |' if a.instructions else
              '| log | `mprof-report` | 2 jobs | `--jobs 1` | wall, 2 jobs |')
        print('|---|---|---|---|---|')
        for kind, (words, word, count) in KINDS.items():
            if a.only and kind not in a.only:
                continue
            log = record(program, folder / f'{word}.mlpd', words, word, max(1, int(count * scale)))
            if a.instructions:
                counts(kind, log, a.profview, start)
            else:
                times(kind, log, a.profview, a.runs, start)


if __name__ == '__main__':
    main()

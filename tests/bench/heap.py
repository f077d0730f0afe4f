#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the graph of a large heap shot costs: time by step, memory, a path to a root.

usage: heap.py HEAP_LOG HEAP_STEPS [--objects N] [--references N] [--runs N] [--folder FOLDER]

Prints medians beside their targets; misses are said. Times are processor time of one thread.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile


def line(what, value, target, unit):
    ok = target is None or value < target
    goal = '' if target is None else f'   target under {target:g} {unit}{"" if ok else "   MISSED"}'
    print(f'{what:44} {value:9.3f} {unit}{goal}')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('heap_log')
    p.add_argument('heap_steps')
    p.add_argument('--objects', type=int, default=10_000_000)
    p.add_argument('--references', type=int, default=30_000_000)
    p.add_argument('--runs', type=int, default=5)
    p.add_argument('--folder')
    a = p.parse_args()
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        log = pathlib.Path(folder) / 'heap.mlpd'
        with log.open('wb') as out:
            subprocess.run([a.heap_log, str(a.objects), str(a.references)], stdout=out, check=True)
        size = log.stat().st_size
        runs = [json.loads(subprocess.run([a.heap_steps, log], capture_output=True, check=True)
                           .stdout) for _ in range(a.runs)]
    r = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    n, e = r['objects'], r['references']
    print(f'{n:,.0f} objects, {e:,.0f} references, a log of {size / 1e6:.0f} MB, '
          f'{a.runs} runs, {r["unreachable"]:.0f} unreachable')
    line('the log read and decoded', r['read_s'], None, 's')
    line('the graph built from that', r['build_s'], None, 's')
    line('peak memory until then', r['build_peak'] / 1e6, None, 'MB')
    line('the graph itself', r['graph_bytes'] / 1e6, None, 'MB')
    line('dominators and retained sizes', r['dominators_s'], 8, 's')
    line('retained sizes of classes', r['classes_s'], None, 's')
    if r['least']:
        print('  (lower bounds: there were too many combinations of classes)')
    line('all that is worked out', r['all_s'], None, 's')
    line('peak additional memory', r['peak'] / 1e6, (48 * n + 12 * e) / 1e6, 'MB')
    line('slowest of 1,000 paths to a root', r['path_s'] * 1e3, 50, 'ms')


if __name__ == '__main__':
    main()

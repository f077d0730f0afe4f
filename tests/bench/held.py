#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A program that allocates two million times: by itself, under `profview run --leaks`, under
heaptrack, by turns; medians of time and processor time of the whole command, and the totals of both.

usage: held.py PROFVIEW [RUNS]      needs g++ and heaptrack
"""
import json
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def timed(command, folder):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    took, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def main(profview, runs='7'):
    profview = pathlib.Path(profview).resolve()
    source = pathlib.Path(__file__).with_suffix('.cpp')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['g++', '-O1', '-g', '-o', f'{folder}/held', source], check=True)
        rows = {'bare': [], '--leaks': [], 'heaptrack': []}
        for i in range(int(runs)):
            rows['bare'].append(timed(['./held'], folder)[:2])
            rows['--leaks'].append(timed([profview, 'run', '--leaks', '--sample=0', '--record', f'{i}.mlpd',
                                          '--', './held'], folder)[:2])
            *times, heaptrack = timed(['heaptrack', '-r', '-o', f'h{i}', './held'], folder)
            rows['heaptrack'].append(times)
        for name, times in rows.items():
            wall, cpu = (statistics.median(t[k] for t in times) for k in (0, 1))
            print(f'{name:10} {wall:.2f} s, {cpu:.2f} s of processor time')
        text = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                               'held', f'{folder}/0.mlpd'], check=True, capture_output=True).stdout
        held = json.loads(text)['held']
        print('--leaks   ', sum(h['allocations'] for h in held), 'allocations,',
              sum(h['temporary'] for h in held), 'temporary,', pathlib.Path(folder, '0.mlpd').stat().st_size,
              'bytes of log')
        timed(['heaptrack', '-o', 'whole', './held'], folder)
        said = subprocess.run(f'heaptrack_print {folder}/whole.*', shell=True, capture_output=True, text=True,
                              check=False).stdout
        print('heaptrack ', *re.findall(r'(?:calls to allocation functions|temporary memory allocations): \d+', said))


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What reading costs beside an earlier build: the ratio of processor time, 1.00 is the aim and 1.05 the limit.

usage: since.py [--commit C] [--log FILE ...] [--runs N] [--instructions]
Builds that commit (614ad5f, before everything that came on top of reading) and the present tree as releases, below
the temporary folder, and lets both make the same reports of the same logs by turns: sections methods and classes,
these with the call tree as JSON, each with one job and with two. Without --log: what report.py records.
--instructions: counts them by callgrind, with one job; exact whatever else the machine does, and fifty times as slow.
Needs the full history, and libsodium for commits before the index had no seal. This measures; it is no test.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import report

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST = '614ad5f'
REPORTS = {'methods,classes': ['--section', 'methods,classes'],
           'with call_tree, JSON': ['--section', 'methods,classes,call_tree', '--format', 'json']}


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: {done.stderr[-600:] or done.stdout[-600:]}')
    return done.stdout


def build(source, folder):
    if not (folder / 'build.ninja').exists():
        said('meson', 'setup', folder, source, '--buildtype=release', '-Db_ndebug=true')
    said('ninja', '-C', folder, 'profview')
    return folder / 'profview'


def earlier(commit, folder):
    if said('git', '-C', ROOT, 'rev-parse', '--is-shallow-repository').strip() == 'true':
        print('the history is not all here (a shallow clone): not measured')
        sys.exit(77)
    tree = folder / 'tree'
    if not tree.exists():
        tree.mkdir()
        archive = subprocess.run(['git', '-C', ROOT, 'archive', commit], capture_output=True, check=True).stdout
        subprocess.run(['tar', '-x', '-C', tree], input=archive, check=True)
    return build(tree, folder / 'build')


def instructions(command):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r'Collected : (\d+)', done.stderr)[1])


def pairs(old, new, words, runs, count):
    """Figures of both, by turns."""
    got = ([], [])
    for i in range(runs):
        for side in (0, 1) if i % 2 == 0 else (1, 0):
            got[side].append(count([(old, new)[side], 'report', '--no-index', *words]))
    return got


def measure(name, log, old, new, a):
    print(f'{name}: {log.stat().st_size / 1e6:.1f} MB, {a.runs} pairs, load {os.getloadavg()[0]:.1f}')
    for what, words in REPORTS.items():
        for jobs in ('1',) if a.instructions else ('1', '2'):
            count = instructions if a.instructions else lambda command: report.run(command)[1]
            got = pairs(old, new, [*words, '--jobs', jobs, log], 1 if a.instructions else a.runs, count)
            before, after = map(statistics.median, got)
            unit = 'instructions' if a.instructions else 's'
            print(f'  {what:22} --jobs {jobs}: {before:.6g} {unit}, now {after:.6g}: {after / before:.3f}', flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--commit', default=FIRST)
    p.add_argument('--log', type=pathlib.Path, action='append')
    p.add_argument('--runs', type=int, default=9)
    p.add_argument('--instructions', action='store_true')
    a = p.parse_args()
    folder = pathlib.Path(tempfile.gettempdir(), f'profview-since-{os.getuid()}')
    (folder / a.commit).mkdir(mode=0o700, parents=True, exist_ok=True)
    old, new = earlier(a.commit, folder / a.commit), build(ROOT, folder / 'now')
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as made:
        for name, log in [(log.name, log) for log in a.log or []] or report.make_logs(pathlib.Path(made), False):
            measure(name, log, old, new, a)


if __name__ == '__main__':
    main()

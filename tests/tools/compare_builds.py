#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds say the same of every kind of log, byte for byte.

usage: compare_builds.py OLD-BUILD NEW-BUILD [LOG ...]

JSON, text, CSV and Markdown of the lists that most logs have, dump and frames; logs of tests/golden, those that make_log of the new
build writes, and the ones given. Names what differs, and how much of it.
"""
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / 'golden'
WORLDS = [(world, str(version), '8') for world in ('every-kind', 'strings')
          for version in (1, 4, 8, 12, 13, 14, 15, 16, 17)]
STAGES = ('x', 'A', 'B', 'C', 'D') # x: the draft
SECTIONS = ('coverage', 'events', 'methods', 'call_tree', 'classes', 'allocation_sites', 'throw_sites',
            'wait_sites', 'gc.collections', 'gc.pauses', 'handles', 'finalizers', 'roots')
REPORT = ['report', '--no-index', '--limit', '0']
WAYS = {**{f'report {f}': [*REPORT, '--format', f] for f in ('json', 'text')},
        **{f'report {f} {s}': [*REPORT, '--format', f, '--section', s] for f in ('csv', 'md')
           for s in SECTIONS},
        'dump': ['dump']}
PANES = '1235 6 7 8 9 0 Y L X H K A V J C i'.replace(' ', '')
FRAMES = {f'frame {keys} {size}': ['--dump', '--no-index', '--size', size, '--keys', keys]
          for keys in PANES for size in ('120x36', '80x24', '40x10')}
WAIT_S = 300


def said(build, words, log):
    """Output, errors and exit code; where the build stands and what changes by itself is left out."""
    env = {**os.environ, 'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1', 'TZ': 'UTC'}
    at = [words[0], *words[1:], log] if words[0] in ('report', 'dump') else [log, *words]
    done = subprocess.run([build / 'profview', *at], capture_output=True, env=env, timeout=WAIT_S,
                          check=False)
    return done.stdout + b'\n--\n' + done.stderr + b'\n%d\n' % done.returncode


def made(build, folder):
    for world in WORLDS:
        done = subprocess.run([build / 'tests/make_log', *world], capture_output=True, check=False)
        if done.returncode == 0 and done.stdout:
            yield pathlib.Path(folder, '-'.join(world) + '.mlpd'), done.stdout
    for stage in STAGES:
        done = subprocess.run([build / 'tests/b07_write', stage], capture_output=True, check=False)
        if done.returncode == 0 and done.stdout:
            yield pathlib.Path(folder, f'stage-{stage}.mprof'), done.stdout


def first_difference(a, b):
    lines = [x.decode('utf-8', 'replace').splitlines() for x in (a, b)]
    changes = [line for line in difflib.unified_diff(*lines, lineterm='', n=0)
               if re.match(r'[-+](?![-+])', line)]
    return f'{len(changes)} lines, first: {" | ".join(c[:150] for c in changes[:2])}'


def main(old, new, *given):
    old, new = pathlib.Path(old).resolve(), pathlib.Path(new).resolve()
    with tempfile.TemporaryDirectory() as folder:
        logs = sorted(p for p in GOLDEN.iterdir() if p.suffix in ('.gz', '.mprof', '.mlpd'))
        for path, data in made(new, folder):
            path.write_bytes(data)
            logs.append(path)
        logs += map(pathlib.Path, given)
        jobs = [(log, way, words) for log in logs for way, words in (WAYS | FRAMES).items()]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            pairs = pool.map(lambda j: (said(old, j[2], j[0]), said(new, j[2], j[0])), jobs)
            differ = [(log.name, way, first_difference(*pair))
                      for (log, way, _), pair in zip(jobs, pairs) if pair[0] != pair[1]]
    for row in differ:
        print(*row, sep=': ')
    print(f'{len(logs)} logs, {len(jobs)} outputs, {len(differ)} differ')
    return 1 if differ or not jobs else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

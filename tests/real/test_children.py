#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Child processes of a real program, which its log does not hold: the log says how many.

usage: test_children.py native PROFVIEW PROGRAM LIBRARY, or mono|dotnet PROFVIEW PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys

import target
from verdict import Verdict

# What the program is to start -> how many, at least and at most.
NATIVE = {
    '': (0, 0),
    'fork': (1, 1),
    'spawn': (1, 1),
    'fork spawn system': (3, 3),
    'fork fork spawn vfork system': (5, 5),
    'many': (1, 300),  # that come and go between two looks
    'many fork system': (2, 302),
}
MANAGED = {'0': (0, 0), '3': (3, 3)}


def report(profview, log):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section',
                           'coverage,counters'], stdout=subprocess.PIPE, check=False,
                          timeout=target.DEADLINE)
    return json.loads(done.stdout)


def check(v, what, said, bounds):
    least, most = bounds
    losses = next(c for c in said['coverage'] if c['what'] == 'losses')
    n = said['target'].get('children')
    if most == 0:
        v.equal(f'{what}: losses', losses['state'], 'complete')
        v.equal(f'{what}: children', n, None)
        v.true(f'{what}: no word of children', 'child' not in json.dumps(said), said)
        return
    v.true(f'{what}: {least} to {most} children', n and least <= n <= most, n)
    v.equal(f'{what}: losses', losses['state'], 'partial')
    text = 'child process was' if n == 1 else 'child processes were'
    v.true(f'{what}: said', f'at least {n} {text} not recorded' in losses['detail'], losses)


def stock_reads(v, log):
    """The stock reader does not mind the counters."""
    target.need('mprof-report')
    done = subprocess.run(['mprof-report', log], capture_output=True, text=True, check=False,
                          timeout=target.DEADLINE)
    v.equal('exit code of mprof-report', done.returncode, 0)
    v.true('mprof-report says nothing of it', 'nknown' not in done.stderr, done.stderr)


def own_logs(v, profview, program, library, folder):
    """Where the output names the process, a child of fork may have a log of its own."""
    env = {**os.environ, 'LD_PRELOAD': os.path.abspath(library),
           'PROFVIEW_OPTIONS': f'output={folder}/own.%p.mlpd'}
    subprocess.run([program, 'fork', 'system'], env=env, check=True, timeout=target.DEADLINE)
    said = [report(profview, log) for log in folder.glob('own.*')]
    parents = [r for r in said if r['target'].get('children') == 2]
    v.equal('logs of parents', len(parents), 1)
    for r in parents:
        losses = next(c for c in r['coverage'] if c['what'] == 'losses')
        v.true('the parent says that there may be other logs',
               'at least 2 child processes, which are not in this log' in losses['detail'], losses)


def main(case, profview, program, library=None):
    v = Verdict(f'children-{case}')
    profview, program = map(os.path.abspath, (profview, program))
    command = [program] if case == 'native' else [case, program]
    with target.scratch() as folder:
        folder = pathlib.Path(folder)
        for words, bounds in (NATIVE if case == 'native' else MANAGED).items():
            log = folder / 'log.mlpd'
            log.unlink(missing_ok=True)
            subprocess.run([profview, 'run', '--record', log, '--', *command, *words.split()],
                           check=True, stdin=subprocess.DEVNULL, timeout=target.DEADLINE)
            check(v, words or 'none', report(profview, log), bounds)
        if case == 'native':
            stock_reads(v, log)
            own_logs(v, profview, program, library, folder)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

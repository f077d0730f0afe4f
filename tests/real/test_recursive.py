#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Deep recursions of managed programs: samples keep 512 callers, other stacks as many as are asked for;
what is cut is said, and nothing is said where all is whole.

usage: test_recursive.py mono|clr PROFVIEW MODULE PROGRAM [DOTNET]     DOTNET 'none': skipped
"""
import json
import os
import pathlib
import subprocess
import sys

import target
from test_clr import environment
from verdict import Verdict

WORDS = 'nodefaults,sample=200,gcalloc,exception'
CUT = 'cut at the most callers that are kept'
FEW = 'have 32 callers, the most that are kept (maxframes=64 keeps more)'
KEPT = 512  # callers of a sample


def record(host, module, program, dotnet, depth, words, log):
    options = f'{words},output={log}'
    if host == 'mono':
        command = ['mono', f'--profile=profview:{options}', program, str(depth)]
        env = {**os.environ, 'LD_LIBRARY_PATH': str(pathlib.Path(module).resolve().parent)}
    else:
        command, env = [dotnet, program, str(depth)], environment(module, options)
    return subprocess.run(command, env=env, capture_output=True, timeout=target.DEADLINE, check=False).returncode


def reported(profview, log):
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                           'call_tree,coverage', str(log)], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    return report['call_tree'], {c['what']: c for c in report['coverage']}


def computing(tree):
    """Of the busiest place in Compute: how many calls of Down are above it, and whether Main is."""
    of = {row['id']: row for row in tree}
    leaf = max((r for r in tree if r['method'].startswith('Recursive:Compute')), key=lambda r: r['samples'])
    above, at = [], leaf
    while at['parent']:
        at = of[at['parent']]
        above.append(at['method'])
    return sum(m.startswith('Recursive:Down') for m in above), any(m.startswith('Recursive:Main') for m in above)


def main(host, profview, module, program, dotnet=''):
    if 'none' in (module, program, dotnet):
        print('no .NET SDK here')
        return target.SKIP
    if host == 'mono':
        target.need('mono')
    v = Verdict(f'recursive-{host}')
    with target.scratch() as folder:
        for depth, words in ((20, WORDS), (300, WORDS), (2000, WORDS + ',maxframes=64')):
            log = pathlib.Path(folder, f'{depth}.mlpd')
            v.equal('exit code', record(host, module, program, dotnet, depth, words, log), 0)
            tree, said = reported(profview, log)
            downs, whole = computing(tree)
            stacks = {what: said[what]['detail'] for what in ('allocation_stacks', 'exceptions')}
            print(depth, downs, said['samples']['detail'], stacks)
            v.equal(f'{depth}: the whole way is there', (downs == depth + 1, whole), (depth < KEPT,) * 2)
            v.at_least(f'{depth}: calls that are kept', downs, min(depth, KEPT - 64))
            v.equal(f'{depth}: that samples are cut', CUT in said['samples']['detail'], depth > KEPT)
            for what, text in stacks.items():
                v.equal(f'{depth}: that {what} are cut', 'the most that are kept' in text, depth > 20)
                v.equal(f'{depth}: how to get more of {what}', FEW in text, depth == 300)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

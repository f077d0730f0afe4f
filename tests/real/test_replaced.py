#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A method of .NET whose code is replaced while it runs stands on the stack once, behind its caller;
so does one without a frame pointer.

usage: test_replaced.py PROFVIEW HOT.dll DOTNET
"""
import collections
import json
import os
import subprocess
import sys

import target
from verdict import Verdict

SECONDS, LEVELS = '3', 4  # of processor time
# The others are samples of processor time in which the code was in its first form, whose place on
# the stack is not known in a prologue.
SHARE = 0.95
# Code is compiled anew while it is called, and a prologue is learned when its method was met.
SHARE_OF_WRAPPED = 0.6


def stacks(profview, log):
    """Samples by the program's own methods from the outermost one, those of others left out."""
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section',
                           'call_tree', '--limit', '0'], text=True, capture_output=True, check=True)
    node = {n['id']: n for n in json.loads(done.stdout)['call_tree']}
    found = collections.Counter()
    for n in node.values():
        at, names = n, []
        while at:
            if at['method'].startswith('Hot:'):
                names.append(at['method'].split(' ')[0].split(':')[1])
            at = node.get(at['parent'])
        if names and n['samples']:
            found[tuple(reversed(names))] += n['samples']
    return found


def main(profview, program, dotnet):
    with target.scratch() as folder:
        log = os.path.join(folder, 'hot.mlpd')
        subprocess.run([profview, 'run', '--record', log, '--sample=500', '--', dotnet, program, 'loops',
                        SECONDS], check=True, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=target.DEADLINE)
        found = stacks(profview, log)
    v = Verdict('replaced')
    once = {s: n for s, n in found.items() if s[-1] == 'Once'}
    deep = {s: n for s, n in found.items() if s[-1] == 'Deep'}
    v.at_least('share of Once behind Loops', once.get(('Main', 'Loops', 'Once'), 0),
               max(1, SHARE * sum(once.values())))
    known = [deep.get(('Main', 'Loops', *['Deep'] * n), 0) for n in range(1, LEVELS + 1)]
    v.at_least('share of Deep in 1 to 4 levels behind Loops', sum(known),
               max(1, SHARE * sum(deep.values())))
    for n, samples in enumerate(known):
        v.at_least(f'Deep in {n + 1} levels', samples, sum(deep.values()) / LEVELS / 2)
    plain = {s: n for s, n in found.items() if s[-1] == 'Plain'}
    v.at_least('share of Plain behind Wrap behind Calls',
               plain.get(('Main', 'Loops', 'Calls', 'Wrap', 'Plain'), 0),
               max(1, SHARE_OF_WRAPPED * sum(plain.values())))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

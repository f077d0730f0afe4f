#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Stacks of events are those of Mono's own walk: the stock log profiler sits in the same process and
writes down the same events.

usage: test_walked.py PROFVIEW MODULE WALKED.EXE
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import target

MOST = 32  # frames
WORDS = f'nodefaults,gcalloc,gchandle,exception,monitor,maxframes={MOST}'
LINE = re.compile(r'\s*\d+ (0x[0-9a-f]+) [0-9.]+ ([a-z._-]+)(.*)')
OBJECT = re.compile(r' (?:object|handle|exception)=(0x[0-9a-f]+|\d+)')
KINDS = ('alloc', 'gc.handle', 'exception.throw', 'monitor')
LEAST = 10000  # events


def events(profview, log):
    """thread -> [(kind, object, stack)]"""
    done = subprocess.run([profview, 'dump', str(log)], capture_output=True, text=True, check=True)
    threads = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        m = LINE.match(line)
        if not m or not m[2].startswith(KINDS):
            continue
        stack = line.partition(' stack=[')[2]
        threads[m[1]].append((m[2], tuple(OBJECT.findall(m[3])), tuple(re.findall(r'0x[0-9a-f]+ "([^"]*)"', stack))))
    return threads


def agree(ours, theirs):
    """Mono's own has its wrappers, too, and no more frames with them."""
    methods = tuple(m for m in theirs if not m.startswith('(wrapper '))
    return ours == methods or MOST in (len(theirs), len(ours)) and min(len(ours), len(methods)) > 0 and all(
        a == b for a, b in zip(reversed(ours), reversed(methods)))


def same_thread(ours, stock):
    """Those of the stock profiler's thread that met the most of these objects."""
    met = {e[:2] for e in ours}
    return max(stock.values(), key=lambda t: len(met & {e[:2] for e in t}))


def main(profview, module, exe):
    target.need('mono')
    with tempfile.TemporaryDirectory(prefix='walked-') as folder:
        logs = {name: pathlib.Path(folder, name + '.mlpd') for name in ('log', 'profview')}
        profiles = [f'--profile={name}:{WORDS},output={log}' for name, log in logs.items()]
        subprocess.run(['mono', *profiles, exe], check=True, capture_output=True, timeout=100,
                       env={**os.environ, 'LD_LIBRARY_PATH': str(pathlib.Path(module).resolve().parent)})
        stock, ours = (events(profview, log) for log in logs.values())
    compared, wrong = 0, []
    for thread in ours.values():
        theirs = collections.defaultdict(collections.deque)
        for kind, of, stack in same_thread(thread, stock):
            theirs[kind, of].append(stack)
        for kind, of, stack in thread:
            queue = theirs[kind, of]
            if not queue:
                continue  # before Mono stood, and after its end
            expected = queue.popleft()
            compared += 1
            if not agree(stack, expected):
                wrong.append((kind, of, stack, expected))
    kinds = collections.Counter(k for t in ours.values() for k, _, _ in t)
    print(f'{compared} stacks compared, {len(wrong)} differ;', dict(kinds))
    for kind, of, stack, expected in wrong[:5]:
        print(kind, of, '\n  ours', '\n       '.join(stack), '\n  Mono', '\n       '.join(expected))
    return 1 if wrong or compared < LEAST else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

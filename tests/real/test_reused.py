#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real programs whose pointers are used again: figures by name must be what the program says.

usage: test_reused.py CASE PROFVIEW REUSED.EXE [PLUG.dll...]     plugs are loaded by `domains`
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import target

SKIP = 77
WRONG = []


def check(what, got, want):
    if got != want:
        WRONG.append(f'{what}: {got!r}, not {want!r}')


def run(profview, mono, folder, case, rounds, plugs):
    """The log of a run and what the program says that it did."""
    log = folder / 'log.mlpd'
    said = subprocess.run(['mono', f'--profile=log:nodefaults,calls,alloc,output={log}', mono, case,
                           str(rounds), *plugs], capture_output=True, text=True, check=True,
                          timeout=200).stdout
    did = collections.defaultdict(dict)
    for line in said.splitlines():
        what, _, n = line.rpartition('=')
        kind, _, name = what.partition(' ')
        did[kind][name] = int(n)
    return log, did


def report(profview, log, *args):
    out = subprocess.run([profview, 'report', log, '--no-index', '--format', 'json', *args],
                         capture_output=True, text=True, check=True, timeout=200).stdout
    return json.loads(out)


def by_name(rows, figure):
    return {row['name']: row[figure] for row in rows}


def loads_again(profview, log, kind):
    """Keys that loads of different things name."""
    things = collections.defaultdict(set)
    for line in target.dumped(profview, log):
        if f' {kind} '.encode() in line:
            for key, rest in re.findall(rf' {kind} key=(\S+) .*?(?:owner|name)=("?[^" ]*)', line.decode()):
                things[key].add(rest)
    return sum(len(set_) > 1 for set_ in things.values())


def names_of(r):
    return next(c for c in r['coverage'] if c['what'] == 'names')


def same_calls(r, did):
    """
    Stock Mono describes a method's pointer once: what stands there after an unload has no name.
    Calls are then those of the name or of a bare pointer, never of a dead method.
    """
    calls = by_name([m for m in r['methods'] if not m['name'].startswith('0x')], 'calls')
    nameless = sum(m['calls'] for m in r['methods'] if m['name'].startswith('0x'))
    lacking = 0
    for name, n in did.items():
        have = calls.get(name, 0)
        if have > n:
            WRONG.append(f'{name}: {have} calls, but {n} happened')
        lacking += n - have
    if lacking > nameless:
        WRONG.append(f'{lacking} calls are nowhere, {nameless} have no name')
    if lacking and names_of(r)['state'] == 'complete':
        WRONG.append(f'{lacking} calls have no name and coverage is silent: {names_of(r)}')
    return lacking


def domains(profview, mono, folder, plugs):
    log, did = run(profview, mono, folder, 'domains', 12, plugs)
    if not loads_again(profview, log, 'vtable.load'):
        WRONG.append('no vtable was used again: this run proves nothing')
    r = report(profview, log)
    have = by_name(r['classes'], 'allocations')
    split = by_name(report(profview, log, '--section', 'classes', '--split',
                           'domain')['classes'], 'allocations')
    for name, n in did['class'].items():
        check(name, (split if '[' in name else have).get(name), n)
    same_calls(r, did['method'])
    check('unloaded', sum(i['unload_ns'] is not None for i in r['domains']) >= 12, True)


def dynamic(profview, mono, folder, _):
    log, did = run(profview, mono, folder, 'dynamic', 160, [])
    check('calls without a name', same_calls(report(profview, log), did['method']), 0)


def collectible(profview, mono, folder, _):
    log, did = run(profview, mono, folder, 'collectible', 48, [])
    r = report(profview, log)
    have = by_name(r['classes'], 'allocations')
    for name, n in did['class'].items():
        check(name, have.get(name), n)
    same_calls(r, did['method'])


def threads(profview, mono, folder, _):
    log, did = run(profview, mono, folder, 'threads', 40, [])
    r = report(profview, log)
    rows = collections.defaultdict(list)
    for row in r['threads']:
        rows[row['name']].append(row)
    ids = set()
    for name, n in did['thread'].items():
        check(f'rows of {name}', len(rows[name]), 1)
        row = rows[name][0] if rows[name] else {'allocated_bytes': 0, 'id': name}
        ids.add(row['id'])
        check(f'bytes of {name}', 0 <= row['allocated_bytes'] - 24 * n < 4096, True)
    check('ids were used again', len(ids) < 40, True)
    check('Item', by_name(r['classes'], 'allocations').get('Item'), did['class']['Item'])
    for own in ('Profiler Helper', 'Profiler Writer'):
        check(f'rows of {own}', len(rows[own]), 1)


def main(case, profview, program, *plugs):
    if not shutil.which('mono'):
        print('mono is not installed')
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](profview, program, pathlib.Path(folder), [os.path.abspath(p) for p in plugs])
    print('\n'.join(WRONG) or 'all as the program says')
    sys.exit(1 if WRONG else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

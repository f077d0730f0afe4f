#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The flame's totals for every weight, against sums over the events that `dump` prints.

usage: test_flame.py PROFVIEW MANAGED NATIVE

MANAGED has all weights but the bytes that are held, which NATIVE has. The lists that show the same
amounts (tree, sites) have the same totals.
"""
import collections
import decimal
import json
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode('utf-8', 'replace')


def events(dump):
    """(thread, ns, kind, fields of the first words) of each event, in the file's order."""
    for line in dump.splitlines():
        words = line.split()
        if len(words) < 4 or not words[1].startswith('0x'):
            continue
        fields = dict(w.split('=', 1) for w in words[4:] if '=' in w)
        yield words[1], int(decimal.Decimal(words[2]) * 10 ** 9), words[3], fields


def sums(dump):
    total = collections.Counter()
    depth, begun, latest, blocked = collections.Counter(), {}, {}, {}
    held = {}
    for thread, ns, kind, fields in events(dump):
        latest[thread] = ns
        if kind == 'method.enter':
            if depth[thread] == 0:
                begun[thread] = ns
            depth[thread] += 1
        elif kind in ('method.leave', 'method.exc_leave') and depth[thread]:
            depth[thread] -= 1
            if depth[thread] == 0:
                total['self'] += ns - begun[thread]
        elif kind == 'alloc':
            total['alloc_objects'] += 1
            total['alloc_bytes'] += int(fields['size'])
        elif kind == 'exception.throw':
            total['exceptions'] += 1
        elif kind == 'sample.hit':
            total['samples'] += 1
        elif kind == 'monitor.contention':
            total['contentions'] += 1
            blocked[thread] = ns
        elif kind in ('monitor.done', 'monitor.fail') and thread in blocked:
            total['lock_wait'] += ns - blocked.pop(thread)
        elif kind == 'ext.native.held':  # what is held now, of one place
            held[fields['number']] = int(fields['live_bytes'])
    for thread, calls in depth.items():
        if calls:
            total['self'] += latest[thread] - begun[thread]
    if held:
        total['held_bytes'] = sum(held.values())
    return total


def shots(dump):
    """Bytes of the objects of each heap shot."""
    ret = []
    for _, _, kind, fields in events(dump):
        if kind == 'heap.start':
            ret.append(0)
        elif kind == 'heap.object':
            ret[-1] += int(fields['size'])
    return ret


def check_tree(rows):
    below = collections.Counter()
    by_id = {r['id']: r for r in rows}
    for r in rows:
        below[r['parent']] += r['weight']
        if r['parent'] and r['weight'] > by_id[r['parent']]['weight']:
            sys.exit(f'{r} weighs more than its parent')
    for r in rows:
        if not r['frame'].endswith(' thinner)') and r['weight'] != r['weight_self'] + below[r['id']]:
            sys.exit(f'{r} is not itself and its children')


def lists(report):
    """What tree and sites have of the same weights."""
    total = collections.Counter()
    for section, column, weight in (('call_tree', 'self_ns', 'self'), ('call_tree', 'samples', 'samples'),
                                    ('allocation_sites', 'allocated_bytes', 'alloc_bytes'),
                                    ('allocation_sites', 'allocations', 'alloc_objects'),
                                    ('wait_sites', 'wait_ns', 'lock_wait'), ('wait_sites', 'contentions', 'contentions'),
                                    ('throw_sites', 'thrown', 'exceptions'), ('held', 'held_bytes', 'held_bytes')):
        for row in report.get(section) or []:
            total[weight] += row[column] or 0
    return {weight: n for weight, n in total.items() if n}


def equal(what, want, got):
    if not want or want != got:
        sys.exit(f'{what}: {sorted(want.items())}\nflame: {sorted(got.items())}')


def check(profview, log, weights):
    want = dict(sums(output(profview, 'dump', log)))
    report = json.loads(output(profview, 'report', log, '--waits', '--format', 'json', '--limit', '0', '--section',
                               'flame,call_tree,allocation_sites,wait_sites,throw_sites,held'))
    got = {r['frame']: r['weight'] for r in report['flame'] if r['parent'] == 0}
    if len(want) != weights:
        sys.exit(f'the log has {sorted(want)}')
    equal('dump', want, got)
    equal('lists', lists(report), got)
    check_tree(report['flame'])
    print(f'{len(got)} weights, {len(report["flame"])} rows')


def check_shots(profview, log):
    want = shots(output(profview, 'dump', log))
    for n, alive in enumerate(want):
        rows = json.loads(output(profview, 'report', log, '--format', 'json', '--limit', '0', '--section',
                                 'heap_flame', '--shot', str(n)))['heap_flame']
        equal(f'shot {n}', {'live_bytes': alive}, {r['frame']: r['weight'] for r in rows if r['parent'] == 0})
        check_tree(rows)
    print(f'live_bytes of {len(want)} shots')
    return len(want)


def main(profview, managed, native):
    check(profview, managed, 7)
    check(profview, native, 2)
    if check_shots(profview, managed) < 2:
        sys.exit('too few heap shots to tell them apart')


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""The flame's totals for every weight, against sums over the events that `dump` prints.

usage: test_flame.py PROFVIEW LOG
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
    for thread, calls in depth.items():
        if calls:
            total['self'] += latest[thread] - begun[thread]
    return total


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


def main(profview, log):
    want = dict(sums(output(profview, 'dump', log)))
    report = json.loads(output(profview, 'report', log, '--format', 'json', '--section', 'flame', '--limit', '0'))
    got = {r['frame']: r['weight'] for r in report['flame'] if r['parent'] == 0}
    if len(want) != 7 or want != got:
        sys.exit(f'dump {sorted(want.items())}\nflame {sorted(got.items())}')
    check_tree(report['flame'])
    print(f'{len(got)} weights, {len(report["flame"])} rows')


if __name__ == '__main__':
    main(*sys.argv[1:])

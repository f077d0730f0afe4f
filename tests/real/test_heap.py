#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heap shots of a real program: objects, what they keep, paths to roots, and the same for Chrome.

usage: test_heap.py PROFVIEW LEAKY.EXE

The shot's objects are read from the log a second time, by the plain reader; what they retain is
found by the classic iteration over dominators. The snapshot for Chrome is read as its format says.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import rawlog
from verdict import Verdict

SHOT = 1
ROOT = 0    # in place of a dominator: the roots alone


def run(*args):
    return subprocess.run(args, capture_output=True, timeout=120, check=True).stdout


def report(profview, log, section, *more):
    out = run(profview, 'report', log, '--no-index', '--format', 'json', '--section', section,
              '--shot', str(SHOT), *more)
    return json.loads(out)[section]


class Shot:
    """The objects and roots of one shot, by address."""

    def __init__(self):
        self.size, self.refs = {}, collections.defaultdict(list)
        self.roots, self.offsets = set(), collections.defaultdict(dict)

    def reach(self):
        """Reached objects, those first that no other way leads to (reverse postorder)."""
        order, seen = [], set()
        for root in sorted(self.roots):
            stack = [(root, iter(self.refs[root]))] if root not in seen else []
            seen.add(root)
            while stack:
                for to in stack[-1][1]:
                    if to in self.size and to not in seen:
                        seen.add(to)
                        stack.append((to, iter(self.refs[to])))
                        break
                else:
                    order.append(stack.pop()[0])
        return order[::-1]

    def dominators(self):
        order = self.reach()
        place = {o: i + 1 for i, o in enumerate(order)}
        place[ROOT] = 0
        before = collections.defaultdict(list)
        for o in order:
            for to in self.refs[o]:
                if to in place:
                    before[to].append(o)
        for root in self.roots:
            before[root].append(ROOT)
        idom, changed = {ROOT: ROOT}, True
        while changed:
            changed = False
            for o in order:
                new = None
                for p in before[o]:
                    if p not in idom:
                        continue
                    a, b = p, p if new is None else new
                    while a != b:
                        if place[a] > place[b]:
                            a = idom[a]
                        else:
                            b = idom[b]
                    new = a
                if idom.get(o) != new:
                    idom[o], changed = new, True
        return order, idom


def read_shot(path):
    """By the plain reader, which is taught to keep what it reads of this shot."""
    shot, number = Shot(), [-1]
    plain = rawlog.READERS[6]

    def read_heap(log, c, ex):
        at, time = c.at, c.time
        if ex == 0:
            number[0] += 1
        if number[0] == SHOT and ex == 2:
            c.stamp()
            address, _, size, _, n = c.obj(), c.ptr(), c.uleb(), c.byte(), c.uleb()
            offset = 0
            if size:
                shot.size[address] = size
            for _ in range(n):
                offset += c.uleb()
                to = c.obj()
                shot.refs[address].append(to)
                shot.offsets[address][offset] = to
        elif number[0] == SHOT and ex == 3 and not log.shots[-1]['ended']:
            c.stamp()
            shot.roots |= {(c.ptr(), c.obj())[1] for _ in range(c.uleb())}
        c.at, c.time = at, time
        plain(log, c, ex)

    rawlog.READERS[6] = read_heap
    rawlog.parse(pathlib.Path(path).read_bytes())
    rawlog.READERS[6] = plain
    shot.roots &= set(shot.size)
    return shot


def check_objects(v, rows, shot):
    order, idom = shot.dominators()
    retained = {o: shot.size[o] for o in order}
    for o in reversed(order):
        if idom[o] != ROOT:
            retained[idom[o]] += retained[o]
    got = {int(r['address'], 16): r for r in rows}
    v.equal('objects', sorted(got), sorted(shot.size))
    v.equal('sizes', {o: r['bytes'] for o, r in got.items()}, shot.size)
    v.equal('retained', {o: r['retained_bytes'] for o, r in got.items()},
            {o: retained.get(o) for o in shot.size})
    v.equal('dominators', {o: r['dominator'] and int(r['dominator'], 16) for o, r in got.items()},
            {o: idom.get(o) or None for o in shot.size})
    v.true('some objects are kept by others', any(idom[o] for o in order))
    return got, idom


def check_paths(v, profview, log, objects, shot):
    planted = [o for o, r in sorted(objects.items()) if r['class'] == 'Planted']
    v.equal('planted objects', len(planted), 2200)
    for o in (planted[700], planted[1500]):
        path = report(profview, log, 'heap_path', '--object', hex(o))
        steps, root = path[:-1], path[-1]
        v.equal('path begins', int(steps[0]['address'], 16), o)
        v.equal('root', (root['root'], root['area'], root['owner']),
                ('static field', 'Static Fields', 'Keeper'))
        v.true('slot', root['slot'] and not root['address'])
        for held, by in zip(steps, steps[1:]):
            at = shot.offsets[int(by['address'], 16)].get(by['offset'])
            v.equal(f"what {by['class']} refers to at {by['offset']}", at,
                    int(held['address'], 16))
        v.true('the last one is a root', int(steps[-1]['address'], 16) in shot.roots)
        v.equal('by', [s['class'] for s in steps][-1].split('<')[0].split('.')[-1] in
                ('List', 'Dictionary'), True)


def check_classes(v, rows, objects):
    """Of a class of one object, and of classes whose objects keep nothing but themselves."""
    count, size = collections.Counter(), collections.Counter()
    for o in objects.values():
        count[o['class']] += 1
        size[o['class']] += o['bytes']
    v.same_rows('objects by class', {r['name']: r['objects'] for r in rows}, dict(count))
    v.same_rows('bytes by class', {r['name']: r['bytes'] for r in rows}, dict(size))
    by_name = {r['name']: r for r in rows}
    lists = by_name['System.Collections.Generic.List<Planted>']
    one = [o for o in objects.values() if o['class'] == lists['name']]
    v.equal('a class of one object', (lists['objects'], lists['retained_bytes']),
            (1, one[0]['retained_bytes']))
    kept = sum(o['retained_bytes'] for o in objects.values() if o['class'] == 'Planted')
    v.equal('planted objects together', by_name['Planted']['retained_bytes'], kept)


class Snapshot:
    """A .heapsnapshot, read by its own description of itself."""

    def __init__(self, data):
        d = json.loads(data)
        meta = d['snapshot']['meta']
        nodes, edges, self.strings = d['nodes'], d['edges'], d['strings']
        nf, ef = len(meta['node_fields']), len(meta['edge_fields'])
        field = {name: i for i, name in enumerate(meta['node_fields'])}
        kinds, ways = meta['node_types'][0], meta['edge_types'][0]
        self.counts = (len(nodes) // nf, len(edges) // ef)
        self.told = (d['snapshot']['node_count'], d['snapshot']['edge_count'])
        self.node, self.edges, at = [], collections.defaultdict(list), 0
        for i in range(0, len(nodes), nf):
            row = nodes[i:i + nf]
            self.node.append((kinds[row[field['type']]], self.strings[row[field['name']]],
                              row[field['id']], row[field['self_size']]))
            for _ in range(row[field['edge_count']]):
                way, name, to = edges[at:at + ef]
                at += ef
                if to % nf:
                    raise ValueError('an edge leads into a node')
                named = ways[way] in ('property', 'weak', 'internal', 'shortcut', 'context')
                self.edges[i // nf].append(
                    (ways[way], self.strings[name] if named else name, to // nf))
        self.left = len(edges) - at


def check_snapshot(v, s, objects, shot):
    v.equal('counts', s.counts, s.told)
    v.equal('edges left', s.left, 0)
    v.equal('ids are told apart', len({n[2] for n in s.node}), len(s.node))
    plain = [i for i, n in enumerate(s.node) if n[0] == 'object']
    v.equal('classes and sizes', collections.Counter(s.node[i][1:4:2] for i in plain),
            collections.Counter((o['class'], o['bytes']) for o in objects.values()))
    # Objects stand by address, so who refers to whom can be compared one by one.
    address = dict(zip(plain, sorted(shot.size)))
    for i in plain:
        want = sorted(to for to in shot.refs[address[i]] if to in shot.size)
        if sorted(address[to] for _, _, to in s.edges[i]) != want:
            v.true('references', False, hex(address[i]))
    held = {address[to] for i, edges in s.edges.items() if s.node[i][0] == 'synthetic'
            for _, _, to in edges if to in address}
    v.equal('roots', held >= shot.roots, True)
    seen, queue = {0}, [0]
    while queue:
        for _, _, to in s.edges[queue.pop()]:
            if to not in seen:
                seen.add(to)
                queue.append(to)
    v.true('everything hangs below the root', set(plain) <= seen)
    v.true('static fields are named', any(
        name == 'Static Fields of Keeper' for edges in s.edges.values() for _, name, _ in edges))


def main(profview, exe):
    v = Verdict('heap')
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/heap.mlpd'
        said = run('mono', f'--profile=log:heapshot,output={log}', exe).decode().split()
        v.equal('said', said, ['kept', '3000', 'cached', '200'])
        shot = read_shot(log)
        objects, _ = check_objects(v, report(profview, log, 'heap_objects'), shot)
        check_paths(v, profview, log, objects, shot)
        check_classes(v, report(profview, log, 'heap_classes', '--retained'), objects)
        run(profview, 'convert', log, '-o', f'{folder}/out.heapsnapshot', '--shot', str(SHOT))
        check_snapshot(v, Snapshot(pathlib.Path(f'{folder}/out.heapsnapshot').read_bytes()),
                       objects, shot)
        packed = f'{folder}/heap.mlpd.gz'
        run('sh', '-c', f'gzip -c {log} > {packed}')
        v.equal('of a compressed log', report(profview, packed, 'heap_objects'),
                report(profview, log, 'heap_objects'))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

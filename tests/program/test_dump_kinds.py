#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview dump` of logs with every kind: a line each, with every field of its data version.

usage: test_dump_kinds.py lines|builds|late|damage PROFVIEW MAKE_LOG
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import test_every_kind as every
from verdict import Verdict

LINE = re.compile(r' *(\d+) (0x[0-9a-f]+) (-?\d+\.\d{9}) ([a-z_]+\.[a-z_]+|alloc)((?: [a-z_]+=.*)?)$')
FIELD = re.compile(r' ([a-z_]+)=')
META = {'key': (1, 17), 'flags': (1, 12), 'name': (1, 17)}
LOADED = {'key': (11, 17), 'flags': (11, 12)}
PLACE = {'key': (11, 17), 'flags': (11, 12), 'domain': (11, 17)}
HANDLE = {'type': (1, 17), 'handle': (1, 17)}
# kind: its fields, each with the data versions that have it; formats.md 1.7 by hand
FIELDS = {
    'alloc': {'type': (1, 17), 'object': (1, 17), 'size': (1, 17)},
    'gc.event': {'step': (1, 17), 'generation': (1, 17)},
    'gc.resize': {'bytes': (1, 17)}, 'gc.move': {'pairs': (1, 17)},
    'gc.handle_created': HANDLE | {'object': (1, 17)}, 'gc.handle_destroyed': HANDLE,
    'gc.finalize_start': {}, 'gc.finalize_end': {},
    'gc.finalize_object_start': {'object': (13, 17)},
    'gc.finalize_object_end': {'object': (13, 17)},
    'class.load': META | {'image': (1, 17)},
    'vtable.load': {'key': (15, 17), 'domain': (15, 17), 'owner': (15, 17)},
    'image.load': META | {'mvid': (16, 17)}, 'image.unload': META,
    'assembly.load': META | {'image': (14, 17)}, 'assembly.unload': META | {'image': (14, 17)},
    'domain.load': LOADED, 'domain.unload': LOADED, 'domain.name': META,
    'thread.start': LOADED, 'thread.end': LOADED, 'thread.name': META,
    'context.load': PLACE, 'context.unload': PLACE,
    'method.enter': {'method': (1, 17)}, 'method.leave': {'method': (1, 17)},
    'method.exc_leave': {'method': (1, 17)},
    'method.jit': {'method': (1, 17), 'code': (1, 17), 'size': (1, 17), 'name': (1, 17)},
    'exception.throw': {'object': (1, 17)},
    'exception.clause': {'type': (1, 17), 'index': (1, 17), 'method': (1, 17),
                         'object': (14, 17)},
    'monitor.contention': {'object': (1, 17)}, 'monitor.done': {'object': (1, 17)},
    'monitor.fail': {'object': (1, 17)}, 'heap.start': {}, 'heap.end': {},
    'heap.object': {'object': (1, 17), 'type': (1, 17), 'size': (1, 17), 'generation': (16, 17),
                    'refs': (1, 17)},
    'heap.roots': {'roots': (3, 17), 'collections': (3, 14)},
    'heap.root_register': {'start': (15, 17), 'size': (15, 17), 'source': (15, 17),
                           'key': (15, 17), 'name': (15, 17)},
    'heap.root_unregister': {'start': (15, 17)},
    'sample.hit': {'type': (4, 13), 'timestamp': (4, 12), 'thread': (11, 17), 'ips': (4, 17),
                   'frames': (6, 17)},
    'sample.symbol': {'address': (4, 17), 'size': (4, 17), 'name': (4, 17)},
    'sample.binary': {'address': (4, 15), 'file_offset': (4, 15), 'size': (4, 15),
                      'name': (4, 15)},
    'counters.describe': {'list': (5, 17)},
    'counters.sample': {'ms': (5, 12), 'list': (5, 17)},
    'runtime.jit_helper': {'type': (8, 17), 'address': (8, 17), 'size': (8, 17), 'name': (8, 17)},
    'coverage.assembly': dict.fromkeys(
        ('assembly', 'guid', 'file', 'methods', 'full', 'partial'), (10, 15)),
    'coverage.method': dict.fromkeys(('assembly', 'class_name', 'method', 'signature', 'file',
                                      'token', 'method_id', 'statements'), (10, 15)),
    'coverage.statement': dict.fromkeys(('method_id', 'il', 'hits', 'line', 'column'), (10, 15)),
    'coverage.class': dict.fromkeys(('assembly', 'class_name', 'methods', 'full', 'partial'),
                                    (10, 15)),
    'meta.sync_point': {'type': (13, 17)}, 'meta.aot_id': {'id': (16, 17)},
}
OPTIONAL = {'stack', 'offsets'}  # of a kind's second form
# Lines as they are in some version with 8-byte pointers, without offset, thread and time.
WORDS = {
    17: ('alloc type=0x7f1200000440 "Shop.Item" object=0x7f1200010080 size=32 '
         'stack=[0x7f1200001100 "Shop.Main:Run ()", 0x7f1200001200 "Shop.Item:.ctor ()"]',
         'gc.event step=10 (pre stop world locked) generation=1',
         'heap.object object=0x7f1200010580 type=0x7f1200000440 "Shop.Item" size=32 generation=1 '
         'refs=[0x10 -> 0x7f1200010580, 0x18 -> 0x7f1200010580]',
         'counters.sample list=[1: 8, 2: 5, 3: -96, 4: 1, 5: 1, 6: 2.5, 7: 500, 8: 90, 9: "fast"]',
         'heap.roots roots=[0x7f1200060000 -> 0x7f1200010540, 0x7f1200060008 -> 0x7f1200010740]',
         'vtable.load key=0x7f1200000440 domain=0x7f1200000100 "app.exe" owner=0x7f1200000340 '
         '"Shop.Item"'),
    12: ('sample.hit type=1 timestamp=1700000 thread=0x7f1200009100 "main" ips=[0x7f1200022004] '
         'frames=[0x7f1200001200 "Shop.Item:.ctor ()", 0x7f1200001100 "Shop.Main:Run ()"] '
         'offsets=[il 0 native 4, il 0 native 40]',
         'heap.roots roots=[0x7f1200010540 -> 0x2 -> 0x0, 0x7f1200010740 -> 0x0 -> 0x0] '
         'collections=1',
         'coverage.statement method_id=5 il=7 hits=0 line=11 column=8'),
    4: ('sample.hit type=1 timestamp=1710000 ips=[0x7f1200050010]',
        'sample.binary address=0x7f1200050000 file_offset=512 size=4096 name="libnat.so"'),
}
# rules, pointer size, what is left out, what the header says, layout, major of the header
BUILDS = (
    (5, 'all', 5, 128), (12, 'all', 13, 1, 0), (14, 'all', 14, 2), (14, 'all', 14, 6),
    (14, 'all', 14, 14, 1), (14, 'all', 14, 16), (14, 'all', 15, 32), (16, 'all', 16, 64, 2),
)


def dump(profview, log, code=0):
    done = subprocess.run([profview, 'dump', log], capture_output=True, timeout=150, check=False)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stdout.decode()


def event_lines(text):
    return [m for m in map(LINE.match, text.splitlines()) if m]


def counts(text):
    return dict(collections.Counter(m[4] for m in event_lines(text)))


def without_values(fields):
    return re.sub(r'\[.*?\]', '[]', re.sub(r'"(?:\\.|[^"\\])*"', '""', fields))


def check_lines(v, profview, make_log, folder):
    for version, pointers, log in every.every(folder, make_log):
        of, text = f'{version}/{pointers}', dump(profview, log)
        v.equal(f'{of} kinds', counts(text), every.events(version))
        for m in event_lines(text):
            got = set(FIELD.findall(without_values(m[5])))
            want = {f for f, (since, until) in FIELDS[m[4]].items() if since <= version <= until}
            v.equal(f'{of} fields of {m[4]}', got - OPTIONAL, want)
        words = {m[4] + m[5] for m in event_lines(text)} if pointers == 8 else ()
        for line in WORDS.get(version, ()) if pointers == 8 else ():
            v.true(f'{of}: a line "{line}"', line in words)


def check_builds(v, profview, make_log, folder):
    """What a development build wrote: the facts of the version whose rules it follows, and its own."""
    for rules, *more in BUILDS:
        log = every.make(make_log, folder / 'log.mlpd', rules, 8, *more)
        got, of = every.report(profview, log), f'{rules} {more}'
        layout = more[2]
        own = {128: {'method.jit_start': 4}, 1: {'meta.sync_point': 1},
               16: {'heap.root_register': 1, 'heap.root_unregister': 1}}.get(layout, {})
        v.equal(f'{of} events', got['events'], every.events(rules) | own)
        v.equal(f'{of} dump', counts(dump(profview, log)), got['events'])
        facts = every.facts(rules, 8)
        facts['source'].update(data_version=more[1],
                               header_version=got['source']['header_version'],
                               startup_ns=got['source']['startup_ns'])
        if layout == 64:
            facts['images'][0]['mvid'] = None
        facts['threads'][0]['events'] += sum(own.values())
        if layout == 16:
            facts['roots'] = every.roots(15)
            facts['root_areas'] = every.areas(15, 0x7f1200000000)
            facts['root_areas'][0].update(key='0x7f1200000340', owner=None)  # no vtables yet
        if layout == 32:
            facts['counters'] = every.counters(15, False)
        every.same(v, of, got, facts)


def check_late(v, profview, make_log, folder):
    """A layout that shows only behind other buffers holds for these too."""
    release, early = folder / 'release.mlpd', folder / 'early.mlpd'
    release.write_bytes(every.run(make_log, 'late-layout', 14, 8))
    early.write_bytes(every.run(make_log, 'late-layout', 14, 8, 'all', 14, 14))
    v.true('two layouts', release.read_bytes() != early.read_bytes())
    want = every.report(profview, release)
    piped = subprocess.run([profview, 'report', '-', '--format', 'json'], check=True,
                           input=early.read_bytes(), capture_output=True, timeout=150)
    for how, got in (('file', every.report(profview, early)), ('pipe', json.loads(piped.stdout))):
        for key in ('jit', 'events', 'methods', 'threads', 'duration_ns'):
            v.equal(f'late layout, {how}: {key}', got[key], want[key])
        v.equal(f'late layout, {how}: recordings and damage',
                (got['source']['recordings'], got['source']['damage']), (1, []))
    helpers = [re.sub('^ *[0-9]+ ', '', line) for line in dump(profview, release).splitlines()
               if 'runtime.jit_helper' in line]
    v.equal('helpers in the dump', len(helpers), 5)
    v.equal('late layout: dump', [re.sub('^ *[0-9]+ ', '', line)
                                  for line in dump(profview, early).splitlines()
                                  if 'runtime.jit_helper' in line], helpers)


def mutated(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(100, len(data))
        what = rng.randrange(4)
        if what == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[at:at + rng.randint(1, 60)]
        elif what == 2:
            data[at:at] = data[at - 90:at]
        else:
            data[at:at + 8] = bytes([rng.choice((0, 0xff, 0x80, 0x6e))]) * 8
    return bytes(data)


def check_damage(v, profview, make_log, folder):
    """Of a damaged log the dump shows what the report counts, and the same damage."""
    rng = random.Random(7)
    damaged = 0
    for turn in range(120):
        version = rng.randint(1, 17)
        log = every.make(make_log, folder / 'log.mlpd', version, rng.choice((4, 8)))
        log.write_bytes(mutated(rng, log.read_bytes()))
        done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index'],
                              capture_output=True, timeout=150, check=False)
        got, of = json.loads(done.stdout), f'turn {turn}, version {version}'
        text = dump(profview, log, done.returncode)
        damaged += done.returncode == 4
        v.equal(f'{of}: events', counts(text), got['events'])
        places = [(int(m[1]), int(m[2]), m[3]) for m in
                  re.finditer(r'^ *(\d+) damage: (\d+) bytes: (.*)$', text, re.M)]
        v.equal(f'{of}: damage', sorted(places), sorted(
            (d['offset'], d['bytes'], d['reason']) for d in got['source']['damage']))
    v.at_least('damaged logs', damaged, 60)


CASES = {'lines': check_lines, 'builds': check_builds, 'late': check_late, 'damage': check_damage}


def main(case, profview, make_log):
    v = Verdict(f'dump, {case}')
    with tempfile.TemporaryDirectory() as folder:
        CASES[case](v, profview, make_log, pathlib.Path(folder))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

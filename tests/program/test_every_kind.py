#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A log of each data version and pointer size with every kind the version has: the whole report.

usage: test_every_kind.py report|stock PROFVIEW MAKE_LOG
The figures below are those of world_all.c, by hand; `stock` compares them with mprof-report's too.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'real'))
import mprof
from verdict import Verdict

VERSIONS = range(1, 18)
RUN, ITEM, FAIL, SERVE = ('Shop.Main:Run ()', 'Shop.Item:.ctor ()', 'Shop.Main:Fail ()',
                          'Shop.Main:Serve ()')
# kind: how often, first and last data version that has it
EVENTS = {
    'alloc': (4, 1, 17), 'method.enter': (4, 1, 17), 'method.leave': (3, 1, 17),
    'method.exc_leave': (1, 1, 17), 'method.jit': (4, 1, 17), 'gc.resize': (2, 1, 17),
    'gc.move': (1, 1, 17), 'gc.handle_created': (2, 1, 17), 'gc.handle_destroyed': (2, 1, 17),
    'gc.finalize_start': (1, 13, 17), 'gc.finalize_end': (1, 13, 17),
    'gc.finalize_object_start': (1, 13, 17), 'gc.finalize_object_end': (1, 13, 17),
    'class.load': (2, 1, 17), 'vtable.load': (2, 15, 17), 'image.load': (1, 1, 17),
    'image.unload': (1, 11, 17), 'assembly.load': (1, 11, 17), 'assembly.unload': (1, 11, 17),
    'domain.load': (1, 11, 17), 'domain.unload': (1, 11, 17), 'domain.name': (1, 11, 17),
    'thread.start': (2, 11, 17), 'thread.end': (2, 11, 17), 'thread.name': (2, 1, 17),
    'context.load': (1, 11, 17), 'context.unload': (1, 11, 17), 'exception.throw': (2, 1, 17),
    'exception.clause': (2, 1, 17), 'monitor.contention': (4, 1, 17), 'monitor.done': (2, 1, 17),
    'monitor.fail': (2, 1, 17), 'heap.start': (1, 1, 17), 'heap.end': (1, 1, 17),
    'heap.object': (4, 1, 17), 'heap.roots': (1, 3, 17), 'heap.root_register': (1, 15, 17),
    'heap.root_unregister': (1, 15, 17), 'sample.hit': (2, 4, 17), 'sample.symbol': (1, 4, 17),
    'sample.binary': (1, 4, 15), 'counters.describe': (1, 5, 17), 'counters.sample': (2, 5, 17),
    'runtime.jit_helper': (2, 8, 17), 'coverage.assembly': (1, 10, 15),
    'coverage.method': (1, 10, 15), 'coverage.statement': (2, 10, 15),
    'coverage.class': (1, 10, 15), 'meta.sync_point': (1, 13, 17), 'meta.aot_id': (1, 16, 17),
}
HEADERS = {v: '0.2' if v <= 3 else '0.4' if v <= 12 else '1.0' if v == 13 else
           '2.0' if v <= 15 else '3.0' for v in VERSIONS}
COUNTERS = {  # section, name: type, unit, variance, values, first data version
    ('runtime', 'Workers'): ('int', 'raw', 'variable', (-5, 3), 5),
    ('metadata', 'Classes'): ('uint', 'count', 'monotonic', (10, 15), 5),
    ('gc', 'Heap'): ('word', 'bytes', 'variable', (4096, 4000), 5),
    ('jit', 'Methods'): ('long', 'raw', 'monotonic', (1000, 1001), 5),
    ('system', 'Private'): ('ulong', 'bytes', 'variable', (7, 8), 5),
    ('system', 'Load'): ('double', 'percentage', 'variable', (1.5, 2.5), 5),
    ('jit', 'JIT time'): ('time_interval', 'time', 'monotonic', (1000, 1500), 5),
    ('.NET', 'Threads'): ('long', 'raw', 'variable', (100, 90), 7),
    ('runtime', 'Mode'): ('string', 'raw', 'constant', ('fast', 'fast'), 5),
}


def events(v):
    of = {k: n for k, (n, since, until) in EVENTS.items() if since <= v <= until}
    # Marks and sweeps until 13; the locked stop and the unlocked start from 13 on.
    of['gc.event'] = 12 + (4 if v <= 13 else 0) + (2 if v >= 13 else 0)
    return of


def when(v, since, fact, until=17):
    return fact if since <= v <= until else None


def methods(v):
    """Calls, ns and samples; hits have frames from data version 6 on, and symbols from 4."""
    def row(name, calls, ns, own, thrown, hits, on_stack):
        return {'name': name, 'calls': calls, 'total_ns': ns, 'self_ns': own, 'max_ns': ns,
                'exceptional_leaves': thrown, 'samples_self': when(v, 4, int(hits)),
                'samples_total': when(v, 4, int(on_stack))}
    hit = v >= 4
    rows = [row(RUN, 1, 300000, 240000, 0, 0, v >= 6), row(ITEM, 1, 30000, 30000, 0, hit, hit),
            row(FAIL, 1, 30000, 30000, 1, 0, 0), row(SERVE, 1, 30000, 30000, 0, 0, 0)]
    return rows + [row('nat_work', 0, 0, 0, 0, 1, 1)] if hit else rows


def call_tree(v):
    nodes = [(RUN, 0, 300000, 240000, 0), (ITEM, 1, 30000, 30000, int(v >= 6)),
             (FAIL, 1, 30000, 30000, 0), (SERVE, 0, 30000, 30000, 0)]
    nodes += [(ITEM, 0, 0, 0, 1)] if v in (4, 5) else []
    nodes += [('nat_work', 0, 0, 0, 1)] if v >= 4 else []
    return [{'id': i + 1, 'parent': parent, 'method': name, 'calls': int(ns > 0), 'total_ns': ns,
             'self_ns': own, 'max_ns': ns, 'samples': when(v, 4, hits)}
            for i, (name, parent, ns, own, hits) in enumerate(nodes)]


def gc(v):
    major = {'generation': 1, 'start_ns': 514000, 'duration_ns': 16000, 'pause_ns': 65000,
             'concurrent': False, 'heap_before': 1 << 20, 'heap_after': 1 << 20,
             'allocated_since_last': 120}
    minor = {'generation': 0, 'start_ns': 612000, 'duration_ns': 8000, 'pause_ns': 30000,
             'concurrent': False, 'heap_before': 2 << 20, 'heap_after': 2 << 20,
             'allocated_since_last': 0}
    return {'collections': [major, minor],
            'pauses': [{'start_ns': 500000, 'duration_ns': 65000},
                       {'start_ns': 600000, 'duration_ns': 30000}],
            'generations': [{'generation': 0, 'count': 1, 'total_ns': 8000, 'max_ns': 8000},
                            {'generation': 1, 'count': 1, 'total_ns': 16000, 'max_ns': 16000}],
            'resizes': 2, 'max_heap_bytes': 2 << 20, 'moved_objects': 3, 'handles_created': 2,
            'handles_destroyed': 2, 'handles_live': 0, 'objects_finalized': when(v, 13, 1),
            'finalizer_runs': when(v, 13, 1), 'finalizing_ns': when(v, 13, 20000)}


def counters(v, stock):
    lost = v in (13, 14)  # units and variances do not fit into their byte
    rows = []
    for (section, name), (kind, unit, variance, values, since) in COUNTERS.items():
        if v >= since and not (stock and kind == 'string'):
            rows.append({'section': section, 'name': name, 'type': kind,
                         'unit': None if lost else unit, 'variance': None if lost else variance,
                         'samples': [[2000000, values[0]], [3000000, values[1]]]})
    return sorted(rows, key=lambda r: (r['section'], r['name'])) or None


def handle(kind, created, most):
    return {'type': kind, 'live': 0, 'most_live': most, 'created': created, 'destroyed': created}


def native(high, v):
    rows = [{'kind': 'symbol', 'name': 'nat_work', 'address': hex(high + 0x50000), 'size': 64,
             'file_offset': None}]
    binary = {'kind': 'binary', 'name': 'libnat.so', 'address': hex(high + 0x50000), 'size': 4096,
              'file_offset': '0x200', 'time_ns': 691000}
    return ([binary] if v <= 15 else []) + rows


def roots(v):
    """Two of the static area; until 14 a handle and a stack, whose flags 13 has no room for."""
    if v >= 15:
        return [{'source': 'static field', 'roots': 2, 'roots_total': 2, 'areas': 0,
                 'area_bytes': 0, 'registered': 1, 'unregistered': 1, 'pinning': None}]
    flags = None if v == 13 else 0
    return [{'source': source, 'roots': 1, 'roots_total': 1, 'areas': None, 'registered': None,
             'pinning': flags, 'weak': flags, 'interior': flags}
            for source in ('gc handle', 'stack')]


def areas(v, high):
    if v < 15:
        return [] if v >= 3 else None
    return [{'name': 'statics', 'source': 'static field', 'start': hex(high + 0x60000), 'bytes': 16,
             'key': hex(high + 0x440), 'owner': 'Shop.Item', 'registered_ns': 19000,
             'unregistered_ns': 3200000, 'roots': 2, 'roots_total': 2}]


def duration(v):
    """Unloads from 11 on; below, readings of counters from 5 on, hits from 4 on, collections."""
    return 3250000 if v >= 11 else 3000000 if v >= 5 else 710000 if v == 4 else 630000


def facts(v, p, stock=False):
    high = 0x7f1200000000 if p == 8 else 0x71200000
    worker = 6 if v >= 11 else 4

    def thing(at, name, load, unload, since=11, **more):
        row = {'id': hex(high + at), 'name': name, 'load_ns': load, 'failed': None,
               'unload_ns': when(v, 11, unload), **more}
        return when(v, since, [row])

    def thread(at, name, start, end, n, size):
        return {'id': hex(high + at), 'name': name, 'start_ns': when(v, 11, start),
                'end_ns': when(v, 11, end), 'events': n, 'allocated_bytes': size}

    def lock(at, n, ns, longest):
        return {'object': hex(high + 0x10000 + at * 0x40), 'class': 'Shop.Item', 'contentions': n,
                'waiting': 0, 'wait_ns': ns, 'max_wait_ns': longest}

    return {
        'source': {'format': 'mlpd', 'data_version': v, 'complete': None, 'end': 'unknown', 'damage': [],
                   'buffers': 5 if v >= 11 else 4 if v >= 5 else 3, 'rules': v,
                   'header_version': HEADERS[v], 'startup_ns': when(v, 16, 1000000),
                   'aot_id': when(v, 16, 'aot-1'),
                   'sync_points': when(v, 13, {'periodic': 1, 'world_stop': 0, 'world_start': 0,
                                               'other': 0})},
        'target': {'pid': 4242, 'pointer_size': p, 'start_time_ms': 1600000000000,
                   'timer_overhead_ns': 25, 'arch': 'x86-64' if v >= 13 else '',
                   'os': 'linux' if v >= 13 else '',
                   'args': 'log:nodefaults,alloc,calls' if v >= 13 else ''},
        'duration_ns': duration(v),
        'methods': methods(v),
        'call_tree': call_tree(v),
        'classes': [{'name': 'Shop.Item', 'allocations': 3, 'allocated_bytes': 72},
                    {'name': 'Shop.Error', 'allocations': 1, 'allocated_bytes': 48}],
        'allocation_sites': [
            {'class': 'Shop.Item', 'stack': [RUN, ITEM], 'allocations': 2, 'allocated_bytes': 56},
            {'class': 'Shop.Error', 'stack': [RUN, FAIL], 'allocations': 1, 'allocated_bytes': 48},
            {'class': 'Shop.Item', 'stack': [SERVE], 'allocations': 1, 'allocated_bytes': 16}],
        'throw_sites': [{'class': 'Shop.Error', 'stack': [RUN, FAIL], 'thrown': 2}],
        'wait_sites': [{'class': 'Shop.Item', 'stack': [RUN], 'contentions': 4, 'wait_ns': 85000}],
        'gc': gc(v),
        'heap_shots': [{
            'index': 0, 'time_ns': 513000 if v >= 14 else 540000, 'objects': 3, 'bytes': 104,
            'references': 4, 'roots': when(v, 3, 2),
            'classes': [{'name': 'Shop.Item', 'objects': 2, 'bytes': 56},
                        {'name': 'Shop.Error', 'objects': 1, 'bytes': 48}]}],
        'exceptions': {'thrown': 2, 'classes': [{'name': 'Shop.Error', 'thrown': 2}],
                       'clauses': {'catch': 1, 'filter': 0, 'finally': 1, 'fault': 0}},
        # Items 1 and 2 stand at 21 and 22 since they moved.
        'locks': {'contentions': 4, 'acquired': 2, 'failed': 2, 'wait_ns': 85000,
                  'objects': [lock(21, 3, 55000, 30000), lock(22, 1, 30000, 30000)]},
        'samples': when(v, 4, {'total': 2, 'types': when(v, 4, {'cycles': 2, 'other': 0}, 13)}),
        'native': when(v, 4, native(high, v)),
        'handles': [handle('normal', 1, 1), handle('weak', 1, 1), handle('pinned', 0, 0),
                    handle('weak track resurrection', 0, 0)],
        'handle_sites': [{'type': kind, 'class': 'Shop.Item', 'stack': [RUN], 'created': 1,
                          'live': 0} for kind in ('weak', 'normal')],
        'finalizers': when(v, 13, [{'class': 'Shop.Item', 'objects': 1, 'total_ns': 5000,
                                    'max_ns': 5000}]),
        'roots': when(v, 3, roots(v)),
        'root_areas': areas(v, high),
        'threads': [thread(0x9100, 'main', 2000, 3250000,
                           sum(events(v).values()) - worker, 104),
                    thread(0x9200, 'worker', 50000, 95000, worker, 16)],
        'jit': {'methods': 4, 'code_bytes': 230, 'helpers': 2 if v >= 8 else 0,
                'helper_bytes': 32 if v >= 8 else 0,
                'helper_types': [
                    {'name': 'delegate invoke', 'of': None, 'count': 1, 'bytes': 20},
                    {'name': 'specific trampoline', 'of': 'tramp', 'count': 1, 'bytes': 12}]
                if v >= 8 else []},
        'images': thing(0x200, '/app.exe', 5000, 3220000, 1, mvid=when(v, 16, '6a1b')),
        'assemblies': thing(0x280, 'app', 6000, 3230000, of=when(v, 14, '/app.exe')),
        'domains': thing(0x100, 'app.exe', 0, 3240000),
        'contexts': thing(0x180, hex(high + 0x180), 4000, 3210000, of='app.exe'),
        'counters': counters(v, stock),
        'code_coverage': when(v, 10, [{
            'assembly': 'app', 'class': 'Shop.Item', 'method': '.ctor', 'signature': 'void ()',
            'file': 'Item.cs', 'statements': 2, 'covered': 1, 'token': '0x6000002',
            'lines': [{'il': 0, 'hits': 3, 'line': 10, 'column': 4},
                      {'il': 7, 'hits': 0, 'line': 11, 'column': 8}]}], 15),
        'coverage_assemblies': when(v, 10, [{
            'assembly': 'app', 'guid': '6a1b', 'file': '/app.exe', 'methods': 2, 'full': 1,
            'partial': 0}], 15),
        'coverage_classes': when(v, 10, [{
            'assembly': 'app', 'class': 'Shop.Item', 'methods': 1, 'full': 1, 'partial': 0}], 15),
    }


def same(v, what, got, want):
    """Everything wanted is there and equal; keys that came later to the report do no harm."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            same(v, f'{what}.{key}', got.get(key, 'no such key'), value)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, value in enumerate(want):
            same(v, f'{what}[{i}]', got[i], value)
    else:
        v.equal(what, got, want)


def run(*args):
    return subprocess.run(list(map(str, args)), capture_output=True, timeout=150, check=True).stdout


def make(make_log, path, version, pointers, *more):
    path.write_bytes(run(make_log, 'every-kind', version, pointers, *more))
    return path


def report(profview, log):
    return json.loads(run(profview, 'report', log, '--format', 'json', '--section', 'all',
                          '--no-index'))


def every(folder, make_log, *more):
    for version in VERSIONS:
        for pointers in (4, 8):
            yield version, pointers, make(make_log, folder / 'log.mlpd', version, pointers, *more)


def check_report(v, profview, make_log, folder):
    for version, pointers, log in every(folder, make_log):
        got, of = report(profview, log), f'{version}/{pointers}'
        v.equal(f'{of} events', got['events'], events(version))
        same(v, of, got, facts(version, pointers))


def names(rows, key, column):
    return {r[key]: r[column] for r in rows or [] if r[column]}


def stock_counters(path):
    """(name, ms): value, as the stock reader prints them."""
    text, of, ms = run('mprof-report', '--verbose', path).decode(), {}, None
    for line in text.partition('\nCounters:\n')[2].splitlines():
        if m := re.match(r'\t(\d+):(\d+):(\d+):(\d+)\.(\d+):$', line):
            ms = int(m[5]) + 1000 * int(m[4])
        elif m := re.match(r'\t\t\t(.+?) +: (-?[\d.]+)(ms)?$', line):
            of[m[1], ms] = float(m[2]) * (1000 if m[3] else 1)
    return of


def agree(v, of, version, got, theirs):
    """Every figure mprof-report gives and gets right, against ours."""
    v.equal(f'{of} jit', (theirs['jit_methods'], theirs['jit_bytes']),
            (got['jit']['methods'], got['jit']['code_bytes']))
    v.equal(f'{of} helpers', (theirs['helpers'], theirs['helper_bytes']),
            (got['jit']['helpers'], got['jit']['helper_bytes']))
    g = got['gc']
    v.equal(f'{of} gc', (theirs['resizes'], theirs['max_heap'], theirs['moves'],
                         theirs['handles_created'], theirs['handles_destroyed']),
            (g['resizes'], g['max_heap_bytes'], g['moved_objects'], g['handles_created'],
             g['handles_destroyed']))
    v.equal(f'{of} collections', dict(theirs['collections']),
            names(g['generations'], 'generation', 'count'))
    v.equal(f'{of} hits', dict(+theirs['hits']),
            {'managed': 1, 'unmanaged': 1} if got['samples'] else {})
    rows = {n.partition('  ')[0]: k for n, k in theirs['sample_rows'].items()}
    v.equal(f'{of} samples', rows, names(got['methods'], 'name', 'samples_self'))
    v.equal(f'{of} allocations', dict(theirs['allocs']),
            names(got['classes'], 'name', 'allocations'))
    v.equal(f'{of} bytes', dict(theirs['alloc_bytes']),
            names(got['classes'], 'name', 'allocated_bytes'))
    v.equal(f'{of} calls', dict(theirs['calls']), names(got['methods'], 'name', 'calls'))
    v.equal(f'{of} images', theirs['images'], len(got['images'] or []))
    v.equal(f'{of} assemblies', theirs['assemblies'], len(got['assemblies'] or []))
    v.equal(f'{of} throws', theirs['throws'], got['exceptions']['thrown'])
    v.equal(f'{of} clauses', dict(+theirs['clauses']),
            {k: n for k, n in got['exceptions']['clauses'].items() if n})
    v.equal(f'{of} threads', sorted(theirs['threads']),
            sorted((t['id'], t['name']) for t in got['threads']))
    v.equal(f'{of} shots', [(s['objects'], s['bytes'], dict(s['by_class']),
                             dict(s['bytes_by_class'])) for s in theirs['shots']],
            [(s['objects'], s['bytes'], names(s['classes'], 'name', 'objects'),
              names(s['classes'], 'name', 'bytes')) for s in got['heap_shots']])
    if version != 13:  # the stock reader leaves the kind of a monitor event unset there
        k = got['locks']
        v.equal(f'{of} locks', (theirs['contentions'], theirs['acquired'], theirs['failures']),
                (k['contentions'], k['acquired'], k['failed']))
        # It names a lock by the address it first had, we by the last.
        v.equal(f'{of} locks, each', sorted(theirs['lock_objects'].values()),
                sorted(o['contentions'] for o in k['objects']))


def check_stock(v, profview, make_log, folder):
    """Not compared: the times it prints (in whole ms), the roots of a shot (it counts others)."""
    for version, pointers, log in every(folder, make_log, 'stock'):
        got, of = report(profview, log), f'{version}/{pointers}'
        same(v, of, got, facts(version, pointers, stock=True))
        agree(v, of, version, got, mprof.report(log))
        want = {(c['name'], t // 1000000): float(n) for c in got['counters'] or []
                for t, n in c['samples'] if c['name'] != 'Threads'}
        theirs = stock_counters(log)
        # Performance counters are values already, which it adds up all the same.
        v.equal(f'{of} performance counter', theirs.pop(('Threads', 3), None),
                190.0 if version >= 7 else None)
        theirs.pop(('Threads', 2), None)
        v.equal(f'{of} counters', theirs, want)


CASES = {'report': check_report, 'stock': check_stock}


def main(case, profview, make_log):
    v = Verdict(f'every kind, {case}')
    with tempfile.TemporaryDirectory() as folder:
        CASES[case](v, profview, make_log, pathlib.Path(folder))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""JSON reports: valid, the contract's keys in the contract's order, and the figures of the text."""
import csv
import io
import json
import re
import subprocess
import sys

from showable import shown

NAMES = ['readable', 'canonical']
SITES = ['class', *NAMES, 'stack', 'readable_stack']
KEYS = {
    'source': ['path', 'format', 'data_version', 'stage', 'bytes', 'file_bytes', 'compressed',
               'buffers', 'recordings', 'complete', 'end', 'end_known_from', 'header_version', 'rules', 'startup_ns', 'joined',
               'aot_id', 'sync_points', 'damage'],
    'source.sync_points': ['periodic', 'world_stop', 'world_start', 'other'],
    'source.damage': ['offset', 'bytes', 'reason'],
    'target': ['pid', 'pointer_size', 'start_time_ms', 'args', 'arch', 'os', 'timer_overhead_ns',
               'control_port', 'event_mask'],
    'coverage': ['what', 'state', 'detail'],
    'findings': ['finding', 'score', 'verdict', 'text', 'subject', 'view', 'advice'],
    'methods': ['name', *NAMES, 'calls', 'total_ns', 'self_ns', 'max_ns', 'exceptional_leaves',
                'samples_self', 'samples_total', 'cpu_user_ns', 'cpu_kernel_ns', 'kind'],
    'call_tree': ['id', 'parent', 'method', *NAMES, 'calls', 'total_ns', 'self_ns', 'max_ns', 'samples',
                  'kind'],
    'flame': ['id', 'parent', 'frame', *NAMES, 'weight', 'weight_self', 'unit', 'kind'],
    'classes': ['name', *NAMES, 'allocations', 'allocated_bytes', 'estimated', 'error_bytes'],
    'allocation_sites': SITES + ['allocations', 'allocated_bytes'],
    'throw_sites': SITES + ['thrown'],
    'wait_sites': SITES + ['contentions', 'wait_ns'],
    'catches': ['class', 'readable', 'canonical', 'method', 'caught'],
    'lock_waits': ['wait_ns', 'start_ns', 'ended', 'thread', 'thread_id', 'holder', 'holder_id', 'holder_known',
                   'object', 'class', *NAMES, 'stack', 'readable_stack', 'holder_stack'],
    'lock_sites': ['method', *NAMES, 'holder_method', 'waits', 'threads', 'wait_ns', 'max_wait_ns'],
    'lock_edges': ['thread', 'holder', 'object', 'class', *NAMES, 'waits', 'wait_ns', 'max_wait_ns'],
    'lock_cycles': ['state', 'start_ns', 'lasted_ns', 'threads', 'cycle'],
    'gc': ['collections', 'pauses', 'generations', 'percentiles', 'survived', 'resizes', 'max_heap_bytes', 'moved_objects',
           'handles_created', 'handles_destroyed', 'handles_live', 'objects_finalized',
           'finalizer_runs', 'finalizing_ns'],
    'gc.collections': ['generation', 'start_ns', 'duration_ns', 'pause_ns', 'concurrent',
                       'heap_before', 'heap_after', 'allocated_since_last', 'mark_ns',
                       'sweep_ns', 'number', 'to_stop_ns', 'moved_objects', 'promoted_bytes', 'reason'],
    'gc.pauses': ['start_ns', 'duration_ns'],
    'survival': ['name', *NAMES, 'allocations', 'allocated_bytes', 'alive_objects', 'alive_bytes', 'dead_objects',
                 'young_objects', 'promoted_objects', 'promoted_bytes'],
    'allocation_sizes': ['from_bytes', 'below_bytes', 'allocations', 'allocated_bytes'],
    'gc.percentiles': ['what', 'count', 'total_ns', 'p50_ns', 'p90_ns', 'p99_ns', 'max_ns', 'exact'],
    'gc_cause': ['what', 'detail', 'value', 'unit', 'known'],
    'gc.generations': ['generation', 'count', 'total_ns', 'max_ns'],
    'handles': ['type', 'live', 'most_live', 'created', 'destroyed'],
    'handle_sites': ['type', *SITES, 'created', 'live'],
    'finalizers': ['class', *NAMES, 'objects', 'total_ns', 'max_ns'],
    'roots': ['source', 'roots', 'roots_total', 'areas', 'area_bytes', 'registered',
              'unregistered', 'pinning', 'weak', 'interior'],
    'root_areas': ['name', 'source', 'start', 'bytes', 'key', 'owner', 'registered_ns',
                   'unregistered_ns', 'roots', 'roots_total'],
    'heap_shots': ['index', 'time_ns', 'objects', 'bytes', 'references', 'roots', 'dead_objects',
                   'dead_bytes', 'collection', 'state', 'classes'],
    'heap_shots.classes': ['name', *NAMES, 'objects', 'bytes', 'dead_objects', 'dead_bytes',
                           'young_objects', 'young_bytes'],
    'exceptions': ['thrown', 'clauses', 'classes', 'clause_methods'],
    'exceptions.clause_methods': ['method', *NAMES, 'count', 'catch', 'filter', 'finally', 'fault',
                                  'other'],
    'exceptions.classes': ['name', *NAMES, 'thrown', 'per_second', 'caught', 'message'],
    'locks': ['contentions', 'acquired', 'failed', 'wait_ns', 'objects'],
    'locks.objects': ['object', 'class', *NAMES, 'contentions', 'waiting', 'wait_ns', 'max_wait_ns'],
    'code_kinds': ['kind', 'self_ns', 'samples_self'],
    'samples': ['total', 'types', 'states'],
    'samples.states': ['state', 'samples', 'known'],
    'threads': ['id', 'name', 'start_ns', 'end_ns', 'events', 'cpu_ns', 'allocated_bytes', 'lock_wait_ns', 'owner'],
    'timeline': ['id', 'name', 'samples', 'running', 'runnable', 'lock', 'poll', 'io', 'sleep', 'stopped',
                 'unknown', 'gc', 'from_ns', 'cell_ns', 'lane', 'unsure'],
    'jit': ['methods', 'code_bytes', 'helpers', 'helper_bytes', 'failed', 'total_ns', 'max_ns',
            'helper_types', 'bodies'],
    'jit.helper_types': ['name', 'of', 'count', 'bytes'],
    'native': ['kind', 'name', 'address', 'size', 'file_offset', 'time_ns'],
    'marks': ['time_ns', 'thread', 'text'],
    'images': ['id', 'name', 'load_ns', 'unload_ns', 'load_took_ns', 'failed', 'mvid'],
    'assemblies': ['id', 'name', 'load_ns', 'unload_ns', 'load_took_ns', 'failed', 'of'],
    'domains': ['id', 'name', 'load_ns', 'unload_ns', 'load_took_ns', 'failed'],
    'contexts': ['id', 'name', 'load_ns', 'unload_ns', 'failed', 'of'],
    'counters': ['section', 'name', 'type', 'unit', 'variance', 'samples'],
}
EXTRA = ['findings', 'call_tree', 'flame', 'allocation_sites', 'survival', 'allocation_sizes', 'throw_sites', 'wait_sites', 'catches', 'pool', 'pool_changes',
         'lock_waits', 'lock_sites', 'lock_edges', 'lock_cycles', 'gc_cause', 'handle_sites', 'root_areas', 'timeline', 'code_kinds']
TOP = ['profview', 'source', 'target', 'duration_ns', 'coverage', 'findings', 'events', 'methods', 'call_tree',
       'flame', 'classes', 'held', 'allocation_sites', 'throw_sites', 'wait_sites', 'catches', 'pool', 'pool_changes',
       'lock_waits', 'lock_sites', 'lock_edges', 'lock_cycles', 'gc', 'handles', 'handle_sites',
       'finalizers', 'roots', 'root_areas', 'heap_shots', 'exceptions', 'locks', 'code_kinds', 'samples',
       'sample_lines', 'threads', 'timeline', 'jit', 'loads', 'native', 'marks',
       'spans', 'routes', 'suspensions', 'transitions', 'images', 'assemblies', 'domains', 'contexts', 'counters',
       'code_coverage', 'survival', 'allocation_sizes', 'gc_cause', 'coverage_assemblies', 'coverage_classes']
WHATS = ['calls', 'allocations', 'allocation_stacks', 'gc', 'moves', 'handles', 'finalizers',
         'heap_shots', 'roots', 'exceptions', 'locks', 'samples', 'threads', 'jit', 'counters',
         'code_coverage', 'spans', 'marks', 'suspensions', 'transitions', 'names', 'losses', 'damage']


def run(program, *args):
    return subprocess.run([program, *args], check=True, stdout=subprocess.PIPE).stdout


def refuse(text):
    raise AssertionError(f'number that is none: {text}')


def parse(raw):
    for number in re.findall(rb'(?<=[:\[, ])-?\d[\d.eE+-]*', re.sub(rb'"(\\.|[^"\\])*"', b'""', raw)):
        assert b'e' not in number.lower(), f'exponent in {number!r}'
    return json.loads(raw.decode('utf-8'), parse_constant=refuse)


def same(got, want, what):
    assert got == want, f'{what}: {got!r}, not {want!r}'


def check_keys(report):
    for name, keys in KEYS.items():
        value = report
        for part in name.split('.'):
            value = [v for one in value for v in one[part]] if isinstance(value, list) else value[part]
        for row in value if isinstance(value, list) else [value]:
            same(list(row), keys, name)


def check_world(program):
    report = parse(run(program, 'world', 'json', 'all'))
    same(list(report), TOP, 'keys of the report')
    same(list(parse(run(program, 'world', 'json', ''))), [k for k in TOP if k not in EXTRA], 'default')
    for name in ('contexts', 'code_coverage', 'finalizers', 'native', 'marks'):
        report[name] = report[name] or []
    check_keys(report)
    same([c['what'] for c in report['coverage']], WHATS, 'coverage')
    same(report['source']['damage'][0]['reason'], 'event byte 0xfe\tis not understood', 'reason')
    same(report['source']['path'], 'dir/app "1".mlpd', 'path')
    odd = 'Bad\ufffd\ufffd("\\\x01|'
    same(report['classes'][0], {'name': odd, 'readable': odd, 'canonical': odd, 'allocations': 1,
                                'allocated_bytes': 10 ** 15, 'estimated': False, 'error_bytes': None}, 'class')
    same(report['allocation_sites'][0]['stack'], ['App:Main (string[])', 'App:Work<A,B> ("x")'],
         'stack')
    methods = {m['name']: m for m in report['methods']}
    same(methods['App:Work<A,B> ("x")'], {
        'name': 'App:Work<A,B> ("x")', 'readable': 'App.Work<A, B>("x")',
        'canonical': 'App.Work<A, B>("x")', 'calls': 1, 'total_ns': 5000, 'self_ns': 5000,
        'max_ns': 5000, 'exceptional_leaves': 1, 'samples_self': 1, 'samples_total': 1,
        'cpu_user_ns': None, 'cpu_kernel_ns': None, 'kind': 'user'}, 'method')
    same([(n['id'], n['parent'], n['method'][:8]) for n in report['call_tree']],
         [(1, 0, 'App:Main'), (2, 1, 'App:Work')], 'tree')
    same(report['gc']['collections'][0], {
        'generation': 0, 'start_ns': 20000, 'duration_ns': 9000, 'pause_ns': 10000,
        'concurrent': False, 'heap_before': 65536, 'heap_after': 65536,
        'allocated_since_last': 10 ** 15 + 48, 'mark_ns': None, 'sweep_ns': None,
        'number': None, 'to_stop_ns': None, 'moved_objects': 0, 'promoted_bytes': None,
        'reason': None}, 'collection')
    same(report['gc']['handles_created'], 0, 'asked for, but none came')
    same(report['gc']['objects_finalized'], None, 'not asked for')
    same([c['name'] for c in report['heap_shots'][0]['classes']], ['Bad\ufffd\ufffd("\\\x01|',
                                                                  'App.Fault'], 'shot')
    same(report['exceptions'], {'thrown': 1, 'clauses': {'catch': 0, 'filter': 0, 'finally': 1,
         'fault': 0}, 'classes': [{'name': 'App.Fault', 'readable': 'App.Fault', 'canonical': 'App.Fault',
                                           'thrown': 1, 'per_second': 20000, 'caught': 0, 'message': None}], 'clause_methods': [
             {'method': 'App:Main (string[])', 'readable': 'App.Main(string[])',
              'canonical': 'App.Main(string[])', 'count': 1, 'catch': 0, 'filter': 0, 'finally': 1, 'fault': 0,
              'other': 0}]}, 'exceptions')
    same(report['locks']['objects'][0]['object'], '0x8000', 'address')
    same(report['samples'], {'total': 1, 'types': None,
        'states': [{'state': 'running', 'samples': 1, 'known': 'by name'}]}, 'samples')
    same(report['jit'], {'methods': 2, 'code_bytes': 32, 'helpers': 1, 'helper_bytes': 40,
         'failed': None, 'total_ns': None, 'max_ns': None,
         'helper_types': [{'name': 'helper', 'of': None, 'count': 1, 'bytes': 40}], 'bodies': None}, 'jit')
    same(report['counters'], [
        {'section': 'gc', 'name': 'Heap', 'type': 'long', 'unit': 'bytes', 'variance': 'variable',
         'samples': [[0, 10 ** 15]]},
        {'section': 'runtime', 'name': 'Load', 'type': 'double', 'unit': 'raw', 'variance': '0x0',
         'samples': [[0, None], [0, 0.5]]},
        {'section': 'runtime', 'name': 'Mode', 'type': 'string', 'unit': 'raw', 'variance': '0x0',
         'samples': [[0, 'fa"st']]}], 'counters')
    same(report['duration_ns'], 50000, 'duration')
    return report


def check_empty(program):
    report = parse(run(program, 'log', 'json', 'all'))
    for key in TOP[7:]:
        assert report[key] is None, f'{key} of an empty log is {report[key]!r}'
    same(report['events'], {}, 'events')
    asked = parse(run(program, 'log:alloc,heapshot,calls,sample', 'json', ''))
    for key in ('methods', 'classes', 'heap_shots', 'counters'):
        same(asked[key], [], f'{key} that was asked for')
    same(asked['gc']['moved_objects'], 0, 'moves')
    same(asked['gc']['handles_created'], None, 'handles')
    same(asked['samples'], {'total': 0, 'types': None, 'states': []}, 'samples')
    same(asked['exceptions']['thrown'], 0, 'exceptions by default')
    handles = parse(run(program, 'log:nodefaults,gchandle', 'json', 'gc'))['gc']
    same((handles['handles_created'], handles['pauses'], handles['resizes']), (0, None, None),
         'handles alone')


def check_lists(program, report):
    """CSV says what JSON says; text and Markdown show the same figures with spaces in them."""
    for name in ('methods', 'classes', 'gc.collections', 'gc.pauses', 'threads', 'locks.objects',
                 'exceptions.classes', 'wait_sites', 'images', 'counters', 'coverage'):
        value = report
        for part in name.split('.'):
            value = value[part]
        text = run(program, 'world', 'csv', name).decode('utf-8')
        rows = list(csv.DictReader(io.StringIO(text, newline='')))
        same(len(rows), len(value), f'{name} rows')
        for got, want in zip(rows, value):
            for key, cell in got.items():
                first = key in ('name', 'class') and 'readable' in want
                w = want['readable' if first else 'readable_stack' if key == 'stack' else key]
                w = '' if w is None else ' > '.join(w) if isinstance(w, list) else w
                w = str(w).lower() if isinstance(w, bool) else shown(str(w))
                same(cell, w.replace('\ufffd\ufffd', '\\xff\\xc3'), f'{name}.{key}')
    text = run(program, 'world', 'text', 'all').decode('utf-8')
    assert '1 000 000 000 000 000' in text and 'Bad\\xff\\xc3("\\\\x01|' in text and '\x01' not in text
    for m in report['methods']:
        assert m['readable'] in text
    md = run(program, 'world', 'md', 'classes').decode('utf-8').splitlines()
    same(len(md), 2 + len(report['classes']), 'lines of Markdown')
    assert all(re.sub(r'\\.', '', line).count('|') == 6 for line in md), md
    shots = list(csv.reader(io.StringIO(run(program, 'world', 'csv', 'heap_shots.classes').decode())))
    same(shots[0], ['index', 'name', 'objects', 'bytes',
         'dead_objects', 'dead_bytes', 'young_objects', 'young_bytes'], 'columns of shots')
    same(shots[2], ['0', 'App.Fault', '1', '48', '', '', '', ''], 'class of a shot')
    samples = list(csv.reader(io.StringIO(run(program, 'world', 'csv', 'counters.samples').decode())))
    same(samples[1], ['Heap', '0', '1000000000000000'], 'sample')


def check_golden(program, golden):
    got = run(program, 'world', 'text', '').decode('utf-8')
    if '--write' in sys.argv:
        with open(golden, 'w', encoding='utf-8') as out:
            out.write(got)
    with open(golden, encoding='utf-8') as f:
        want = f.read()
    for number, (g, w) in enumerate(zip(got.split('\n'), want.split('\n')), 1):
        assert g == w, f'{golden}:{number}: {g!r}, not {w!r}'
    same(len(got.split('\n')), len(want.split('\n')), 'lines of the text report')


def main(program, golden):
    report = check_world(program)
    check_empty(program)
    check_lists(program, report)
    check_golden(program, golden)
    print('reports keep their contract')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""JSON reports: valid, the contract's keys in the contract's order, and the figures of the text."""
import csv
import io
import json
import re
import subprocess
import sys

from showable import shown

# Objects of figures; the lists have the keys of their columns.
KEYS = {
    'source': ['path', 'format', 'data_version', 'stage', 'bytes', 'file_bytes', 'compressed',
               'buffers', 'recordings', 'complete', 'end', 'end_known_from', 'header_version', 'rules', 'startup_ns', 'joined',
               'aot_id', 'sync_points', 'damage'],
    'source.sync_points': ['periodic', 'world_stop', 'world_start', 'other'],
    'target': ['pid', 'pointer_size', 'start_time_ms', 'args', 'arch', 'os', 'timer_overhead_ns',
               'control_port', 'event_mask'],
    'gc': ['collections', 'pauses', 'generations', 'percentiles', 'survived', 'resizes', 'max_heap_bytes', 'moved_objects',
           'handles_created', 'handles_destroyed', 'handles_live', 'objects_finalized',
           'finalizer_runs', 'finalizing_ns'],
    'exceptions': ['thrown', 'clauses', 'classes', 'clause_methods'],
    'locks': ['contentions', 'acquired', 'failed', 'wait_ns', 'objects'],
    'samples': ['total', 'types', 'states'],
    'jit': ['methods', 'code_bytes', 'helpers', 'helper_bytes', 'failed', 'total_ns', 'max_ns',
            'helper_types', 'bodies'],
}
HEAD = ['profview', 'source', 'target', 'duration_ns', 'coverage']
# Sections that JSON has as something else than a list of rows, or under another key.
OTHERWISE = {'events', 'samples', 'exceptions.clauses', 'jit.methods', 'source.header', 'counters.samples'}
MOVED = {'jit.helpers': 'jit.helper_types'}
# Members of rows that no column has: other forms of names, places in a tree.
MADE = {'readable', 'canonical', 'readable_stack', 'readable_holder_stack', 'id', 'parent'}
WHATS = ['calls', 'allocations', 'allocation_stacks', 'gc', 'moves', 'handles', 'finalizers',
         'heap_shots', 'roots', 'exceptions', 'locks', 'samples', 'threads', 'jit', 'counters',
         'code_coverage', 'spans', 'marks', 'suspensions', 'transitions', 'names', 'losses', 'damage']


def run(program, *args):
    return subprocess.run([program, *args], check=True, stdout=subprocess.PIPE).stdout


def refuse(text):
    raise AssertionError(f'number that is none: {text}')


def each_once(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f'twice in an object: {names}'
    return dict(pairs)


def parse(raw):
    for number in re.findall(rb'(?<=[:\[, ])-?\d[\d.eE+-]*', re.sub(rb'"(\\.|[^"\\])*"', b'""', raw)):
        assert b'e' not in number.lower(), f'exponent in {number!r}'
    return json.loads(raw.decode('utf-8'), parse_constant=refuse, object_pairs_hook=each_once)


def same(got, want, what):
    assert got == want, f'{what}: {got!r}, not {want!r}'


def sections(program):
    """{name: (whether the usual report has it, "all" has it, or only other options give it, its keys)}"""
    lines = [line.split() for line in run(program, 'sections').decode().splitlines()]
    return {name: (asked, keys) for name, asked, *keys in lines}


def at(report, name):
    value = report
    for part in name.split('.'):
        value = [v for one in value for v in one[part] or []] if isinstance(value, list) else (value or {}).get(part)
    return value if isinstance(value, list) else [value] if value else []


def check_keys(report, known):
    for name, keys in KEYS.items():
        same(list(at(report, name)[0]), keys, name)
    met = set()
    for name, (asked, keys) in known.items():
        inner = {n.split('.')[1] for n in known if n.startswith(name + '.')}
        for row in [] if name in OTHERWISE or asked == 'never' else at(report, MOVED.get(name, name)):
            same([k for k in row if k in keys or k not in MADE | inner], keys, name)
            met.add(name)
    assert len(met) > 30, met


def check_world(program):
    known = sections(program)
    report = parse(run(program, 'world', 'json', 'all'))
    usual = list(parse(run(program, 'world', 'json', '')))
    for got, kinds in ((list(report), ('usual', 'extra')), (usual, ('usual',))):
        same(got[:len(HEAD)], HEAD, 'head')
        same(set(got), {*HEAD, *(n.split('.')[0] for n, (asked, _) in known.items() if asked in kinds)}, 'keys of the report')
    same(usual, [k for k in report if k in usual], 'order')
    for name in ('contexts', 'code_coverage', 'finalizers', 'native', 'marks'):
        report[name] = report[name] or []
    check_keys(report, known)
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
    for key in list(report)[7:]:
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

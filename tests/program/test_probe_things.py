#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The native library in a C++ program: exceptions, blocks, samples are what the program says.

usage: test_probe_things.py PROFVIEW LIBRARY PROGRAM lines|no-lines [CASE...]   lines: of source, are known
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def equal(what, got, want):
    if got != want:
        raise Failure(f'{what}: {got!r}, want {want!r}')


def run(folder, what, options, code=0):
    log = folder / 'log.mlpd'
    env = dict(os.environ, LD_PRELOAD=LIBRARY,
               PROFVIEW_OPTIONS=f'output={log},linger=20000,{options}')
    done = subprocess.run([PROGRAM, what], env=env, capture_output=True, text=True)
    equal('exit code', done.returncode, code)
    equal('standard error', done.stderr, '')
    said = {k: int(v) for k, v in (line.split('=') for line in done.stdout.split())}
    return log, said


def report(log):
    done = subprocess.run([PROFVIEW, 'report', log, '--format', 'json', '--no-index', '--section', 'all'],
                          capture_output=True, text=True)
    equal('exit code of the report', (done.returncode, done.stderr), (0, ''))
    doc = json.loads(done.stdout)
    states = {c['what']: c['state'] for c in doc['coverage']}
    equal('losses', states['losses'], 'complete')
    return doc, states


def by_function(rows, *keys):
    """Sums by the function that asked: "malloc in NAME+0x12"."""
    sums = collections.defaultdict(lambda: [0] * len(keys))
    for row in rows:
        found = re.match(r'malloc in (\w+)\+0x', row['name'])
        if found:
            for i, key in enumerate(keys):
                sums[found[1]][i] += row[key]
    return sums


def calls(folder):
    log, said = run(folder, 'calls', 'calls')
    doc, states = report(log)
    equal('calls', states['calls'], 'complete')
    named = collections.Counter()
    for m in doc['methods']:
        found = re.search(r'(thrower|passes|catcher|jumper)', m['name'])
        named[found[1] if found else 'member' if 'Counter' in m['name'] else ''] += m['calls']
        if 'Counter' in m['name'] and m['name'] != 'shop::Counter<long>::add(long)' and \
                not m['name'].startswith('_Z'):  # as it is where libiberty is not
            raise Failure(f'a name: {m["name"]}')
    equal('calls', {k: named[k] for k in said}, said)
    jumped = sum(m['exceptional_leaves'] for m in doc['methods'])
    equal('calls that ended by a jump', jumped, said['jumper'] // 2)


def blocks(folder):
    log, said = run(folder, 'blocks', 'calls=off,malloc,free,class=site,heapshot,heapshot-on-shutdown')
    doc, states = report(log)
    equal('allocations', states['allocations'], 'complete')
    made = by_function(doc['classes'], 'allocations')
    want = {k: v for k, v in said.items() if '.' not in k}
    want['by_malloc'] += 1  # a realloc that fails: it was told as given back, and is got again
    equal('blocks', {k: made[k][0] for k in want}, want)
    equal('shots', len(doc['heap_shots']), 1)
    alive = by_function(doc['heap_shots'][0]['classes'], 'objects', 'bytes')
    for key in want:
        told = [said.get(key + '.alive', 0), said.get(key + '.bytes', 0)]
        equal(f'alive of {key}', alive[key], told)
    frees, made_all = doc['events']['ext.native.free'], doc['events']['alloc']
    some = sum(want.values()) - sum(v for k, v in said.items() if k.endswith('.alive'))
    if not some <= frees <= made_all:
        raise Failure(f'{frees} frees, {some} of them are known, {made_all} blocks')


def sizes(folder):
    log, said = run(folder, 'blocks', 'calls=off,malloc')
    doc, _ = report(log)
    rows = {c['name']: c for c in doc['classes']}
    each = said['by_calloc']
    for name, least in (('malloc 33..48', 2 * each), ('malloc 81..96', 0), ('malloc 49..64', each),
                        ('malloc 449..512', each)):
        got = rows.get(name, {'allocations': 0})['allocations']
        if not least <= got <= least + 1000:
            raise Failure(f'{name}: {got}, want {least} and what libraries need')


def sampled(folder):
    log, said = run(folder, 'blocks', 'calls=off,alloc=16k,class=site')
    doc, _ = report(log)
    if not all(c['estimated'] for c in doc['classes']):
        raise Failure('a class is not marked as estimated')
    made = by_function(doc['classes'], 'allocated_bytes')
    want = said['by_malloc'] * 48 + 300 * 952
    got = sum(made[k][0] for k in ('by_realloc',))
    realloc = said['by_realloc'] // 2 * 20000
    if not 0.8 * realloc < got < 1.2 * realloc or not 0 < made['by_malloc'][0] < 4 * want:
        raise Failure(f'estimates: {got} of {realloc}, {made["by_malloc"]} of {want}')
    stacks = [s['stack'] for s in doc['allocation_sites'] if 'by_realloc' in s['class']]
    if not any(s and s[-1] == 'by_realloc' for s in stacks):
        raise Failure(f'stacks: {stacks[:5]}')


def samples(folder):
    log, _ = run(folder, 'burn', 'calls=off,sample=100')
    doc, states = report(log)
    total = doc['samples']['total']
    # Two threads for a second, 100 each, but for what they did before they were found.
    if not 140 < total <= 220:
        raise Failure(f'{total} samples')
    rows = {m['name']: m for m in doc['methods']}
    hot, outer = rows['hot'], rows['outer']
    if hot['samples_self'] < 0.8 * total or outer['samples_total'] < 0.8 * total:
        raise Failure(f'{hot}\n{outer}\nof {total}')
    if LINES:
        at = collections.Counter()
        for row in doc['sample_lines']:
            if row['method'] == 'hot' and row['file'].endswith('probe_things.cpp'):
                at[SOURCE[row['line'] - 1].strip()] += row['samples']
        if sum(at.values()) != hot['samples_self']:
            raise Failure(f'lines: {at} of {hot}')
    names = {t['name'] for t in doc['threads']}
    equal('names of threads', {'main', 'burner'} <= names, True)
    if any(m['name'].startswith('0x') for m in doc['methods']):
        raise Failure('a frame has no name')


def everything_at_once(folder):
    """Threads come and go while they are sampled, their blocks followed and shots taken."""
    for options in ('calls,malloc,free,heapshot,sample=1000,maxframes=8', 'calls,alloc=4k,sample=50',
                    'zip,calls,malloc=64k,class=site,sample=250,heapshot-on-shutdown,buffer=1m'):
        log, _ = run(folder, 'churn', options)
        done = subprocess.run([PROFVIEW, 'report', log, '--no-index', '--section', 'source'],
                              capture_output=True, text=True)
        equal(f'report with {options}', done.returncode, 0)


def ends(folder):
    """Another thread ends the process; another program takes its place: each has a log."""
    for options in ('calls,malloc,free,heapshot,sample=1000', 'zip,calls,malloc,heapshot-on-shutdown'):
        log, _ = run(folder, 'leave', options, 7)
        doc, _ = report(log)
        equal('complete', doc['source']['complete'], True)
        rows = {m['name'].split('(')[0]: m for m in doc['methods']}
        if rows['by_malloc']['calls'] < 1000:
            raise Failure(f'{rows["by_malloc"]}')
        log, said = run(folder, 'exec', options)
        second = log.with_stem(log.stem + '-2')
        doc, _ = report(second)
        first, _ = report(log)
        equal('damage', first['source']['damage'], [])
        equal('the end of the first', first['source']['end'], 'cut off')
        equal('pid', first['target']['pid'], doc['target']['pid'])
        if not first['methods']:
            raise Failure(f'the first image is gone: {first["methods"]}')
        named = sum(m['calls'] for m in doc['methods'] if 'thrower' in m['name'])
        equal('calls', named, said['thrower'])


def main(names):
    cases = (calls, blocks, sizes, sampled, samples, ends, everything_at_once)
    failed = 0
    for case in cases:
        if names and case.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(pathlib.Path(folder))
                print(f'{case.__name__}: ok')
            except Failure as e:
                print(f'{case.__name__}: {e}')
                failed = 1
    return failed


if __name__ == '__main__':
    PROFVIEW, LIBRARY, PROGRAM = (os.path.abspath(a) for a in sys.argv[1:4])
    LINES = sys.argv[4] == 'lines'
    SOURCE = (pathlib.Path(__file__).parent.parent / 'kit' / 'probe_things.cpp').read_text().splitlines()
    sys.exit(main(sys.argv[5:]))

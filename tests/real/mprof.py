# SPDX-License-Identifier: MIT
"""What the stock mprof-report says about a log, as a dictionary.

Only figures it gets right are parsed. Left out on purpose: every time it prints (calls, pauses,
waits: it clamps and adds recursive activations), and heap roots (it counts other things).
Known to be wrong and for the caller to handle: an allocation whose vtable is named later in the
file is booked on `UNRESOLVED` for good, and so are classes the log never names.
"""
import collections
import re
import subprocess

from target import need

UNRESOLVED = 'unresolved class'

SECTIONS = {
    'Mono log profiler data': 'header', 'JIT summary': 'jit', 'GC summary': 'gc',
    'Statistical samples summary': 'samples', 'Allocation summary': 'alloc',
    'Method call summary': 'calls', 'Metadata summary': 'metadata',
    'Exception summary': 'exceptions', 'Monitor lock summary': 'monitor',
    'Thread summary': 'threads', 'Domain summary': 'domains', 'Context summary': 'contexts',
    'Heap shot summary': 'shots', 'Counters:': 'counters',
}
CLAUSES = ('catch', 'filter', 'finally', 'fault')


def number(line):
    return int(line.rsplit(':', 1)[1])


def jit(out, line):
    if line.startswith('Compiled methods:'):
        out['jit_methods'] = number(line)
    elif line.startswith('Generated code size:'):
        out['jit_bytes'] = number(line)
    elif line.startswith('JIT helpers:'):
        out['helpers'] = number(line)
    elif line.startswith('JIT helpers code size:'):
        out['helper_bytes'] = number(line)


def gc(out, line):
    if line.startswith('GC resizes:'):
        out['resizes'] = number(line)
    elif line.startswith('Max heap size:'):
        out['max_heap'] = number(line)
    elif line.startswith('Object moves:'):
        out['moves'] = number(line)
    elif m := re.match(r'Gen(\d) collections: (\d+),', line):
        out['collections'][int(m[1])] = int(m[2])
    elif m := re.match(r'GC handles (\w+): created: (\d+), destroyed: (\d+)', line):
        out['handles_created'] += int(m[2])
        out['handles_destroyed'] += int(m[3])


def samples(out, line):
    if m := re.match(r'(Unmanaged|Managed|Unresolved) hits:\s+(\d+)', line):
        out['hits'][m[1].lower()] = int(m[2])
    elif m := re.match(r'(\d+)\s+[\d.]+ (.+)', line):
        out['sample_rows'][m[2]] += int(m[1])


def class_name(text):
    return UNRESOLVED if text.startswith(UNRESOLVED) else text


def alloc(out, line):
    # Mono 6.12.0.199, of Debian 13, writes "7500d objects".
    if m := re.match(r'Total memory allocated: (\d+) bytes in (\d+)d? objects', line):
        out['alloc_total'] = (int(m[2]), int(m[1]))
    elif m := re.match(r'(\d+)\s+(\d+)\s+\d+ (.+)', line):
        out['allocs'][class_name(m[3])] += int(m[2])
        out['alloc_bytes'][class_name(m[3])] += int(m[1])


def calls(out, line):
    if line.startswith('Total calls:'):
        out['calls_total'] = number(line)
    elif m := re.match(r'-?\d+\s+-?\d+\s+(\d+) (.+)', line):
        out['calls'][m[2]] += int(m[1])


def metadata(out, line):
    if m := re.match(r'Loaded (images|assemblies): (\d+)', line):
        out[m[1]] = int(m[2])


def exceptions(out, line):
    if line.startswith('Throws:'):
        out['throws'] = number(line)
    elif m := re.match(r'Executed (\w+) clauses: (\d+)', line):
        out['clauses'][m[1]] = int(m[2])


def monitor(out, line):
    if m := re.match(r'Lock object (0x[0-9a-f]+): (\d+) contentions', line):
        out['lock_objects'][m[1]] += int(m[2])
    elif m := re.match(r'Lock (contentions|acquired|failures): (\d+)', line):
        out[m[1]] = int(m[2])


def threads(out, line):
    if m := re.match(r'Thread: (0x[0-9a-f]+), name: "(.*)"', line):
        out['threads'].append((m[1], m[2]))


def shots(out, line):
    if m := re.match(r'Heap shot \d+ at [\d.]+ secs: size: (\d+), object count: (\d+)', line):
        out['shots'].append({'bytes': int(m[1]), 'objects': int(m[2]),
                             'by_class': collections.Counter(),
                             'bytes_by_class': collections.Counter()})
    elif m := re.match(r'(\d+)\s+(\d+)\s+\d+ (.+?)(?: \(bytes: [+-]\d+, count: [+-]\d+\))?$', line):
        if out['shots']:
            out['shots'][-1]['by_class'][class_name(m[3])] += int(m[2])
            out['shots'][-1]['bytes_by_class'][class_name(m[3])] += int(m[1])


READERS = {'jit': jit, 'gc': gc, 'samples': samples, 'alloc': alloc, 'calls': calls,
           'metadata': metadata, 'exceptions': exceptions, 'monitor': monitor,
           'threads': threads, 'shots': shots}


def parse(text):
    out = {name: 0 for name in (
        'jit_methods', 'jit_bytes', 'helpers', 'helper_bytes', 'resizes', 'max_heap', 'moves',
        'handles_created', 'handles_destroyed', 'calls_total', 'images', 'assemblies', 'throws',
        'contentions', 'acquired', 'failures')}
    for name in ('collections', 'hits', 'sample_rows', 'allocs', 'alloc_bytes', 'calls',
                 'clauses', 'lock_objects'):
        out[name] = collections.Counter()
    out.update(alloc_total=(0, 0), threads=[], shots=[], sections=set())
    section = None
    for line in text.splitlines():
        if line in SECTIONS:
            section = SECTIONS[line]
            out['sections'].add(section)
        elif section in READERS:
            READERS[section](out, line.strip())
    return out


def report(path):
    """Runs mprof-report; a complaint of its own is an error here, as its figures then stop short."""
    need('mprof-report')
    done = subprocess.run(['mprof-report', '--verbose', str(path)], capture_output=True,
                          text=True, errors='replace', timeout=300, check=False)
    if done.returncode or done.stderr.strip():
        raise RuntimeError(f'mprof-report: exit {done.returncode}: {done.stderr[-500:]}')
    return parse(done.stdout)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Logs of 2007 through the only other reader there is: Debian's mprof-decoder says the same.

usage: test_mprof07.py A|B|C|D|draft [COUNTS-A-MICROSECOND] PROFVIEW B07-WRITE

mprof-decoder (package mono-profiler) reads ten-byte block headers only, so neither the draft nor
stage A: these tests hold it to that, and profview to reading them. What it is known to have wrong
is left out:
- frames that a stack section tells of count as entered when the counter was 0, so its execution
  times are right in stage B alone, which has no sections;
- it takes a call chain to stand before its hit, while the profiler wrote it behind: callers of
  hits are wrong, and so would be the hit that follows a chain if it were of another function;
- hits of unknown methods are not counted;
- "heap data" is what was allocated less what died, not what the block lists.
"""
import collections
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from verdict import Verdict

SKIP = 77
RULE = '-' * 48


def decoder(log):
    done = subprocess.run(['mprof-decoder', str(log)], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.stdout + done.stderr


def run_report(profview, log, form, section):
    return subprocess.run([profview, 'report', str(log), '--format', form, '--section', section,
                           '--names', 'raw', '--waits', '--no-index'], capture_output=True, text=True, timeout=150, check=False)


def report(profview, log):
    done = run_report(profview, log, 'json', 'all')
    out = json.loads(done.stdout)
    compiled = run_report(profview, log, 'csv', 'jit.methods').stdout
    out['compiled'] = list(csv.DictReader(compiled.splitlines()))
    return done.returncode, out


def sections(text):
    """Title without its figures -> lines."""
    out = {}
    for part in text.split(RULE)[1:]:
        head, *lines = part.strip('\n').split('\n')
        out[re.sub(r' *[(0-9.].*', '', head)] = [head, *lines]
    return out


def found(lines, pattern):
    return [m.groups() for line in lines if (m := re.fullmatch(pattern, line))]


def method(class_and_name):
    """Class.Method (args), as they write it -> Class:Method (args)."""
    head, args = class_and_name.split(' (', 1)
    return ':'.join(head.rsplit('.', 1)) + ' (' + args


def by(rows, key, value):
    return {row[key]: row[value] for row in rows}


def allocations(v, said, got):
    lines = said['Reporting allocations']
    bytes_of = {name: int(n) for n, name in found(lines, r' *[\d.]+% \((\d+) bytes\) (.*)')}
    v.same_rows('bytes', by(got['classes'], 'name', 'allocated_bytes'), bytes_of)
    count = sum(int(n) for _, n, _ in found(lines, r' {8}(\d+) bytes \((\d+) instances\) from (.*)'))
    v.equal('allocations', sum(row['allocations'] for row in got['classes']), count)


def stacks(v, said, got):
    """(class, frames outermost first) -> bytes."""
    want, cls, size, frames = collections.Counter(), None, None, []
    for line in [*said['Reporting allocations'], '  end']:
        frame = re.fullmatch(r' {24}(\[JIT time\]:)?(.*)', line)
        if frame:
            frames.insert(0, method(frame[2]) + (' (being compiled)' if frame[1] else ''))
            continue
        if frames:
            want[cls, tuple(frames)] += size
            frames = []
        if m := re.fullmatch(r' *[\d.]+% \(\d+ bytes\) (.*)', line):
            cls = m[1]
        elif m := re.fullmatch(r' {16}(\d+) bytes \(\d+ instances\) inside', line):
            size = int(m[1])
    mine = {(row['class'], tuple(row['stack'])): row['allocated_bytes']
            for row in got['allocation_sites']}
    v.same_rows('bytes by stack', mine, dict(want))


def calls(v, said, got, times):
    lines = said['Reporting execution time by stack frame']
    rows = found(lines, r' *[\d.]+% \(([\d.]+)s, (\d+) calls\) (.*)')
    count = collections.Counter()
    for _, n, name in rows:
        count[method(name)] += int(n)
    mine = {row['name']: row['calls'] for row in got['methods'] if row['calls']}
    v.same_rows('calls', mine, {k: n for k, n in count.items() if n})
    if times:
        took = {method(name): round(float(s) * 1e9) for s, _, name in rows}
        v.same_rows('time with callees', {row['name']: row['total_ns'] for row in got['methods']
                                          if row['calls']}, took)


def jit(v, said, got):
    rows = found(said['Reporting jit time'], r' *[\d.]+% \(([\d.]+)ms\) (.*)')
    want = {method(name): round(float(ms) * 1e6) for ms, name in rows}
    mine = {row['name']: int(row['jit_ns']) for row in got['compiled']}
    v.same_rows('time to compile', mine, want)
    v.equal('time to compile in all', got['jit']['total_ns'], sum(want.values()))


def hits(v, said, got):
    rows = found(said['Reporting statistical hits'], r' *[\d.]+% \((\d+)\) (.*)')
    want = {name: int(n) for n, name in rows if int(n)}
    mine = collections.Counter()
    for row in got['methods']:
        name = row['name']
        if name.startswith('0x'):
            name = '[UNKNOWN MEMORY REGION]'
        elif name.startswith('['):
            name += '(UNKNOWN)'
        elif ':' not in name:
            name = '[libc.so.6]' + name
        else:
            name = name.replace(':', '.')
        mine[name] += row['samples_self']
    unknown = mine.pop('[libc.so.6](method not recorded)')
    v.equal('hits of unknown methods', unknown, 1)
    v.same_rows('hits', {k: n for k, n in mine.items() if n}, want)


def gc(v, said, got):
    lines = said['Reporting GC statistics for']
    head, = found(lines, r'.* (\d+) collections \(total ([\d.]+)ms, .*mark +([\d.]+)%, sweep +([\d.]+)%\)')
    v.equal('collections', len(got['gc']['collections']), int(head[0]))
    v.equal('heap resized', [got['gc']['max_heap_bytes']],
            [int(n) for n, in found(lines, r'\[\d+\] Heap resized to (\d+) bytes')])
    rows = found(lines, r'\[(\d+)\] Collection starting at [\d.]+s \(generation (\d+)\): '
                 r'duration ([\d.]+)ms, mark ([\d.]+)ms, sweep ([\d.]+)ms')
    for mine, (number, generation, *ms) in zip(got['gc']['collections'], rows, strict=True):
        v.equal('its number', mine['number'], int(number))
        v.equal('its generation', mine['generation'], int(generation))
        for key, text in zip(('duration_ns', 'mark_ns', 'sweep_ns'), ms):
            v.equal(key, mine[key], round(float(text) * 1e6))


def heap(v, said, got):
    lines = said['Reporting allocation summaries for']
    rows = found(lines, r'  Class (.*): (\d+) bytes in (\d+) instances '
                 r'\(freed: (\d+) bytes in (\d+) instances\)')
    shot = got['heap_shots'][1]
    for at, key in enumerate(('bytes', 'objects', 'dead_bytes', 'dead_objects'), start=1):
        v.same_rows(f'summary, {key}', by(shot['classes'], 'name', key),
                    {row[0]: int(row[at]) for row in rows})
    v.equal('collections with heap data',
            found(said['Reporting heap data for'], r'Heap data collection (\d+) .*'),
            [(str(got['heap_shots'][0]['collection']),)])


def monitors(v, said, got):
    lines = said['Reporting monitor statistics']
    pattern = r' *[\d.]+% \(([\d.]+) ticks\) contention time \((\d+) contentions, (\d+) failures\) in '
    whole, = found(lines, pattern + '(Global statistics)')
    locks = got['locks']
    v.equal('contentions', (locks['contentions'], locks['failed']), (int(whole[1]), int(whole[2])))
    v.true('a class waited for', found(lines, pattern + '(App.Main)'))
    v.equal('objects', [int(o['object'], 16) for o in locks['objects']],
            [int(name) for *_, name in found(lines, pattern + r'object (\d+)')])
    v.equal('where it waited', {row['stack'][-1].split(':')[1] for row in got['wait_sites']},
            {name for name, in found(lines, r'\s{20,}(\w+ \(.*\))')})


def same_facts(v, stage, rate, said, got):
    allocations(v, said, got)
    if stage != 'B':
        stacks(v, said, got)
    calls(v, said, got, stage == 'B')
    jit(v, said, got)
    hits(v, said, got)
    gc(v, said, got)
    heap(v, said, got)
    v.equal('monitors are told of', 'Reporting monitor statistics' in said, stage == 'D')
    if stage == 'D' and rate == 1: # theirs are in counts
        monitors(v, said, got)


def main(stage, *rest):
    *rate, profview, write = rest
    if not shutil.which('mprof-decoder'):
        print('mprof-decoder (Debian package mono-profiler) is not installed')
        sys.exit(SKIP)
    v = Verdict(f'stage {stage}')
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'log.mprof')
        letter = 'x' if stage == 'draft' else stage
        log.write_bytes(subprocess.run([write, letter, *rate], check=True,
                                       capture_output=True).stdout)
        text = decoder(log)
        code, got = report(profview, log)
    v.equal('exit code', code, 0)
    v.equal('stage', got['source']['stage'], stage)
    v.equal('calls of Run', by(got['methods'], 'name', 'calls').get('App.Main:Run (int)'), 1)
    if stage in ('draft', 'A'):
        v.true('mprof-decoder fails on the first block',
               re.search(r'xception in block of code INTRO', text), text[:200])
    else:
        v.true('mprof-decoder reads all of it', 'xception' not in text, text[:200])
        same_facts(v, stage, int(*rate or '1'), sections(text), got)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

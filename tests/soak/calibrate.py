#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each rule of findings against a program with its fault planted and against two that are well, by each way of recording.

usage: calibrate.py PROFVIEW FOLDER [--ways WAY,...] [--only FAULT,...] [--builds N] [--times N] [--write tests/README.md]

Ways: mono (the probe), stock (Mono's own profiler), dotnet (the probe), events (.NET's stream), native. FOLDER
keeps what was found, a file for each recording, so that a run can be continued and its table be made again;
its logs are removed once they were judged, but for --keep. Exit code 1: a planted fault is not found, named or
first, a rule accuses a program that is well, or two recordings of one program differ by more than one step.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import matrix

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'real'))
import target  # noqa: E402
import test_findings  # noqa: E402

WAYS = ('mono', 'stock', 'dotnet', 'events', 'native')
STEPS = ('not judged', 'fine', 'note', 'warning', 'severe')
WELL_SECONDS = 24
SECONDS = 2.3
LIMIT = 120
ALL = 'gc,alloc=100k,exception,monitor,finalization,gchandle,gcroot,runtime,jit,sample-real=200,heapshot=2000ms'
# Words for those that are well, so that all rules have what they judge by.
WELL_WORDS = {'mono': ALL, 'dotnet': ALL + ',strings=32,spans', 'events': '--heapshot=2000ms --sample=200',
              'stock': 'alloc,exception,monitor,finalization,gchandle,gcroot,sample-real=200,heapshot=2000ms,counter',
              'native': 'sample=200,malloc,held'}
# What other ways call it than our probes; None: that way has no word that records it.
STOCK = {'duplicate-strings': None, 'pool-starvation': None, 'explicit-gc': 'sample-real=500', 'boxing': 'alloc',
         'string-churn': 'alloc', 'closures': 'alloc', 'resizing': 'alloc', 'large-objects': 'alloc',
         'hot-method': 'sample=500', 'thread-burst': 'counter', 'gc-time': 'gc', 'jit-heavy': 'jit',
         'leak': 'heapshot=300ms', 'static-holder': 'heapshot=300ms,gcroot', 'losses': None, 'futile-collections': None,
         'unhandled-exception': None, 'exception-flow': 'exception,alloc', 'type-init': 'exception,alloc', 'lock-contention': 'monitor,alloc',
         'finalizers': 'finalization,alloc'}
EVENTS = {'unhandled-exception': None, 'leak': '--heapshot=300ms', 'static-holder': '--heapshot=300ms', 'duplicate-strings': None, 'losses': None,
          'finalizers': None, 'handle-growth': None, 'futile-collections': None, 'thread-burst': None,
          'sync-over-async': '--sample=200', 'hot-method': '--sample=200'}
NATIVE = {'leak': 'held', 'hot-method': 'sample=200'}
# In the suite another program has deadlocks (test_circle.py). Without the holder's name, as in Mono's own log, none is certain.
PLANTED = {'deadlock': ('gc,monitor', 'wait for each other', 3)}
STOCK |= dict.fromkeys(PLANTED)
FAULTS = test_findings.FAULTS | PLANTED
NOT_MONO, NOT_DOTNET = ['duplicate-strings'], ['finalizers', 'futile-collections']
# Findings that are true of the program as well, and may come first.
ALSO = {'gc-time': ['full-collections'], 'futile-collections': ['full-collections'], 'explicit-gc': ['futile-collections'],
        'full-collections': ['explicit-gc', 'large-objects', 'futile-collections'], 'long-pause': ['explicit-gc', 'futile-collections'],
        'large-objects': ['full-collections'], 'resizing': ['large-objects', 'full-collections'],
        'rising-floor': ['explicit-gc', 'full-collections', 'futile-collections'], 'static-holder': ['hot-method'],
        'type-init': ['exception-flow'], 'losses': ['string-churn']}
BEGIN, END = '<!-- calibrate: begin -->', '<!-- calibrate: end -->'


def words_of(way, fault):
    """None: not recorded that way."""
    if fault in test_findings.WELL:  # waits are judged in one, stops by what they computed in the other
        return WELL_WORDS[way] if fault == 'healthy' else WELL_WORDS[way].replace('sample-real', 'sample')
    if way == 'native':
        return NATIVE.get(fault)
    plain = (FAULTS[fault][0] or '').replace(',block=yes', '')
    if way == 'stock':
        return STOCK.get(fault, plain.replace('gc,', ''))
    if way == 'events':
        return EVENTS.get(fault, '')
    left_out = test_findings.EVENTS + (NOT_MONO if way == 'mono' else NOT_DOTNET)
    return None if fault in left_out else FAULTS[fault][0]


def seconds_of(way, fault):
    # A heap shot by events needs two sessions more, on a machine with much to do a second each.
    more = 2 if way == 'events' and fault in ('leak', 'static-holder') else 1
    return WELL_SECONDS if fault in test_findings.WELL else more * SECONDS * (FAULTS[fault][2] if fault in FAULTS else 1)


def build_programs(folder):
    """Two builds of each, {(way, build): command}."""
    sources = TESTS / 'real'
    ret = {}
    for build, optimized in enumerate((True, False)):
        exe, dll, native = (folder / f'{name}-{build}{end}' for name, end in
                            (('mono', '.exe'), ('clr', '.dll'), ('native', '')))
        if not native.exists():
            subprocess.run(['mcs', '-nowarn:649,414', '-optimize+' if optimized else '-debug', f'-out:{exe}',
                            sources / 'faults.cs'], check=True)
            subprocess.run([sys.executable, sources / 'build_clr.py', shutil.which('dotnet'), dll, sources / 'faults.cs'], check=True)
            subprocess.run(['cc', '-g', '-O2' if optimized else '-O1', '-pthread', '-o', native, sources / 'faults.c'], check=True)
        tiers = {} if optimized else {'DOTNET_TieredPGO': '0', 'DOTNET_TieredCompilation': '0'}
        for way, command in (('mono', ['mono', exe]), ('stock', ['mono', exe]), ('dotnet', ['dotnet', dll]),
                             ('events', ['dotnet', dll]), ('native', [native])):
            ret[way, build] = ([str(word) for word in command], tiers)
    return ret


def record(profview, way, command, tiers, fault, log):
    words, env = words_of(way, fault), os.environ | tiers
    command = [*command, fault, str(seconds_of(way, fault))]
    quiet = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL, 'stderr': subprocess.PIPE, 'text': True}
    if way == 'events':
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as program:
            sockets = pathlib.Path('/tmp')
            target.wait_for('the socket', lambda: list(sockets.glob(f'dotnet-diagnostic-{program.pid}-*-socket')))
            done = subprocess.run([profview, 'attach', '--via', 'events', *words.split(), '--record', log, str(program.pid)],
                                  timeout=LIMIT, check=False, **quiet)
    elif way == 'stock':
        done = subprocess.run([command[0], f'--profile=log:nodefaults,{words},output={log}', *command[1:]], env=env,
                              timeout=LIMIT, check=False, **quiet)
    elif fault in test_findings.BARE:
        host = 'mono' if way == 'mono' else 'dotnet'
        test_findings.bare(host, profview, command[1], fault, SECONDS, log.parent, log.stem)
        log.with_suffix('.pipe').unlink(missing_ok=True)
        return
    else:
        done = subprocess.run([profview, 'run', '--probe', 'nodefaults,' + words, '--record', log, '--', *command], env=env,
                              timeout=LIMIT, check=False, **quiet)
    if done.returncode and done.returncode not in test_findings.CODES.get(fault, ()):
        print(f'{way} {fault}: exit {done.returncode}: {done.stderr[-300:]}', flush=True)


def judged(profview, log):
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--section', 'findings', log],
                          capture_output=True, text=True, check=False, timeout=LIMIT)
    if done.returncode not in (0, 4):
        raise RuntimeError(f'{log.name}: {done.stderr[-300:]}')
    return json.loads(done.stdout)['findings']


def kept_of(o, key):
    way, build, time, fault = key
    return o.folder / f'{way}-{build}-{time}-{fault}.json'


def one(o, programs, key):
    """What was found is kept in a file."""
    way, build, _, fault = key
    kept = kept_of(o, key)
    if not kept.exists():
        log = kept.with_suffix('.nettrace' if way == 'events' else '.mlpd')
        record(o.profview, way, *programs[way, build], fault, log)
        kept.write_text(json.dumps(judged(o.profview, log), indent=1), encoding='utf-8')
        if not o.keep:
            log.unlink()
    return json.loads(kept.read_text(encoding='utf-8'))


def names_it(way, fault, row):
    name = FAULTS[fault][1].replace('[]', r'\[\]')
    name = {'string-churn': r'[Ss]tring', 'boxing': 'Int32|int', 'resizing': r'(Int64|long)\[\]',
            'large-objects': r'(Byte|byte)\[\]'}.get(fault, name)
    if way == 'events':  # the stream has the field without its class, and no class of a lock
        name = {'static-holder': 'static all', 'lock-contention': 'threads waited'}.get(fault, name)
    return re.search(name, (row['subject'] or '') + ' ' + row['text'])


def judge_planted(way, fault, found):
    """What is wrong with the findings of one recording, a word each."""
    row = next(r for r in found if r['finding'] == fault)
    least = 25 if fault in test_findings.NOTES else 50
    wrong = []
    if (row['score'] or 0) < least:
        wrong.append('not judged' if row['score'] is None else 'not found')
    elif way != 'native' and not names_it(way, fault, row):
        wrong.append('not named')
    before = [r['finding'] for r in found[:found.index(row)] if r['finding'] not in ALSO.get(fault, [])]
    if before:
        wrong.append(f'after {before[0]}')
    return row, wrong


def span(rows):
    scores = [r['score'] for r in rows if r['score'] is not None]
    if not scores:
        return 'not judged'
    low, high = min(scores), max(scores)
    return f'{low:.0f}' if low == high else f'{low:.0f}–{high:.0f}'


def apart(rows):
    """Steps between the verdicts of one program."""
    steps = [STEPS.index(r['verdict']) for r in rows]
    return max(steps) - min(steps)


def table(o, results):
    """A row a rule, a column a way: the score where it is planted, and the highest of those that are well."""
    rules = [r['finding'] for r in next(iter(results.values()))]
    rules.sort()
    rows, faults = [], 0
    for rule in rules:
        cells = []
        for way in o.ways:
            mine = {key: found for key, found in results.items() if key[0] == way}
            planted, wrong = [], collections.Counter()
            for key, found in mine.items():
                if key[3] == rule:
                    row, bad = judge_planted(way, rule, found)
                    planted.append(row)
                    wrong.update(bad)
            well = collections.defaultdict(list)
            for key, found in mine.items():
                if key[3] in test_findings.WELL:
                    well[key[3]].append(next(r for r in found if r['finding'] == rule))
            most = 49 if rule in test_findings.NOTES else 24
            if planted and apart(planted) > 1:
                wrong['more than a step apart'] += 1
            for name, of in well.items():
                if any((r['score'] or 0) > most for r in of):
                    wrong[f'accuses {name}'] += 1
            cell = span(planted) if planted else '-'
            cell += '; ' + span([r for of in well.values() for r in of]) if well else ''
            if wrong:
                faults += 1
                cell += ' **' + ', '.join(f'{w} {n}×' for w, n in wrong.items()) + '**'
            cells.append(cell)
        rows.append([rule, *cells])
    return rows, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('profview')
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--ways', default=','.join(WAYS), type=lambda text: text.split(','))
    parser.add_argument('--only', default='', type=lambda text: [w for w in text.split(',') if w])
    parser.add_argument('--builds', default=2, type=int)
    parser.add_argument('--times', default=3, type=int)
    parser.add_argument('--jobs', default=2, type=int)
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--kept', action='store_true', help='record nothing: the table of what is there')
    parser.add_argument('--write', type=pathlib.Path)
    o = parser.parse_args()
    o.profview, o.folder = os.path.abspath(o.profview), o.folder.resolve()
    o.folder.mkdir(parents=True, exist_ok=True)
    programs = build_programs(o.folder)
    faults = [f for f in FAULTS if not o.only or f in o.only]
    keys = [(way, build, time, fault) for time in range(o.times) for build in range(o.builds) for way in o.ways
            for fault in faults if words_of(way, fault) is not None]
    if o.kept:
        keys = [key for key in keys if kept_of(o, key).exists()]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as some:
        results = dict(zip(keys, some.map(lambda key: one(o, programs, key), keys)))
    rows, wrong = table(o, results)
    for row in rows:
        print(' | '.join(row))
    if o.write:
        matrix.write_table(o.write, ('rule', *o.ways), rows, (BEGIN, END))
    print(f'{len(results)} recordings, {wrong} of {len(rows) * len(o.ways)} places are wrong')
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())

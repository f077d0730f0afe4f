#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview convert` of logs with every kind, from each data version to each: what stays is equal.

usage: test_convert_versions.py all|range|names|builds|old|stock PROFVIEW MAKE_LOG
       test_convert_versions.py deep PROFVIEW HOSTILE
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import test_dump_kinds
import test_every_kind as every
from verdict import Verdict

ROOTS = ('heap.roots',)


def convert(profview, log, out, *args):
    """Gives the report of what was written, and what was said to be left out."""
    out.unlink(missing_ok=True)
    done = subprocess.run([profview, 'convert', log, '-o', out, *map(str, args)],
                          capture_output=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    return every.report(profview, out), said.partition('no words for it: ')[2].strip()


def form_of_roots(version):
    return 'new' if version >= 15 else 'old' if version >= 3 else None


def events(a, b):
    """What the one has and the other can say; classes get vtables where they had none."""
    of = {k: n for k, n in every.events(a).items() if k in every.events(b)}
    of['gc.event'] = every.events(a)['gc.event']
    if form_of_roots(a) != form_of_roots(b):
        of.pop('heap.roots', None)
    if a < 15 <= b:
        of['vtable.load'] = 2
    return of


def counters(a, b):
    """A byte holds no unit; the section's own name came with 7."""
    rows = every.counters(a, False) if b >= 5 else None
    for row in rows or []:
        if b in (13, 14):
            row['unit'] = row['variance'] = None
        elif a in (13, 14):
            row['unit'], row['variance'] = 'raw', '0x0'
        if row['section'] == '.NET' and b < 7:
            row['section'] = 'performance counters'
    return sorted(rows, key=lambda r: (r['section'], r['name'])) if rows else None


def roots(a, b):
    """Up to 13 they stand in front of the shot, behind that in it."""
    if 'heap.roots' not in events(a, b):
        return 0 if 'heap.root_register' in events(a, b) else None
    return 2


def duration(a, b):
    both = min(a, b)
    return 3250000 if both >= 11 else 3000000 if both >= 5 else 710000 if both == 4 else 630000


def facts(a, b):
    """Of the log of version a as b tells it: what only one of them has is unknown."""
    less = min(a, b)
    want = every.facts(a, 8)
    for key in ('assemblies', 'domains', 'contexts', 'samples'):
        want[key] = every.facts(less, 8)[key]
    for key in ('unload_ns', 'mvid'):
        want['images'][0][key] = every.facts(less, 8)['images'][0][key]
    want['source'] = {'data_version': b, 'complete': None, 'end': 'unknown', 'damage': []}
    want['target'] = {'pid': 4242, 'pointer_size': 8, 'start_time_ms': 1600000000000,
                      'args': every.facts(less, 8)['target']['args']}
    want['duration_ns'] = duration(a, b)
    want['methods'], want['call_tree'] = every.methods(less), every.call_tree(less)
    want['counters'] = counters(a, b)
    for key in ('code_coverage', 'coverage_assemblies', 'coverage_classes'):
        want[key] = every.facts(a, 8)[key] if 10 <= b <= 15 else None
    for key in ('objects_finalized', 'finalizer_runs', 'finalizing_ns'):
        want['gc'][key] = want['gc'][key] if less >= 13 else None
    want['jit'] = every.facts(less, 8)['jit']
    want['heap_shots'][0]['roots'] = roots(a, b)
    want['finalizers'] = every.facts(less, 8)['finalizers']
    if 'heap.roots' not in events(a, b):
        want['roots'] = want['root_areas'] = None
    elif a <= 13 or b == 13:  # which tells no flags of roots
        want['roots'] = [r | dict.fromkeys(('pinning', 'weak', 'interior'),
                                           None if b == 13 else 0) for r in want['roots']]
    if b > 13 and want['samples']:  # nor what kind of hit it is
        want['samples'] = want['samples'] | {'types': every.facts(b, 8)['samples']['types']}
    want['native'] = [n for n in want['native'] or ()
                      if f'sample.{n["kind"]}' in events(a, b)] or None
    total = sum(events(a, b).values())
    worker = 6 if less >= 11 else 4
    for thread, n in zip(want['threads'], (total - worker, worker)):
        named = every.facts(less, 8)['threads'][thread['name'] == 'worker']
        thread.update(start_ns=named['start_ns'], end_ns=named['end_ns'], events=n)
    return want


def left_out(a, b):
    """Everything of a that b cannot say, as the complaint counts it."""
    had, stays = every.events(a), events(a, b)
    return sum(n - min(n, stays.get(k, 0)) for k, n in had.items())


def said_in_all(said):
    """The sum of "2 domain.load, 1 domain.name and 3 events more; the stacks of 2 events"."""
    said = said.partition('the stacks')[0].replace(' and ', ', ').replace('; ', '')
    return sum(int(part.split()[0]) for part in said.split(', ') if part.strip())


def check_all(v, profview, make_log, folder):
    for a in every.VERSIONS:
        log = every.make(make_log, folder / 'in.mlpd', a, 8)
        for b in every.VERSIONS:
            got, said = convert(profview, log, folder / 'out.mlpd', '--data-version', b)
            of = f'{a} to {b}'
            v.equal(f'{of} events', got['events'], events(a, b))
            v.equal(f'{of} left out', said_in_all(said), left_out(a, b))
            v.equal(f'{of} stacks', 'the stacks of 2 events' in said, b < 11 <= a)
            every.same(v, of, got, facts(a, b))


NAMED = ('class.load', 'vtable.load', 'image.load', 'assembly.load', 'domain.load', 'domain.name',
         'thread.name', 'context.load', 'method.jit', 'heap.root_register', 'sample.symbol',
         'sample.binary', 'counters.describe', 'meta.aot_id', 'thread.start')


def check_range(v, profview, make_log, folder):
    """Names are kept, no enter is made up, counters go on from their value."""
    for version in every.VERSIONS:
        log = every.make(make_log, folder / 'in.mlpd', version, 8)
        names = {k: n for k, n in every.events(version).items() if k in NAMED}
        got, said = convert(profview, log, folder / 'out.mlpd', '--range', '115000ns..145000ns')
        v.equal(f'{version}: events of a call cut at its enter', got['events'],
                names | {'alloc': 2, 'method.leave': 1} |
                ({'thread.end': 1} if version >= 11 else {}))  # of what had ended by then
        v.equal(f'{version}: calls', [r['calls'] for r in got['methods'] or []], [])
        v.equal(f'{version}: classes', [(r['name'], r['allocations'], r['allocated_bytes'])
                                        for r in got['classes']], [('Shop.Item', 2, 56)])
        v.equal(f'{version}: said', said, '')
        if version < 5:
            continue
        got, _ = convert(profview, log, folder / 'out.mlpd', '--range', '2500000ns..')
        want = every.counters(version, False)
        for row in want:
            del row['samples'][0]
        v.equal(f'{version}: counters behind the cut', got['counters'], want)


def check_names(v, profview, make_log, folder):
    """A name means the lives of a native id that had it, an id all of them."""
    for version in (11, 13, 17):
        log = folder / 'in.mlpd'
        log.write_bytes(every.run(make_log, 'thread-lives', version, 8))
        for thread, want in (('alpha', {'First ()': 1, 'Third ()': 4}), ('beta', {'Second ()': 2}),
                             ('0x7f1200009200', {'First ()': 1, 'Second ()': 2, 'Third ()': 4})):
            got, said = convert(profview, log, folder / 'out.mlpd', '--thread', thread)
            of = f'{version}, {thread}'
            v.equal(f'{of}: calls', {r['name']: r['calls'] for r in got['methods']}, want)
            v.equal(f'{of}: said', said, '')
            own = every.report(profview, log)
            v.equal(f'{of}: names of all methods', got['events']['method.jit'],
                    own['events']['method.jit'])


def check_builds(v, profview, make_log, folder):
    """A development build's log becomes one of a release."""
    for rules, *more in test_dump_kinds.BUILDS:
        log = every.make(make_log, folder / 'in.mlpd', rules, 8, *more)
        before = every.report(profview, log)
        got, _ = convert(profview, log, folder / 'out.mlpd', '--data-version', 17)
        of = f'{rules} {more}'
        v.equal(f'{of}: version', got['source']['data_version'], 17)
        for key in ('methods', 'classes', 'locks', 'exceptions', 'jit', 'duration_ns'):
            v.equal(f'{of}: {key}', got[key], before[key])


def old_logs():
    return sorted(p for p in (pathlib.Path(__file__).parent.parent / 'fuzz' / 'corpus07').iterdir()
                  if p.name.startswith(('draft', 'stage')))


def compiled(profview, log, names):
    """When these methods were compiled."""
    done = subprocess.run([profview, 'report', log, '--section', 'jit.methods', '--format', 'csv', '--names', 'raw',
                           '--no-index'], capture_output=True, timeout=150, check=True)
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    return {r['name']: int(r['time_ns']) for r in rows if r['name'] in names and r['time_ns']}


def check_old(v, profview, make_log, folder):
    """Logs of 2007 as data version 17, and as one that has no vtables."""
    for log in old_logs():
        before = every.report(profview, log)
        for version in (17, 12):
            got, said = convert(profview, log, folder / 'out.mlpd', '--data-version', version)
            of = f'{log.name} to {version}'
            v.equal(f'{of}: form', (got['source']['format'], got['source']['data_version'],
                                    got['source']['damage']), ('mlpd', version, []))
            v.true(f'{of}: duration', got['duration_ns'] <= before['duration_ns'])
            v.equal(f'{of}: classes', got['classes'], before['classes'])
            v.equal(f'{of}: samples', got['samples'] and got['samples']['total'],
                    before['samples'] and before['samples']['total'])
            for key, columns in (('methods', ('name', 'calls', 'total_ns', 'self_ns')),
                                 ('threads', ('id', 'start_ns', 'end_ns', 'allocated_bytes'))):
                # Names of no thread stand in buffers of thread 0.
                want, have = ([[r[c] for c in columns] for r in report[key]
                               if r.get('calls', 1) and r.get('id') != '0x0']
                              for report in (before, got))
                v.equal(f'{of}: {key}', sorted(have, key=str), sorted(want, key=str))
            for key in ('generations', 'pauses', 'resizes', 'max_heap_bytes'):
                v.equal(f'{of}: {key}', got['gc'][key], before['gc'][key] or got['gc'][key])
            v.equal(f'{of}: thrown', got['exceptions']['thrown'], before['exceptions']['thrown'])
            v.equal(f'{of}: waits', got['locks'] and got['locks']['wait_ns'],
                    before['locks'] and before['locks']['wait_ns'])
            for what in ('classes', 'durations'):
                v.true(f'{of}: {what} are left out', re.search(f'the {what} of [1-9]', said), said)
            ran = [r['name'] for r in before['methods'] if r['calls']]
            want = compiled(profview, log, ran)
            got_times = compiled(profview, folder / 'out.mlpd', want)
            v.true(f'{of}: methods were compiled', want)
            v.equal(f'{of}: when methods were compiled', got_times, want)


def check_stock(v, profview, make_log, folder):
    """What was made data version 17, mprof-report reads the same."""
    for a in every.VERSIONS:
        log = every.make(make_log, folder / 'in.mlpd', a, 8, 'stock')
        got, _ = convert(profview, log, folder / 'out.mlpd', '--data-version', 17)
        every.agree(v, f'{a} to 17', 17, got, every.mprof.report(folder / 'out.mlpd'))
    for log in old_logs():
        got, _ = convert(profview, log, folder / 'out.mlpd', '--data-version', 17)
        theirs, of = every.mprof.report(folder / 'out.mlpd'), log.name
        v.equal(f'{of}: calls', dict(theirs['calls']),
                every.names(got['methods'], 'name', 'calls'))
        v.equal(f'{of}: allocations', dict(theirs['allocs']),
                every.names(got['classes'], 'name', 'allocations'))
        v.equal(f'{of}: thrown', theirs['throws'], got['exceptions']['thrown'])
        v.equal(f'{of}: collections', dict(theirs['collections']),
                every.names(got['gc']['generations'], 'generation', 'count'))


def check_deep(v, profview, hostile, folder):
    """Stacks that grow by a frame an event: each is written to a limit, which is said."""
    for shape in ('allocations of 2007 on stacks', 'waits of 2007 on stacks'):
        sizes = []
        for n in (1000, 4000):
            log, out = folder / 'in.mprof', folder / 'out.mlpd'
            with open(log, 'wb') as f:
                subprocess.run([hostile, 'write', f'{shape}/many', str(n)], stdout=f, check=True)
            _, said = convert(profview, log, out, '--data-version', 17)
            of = re.search(r'frames beyond the innermost 256 of the stacks of (\d+) events', said)
            # Each block of the log begins a stack anew.
            v.true(f'{shape}, {n}: most are cut', of and n * 7 // 10 <= int(of[1]) < n - 255, said)
            sizes.append(out.stat().st_size)
        v.true(f'{shape}: linear', sizes[1] <= 5 * sizes[0], sizes)


CASES = {'deep': check_deep, 'all': check_all, 'range': check_range, 'names': check_names, 'builds': check_builds,
         'old': check_old, 'stock': check_stock}


def main(case, profview, make_log):
    v = Verdict(f'convert versions, {case}')
    with tempfile.TemporaryDirectory() as folder:
        CASES[case](v, profview, make_log, pathlib.Path(folder))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

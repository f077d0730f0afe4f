#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Logs that other readers get wrong (formats.md 1.13): profview gives the right figures.

usage: test_reader_bugs.py ours|stock PROFVIEW MAKE_LOG
`stock` shows what mprof-report says of the same logs: wrong, or right where a later one was mended.
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

MS = 1000000
BUFFER = b'\x01LPM'


class Logs:
    def __init__(self, profview, make_log, folder):
        self.profview, self.make_log, self.path = profview, make_log, folder / 'log.mlpd'

    def make(self, world, version, pointers=8, change=None):
        done = subprocess.run([self.make_log, world, str(version), str(pointers)], check=True,
                              capture_output=True, timeout=150)
        self.path.write_bytes(change(done.stdout) if change else done.stdout)
        return self.path

    def report(self, *args, code=0):
        done = subprocess.run(
            [self.profview, 'report', self.path, '--format', 'json', '--section', 'all',
             '--no-index', *args], capture_output=True, timeout=150, check=False)
        assert done.returncode == code, (done.returncode, done.stderr)
        return json.loads(done.stdout)

    def stock(self):
        done = subprocess.run(['mprof-report', '--verbose', self.path], capture_output=True,
                              timeout=150, check=False)
        return done.returncode, mprof.parse(done.stdout.decode(errors='replace')), \
            done.stdout.decode(errors='replace')


def column(rows, value, key='name'):
    return {r[key]: r[value] for r in rows}


def image_unload(v, logs, stock):
    """1. Behind the unload of an image stock readers look for an MVID that is not there."""
    for version in (11, 14, 16, 17):
        logs.make('image-unload', version)
        got = logs.report()
        v.equal(f'{version}: the image', [(i['name'], i['unload_ns'] is not None)
                                          for i in got['images']], [('plug.dll', True)])
        v.equal(f'{version}: behind it', (column(got['methods'], 'calls'),
                                          column(got['classes'], 'allocations'),
                                          len(got['gc']['collections'])),
                ({'Main ()': 1}, {'Next': 1}, 1))
        v.equal(f'{version}: no damage', got['source']['damage'], [])
        if stock and version >= 16:
            code, theirs, _ = logs.stock()
            v.true(f'{version}: stock loses its place',
                   code != 0 or theirs['calls_total'] != 1 or not theirs['collections'])


def late_vtables(v, logs, stock):
    """6. Objects whose vtable is told behind them are of an unknown class for good."""
    for version in (1, 14, 15, 17):
        logs.make('vtable-late', version)
        got = logs.report()
        v.equal(f'{version}: classes', column(got['classes'], 'allocations'), {'Late': 3})
        v.equal(f'{version}: bytes', column(got['classes'], 'allocated_bytes'), {'Late': 72})
        if stock and version >= 15:
            _, _, text = logs.stock()
            v.equal(f'{version}: stock', re.findall(r'^ *(\d+) +(\d+) +24 (.*)$', text, re.M),
                    [('72', '3', 'unresolved class (nil)')])


def helpers(v, logs, stock):
    """2. Readers of 5.8 and 5.10 took 13's numbers of JIT helpers for 14's, and lost their place."""
    for version in (8, 9, 13, 14, 17):
        logs.make('helpers', version)
        n = 11 if version in (9, 13) else 10
        got = logs.report()
        v.equal(f'{version}: helpers', {k: x for k, x in got['jit'].items() if x is not None and k != 'helper_types'}, {
            'methods': 1, 'code_bytes': 100, 'helpers': n, 'helper_bytes': 2 ** n - 1})
        v.equal(f'{version}: the call behind them', column(got['methods'], 'calls'), {'Main ()': 1})
        if stock:  # mended since
            _, theirs, _ = logs.stock()
            v.equal(f'{version}: stock', (theirs['helpers'], theirs['helper_bytes']),
                    (n, 2 ** n - 1))


def unknown_byte(v, logs, stock):
    """3. A byte nobody writes, as in issue 8463: it costs its buffer's tail, not the log."""
    whole = logs.make('every-kind', 14).read_bytes()
    second = whole.index(BUFFER, whole.index(BUFFER) + 1)
    logs.make('every-kind', 14, change=lambda b: b[:second + 48] + b'\xbc' + b[second + 49:])
    got = logs.report(code=4)
    v.equal('calls of the other thread are lost, the others are not',
            column(got['methods'], 'calls'),
            {'Shop.Main:Run ()': 1, 'Shop.Item:.ctor ()': 1, 'Shop.Main:Fail ()': 1, 'nat_work': 0})
    v.equal('collections behind it', len(got['gc']['collections']), 2)
    v.equal('damage', [d['offset'] for d in got['source']['damage']], [second + 48])
    if stock:
        code, theirs, _ = logs.stock()
        v.true('stock gives up', code != 0 or not theirs['collections'])


def monitors(v, logs, stock):
    """4. In logs of 13 the kind of a monitor event is taken from an unset variable."""
    for version in (12, 13, 14):
        logs.make('monitors', version)
        got = logs.report()['locks']
        v.equal(f'{version}: locks', [got[k] for k in ('contentions', 'acquired', 'failed',
                                                      'wait_ns')], [3, 2, 1, 45 * MS])
        v.equal(f'{version}: by object', [[o['class'], o['contentions'], o['max_wait_ns']]
                                          for o in got['objects']],
                [['Gate', 2, 30 * MS], ['(class not recorded)', 1, 5 * MS]])
        if stock and version != 13:
            _, theirs, _ = logs.stock()
            v.equal(f'{version}: stock', (theirs['contentions'], theirs['acquired']), (3, 2))


def performance_counters(v, logs, stock):
    """5. Performance counters are values, not differences."""
    for version in range(7, 18):
        logs.make('performance-counter', version)
        got = logs.report()['counters']
        v.equal(f'{version}: values', [c['samples'] for c in got],
                [[[MS, 100], [2 * MS, 90], [3 * MS, 95]]])
        if stock:
            _, _, text = logs.stock()
            v.equal(f'{version}: stock adds them up', re.findall(r'Some +: (\d+)', text),
                    ['100', '190', '285'])


def old_roots(v, logs, stock):
    """7. Roots of 3 to 13 have numbers, of 14 bits: stack, finalizer, handle, other, misc."""
    for version, wire in ((3, range(5)), (13, range(5)), (14, (1, 2, 4, 8, 16))):
        logs.make('old-roots', version)
        v.equal(f'{version}: roots by source', column(logs.report()['roots'], 'roots', 'source'),
                dict.fromkeys(('stack', 'finalizer queue', 'gc handle', 'other', 'misc'), 1))
        done = subprocess.run([logs.profview, 'dump', logs.path], capture_output=True,
                              timeout=150, check=True)
        types = re.findall(r'0x7f[0-9a-f]+ -> 0x([0-9a-f]+) -> 0x0', done.stdout.decode())
        v.equal(f'{version}: types as written', [int(t, 16) for t in types], list(wire))
        if stock:
            done = subprocess.run(['mprof-report', '--debug', logs.path], capture_output=True,
                                  timeout=150, check=True)
            named = re.findall(r'is a (\w+) root', done.stdout.decode())
            v.equal(f'{version}: stock names them', named,
                    ['stack', 'finalizer', 'handle', 'other', 'misc'] if version == 14 else
                    ['unknown', 'stack', 'finalizer', 'unknown', 'handle'])


def silent_ends(v, logs, stock):
    """8. What ends the stock reader with success and half of the figures, or without any."""
    whole = logs.make('every-kind', 12).read_bytes()
    at = [m.start() for m in re.finditer(re.escape(BUFFER), whole)]

    def flagged(data):
        """The flags word of the first backtrace: of the second allocation."""
        size = data.index(b'\x20\x00\x02', data.index(b'\x10\x90\x4e', at[0]))
        return data[:size + 1] + b'\x01' + data[size + 2:]

    cases = {
        'bad buffer id': (lambda b: b[:at[1]] + b'\xee' + b[at[1] + 1:], 2),
        'unknown sample': (lambda b: b[:at[1] + 48] + b'\x77' + b[at[1] + 49:], 2),
        'flags of a backtrace': (flagged, 2),
    }
    for what, (change, collections) in cases.items():
        logs.make('every-kind', 12, change=change)
        got = logs.report(code=4)
        v.equal(f'{what}: collections behind it', len(got['gc']['collections']), collections)
        v.equal(f'{what}: places of damage', len(got['source']['damage']), 1)
        if stock:
            code, theirs, _ = logs.stock()
            v.equal(f'{what}: stock', sum(theirs['collections'].values()), 0)
            v.true(f'{what}: stock ends with success or falls', code <= 0, code)


def strangers(v, logs, stock):
    """8, 10. Enumeration values that no table has are data; a clause's is an unchecked index."""
    logs.make('strangers', 17)
    got = logs.report()
    v.equal('handles', got['gc']['handles_created'], 1)
    v.equal('clauses', sum(got['exceptions']['clauses'].values()), 1)
    v.equal('the call behind them', column(got['methods'], 'calls'), {'Main ()': 1})
    v.equal('no damage', got['source']['damage'], [])
    if stock:
        code, theirs, _ = logs.stock()
        v.equal('stock ends at the handle, with success', (code, theirs['calls_total']), (0, 0))


def stray_object(v, logs, stock):
    """10. A heap object outside a shot: the stock reader goes through a null pointer."""
    for version in (1, 13, 17):
        logs.make('stray-object', version)
        got = logs.report()
        v.equal(f'{version}: shots', got['heap_shots'], [])
        v.equal(f'{version}: the call behind it', column(got['methods'], 'calls'), {'Main ()': 1})
        said = next(c for c in got['coverage'] if c['what'] == 'heap_shots')
        v.equal(f'{version}: said', said['state'], 'partial')
        if stock:
            v.true(f'{version}: stock falls', logs.stock()[0] not in (0, 1))


def word_counters(v, logs, stock):
    """9. A pointer-sized counter wraps with the pointers of the program, not of the reader."""
    for pointers, last in ((4, -0x7ffffff0), (8, 0x80000010)):
        logs.make('word-counter', 17, pointers)
        got = logs.report()['counters'][0]['samples']
        v.equal(f'{pointers}: values', got, [[MS, 0x7ffffff0], [2 * MS, last]])
        if stock:
            v.equal(f'{pointers}: stock', re.findall(r'Some +: (-?\d+)', logs.stock()[2]),
                    ['2147483632', '2147483664'])


def text_counters(v, logs, stock):
    """10. Counters that are text end the stock reader."""
    for version in (5, 12, 13, 17):
        logs.make('every-kind', version)
        text = [c['samples'] for c in logs.report()['counters'] if c['type'] == 'string']
        v.equal(f'{version}: text', text, [[[2 * MS, 'fast'], [3 * MS, 'fast']]])


def class_unload(v, logs, stock):
    """10. The unload of a class is one, and what follows it is read in its place."""
    for version in (11, 12, 13):
        logs.make('class-unload', version)
        got = logs.report()
        v.equal(f'{version}: events', got['events'], {'alloc': 1, 'class.load': 2,
                                                      'class.unload': 1})
        v.equal(f'{version}: classes', column(got['classes'], 'allocations'), {'Old': 1})


def threads_alone(v, logs, stock):
    """10. A thread asked for is the thread shown, in every section."""
    for version in (4, 13, 17):
        logs.make('every-kind', version)
        got = logs.report('--thread', 'worker')
        v.equal(f'{version}: calls', column(got['methods'], 'calls'), {'Shop.Main:Serve ()': 1})
        v.equal(f'{version}: classes', column(got['classes'], 'allocated_bytes'),
                {'Shop.Item': 16})
        v.equal(f'{version}: other groups', [got[k] for k in (
            'exceptions', 'locks', 'samples', 'counters', 'heap_shots')], [None] * 5)


def impossible_totals(v, logs, stock):
    """Recursion counts once, and a lost leave ends with its caller: no total exceeds the run."""
    logs.make('recursion', 17)
    got = logs.report()
    v.equal('recursion', [(r['name'], r['calls'], r['total_ns'], r['self_ns'], r['max_ns'])
                          for r in got['methods']],
            [('Deep (int)', 10, 1000 * MS, 500 * MS, 1000 * MS),
             ('Leaf ()', 1, 500 * MS, 500 * MS, 500 * MS)])
    if stock:
        v.equal('stock: ten seconds within one', re.findall(
            r'^ *(\d+) +(\d+) +10 Deep', logs.stock()[2], re.M), [('9910', '500')])
    logs.make('lost-leaves', 17)
    got = logs.report()
    v.equal('lost leaves', {r['name']: (r['calls'], r['total_ns'], r['self_ns'])
                            for r in got['methods']},
            {'Outer ()': (10, 900 * MS, 100 * MS), 'Inner ()': (10, 800 * MS, 800 * MS)})
    v.true('own times within the run', sum(r['self_ns'] for r in got['methods']) <=
           got['duration_ns'])
    if stock:
        v.equal('stock: five seconds within one', re.findall(
            r'^ *(\d+) +\d+ +10 (?:Outer|Inner)', logs.stock()[2], re.M), ['5400', '5300'])


def headers(v, logs, stock):
    """A version that is none is refused with a reason; a newer one is read by the newest rules."""
    def says(version, length=None):
        return lambda data: (data[:6] + bytes([version]) + data[7:])[:length]

    logs.make('every-kind', 17, change=says(0, 90))
    done = subprocess.run([logs.profview, 'report', logs.path], capture_output=True, timeout=150,
                          check=False)
    v.equal('version 0', (done.returncode, done.stdout), (3, b''))
    v.true('version 0 is explained', b'data version 0' in done.stderr, done.stderr)
    logs.make('every-kind', 17)
    known = logs.report()
    for version in (18, 255):
        logs.make('every-kind', 17, change=says(version))
        got = logs.report(code=4)
        v.equal(f'{version}: read as', got['source']['data_version'], 17)
        for key in ('methods', 'classes', 'events', 'duration_ns', 'threads'):
            v.equal(f'{version}: {key}', got[key], known[key])
        said = got['source']['damage'][0]
        v.true(f'{version}: said', said['offset'] == 6 and str(version) in said['reason'], said)


def failed_loads(v, logs, stock):
    """The 2010 description has a bit for loads that failed; below 11 nothing else stands there."""
    for version in (1, 10):
        logs.make('every-kind', version, change=lambda b: b.replace(
            b'\x22\xd0\x0f\x02', b'\xa2\xd0\x0f\x02', 1))
        done = subprocess.run([logs.profview, 'dump', logs.path], capture_output=True, timeout=150,
                              check=True)
        lines = [l for l in done.stdout.decode().splitlines() if ' image.load ' in l]
        v.equal(f'{version}: failed', [l.endswith(' failed=1') for l in lines], [True])
        got = logs.report()
        v.equal(f'{version}: images that failed', [i['failed'] for i in got['images']], [True])
        v.equal(f'{version}: loads', [(r['what'], r['failed'], r['unload']) for r in got['loads']],
                [('image', True, False)])


def unknown_extension(v, logs, stock):
    """An extension event of a later probe is passed over, and dumped as what it is."""
    def add(data):
        at = data.index(BUFFER)
        n = int.from_bytes(data[at + 4:at + 8], 'little')
        more = b'\x9f\x00\x03\x63\x01\x02'
        return data[:at + 4] + (n + len(more)).to_bytes(4, 'little') + data[at + 8:at + 48] + \
            more + data[at + 48:]

    logs.make('every-kind', 17)
    known = logs.report()
    logs.make('every-kind', 17, change=add)
    got = logs.report()
    v.equal('methods', got['methods'], known['methods'])
    v.equal('events', got['events'], known['events'] | {'ext.unknown': 1})
    done = subprocess.run([logs.profview, 'dump', logs.path], capture_output=True, timeout=150,
                          check=True)
    v.true('dumped', b' ext.unknown family=9 kind=99\n' in done.stdout)


def counters_listed(v, logs, stock):
    """11. Every counter is listed, not a fixed set."""
    logs.make('every-kind', 17)
    v.equal('counters', len(logs.report()['counters']), 9)


CASES = (image_unload, late_vtables, helpers, unknown_byte, monitors, performance_counters, old_roots, silent_ends, strangers,
         stray_object, word_counters, text_counters, class_unload, threads_alone,
         impossible_totals, headers, failed_loads, unknown_extension, counters_listed)


def main(case, profview, make_log):
    v = Verdict(f'reader bugs, {case}')
    with tempfile.TemporaryDirectory() as folder:
        logs = Logs(profview, make_log, pathlib.Path(folder))
        for check in CASES:
            check(v, logs, case == 'stock')
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview convert` on a real log: profview and the stock reader agree on what it wrote.

usage: test_convert.py whole|range|thread|versions|refuse PROFVIEW COUNTED.EXE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import mprof
import rawlog
from verdict import Verdict

OPTIONS = ('nodefaults,calls,calldepth=10000,alloc,exception,monitor,counter,gchandle,'
           'heapshot-on-shutdown')
WORLDS = 'calls throws locks threads handles'.split()
NAMES = ('class.load', 'vtable.load', 'image.load', 'assembly.load', 'domain.load', 'domain.name',
         'thread.name', 'context.load', 'method.jit', 'heap.root_register', 'counters.describe',
         'meta.aot_id')


def record(folder, exe):
    log = pathlib.Path(folder, 'in.mlpd')
    subprocess.run(['mono', f'--profile=log:{OPTIONS},output={log}', exe, *WORLDS], check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    return log


def run(profview, *args):
    return subprocess.run([profview, *map(str, args)], capture_output=True, timeout=120,
                          check=False)


def report(profview, log, *args):
    done = run(profview, 'report', log, '--format', 'json', '--no-index', *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def convert(v, profview, log, out, *args):
    """Only another data version may leave something out, and says so."""
    out.unlink(missing_ok=True)
    done = run(profview, 'convert', log, '-o', out, *args)
    v.equal(f'exit code of convert {args}', done.returncode, 0)
    if '--data-version' not in args or args[-1] == 17:
        v.equal(f'complaint of convert {args}', done.stderr.decode(), '')
    else:
        v.true(f'complaint of convert {args}', all('no words for it: ' in line for line in
               done.stderr.decode().splitlines()), done.stderr)
    v.equal('left beside it', [p.name for p in out.parent.iterdir() if p.name.startswith(
        out.name + '.')], [])
    return report(profview, out)


def whole(v, profview, log, out):
    before, after = report(profview, log), convert(v, profview, log, out)
    before.pop('source'), after.pop('source')
    v.equal('the report', after, before)
    v.equal('the stock report', mprof.report(out), mprof.report(log))
    done = run(profview, 'convert', log, '-o', '-')
    v.true('standard output holds the same', done.stdout == out.read_bytes())


def ranged(v, profview, log, out):
    duration = report(profview, log)['duration_ns']
    all_events = report(profview, log)['events']
    for a, b in ((0.3, 0.6), (0, 0.5), (0.55, 1.1)):
        cut = f'{int(a * duration)}ns..{int(b * duration)}ns'
        want = report(profview, log, '--range', cut)
        after = convert(v, profview, log, out, '--range', cut)
        for kind in set(want['events']) | set(after['events']):
            if kind in NAMES:
                v.equal(f'{cut} {kind}', after['events'].get(kind, 0), all_events.get(kind, 0))
            elif not kind.endswith(('load', 'unload', 'start', 'end', 'register')):
                v.equal(f'{cut} {kind}', after['events'].get(kind, 0),
                        want['events'].get(kind, 0))
        for section, keys in (('classes', ('name', 'allocations', 'allocated_bytes')),
                              ('methods', ('name', 'calls'))):
            v.equal(f'{cut} {section}',
                    sorted([r[k] for k in keys] for r in after[section] or [] if r[keys[1]]),
                    sorted([r[k] for k in keys] for r in want[section] or [] if r[keys[1]]))
        shots = [(s['objects'], s['bytes']) for s in want['heap_shots'] or []]
        v.equal(f'{cut} shots', [(s['objects'], s['bytes']) for s in after['heap_shots'] or []],
                shots)
        v.true(f'{cut}: not longer than asked', after['duration_ns'] <= max(b * duration, 1))
        values(v, cut, report(profview, log), after)
        stock = mprof.report(out)
        v.equal(f'{cut}: calls in the stock report', stock['calls_total'],
                after['events'].get('method.enter', 0))
        v.equal(f'{cut}: allocations in the stock report', stock['alloc_total'][0],
                after['events'].get('alloc', 0))


def values(v, cut, before, after):
    """A counter's value after the cut is what it was at that time before it."""
    full = {(c['section'], c['name']): dict(map(tuple, c['samples'])) for c in before['counters']}
    for c in after['counters'] or []:
        known = full[c['section'], c['name']]
        for time, value in c['samples']:
            at = max((t for t in known if t <= time), default=None)
            v.equal(f'{cut} {c["name"]} at {time}', value, known.get(at))


def thread(v, profview, log, out):
    threads = [t for t in report(profview, log)['threads'] if t['events'] > 100]
    v.at_least('threads with events', len(threads), 2)
    for t in threads[:4]:
        want = report(profview, log, '--thread', t['id'])
        after = convert(v, profview, log, out, '--thread', t['id'])
        for kind in ('method.enter', 'method.leave', 'alloc', 'exception.throw'):
            v.equal(f'{t["id"]} {kind}', after['events'].get(kind, 0),
                    want['events'].get(kind, 0))
        v.equal(f'{t["id"]} stock calls', mprof.report(out)['calls_total'],
                after['events'].get('method.enter', 0))


def versions(v, profview, log, out):
    """Every data version; the stock reader agrees where it reads that version right."""
    stock, before = mprof.report(log), report(profview, log)
    for n in range(1, 18):
        after = convert(v, profview, log, out, '--data-version', n)
        v.equal(f'{n}: version', after['source']['data_version'], n)
        for section, key in (('methods', 'calls'), ('classes', 'allocations')):
            v.equal(f'{n}: {section}', sorted((r['name'], r[key]) for r in after[section]),
                    sorted((r['name'], r[key]) for r in before[section]))
        v.equal(f'{n}: thrown', after['exceptions']['thrown'], before['exceptions']['thrown'])
        v.equal(f'{n}: collections', len(after['gc']['collections']),
                len(before['gc']['collections']))
        again = mprof.report(out)
        for figure in ('calls_total', 'alloc_total', 'throws', 'moves', 'max_heap', 'clauses',
                       'collections', 'handles_created', 'handles_destroyed', 'jit_methods'):
            v.equal(f'{n}: stock {figure}', again[figure], stock[figure])
        if n != 13:  # the stock reader leaves the event of a monitor unset there
            v.equal(f'{n}: stock contentions', again['contentions'], stock['contentions'])


def refuse(v, profview, log, out):
    out.write_bytes(b'precious')
    done = run(profview, 'convert', log, '-o', out)
    v.equal('exit code where a file stands', done.returncode, 2)
    v.equal('the file that stood there', out.read_bytes(), b'precious')
    out.unlink()
    for args, code in ((['--data-version', '18'], 2), (['--thread', 'nobody'], 2),
                       (['--range', 'x'], 2)):
        v.equal(f'exit code of {args}', run(profview, 'convert', log, '-o', out, *args).returncode,
                code)
        v.true(f'nothing is left by {args}', not out.exists())
    v.equal('exit code without -o', run(profview, 'convert', log).returncode, 2)
    data = log.read_bytes()
    cut = log.with_name('cut.mlpd')
    cut.write_bytes(data[:len(data) * 2 // 3])
    done = run(profview, 'convert', cut, '-o', out)
    v.equal('exit code of a cut log', done.returncode, 4)
    v.true('what is written of it is whole', report(profview, out)['source']['complete'] is not False)
    want = json.loads(run(profview, 'report', cut, '--format', 'json').stdout)['events']
    v.equal('its events', dict(+rawlog.parse(out.read_bytes()).events), want)
    text = log.with_name('text')
    text.write_text('hello, world\n')
    out.unlink()
    v.equal('exit code of what is no log', run(profview, 'convert', text, '-o', out).returncode, 3)
    v.true('and nothing is left', not out.exists())


def main(case, profview, exe):
    cases = {'whole': whole, 'range': ranged, 'thread': thread, 'versions': versions,
             'refuse': refuse}
    v = Verdict(f'convert {case}')
    with tempfile.TemporaryDirectory() as folder:
        cases[case](v, profview, record(folder, exe), pathlib.Path(folder, 'out.mlpd'))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

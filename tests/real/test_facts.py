#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The classes of thrown exceptions and of contended locks, and messages, against what a program did.

usage: test_facts.py mono|clr|attach PROFVIEW PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import contextlib
import json
import pathlib
import signal
import subprocess
import sys

import target
from verdict import Verdict

ROUNDS = 12
LONG = 200  # UTF-16 units of a message that are kept
OFTEN = '--sample=300'  # it computes by the clock: on a machine that others use, for little processor time


def report(profview, log):
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', str(log)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def names(profview, log):
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section',
                           'events', str(log)], capture_output=True, text=True, check=False)
    with contextlib.suppress(ValueError):
        return json.loads(done.stdout)['events'].get('assembly.load')


def said(text):
    return {key: int(n) for key, n in (word.split('=') for word in text.split())}


def run(profview, command, log, *words):
    done = subprocess.run([profview, 'run', '--record', str(log), *words, '--', *command],
                          capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return said(next(line for line in done.stdout.splitlines() if line.startswith('stock=')))


def attached(profview, command, log):
    with subprocess.Popen([*command, 'wait'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as p:
        p.stdout.readline()
        viewer = subprocess.Popen([profview, 'attach', OFTEN, str(p.pid), '--record', str(log)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        target.wait_for('the log of a program that was joined', lambda: names(profview, log))
        p.stdin.write('go\n')
        p.stdin.flush()
        counts = said(p.stdout.readline())
        p.stdin.write('end\n')
        p.stdin.flush()
        p.wait(target.DEADLINE)
        viewer.wait(target.DEADLINE)
        return counts


def classes(v, got, counts, host):
    thrown = {c['name']: c for c in got['exceptions']['classes']}
    want = {'Facts.StockException': 'stock', 'Facts.PriceException': 'price',
            'System.InvalidOperationException': 'other'}
    for name, key in want.items():
        v.equal(f'{name} thrown', thrown.get(name, {}).get('thrown'), counts[key])
    v.true('every throw has a class', not any('not recorded' in name for name in thrown), thrown)
    of_program = [n for n in thrown if not n.startswith('System.')]
    v.equal('classes of the program', sorted(of_program),
            ['Facts.PriceException', 'Facts.StockException'])
    messages = {'Facts.StockException': 'out of stock: 6', 'Facts.PriceException': 'no price',
                'System.InvalidOperationException': 'x' * LONG + '...'}
    for name, text in messages.items():
        v.equal(f'message of {name}', thrown.get(name, {}).get('message'), text)
    waits = {}
    for lock in got['locks']['objects']:
        waits[lock['class']] = waits.get(lock['class'], 0) + lock['contentions']
    v.equal('contentions for a Shelf', waits.get('Facts.Shelf'), counts['shelf'])
    v.equal('contentions for a Till', waits.get('Facts.Till'), counts['till'])
    if host != 'mono':
        v.equal('contentions for a Lock', waits.get('System.Threading.Lock'), counts['locks'])
    v.true('every lock has a class', not any('not recorded' in str(name) for name in waits), waits)
    state = {c['what']: c['state'] for c in got['coverage']}
    v.equal('coverage of exceptions', state['exceptions'], 'complete')
    v.equal('coverage of locks', state['locks'], 'complete')


def stock(v, profview, command, folder):
    """Without extensions: no class is recorded, or the right one; none of it in the log."""
    log = folder / 'stock.mlpd'
    counts = run(profview, command, log, '--probe', 'stock')
    got = report(profview, log)
    v.true('no extension', not any(k.startswith('ext.') for k in got['events']), got['events'])
    want = {'Facts.StockException': counts['stock'], 'Facts.PriceException': counts['price'],
            'System.InvalidOperationException': counts['other']}
    for c in got['exceptions']['classes']:
        v.between(f'{c["name"]} thrown, stock', c['thrown'], 0,
                  want.get(c['name'], 9 * ROUNDS + 9 if c['name'].startswith(('System.', '(')) else 0))
        v.equal('no message', c['message'], None)


def heap_before(v, got):
    """The garbage that a collection frees was there before it."""
    for c in got['gc']['collections']:
        v.true('heap before and after', c['heap_before'] and c['heap_after'] and
               c['heap_before'] >= c['heap_after'] - (1 << 20), c)


def assemblies(v, profview, log, case):
    """Every sample belongs somewhere: to an assembly, to the file of native code, or is dynamic."""
    rows = {}
    for by in 'assembly', 'image':
        done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section',
                               'methods', '--group', by, str(log)], capture_output=True, text=True,
                              check=True)
        rows = {m['name']: m['samples_self'] or 0 for m in json.loads(done.stdout)['methods']}
        total = sum(rows.values())
        v.at_least(f'samples by {by}', total, 5)
        v.equal(f'samples of no {by}', rows.get('(not recorded)', 0), 0)
    v.true('the program itself', any('facts' in name.lower() for name in rows), rows)
    library = 'mscorlib.dll' if case == 'mono' else 'System.Private.CoreLib.dll'
    v.true('the library', any(name.endswith(library) for name in rows), rows)
    runtime = 'mono-sgen' if case == 'mono' else 'libcoreclr.so'
    v.true('native code by its file', runtime in rows or 'libc.so.6' in rows, rows)


def stock_profiler(v, profview, program, folder):
    """Its own thread holds up the last stop for a second, which is no pause of the program's."""
    log = folder / 'theirs.mlpd'
    subprocess.run(['mono', f'--profile=log:nodefaults,gc,output={log}', program, str(ROUNDS)],
                   check=True, capture_output=True)
    got = report(profview, log)
    v.at_least('pauses', len(got['gc']['pauses']), ROUNDS)
    for pause in got['gc']['pauses']:
        v.true('a pause of the program', pause['duration_ns'] < 900000000, pause)
    for c in got['gc']['collections']:
        v.equal('heap before, which is not said', c['heap_before'], None)


def main(case, profview, program, dotnet=None):
    if dotnet == 'none':
        sys.exit(target.SKIP)
    command = [dotnet or 'mono', program, str(ROUNDS)]
    v = Verdict(f'facts {case}')
    with target.scratch() as folder:
        folder = pathlib.Path(folder)
        log = folder / 'log.mlpd'
        if case == 'attach':
            counts = attached(profview, command, log)
        else:
            counts = run(profview, command, log, OFTEN)
        got = report(profview, log)
        classes(v, got, counts, case)
        heap_before(v, got)
        assemblies(v, profview, log, case)
        v.true('the options say so', 'classof,messages' in got['target']['args'])
        if case == 'mono':
            stock_profiler(v, profview, program, folder)
        if case != 'attach':
            stock(v, profview, command, folder)
    v.close()


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(*sys.argv[1:])

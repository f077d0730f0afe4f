#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What threads did at samples: planted computing, lock, I/O and sleep come out as they were.

usage: test_states.py native|mono|clr PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import target
from test_waits import HOSTS
from verdict import Verdict

STATES = ('running', 'lock', 'io', 'sleep')
PHASES = {'lock': 'locks', 'io': 'reads', 'sleep': 'sleeps'}
POINTS, MOST_ELSEWHERE = 2, 0.05
# Rounds of 100 ms. On a machine with much else to do the probe's helper reads threads more rarely than waits of
# 10 ms last: of those that it misses the time is that of the waits around them, right in the mean, and a
# share is as sure as the waits that were met are many. Where more than MISSED were, the program runs for
# longer, whatever came of it.
ROUNDS, LONGER, MISSED = 80, 400, 0.1
WAITS = 3  # in a round


def report(profview, log, *more):
    done = subprocess.run([profview, 'report', log, '--waits', '--format', 'json', '--no-index', *more],
                          text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


def shares(figures):
    all_of = sum(figures.get(s, 0) for s in STATES)
    return {s: round(100 * figures.get(s, 0) / all_of, 1) for s in STATES}


def states(r):
    return {s['state']: s['samples'] for s in r['samples']['states']}


FRAMES = {'lock': '(waits for a lock)', 'io': '(waits for io)', 'sleep': '(sleeps)'}
# Of read() in a stub of .NET's the callers are not found, of Mono's compiled code not all.
WHOLE = {'native': ('lock', 'io', 'sleep'), 'clr': ('lock', 'sleep'), 'mono': ()}


# ns of processor time that other threads may have used, the runtime's above all.
OF_OTHERS = {'native': 200_000_000, 'clr': 4_000_000_000, 'mono': 2_000_000_000}


def stacks(v, tree, of):
    """The samples of a wait lie below the function that waited."""
    node = {n['id']: n for n in tree}
    for state in of:
        frame = FRAMES[state]
        below = whole = 0
        for n in tree:
            if n['method'] != frame:
                continue
            whole += n['samples']
            above = n
            while above and PHASES[state] not in above['method'].lower():
                above = node.get(above['parent'])
            below += n['samples'] if above else 0
        v.true(f'{state}: stacks are whole', below >= whole * (1 - MOST_ELSEWHERE), (below, whole))


def missed(profview, log, tid, rounds):
    """The share of the planted waits in which the thread was not met; an event is one that was."""
    dump = subprocess.run([profview, 'dump', log], text=True, capture_output=True, check=True).stdout
    met = len(re.findall(rf' ext\.cpu\.waited thread={tid:#x}\b.* frames=\[0x', dump))
    return 1 - met / (WAITS * rounds)


def run(v, host, library, program, log, dotnet, rounds):
    pathlib.Path(log).unlink(missing_ok=True)
    command, more = HOSTS[host](library, program, f'cpu,sample-real=100,output={log}', dotnet)
    done = subprocess.run([*command, str(rounds)], env=os.environ | more, text=True, check=False,
                          capture_output=True, timeout=3 * target.DEADLINE)
    v.equal('exit code', done.returncode, 0)
    v.equal('nothing is said', done.stderr, '')
    return {k: int(n) for k, n in (w.split('=') for w in done.stdout.split())}


def planted(v, host, profview, library, program, log, dotnet):
    said = run(v, host, library, program, log, dotnet, ROUNDS)
    share = missed(profview, log, said['tid'], ROUNDS)
    print(f'{100 * share:.0f} % of the waits were not met')
    if share > MISSED:
        said = run(v, host, library, program, log, dotnet, LONGER)
        share = missed(profview, log, said['tid'], LONGER)
        print(f'then {100 * share:.0f} %')
    r = report(profview, log, '--section', 'samples,call_tree', '--thread', hex(said['tid']))
    known, real = shares(states(r)), shares(said)
    # The shortest, sleep, is missed most; its time is that of what was met before and after.
    points = POINTS + (WAITS * share * real['sleep'] if share > MISSED else 0)
    for s in STATES:
        v.between(f'{s}, share: {known} of {real}', known[s], real[s] - points, real[s] + points)
    v.equal('all of it is logged', {s['known'] for s in r['samples']['states']}, {'logged'})
    stacks(v, r['call_tree'], WHOLE[host])
    used = sum(m['cpu_user_ns'] + m['cpu_kernel_ns'] for m in report(profview, log)['methods'])
    least = said['running'] * 1000
    v.between('processor time, ns', used, least * 0.9, least * 1.1 + OF_OTHERS[host])


def stock(v, profview, library, program, log):
    """With the word `stock` there is nothing in the log that the stock reader does not know."""
    command, more = HOSTS['mono'](library, program, f'stock,sample-real=100,output={log}', None)
    subprocess.run([*command, '5'], env=os.environ | more, check=True, capture_output=True,
                   timeout=target.DEADLINE)
    kinds = report(profview, log)['events']
    v.equal('stock: extension events', [k for k in kinds if k.startswith('ext.')], [])
    target.need('mprof-report')
    done = subprocess.run(['mprof-report', log], text=True, capture_output=True, check=False)
    v.equal('stock: mprof-report', (done.returncode, done.stderr), (0, ''))


def main(host, profview, library, program, dotnet='none'):
    if host == 'clr' and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    library, program = os.path.abspath(library), os.path.abspath(program)
    v = Verdict(f'states-{host}')
    with target.scratch() as folder:
        planted(v, host, profview, library, program, os.path.join(folder, 'a.mlpd'), dotnet)
        if host == 'mono':
            stock(v, profview, library, program, os.path.join(folder, 'stock.mlpd'))
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

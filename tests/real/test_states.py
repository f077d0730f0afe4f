#!/usr/bin/env python3
"""What threads did at samples: planted computing, lock, I/O and sleep come out as they were.

usage: test_states.py native|mono|clr PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import json
import os
import subprocess
import sys

import target
from test_waits import HOSTS
from verdict import Verdict

STATES = ('running', 'lock', 'io', 'sleep')
PHASES = {'lock': 'locks', 'io': 'reads', 'sleep': 'sleeps'}
ROUNDS, POINTS, MOST_ELSEWHERE = '80', 2, 0.05


def report(profview, log, *more):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', *more],
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


def planted(v, host, profview, library, program, log, dotnet):
    command, more = HOSTS[host](library, program, f'cpu,sample-real=100,output={log}', dotnet)
    done = subprocess.run([*command, ROUNDS], env=os.environ | more, text=True, check=False,
                          capture_output=True, timeout=target.DEADLINE)
    v.equal('exit code', done.returncode, 0)
    v.equal('nothing is said', done.stderr, '')
    said = {k: int(n) for k, n in (w.split('=') for w in done.stdout.split())}
    r = report(profview, log, '--section', 'samples,call_tree', '--thread', hex(said['tid']))
    known, real = shares(states(r)), shares(said)
    for s in STATES:
        v.between(f'{s}, share: {known} of {real}', known[s], real[s] - POINTS, real[s] + POINTS)
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
    done = subprocess.run(['mprof-report', log], text=True, capture_output=True, check=False)
    v.equal('stock: mprof-report', (done.returncode, done.stderr), (0, ''))


def main(host, profview, library, program, dotnet='none'):
    if host == 'clr' and dotnet == 'none':
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

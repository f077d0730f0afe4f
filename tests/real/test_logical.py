#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of async methods, of samples and allocations: each below what awaits it as planted, or below nothing.

usage: test_logical.py mono|clr|events PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import json
import os
import re
import subprocess
import sys

import target
from evidence import points
from test_waits import HOSTS
from verdict import Verdict

TURNS = '48'
# Who awaits whom in logical.cs. Waiter's own task is one that Turn awaits.
AWAITED = {'GetOrders': {'Find'}, 'Serve': {'GetOrders'}, 'Often': {'Pause'}, 'Seldom': {'Pause'}, 'One': {'Shared'},
           'Two': {'Shared'}, 'Three': {'Shared'}, 'Dive': {'Deep'}, 'Deep': {'Deep'},
           'Turn': {'Serve', 'Often', 'Seldom', 'One', 'Two', 'Three', 'Dive', 'Setter', 'Waiter'}}
ASYNC = set(AWAITED) | {x for one in AWAITED.values() for x in one}
# The runtime's events, with an allocation for each 100 kB.
EVENTS = 'Microsoft-Windows-DotNETRuntime:0x100004c14fccbd'
MEASURES = {'mono': ('samples', 'alloc_bytes'), 'clr': ('samples', 'alloc_bytes'), 'events': ('alloc_bytes',)}
CHAIN = ['Turn [awaits]', 'Serve [awaits]', 'GetOrders [awaits]', 'Find', 'OfFind']


def events(_library, program, log, dotnet):
    return [dotnet, program], {'DOTNET_EnableEventPipe': '1', 'DOTNET_EventPipeOutputPath': log,
                               'DOTNET_EventPipeConfig': EVENTS}


def run_view(profview, *words):
    return subprocess.run([profview, *words], text=True, capture_output=True, check=True,
                          timeout=target.DEADLINE).stdout


def stacks(profview, log, measure, *words):
    """(the program's frames, outermost first, without what starts a method; figure) of each stack."""
    for line in run_view(profview, 'convert', log, '--to', 'folded', '--measure', measure, '-o', '-', *words).splitlines():
        frames, _, figure = line.rpartition(' ')
        own = [re.match(r'Shop\.Orders\.(\w+)(\(.*\))?(.*)', f) for f in frames.split(';')]
        own = [m for m in own if m and not (m[1] in ASYNC and m[2])]
        yield [m[1] + m[3] for m in own], int(figure)


def pairs(v, what, met):
    """Each frame that awaits stands above what it awaits; none has anything of its own."""
    wrong, upside_down = {}, {}
    for frames, figure in met:
        for upper, lower in zip(frames, frames[1:] + ['nothing']):
            name, under = upper.split(' ')[0], lower.split(' ')[0]
            if upper.endswith('[awaits]') and under not in AWAITED.get(name, ()):
                wrong[f'{upper} > {lower}'] = wrong.get(f'{upper} > {lower}', 0) + figure
            if name in AWAITED.get(under, ()) and name != under:
                upside_down[f'{upper} > {lower}'] = figure
    v.equal(f'{what}: awaits that are not planted', wrong, {})
    v.equal(f'{what}: below what it awaits', upside_down, {})


def share(met, part, whole):
    """Percent: of the stacks that end in one of `whole`, those with a frame of `part`."""
    all_of = [(frames, n) for frames, n in met if any(w in frames for w in whole)]
    total = sum(n for _, n in all_of)
    return 100 * sum(n for frames, n in all_of if part in [f.split(' ')[0] for f in frames]) / total if total else 0


def chains(v, what, met):
    whole = sum(n for frames, n in met if 'OfFind' in frames)
    # Turn itself allocates next to nothing: by allocations it is known by chance.
    least = 0 if what == 'samples' else 1
    right = sum(n for frames, n in met if frames[:5] == CHAIN or frames[:5 - least] == CHAIN[least:])
    # A delay that is over before it is awaited is waited for by no one: Find was called then.
    called = sum(n for frames, n in met if 'OfFind' in frames and 'GetOrders' in frames)
    v.at_least(f'{what}: percent of Find with its whole chain', 100 * right / max(1, whole - called), 98)
    # How near to the planted share a few samples are is chance; bytes are not sampled so thinly.
    near = points(70, sum(n for frames, n in met if any(w in frames for w in ('OfFind', 'OfGetOrders', 'OfServe')))) if what == 'samples' else 0
    v.between(f'{what}: percent of GetOrders', share(met, 'GetOrders', ('OfFind', 'OfGetOrders', 'OfServe')), 60 - near, 85 + near)
    v.between(f'{what}: percent of Serve', share(met, 'Serve', ('OfFind', 'OfGetOrders', 'OfServe')), 98, 100)
    several = [frames for frames, _ in met for one in ('One', 'Two', 'Three') if frames[:1] == ['Turn [awaits]']
               and f'{one} [awaits]' in frames and 'OfShared' in frames]
    v.equal(f'{what}: of three awaiters none is usual', several, [])
    v.true(f'{what}: Shared goes on', any(frames[:2] == ['Shared', 'OfShared'] for frames, _ in met))
    deep = [frames for frames, _ in met if frames[-2:] == ['OfDeep', 'Compute'] and 'Deep [awaits]' in frames]
    v.equal(f'{what}: a recursion of awaits is shown once', deep, [])


def marks(v, profview, log, met):
    rows = json.loads(run_view(profview, 'report', log, '--section', 'call_tree', '--format', 'json', '--no-index'))
    usual = {}
    for row in rows['call_tree']:
        found = re.match(r'Shop\.Orders/<(\w+)>\w+:MoveNext \(\) \[(usual|awaits; usual), (\d+) %\]$', row['method'])
        if found:
            usual[found[1]] = int(found[3])
            v.equal(f'{found[1]}: usual_percent', row['usual_percent'], int(found[3]))
    near = points(75, sum(n for frames, n in met if 'OfPause' in frames))
    v.between('Pause: percent of Often', usual.get('Pause'), 75 - max(near, 15), 75 + max(near, 15))
    for name in 'Find', 'GetOrders', 'Serve':
        v.equal(f'{name}: percent of its awaiter', usual.get(name), 100)


def physical(v, profview, log, measure):
    met = list(stacks(profview, log, measure, '--physical'))
    v.true('as recorded: no frame awaits', not any('awaits' in f for frames, _ in met for f in frames))
    v.true('as recorded: Serve stands below Find',
           any('Serve' in frames[frames.index('Find'):] for frames, _ in met if 'Find' in frames))


def look(v, host, profview, log):
    for measure in MEASURES[host]:
        met = list(stacks(profview, log, measure))
        pairs(v, measure, met)
        chains(v, measure, met)
        physical(v, profview, log, measure)
    if 'samples' in MEASURES[host]:
        marks(v, profview, log, list(stacks(profview, log, 'samples')))


def main(host, profview, library, program, dotnet='none'):
    if host != 'mono' and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    library, program = os.path.abspath(library), os.path.abspath(program)
    v = Verdict(f'logical-{host}')
    with target.scratch() as folder:
        log = os.path.join(folder, 'a.nettrace' if host == 'events' else 'a.mlpd')
        if host == 'events':
            command, more = events(library, program, log, dotnet)
        else:
            command, more = HOSTS[host](library, program, f'alloc,sample=1000,output={log}', dotnet)
        done = subprocess.run([*command, TURNS], env=os.environ | more, text=True, check=False, timeout=target.DEADLINE)
        v.equal('exit code', done.returncode, 0)
        look(v, host, profview, log)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

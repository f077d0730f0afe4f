#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who waits for whom: two threads that take two locks in opposite order, for good or until one gives up.

usage: test_circle.py mono|stock|clr|events PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import target
from verdict import Verdict

GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'
WORDS = 'nodefaults,monitor,classof,counter'  # by counters the log says that time goes on
SECTIONS = 'findings,locks,lock_waits,lock_edges,lock_cycles'
EDGES = {('seller', 'buyer', 'Stock'), ('buyer', 'seller', 'Ledger'), ('auditor', 'seller', 'Ledger')}
CIRCLE = {'seller waits for buyer on Stock', 'buyer waits for seller on Ledger'}
PAUSE_MS = 300
ENDING = {'events': '.nettrace'}


def start(host, library, program, log, words, dotnet):
    if host == 'mono':
        command, more = (['mono', f'--profile=profview:{WORDS},output={log}', program],
                         {'LD_LIBRARY_PATH': os.path.dirname(library)})
    elif host == 'stock':
        command, more = ['mono', f'--profile=log:nodefaults,monitor,output={log}', program], {}
    else:
        command, more = [dotnet, program], {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
                                            'CORECLR_PROFILER_PATH': library,
                                            'PROFVIEW_OPTIONS': f'{WORDS},output={log}'}
    if host == 'events':
        more = {'DOTNET_EnableEventPipe': '1', 'DOTNET_EventPipeOutputPath': log,
                'DOTNET_EventPipeConfig': 'Microsoft-Windows-DotNETRuntime:0x4018:5'}
    return subprocess.Popen([*command, *words], env=os.environ | more, text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def report(profview, log):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section', SECTIONS],
                          text=True, capture_output=True, check=False)
    return json.loads(done.stdout)


def waits_of(r):
    return {(w['thread'], w['holder'], w['class']) for w in r['lock_waits']}


def circle_of(row):
    return set(re.sub(r' 0x[0-9a-f]+', '', row['cycle']).split(', '))


def is_found(r):
    """The circle is the first finding; all of a log of less than two seconds are notes."""
    first = r['findings'][0]
    return (first['finding'], first['verdict']) == ('deadlock', 'severe') and \
        all(name in first['text'] for name in ('seller waits for buyer', 'buyer waits for seller', 'Ledger', 'Stock'))


def for_good(v, host, profview, library, program, log, dotnet):
    """While the program stands: its log is read as it grows."""
    p = start(host, library, program, log, [], dotnet)
    v.equal('it stands', p.stdout.readline().strip(), 'ready')

    def all_three():
        r = report(profview, log)
        return r if len(r['lock_waits'] or []) == 3 else None
    if host in ('mono', 'clr'):
        r = target.wait_for('three waits', all_three)
        v.equal('who waits for whom', waits_of(r), EDGES)
        v.equal('none has ended', {w['ended'] for w in r['lock_waits']}, {'still waits'})
        v.equal('who waits, by lock', {(l['class'], l['waiting']) for l in r['locks']['objects']},
                {('Ledger', 2), ('Stock', 1)})
        v.equal('circles', [(c['state'], c['threads'], circle_of(c)) for c in r['lock_cycles']],
                [('deadlock', 2, CIRCLE)])
        target.wait_for('the finding', lambda: is_found(report(profview, log)))
    p.communicate('go\n', target.DEADLINE)
    r = report(profview, log)
    if host == 'stock':  # its writer says nothing of owners, and nobody got a lock before
        v.equal('waits', {w['thread'] for w in r['lock_waits']}, {a for a, _, _ in EDGES})
        v.true('who had them', 'said' not in {w['holder_known'] for w in r['lock_waits']}, r['lock_waits'])
        v.equal('circles', r['lock_cycles'], [])
        return
    if host == 'events':  # threads have numbers alone
        v.equal('said by the log', [w['holder_known'] for w in r['lock_waits']], ['said'] * 3)
        v.equal('circles', [(c['state'], c['threads']) for c in r['lock_cycles']], [('deadlock', 2)])
        return
    v.equal('waits', {(w['thread'], w['class']) for w in r['lock_waits']}, {(a, c) for a, _, c in EDGES})
    v.equal('edges', {(e['thread'], e['holder'], e['class']) for e in r['lock_edges']}, EDGES)
    v.equal('said by the log', {w['holder_known'] for w in r['lock_waits']}, {'said'})
    v.equal('circles at the end', [(c['state'], circle_of(c)) for c in r['lock_cycles']], [('deadlock', CIRCLE)])
    v.true('the finding at the end', is_found(r), r['findings'][:2])
    check = subprocess.run([profview, 'check', log, '--rule', 'lock.wait max=1s'], text=True, capture_output=True, check=False)
    v.equal('waits without an end count', (check.returncode, check.stdout.split()[0]), (1, 'fail'))
    v.true('where they wait', all('Circle' in w['stack'][-1] for w in r['lock_waits']), r['lock_waits'])
    held = {w['thread']: w['holder_stack'] for w in r['lock_waits']}
    v.true("the holder's stack", 'Circle:Take' in held['auditor'][-1], held)


def for_a_while(v, host, profview, library, program, log, dotnet):
    p = start(host, library, program, log, ['while'], dotnet)
    p.communicate(None, target.DEADLINE)
    r = report(profview, log)
    v.equal('who waited for whom', waits_of(r), EDGES)
    v.true('all have ended', 'still waits' not in {w['ended'] for w in r['lock_waits']}, r['lock_waits'])
    if host == 'clr':  # it tells the end of a wait with one event, however it ended
        v.true('at most one circle', len(r['lock_cycles']) <= 1, r['lock_cycles'])
        return
    ended = {w['thread']: w['ended'] for w in r['lock_waits']}
    v.equal('how they ended', ended, {'seller': 'gave up', 'buyer': 'got it', 'auditor': 'got it'})
    v.equal('circles', [(c['state'], circle_of(c)) for c in r['lock_cycles']], [('one gave up', CIRCLE)])
    v.between('it lasted, ms', r['lock_cycles'][0]['lasted_ns'] // 10**6, PAUSE_MS, 60000)


def moved(v, host, profview, library, program, log, dotnet):
    """One lock, wherever its object has been moved to."""
    p = start(host, library, program, log, ['moved'], dotnet)
    v.equal('it says', p.communicate(None, target.DEADLINE)[0].strip(), 'moved')
    r = report(profview, log)
    ours = [l for l in r['locks']['objects'] if l['class'] == 'Ledger']
    v.equal('contended, by lock', [l['contentions'] for l in ours], [3])
    dump = subprocess.run([profview, 'dump', log], text=True, capture_output=True, check=True).stdout
    at = {}
    for place, lock in re.findall(r'ext.strings.lock object=(\S+) id=(\S+)', dump):
        at.setdefault(lock, []).append(place)
    waits = max(at.values(), key=len, default=[])
    v.true('its object was at more than one place', len(waits) >= 3 and len(set(waits)) > 1, at)


def main(host, profview, library, program, dotnet='none'):
    if host in ('clr', 'events') and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    library, program = os.path.abspath(library), os.path.abspath(program)
    v = Verdict(f'circle-{host}')
    with target.scratch() as folder:
        for_good(v, host, profview, library, program, pathlib.Path(folder, 'good' + ENDING.get(host, '.mlpd')), dotnet)
        if host in ('mono', 'clr'):
            for_a_while(v, host, profview, library, program, pathlib.Path(folder, 'while.mlpd'), dotnet)
            moved(v, host, profview, library, program, pathlib.Path(folder, 'moved.mlpd'), dotnet)
    return v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which methods caught exceptions of which class, also where one is thrown while another unwinds.

usage: test_catches.py mono|clr|events PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import json
import os
import pathlib
import subprocess
import sys

import target
from verdict import Verdict

GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'
WORDS = 'nodefaults,exception,classof'
CAUGHT = {('NotHere', 'Thrown:One'): 100, ('NotHere', 'Thrown:Outer'): 25, ('Garbled', 'Thrown:Two'): 125,
          ('Lost', 'Thrown:Passes'): 10, ('Lost', 'Thrown:Last'): 10}
OWN = ('NotHere', 'Garbled', 'Lost')


def listened(profview, program, log, dotnet):
    """By the runtime's own event stream."""
    port = log.with_suffix('.port')
    viewer = subprocess.Popen([profview, 'listen', port, '--record', log], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    target.wait_for('the socket', port.exists)
    subprocess.run([dotnet, program], env=os.environ | {'DOTNET_DiagnosticPorts': str(port)}, check=True,
                   timeout=target.DEADLINE)
    viewer.communicate(timeout=target.DEADLINE)


def run(host, library, program, log, dotnet):
    if host == 'mono':
        command, more = (['mono', f'--profile=profview:{WORDS},output={log}', program],
                         {'LD_LIBRARY_PATH': os.path.dirname(library)})
    else:
        command, more = [dotnet, program], {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
                                            'CORECLR_PROFILER_PATH': library,
                                            'PROFVIEW_OPTIONS': f'{WORDS},output={log}'}
    subprocess.run(command, env=os.environ | more, check=True, timeout=target.DEADLINE)


def main(host, profview, library, program, dotnet='none'):
    if host != 'mono' and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    v = Verdict(f'catches-{host}')
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'thrown.nettrace' if host == 'events' else 'thrown.mlpd')
        if host == 'events':
            listened(profview, os.path.abspath(program), log, dotnet)
        else:
            run(host, os.path.abspath(library), os.path.abspath(program), log, dotnet)
        done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section',
                               'catches,throw_sites,exceptions.classes,exceptions.clauses'], text=True, capture_output=True, check=True)
        r = json.loads(done.stdout)
    own = {(c['class'], c['method'].split('(')[0].rstrip()): c['caught'] for c in r['catches']
           if c['class'] in OWN}
    v.equal('who caught', own, CAUGHT)
    rows = {c['name']: c for c in r['exceptions']['classes']}
    for name in ('NotHere', 'Garbled'):
        v.equal(f'{name}: thrown and caught', (rows[name]['thrown'], rows[name]['caught']), (125, 125))
        v.true(f'{name}: where it was thrown', all(any('Thrown:' in f for f in s['stack']) for s in r['throw_sites'] if s['class'] == name),
               r['throw_sites'])
        v.true(f'{name}: its rate', 1 < rows[name]['per_second'] <= 125 * 10**9, rows[name])
    # What is thrown again is no event of the stream; for the probes it is a throw more.
    v.equal('Lost: thrown and caught', (rows['Lost']['thrown'], rows['Lost']['caught']), (10 if host == 'events' else 20, 20))
    entered = r['exceptions']['clauses']
    v.at_least(f'handlers entered: {entered}', entered['catch'], sum(CAUGHT.values()))
    if host != 'events': # those are left out
        v.at_least(f'finally entered: {entered}', entered['finally'], 25)
    v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

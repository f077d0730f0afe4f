#!/usr/bin/env python3
"""Which methods caught exceptions of which class, also where one is thrown while another unwinds.

usage: test_catches.py mono|clr PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
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
CAUGHT = {('NotHere', 'Thrown:One'): 100, ('NotHere', 'Thrown:Outer'): 25, ('Garbled', 'Thrown:Two'): 125}


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
    if host == 'clr' and dotnet == 'none':
        return target.SKIP
    v = Verdict(f'catches-{host}')
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'thrown.mlpd')
        run(host, os.path.abspath(library), os.path.abspath(program), log, dotnet)
        done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section',
                               'catches,exceptions.classes'], text=True, capture_output=True, check=True)
        r = json.loads(done.stdout)
    own = {(c['class'], c['method'].split('(')[0].rstrip()): c['caught'] for c in r['catches']
           if c['class'] in ('NotHere', 'Garbled')}
    v.equal('who caught', own, CAUGHT)
    rows = {c['name']: c for c in r['exceptions']['classes']}
    for name in ('NotHere', 'Garbled'):
        v.equal(f'{name}: thrown and caught', (rows[name]['thrown'], rows[name]['caught']), (125, 125))
        v.true(f'{name}: its rate', 1 < rows[name]['per_second'] <= 125 * 10**9, rows[name])
    v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

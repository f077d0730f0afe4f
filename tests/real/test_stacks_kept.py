#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Same samples, two unwinders: the probe's walk equals libdw's in every frame to the outermost. For
.NET also: what the program planted stands in the profile with its share.

usage: test_stacks_kept.py native KEPT_STACKS.so KEPT_CHECK DEEP POOL      skips what is not installed
       test_stacks_kept.py clr KEPT_STACKS.so KEPT_CHECK HOT.DLL DOTNET PROFVIEW MODULE
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from workloads import PYTHON, SQL

LEAST = {'native': 99.0, 'clr': 98.0}  # percent of each program's samples
FEWEST = 20
NEAR = 5  # points between a share of samples and that of the thread's clock
GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'


def compare(case, name, command, library, check, folder, **more):
    if not shutil.which(command[0]):
        print(f'{name}: not installed')
        return []
    env = {**os.environ, 'LD_PRELOAD': library, 'KEPT_CHECK': check,
           'KEPT_FILE': str(pathlib.Path(folder, name)), **more}
    done = subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    found = re.search(r'stacks (\d+) equal (\d+) frames (\d+) changed (\d+) silent (\d+)', done.stderr)
    all_of, equal, frames, changed, silent = map(int, found.groups()) if found else [0] * 5
    print(f'{name}: {equal} of {all_of} equal, {frames} frames, {changed} more in files just loaded, of '
          f'{silent} libdw says nothing')
    least = min(LEAST[case], 100 * (1 - 1 / all_of)) if all_of else LEAST[case]
    good = all_of >= FEWEST and 100 * equal / all_of >= least and changed <= all_of / 4 and \
        silent <= all_of / 10
    return [] if good else [f'{name}: the unwinders differ\n{done.stderr[-3000:]}']


def planted(name, command, profview, module, folder):
    """The methods' shares of samples beside those that they measured."""
    log = pathlib.Path(folder, name + '.mlpd')
    env = {**os.environ, 'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
           'CORECLR_PROFILER_PATH': module, 'PROFVIEW_OPTIONS': f'nodefaults,sample=1000,output={log}'}
    out = subprocess.run(command, check=True, env=env, capture_output=True, text=True, timeout=120).stdout
    took = {m: int(n) for m, n in re.findall(r'took (\w+) (\d+)', out)}
    told = json.loads(subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0',
                                      '--section', 'methods', log], check=True, capture_output=True).stdout)
    samples = {m: sum(r['samples_total'] for r in told['methods'] if r['name'].startswith(f'Hot:{m} '))
               for m in took}
    problems = []
    for m, ns in took.items():
        want = 100 * ns / sum(took.values())
        have = 100 * samples[m] / max(sum(samples.values()), 1)
        print(f'{name}: {m} took {want:.1f} %, has {have:.1f} % of {sum(samples.values())} samples')
        if abs(want - have) > NEAR:
            problems.append(f'{name}: {m} has {have:.1f} %, took {want:.1f} %')
    return problems


def main(case, library, check, program, other, profview=None, module=None):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        if case == 'native':
            data = pathlib.Path(folder, 'data')
            data.write_bytes(pathlib.Path(check).read_bytes() * 3000)
            commands = {'qsort': [program, 'sort'], 'pool': [other], 'sqlite3': ['sqlite3', ':memory:', SQL],
                        'zstd': ['zstd', '-9', '-T2', '-c', str(data)],
                        'python3': ['/usr/bin/python3', '-I', '-c', PYTHON]}
            for name, command in commands.items():
                problems += compare(case, name, command, library, check, folder)
        elif 'none' in (program, other):
            sys.exit(77)
        else:
            for name in ('libm', 'mixed'):
                command = [other, program, name, '3']
                # Code that is mapped twice hides from libdw what it is.
                problems += compare(case, name, command, library, check, folder,
                                    DOTNET_EnableWriteXorExecute='0')
                problems += planted(name, command, profview, module, folder)
    sys.exit('\n'.join(problems) or 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

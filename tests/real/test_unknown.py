#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Code of .NET's in samples has names: methods that were compiled before the program began from their first
sample on, what the runtime makes besides methods by its kind, with the method that called it.

usage: test_unknown.py PROFVIEW MODULE NAMES.DLL QUESTIONS.DLL DOTNET        (DOTNET 'none': skipped)
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from verdict import Verdict

GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'
UNKNOWN = '[unknown code]'
BARRIER = '[.NET write barrier]'
MOST = 2  # percent of all frames; of a program that does not run for long 7 to 10 were


def sampled(profview, module, dotnet, program, folder):
    """The names of the frames of each sample, innermost first."""
    log = pathlib.Path(folder, 'unknown.mlpd')
    log.unlink(missing_ok=True)
    env = {**os.environ, 'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID, 'CORECLR_PROFILER_PATH': module,
           'PROFVIEW_OPTIONS': f'nodefaults,sample=1000,output={log}'}
    subprocess.run([dotnet, program], env=env, check=True, capture_output=True, timeout=120)
    dump = subprocess.run([profview, 'dump', log], check=True, capture_output=True, text=True, timeout=150).stdout
    return [re.findall(r'"([^"]*)"', line.partition(' frames=[')[2])
            for line in dump.splitlines() if ' sample.hit ' in line]


def main(profview, module, names, questions, dotnet):
    if dotnet == 'none':
        sys.exit(77)
    v = Verdict('unknown')
    with tempfile.TemporaryDirectory() as folder:
        for program in names, questions:
            stacks = sampled(profview, module, dotnet, program, folder)
            frames = sum(len(s) for s in stacks)
            unknown = sum(s.count(UNKNOWN) for s in stacks)
            name = pathlib.Path(program).name
            print(f'{name}: {len(stacks)} samples, {unknown} of {frames} frames unknown')
            v.at_least(f'{name}: samples', len(stacks), 10)
            v.between(f'{name}: frames unknown, percent', 100 * unknown / max(frames, 1), 0, MOST)
        barriers = [s for s in stacks if s[0] == BARRIER]
        below = [s[1] if len(s) > 1 else 'nothing' for s in barriers]
        v.at_least('samples in write barriers', len(barriers), 3)
        # The one that is met first is not known for what it is when its stack is walked.
        v.true('they are called by methods of the program', sum(':' in m for m in below) >= 0.7 * len(below), below)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

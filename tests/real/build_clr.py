#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles C# for .NET with the SDK's compiler alone: no project, no package, no network.

usage: build_clr.py DOTNET OUT.dll SOURCE.cs... [-OPTION...], options of the compiler
"""
import json
import os
import pathlib
import subprocess
import sys


def newest(paths):
    """Of folders named by version, the highest."""
    return max(paths, default=None,
               key=lambda p: [int(n) if n.isdigit() else -1 for n in p.name.split('.')])


def main(dotnet, out, *arguments):
    sources = [a for a in arguments if not a.startswith('-')]
    options = [a for a in arguments if a.startswith('-')]
    out = pathlib.Path(out)
    root = pathlib.Path(os.path.realpath(dotnet)).parent
    sdk = newest((root / 'sdk').glob('*.*.*'))
    packs = {name: newest((root / 'packs' / f'{name}.Ref').glob('*'))
             for name in ('Microsoft.NETCore.App', 'Microsoft.AspNetCore.App')}
    web = any('using Microsoft.AspNetCore' in pathlib.Path(s).read_text(encoding='utf-8')
              for s in sources)
    used = [n for n in packs if web or 'Asp' not in n]
    if not sdk or not all(packs[n] for n in used):
        sys.exit('this SDK has no reference assemblies')
    references = [f'-r:{f}' for n in used for f in packs[n].glob('ref/net*/*.dll')]
    out.with_suffix('.runtimeconfig.json').write_text(json.dumps({'runtimeOptions': {
        'tfm': f'net{packs[used[0]].name.rsplit(".", 1)[0]}',
        'frameworks': [{'name': n, 'version': packs[n].name} for n in used],
        'configProperties': {'System.GC.Concurrent': True}}}), encoding='utf-8')
    subprocess.run([dotnet, str(sdk / 'Roslyn/bincore/csc.dll'), '-nologo', '-optimize', '-unsafe',
                    '-define:NET', '-nowarn:649,414', f'-out:{out}', *references, *options, *sources],
                   check=True, env=os.environ | {'DOTNET_CLI_TELEMETRY_OPTOUT': '1'})


if __name__ == '__main__':
    main(*sys.argv[1:])

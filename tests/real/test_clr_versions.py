#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The test programs with an older .NET of their own, from NuGet, under the module: the same checks.

usage: test_clr_versions.py VERSION FOLDER PROFVIEW MODULE DOTNET SOURCE.cs...    VERSION: 8, 9
The program is published once into FOLDER; 8 in one file, 9 as a folder. Where the packages cannot
be had (no network, PROFVIEW_NO_NUGET) the test is skipped.
"""
import json
import os
import pathlib
import subprocess
import sys

import target
import test_clr
import test_clr_attach
import test_clr_runtime

PROJECT = '''<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<OutputType>Exe</OutputType><TargetFramework>net{version}.0</TargetFramework>
<RuntimeIdentifier>linux-x64</RuntimeIdentifier><SelfContained>true</SelfContained>
<PublishSingleFile>{single}</PublishSingleFile><InvariantGlobalization>true</InvariantGlobalization>
<AllowUnsafeBlocks>true</AllowUnsafeBlocks><NoWarn>$(NoWarn);649;414</NoWarn>
<DefineConstants>$(DefineConstants);NET</DefineConstants><AssemblyName>counted_clr</AssemblyName>
<EnableDefaultCompileItems>false</EnableDefaultCompileItems><UseAppHost>true</UseAppHost>
</PropertyGroup><ItemGroup>{sources}</ItemGroup></Project>
'''
# In one file there is no image that could be loaded once more.
CASES = {'8': ('tasks', 'exception-alloc', 'monitor', 'heapshot-every', 'heapshot-keepers'),
         '9': ('calls-own', 'gchandle', 'sample', 'heapshot', 'heapshot-keepers', 'loads')}


def publish(dotnet, version, folder, sources):
    """The program's path; None when it cannot be made here."""
    project = folder / f'counted{version}.csproj'
    text = PROJECT.format(version=version, single='true' if version == '8' else 'false', sources=''.join(
        f'<Compile Include="{pathlib.Path(s).resolve()}" />' for s in sources))
    made = folder / 'out' / 'counted_clr'
    if made.exists() and project.exists() and project.read_text(encoding='utf-8') == text and \
            all(made.stat().st_mtime > os.path.getmtime(s) for s in sources):
        return made
    if 'PROFVIEW_NO_NUGET' in os.environ:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    project.write_text(text, encoding='utf-8')
    try:
        done = subprocess.run(
            [dotnet, 'publish', str(project), '-c', 'Release', '-o', str(folder / 'out'),
             '-nodeReuse:false', '-p:UseSharedCompilation=false'], capture_output=True, text=True,
            check=False, timeout=180, env=os.environ | {'DOTNET_CLI_TELEMETRY_OPTOUT': '1'})
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == 0:
        return made
    print(done.stdout[-600:])
    if 'error CS' in done.stdout:
        raise RuntimeError('the program does not compile')
    project.unlink()
    return None


def run_says(profview, program, version):
    """`profview run` knows the program for what it is, and its log names the version's library."""
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'log.mlpd')
        done = subprocess.run([profview, 'run', '--record', str(log), '--', str(program), 'throws'],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=target.DEADLINE, check=False)
        report = json.loads(subprocess.run(
            [profview, 'report', '--format', 'json', '--no-index', '--section', 'exceptions,target',
             str(log)], capture_output=True, text=True, check=True).stdout)
    if done.returncode != 0 or 'coreclr' not in report['target']['args'] or \
            report['exceptions']['thrown'] < 100:
        raise RuntimeError(f'run, .NET {version}: {done.returncode}, {report}, {done.stderr}')


def code_of(test, *args):
    """Tests end the process with their verdict; 0: right."""
    try:
        return test(*args)
    except SystemExit as e:
        return e.code


def main(version, folder, profview, module, dotnet, *sources):
    if 'none' in (module, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    program = publish(dotnet, version, pathlib.Path(folder), sources)
    if not program:
        print(f'the packages of .NET {version} cannot be had here')
        return target.SKIP
    run_says(profview, program, version)
    for case in CASES[version]:
        if code_of(test_clr.main, case, profview, program, module, dotnet):
            return 1
    for case in ('files', 'fields'):
        if code_of(test_clr_runtime.main, case, profview, program, module, dotnet):
            return 1
    return code_of(test_clr_attach.main, profview, program, module, dotnet, '2')


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Allocated bytes of a method as BenchmarkDotNet says them, and as a budget of `profview check` measures them: equal.

usage: benchmark.py PROFVIEW [FOLDER]    FOLDER is kept

Wants the .NET SDK and NuGet; exits with 77, and says so, where one is not to be had.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

SKIP, CALLS, LIMIT = 77, 2000, 900
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net{0}.0</TargetFramework><OutputType>Exe</OutputType><Optimize>true</Optimize>
  </PropertyGroup>
  <ItemGroup><PackageReference Include="BenchmarkDotNet" Version="0.15.8" /></ItemGroup>
</Project>
"""
# What each makes is chosen so that sizes are rounded up, of arrays and of objects, and nothing is elided.
PROGRAM = """using System;
using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;

public class Order { public long Id; public object Item; public byte Flag; }

[MemoryDiagnoser]
public class Work
{
    public static object Keep;
    [Benchmark, MethodImpl(MethodImplOptions.NoInlining)] public void Plain() { Keep = new Order(); }
    [Benchmark, MethodImpl(MethodImplOptions.NoInlining)] public void Arrays() { Keep = new byte[101]; Keep = new int[7]; Keep = new object[3]; }
    [Benchmark, MethodImpl(MethodImplOptions.NoInlining)] public void Boxes() { for (int i = 1000; i < 1010; i++) Keep = i; }
    [Benchmark, MethodImpl(MethodImplOptions.NoInlining)] public void Nothing() { Keep = null; }
}

public static class Program
{
    public static void Main(string[] words)
    {
        if (words.Length > 0 && words[0] == "work") {
            var work = new Work();
            for (int i = 0; i < int.Parse(words[1]); i++) { work.Plain(); work.Arrays(); work.Boxes(); work.Nothing(); }
            return;
        }
        var job = Job.ShortRun.WithToolchain(InProcessNoEmitToolchain.Instance);
        BenchmarkRunner.Run<Work>(ManualConfig.Create(DefaultConfig.Instance).AddJob(job)
            .AddExporter(JsonExporter.Full).WithArtifactsPath(words[0]));
    }
}
"""
METHODS = 'Plain', 'Arrays', 'Boxes', 'Nothing'


def run(*words, cwd, env, code=0):
    done = subprocess.run([*map(str, words)], cwd=cwd, env=env, capture_output=True, text=True, timeout=LIMIT, check=False)
    if code is not None and done.returncode != code:
        raise SystemExit(f'{words[:3]}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-1500:]}')
    return done


def build(sdk, folder, env):
    """The program's path; None: NuGet is not reached."""
    version = run(sdk, '--version', cwd=folder, env=env).stdout.split('.')[0]
    (folder / 'Bench.csproj').write_text(PROJECT.format(version))
    (folder / 'Bench.cs').write_text(PROGRAM)
    done = run(sdk, 'build', '-c', 'Release', '-v', 'q', '-nodeReuse:false', '-p:UseSharedCompilation=false', '-o', folder / 'app',
               cwd=folder, env=env, code=None)
    if done.returncode and 'NU1' in done.stdout:
        return None
    if done.returncode:
        raise SystemExit(done.stdout[-1500:])
    return folder / 'app/Bench.dll'


def theirs(sdk, program, folder, env):
    """{method: bytes a call}"""
    run(sdk, program, folder / 'found', cwd=folder, env=env)
    full, = (folder / 'found').rglob('*-report-full.json')
    return {b['Method']: b['Memory']['BytesAllocatedPerOperation'] for b in json.loads(full.read_text())['Benchmarks']}


def ours(profview, sdk, program, folder, env):
    log = folder / 'work.mlpd'
    run(profview, 'run', '--calls', '--alloc', '--sample=0', '--record', log, '--', sdk, program, 'work', CALLS,
        cwd=folder, env=env)
    rules = [word for name in METHODS for word in
             ('--rule', f'alloc.method match=*Work*{name}* per=call:*Work:{name}* allow-missing=yes max=1MiB')]
    found = run(profview, 'check', log, *rules, '--format', 'json', cwd=folder, env=env, code=None)
    results = json.loads(found.stdout)['results'] if found.stdout else print(found.stderr) or []
    return {name: r.get('measured') for name, r in zip(METHODS, results)}


def main(profview, given=None):
    sdk = shutil.which('dotnet')
    if not sdk:
        print('skipped: there is no .NET SDK')
        return SKIP
    v = Verdict('benchmark')
    with tempfile.TemporaryDirectory() as own:
        folder = pathlib.Path(given or own).resolve()
        folder.mkdir(exist_ok=True)
        env = os.environ | {'DOTNET_CLI_TELEMETRY_OPTOUT': '1', 'DOTNET_NOLOGO': '1', 'XDG_CACHE_HOME': str(folder / 'cache')}
        program = build(sdk, folder, env)
        if not program:
            print('skipped: NuGet is not reached')
            return SKIP
        want = theirs(sdk, program, folder, env)
        got = ours(pathlib.Path(profview).resolve(), sdk, program, folder, env)
        for name in METHODS:
            print(f'{name}: {want.get(name)} bytes a call after BenchmarkDotNet, {got.get(name)} after the budget')
            v.equal(name, got.get(name), want.get(name))
        v.true('they differ', len(set(want.values())) == len(METHODS), want)
    return v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

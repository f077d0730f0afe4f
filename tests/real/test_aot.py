#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program of .NET that was compiled ahead of time: ps tells it, run and attach read its event stream, with the methods' names.

usage: test_aot.py PROFVIEW AOT.CS DOTNET     ('none': skipped; so is a machine whose SDK cannot compile ahead of time)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import target
from test_events import leave, report
from verdict import Verdict

PROJECT = '''<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net{major}.0</TargetFramework><PublishAot>true</PublishAot><EventSourceSupport>true</EventSourceSupport>
<InvariantGlobalization>true</InvariantGlobalization><StripSymbols>false</StripSymbols>
</PropertyGroup></Project>'''


def publish(dotnet, source, folder):
    """The program with its symbols, or why there is none."""
    folder.mkdir()
    shutil.copy(source, folder / 'aot.cs')
    major = subprocess.run([dotnet, '--version'], capture_output=True, text=True, check=True).stdout.split('.')[0]
    (folder / 'ahead.csproj').write_text(PROJECT.format(major=major), encoding='utf-8')
    done = subprocess.run([dotnet, 'publish', '-c', 'Release', '-r', 'linux-x64', '-o', folder / 'out', folder / 'ahead.csproj'],
                          capture_output=True, text=True, timeout=400, check=False, cwd=folder)
    program = folder / 'out' / 'ahead'
    return program if program.exists() else None, (done.stdout + done.stderr)[-300:]


def stripped(program, folder):
    """As the SDK strips it by default, of which compiling it anew takes a hundred times as long."""
    folder.mkdir()
    bare = folder / program.name
    shutil.copy(program, bare)
    for words in (['--only-keep-debug', bare, f'{bare}.dbg'], ['--strip-debug', '--strip-unneeded', bare],
                  [f'--add-gnu-debuglink={bare}.dbg', bare]):
        subprocess.run(['objcopy', *words], check=True)
    return bare


def spins(methods):
    return [m for m in methods if m['name'].startswith('ahead.Ahead.Work:Spin') and m['samples_self'] > 500]


def attached(v, profview, built, log):
    """A viewer reads its stream while it works, and leaves."""
    with target.Program([built], log) as program:
        program.wait_phase(1)
        pid = program.process.pid
        row = next(p for p in json.loads(subprocess.run([profview, 'ps', '--format', 'json'], check=True, timeout=150,
                                                        capture_output=True, text=True).stdout) if p['pid'] == pid)
        v.equal('ps', (row['runtime'], row['ways'], 'ahead of time' in row['no_probe']), ('NativeAOT', ['events'], True))
        viewer = subprocess.Popen([profview, 'attach', '--sample', str(pid), '--record', str(log)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        target.wait_for('samples of Spin by name', lambda: spins(report(profview, log, '--section', 'methods').get('methods') or []))
        program.go()
        said = program.wait_phase(2)
        program.go()
        said = program.wait_phase(3)
        target.wait_for('its exceptions', lambda: (report(profview, log, '--section', 'exceptions').get('exceptions') or {}).get(
            'thrown', 0) >= 30)
        v.true('the probe cannot go there', 'ahead of time' in leave(viewer))
        j = report(profview, log, '--section', 'all')
        v.at_least('exceptions', j['exceptions']['thrown'], 30)
        v.true('no more than there were', j['exceptions']['thrown'] <= said['thrown'], j['exceptions'])
        v.equal('thrown by', {r['name'] for r in j['exceptions']['classes']}, {'System.InvalidOperationException'})
        v.equal('losses', next(c for c in j['coverage'] if c['what'] == 'losses')['state'], 'complete')
        v.equal('damage', j['source']['damage'], [])
        hidden = [m['name'] for m in j['methods'] if m['name'].startswith('0x') and m['samples_self'] > 50]
        v.equal('no hot frame without a name', hidden, [])
        program.process.stdin.close()
        v.equal('it ends well', program.process.wait(target.DEADLINE), 0)


def started(v, profview, built, log):
    """From its first moment on, to its last, and what it starts does not call for a stream of its own."""
    with target.Program([profview, 'run', '--record', log, '--', built], log) as program:
        for phase in (1, 2):
            program.wait_phase(phase)
            program.go()
        said = program.wait_phase(3)
        target.wait_for('samples of Spin by name', lambda: spins(report(profview, log, '--section', 'methods').get('methods') or []))
        program.process.stdin.close()
        v.equal('run: it ends well', program.process.wait(target.DEADLINE), 0)
    j = report(profview, log, '--section', 'all')
    v.equal('run: what it starts has no door', said['ports'], 0)
    v.equal('run: each exception', j['exceptions']['thrown'], said['thrown'] + 30)
    v.equal('run: collections', len(j['gc']['collections']), 3)
    v.equal('run: its command line', (j['target'].get('command'), j['target']['arch'], j['target']['os']), (str(built), 'x64', 'Linux'))
    v.equal('run: damage', j['source']['damage'], [])


def left(v, profview, built, log):
    """Its viewer is killed: it goes on."""
    with target.Program([profview, 'run', '--record', log, '--', built], log) as program:
        program.wait_phase(1)
        children = pathlib.Path(f'/proc/{program.process.pid}/task/{program.process.pid}/children').read_text().split()
        program.process.kill()
        program.process.wait()
        program.go()
        program.wait_phase(2)
        program.process.stdin.close()
        target.wait_for('its end', lambda: not any(pathlib.Path(f'/proc/{c}').exists() for c in children))


def as_native(v, profview, built, folder):
    """What only the native library has, or where no stream can be had: as before, with a line that says so."""
    for name, words, variables, advice in (
            ('calls', ['--calls'], {}, 'leave out --calls'), ('folder', [], {}, 'record into a file'),
            ('switched-off', [], {'DOTNET_EnableDiagnostics': '0'}, 'unset DOTNET_EnableDiagnostics')):
        log = folder / (name + ('/' if name == 'folder' else '.mlpd'))
        done = subprocess.run([profview, 'run', *words, '--record', f'{log}/' if name == 'folder' else log, '--', built],
                              env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        v.equal(f'run: {name}', (done.returncode, f'for its events {advice}' in done.stderr), (0, True))
    done = subprocess.run([profview, 'run', '--heapshot=5gc', '--record', folder / 'no', '--', built], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    v.equal('run: shots by collections', (done.returncode, 'no such thing' in done.stderr), (2, True))


def main(profview, source, dotnet):
    if 'none' in (source, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    os.environ['DOTNET_CLI_TELEMETRY_OPTOUT'] = '1'
    v = Verdict('aot')
    with target.scratch() as scratch:
        folder = pathlib.Path(scratch)
        built, why = publish(dotnet, source, folder / 'published')
        if not built:
            print(f'this SDK cannot compile ahead of time: {why}')
            return target.SKIP
        for name, program in (('whole', built), ('stripped', stripped(built, folder / 'stripped'))):
            attached(v, profview, program, folder / f'{name}.nettrace')
            started(v, profview, program, folder / f'{name}-run.nettrace')
        left(v, profview, built, folder / 'left.nettrace')
        as_native(v, profview, built, folder)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

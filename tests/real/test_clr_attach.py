#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A .NET program that runs already: found, joined, left and joined again.

usage: test_clr_attach.py PROFVIEW COUNTED.DLL MODULE DOTNET [TIMES]   ('none': skipped)
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

import target
from test_clr import started
from verdict import Verdict


def thrown(profview, log):
    """Exceptions in a log that still grows; None while there is nothing to be read."""
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section',
                           'exceptions', str(log)], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)['exceptions']['thrown']
    except (ValueError, KeyError, TypeError):
        return None


def how(profview, pid):
    """By what the process can be joined now."""
    listed = json.loads(subprocess.run([profview, 'ps', '--format', 'json'], check=True,
                                       capture_output=True, text=True).stdout)
    return [p['join'] for p in listed if p.get('pid') == pid]


def runtime(profview, pid):
    """What `ps` says of the process with the probe inside: the runtime, and whose version it tells."""
    listed = json.loads(subprocess.run([profview, 'ps', '--format', 'json'], check=True,
                                       capture_output=True, text=True).stdout)
    return [(p['runtime'], int(p['version'].split('.')[0]) >= 8)
            for p in listed if p.get('pid') == pid and p['join'] == 'probe']


def visit(v, profview, program, log):
    """Joins, lets the program work until its next pause, and leaves."""
    before = program.counts
    viewer = subprocess.Popen([profview, 'attach', str(program.process.pid), '--record', str(log)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    try:
        target.wait_for('the log of a program that was joined',
                        lambda: thrown(profview, log) is not None)
        v.equal('runtime with the probe inside', runtime(profview, program.process.pid),
                [('.NET', True)])
        program.go()
        said = program.wait_phase(program.phase + 1)
        want = said['throws total'] - before.get('throws total', 0)
        target.wait_for(f'{want} exceptions', lambda: (thrown(profview, log) or 0) >= want)
    finally:
        viewer.send_signal(signal.SIGINT)
        complaint = viewer.communicate(timeout=target.DEADLINE)[1]
    v.at_least('exceptions', thrown(profview, log), want)
    methods = json.loads(subprocess.run(
        [profview, 'report', '--format', 'json', '--no-index', '--section', 'throw_sites', str(log)],
        capture_output=True, text=True, check=False).stdout)['throw_sites']
    v.true('the stacks have names', any('Counted.' in s['stack'][-1] for s in methods if s['stack']))
    head = subprocess.run([profview, 'report', '--no-index', '--section', 'source', str(log)], capture_output=True, text=True, check=False).stdout
    v.true('the log ends as a whole one', "the probe's farewell" in head, head)
    v.true('no complaint', 'refuses' not in complaint, complaint)


def main(profview, dll, module, dotnet, times='3'):
    if 'none' in (dll, module, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    v = Verdict('clr-attach')
    os.environ['DOTNET_CLI_TELEMETRY_OPTOUT'] = '1'
    worlds = ['heap', *int(times) * ['pause', 'tasks', 'throws', 'locks', 'collect'], 'pause']
    with target.scratch() as folder, target.Program([*started(dotnet, dll), *worlds], folder) as program:
        program.wait_phase(1)
        pid = program.process.pid
        v.equal('ps says how to join it', how(profview, pid), ['diagnostics'])
        sizes = []
        for i in range(int(times)):
            visit(v, profview, program, pathlib.Path(folder, f'{i}.mlpd'))
            if i % 2:  # else while the module is still about to leave
                target.wait_for('the module to leave', lambda: how(profview, pid) == ['diagnostics'])
            sizes.append(program.rss() >> 20)
        if len(sizes) >= 20:
            print('MiB after each visit:', *sizes)
            v.true('it does not grow', max(sizes[-5:]) <= max(sizes[5:10]) + 20)
        program.go()
        program.wait()
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

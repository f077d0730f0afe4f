#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A .NET HTTP server under load is joined, shot and left, again and again: it never ends of itself.

usage: clr_shots.py PROFVIEW SERVER.DLL DOTNET [--each N] [TIMES]       ('none': skipped)
TIMES joins, by turns with fields alone, with most of what can be asked for when a program is joined,
and with all of it, which changes the collector; N joins a server, then its exit status is awaited. The test suite
joins six times, the command by itself a thousand.
"""
import argparse
import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from clr_server import DEADLINE, order, serve

FIELDS = ('--heapshot', '--probe', 'fields')
MOST = ('gc,exception,monitor,counter,sample=100,alloc=64k,heapshot=ondemand,runtime,suspend,contexts,'
        'spans,fields,strings=16')
WORDS = (FIELDS, ('--sample=0', '--probe', MOST),
         ('--sample=0', '--probe', MOST + ',gcroot,gchandle,gcmove,finalization'))
RATE = 400   # requests a second


class Wrong(Exception):
    """The server is dead, or its log is not as it should be."""


def until(what, found):
    """Polls until found() gives something true, and gives that back."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        got = found()
        if got:
            return got
        time.sleep(0.05)
    raise Wrong(f'{what}: not within {DEADLINE} s')


def events(profview, log):
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section',
                           'events', str(log)], capture_output=True, text=True, check=False)
    with contextlib.suppress(ValueError, KeyError):
        report = json.loads(done.stdout)
        return report['events'], report['source']['damage']
    return {}, []


def joins(profview, pid):
    done = subprocess.run([profview, 'ps', '--format', 'json'], capture_output=True, text=True,
                          check=True)
    return [p['join'] for p in json.loads(done.stdout) if p['pid'] == pid]


def visit(profview, pid, words, log):
    """One join with one shot; when this returns the module has left the server."""
    viewer = subprocess.Popen([profview, 'attach', *words, str(pid), '--record', str(log)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)

    def goes_on(found):
        if viewer.poll() is not None:
            raise Wrong(f'the viewer ended: {viewer.stderr.read()}')
        return found()

    try:
        until('the probe', lambda: goes_on(
            lambda: order(profview, pid, 'heapshot').startswith('ok')))
        until('a heap shot', lambda: goes_on(lambda: events(profview, log)[0].get('heap.end')))
    finally:
        viewer.send_signal(signal.SIGTERM)  # in the background SIGINT may be ignored
        said = viewer.communicate(timeout=DEADLINE)[1]
    until('the module to leave', lambda: joins(profview, pid) == ['diagnostics'])
    got, damage = events(profview, log)
    if damage or not all(got.get(k) for k in ('heap.object', 'heap.end', 'class.load',
                                              'ext.fields.field')):
        raise Wrong(f'{said}: {got} {damage}')


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('profview', 'dll', 'dotnet'):
        p.add_argument(name)
    p.add_argument('--each', type=int, default=4)
    p.add_argument('times', nargs='?', type=int, default=1000)
    a = p.parse_intermixed_args()
    if 'none' in (a.dll, a.dotnet):
        print('no .NET SDK with the web framework here')
        return 77
    done = dead = 0
    while done < a.times:
        def during(pid, _):
            nonlocal done
            for _ in range(min(a.each, a.times - done)):
                done += 1
                with tempfile.TemporaryDirectory() as folder:
                    visit(a.profview, pid, WORDS[(done - 1) % len(WORDS)], pathlib.Path(folder, 'log.mlpd'))
                if done % 50 == 0:
                    print(f'{done} joins, {dead} servers did not end well', flush=True)

        try:
            load, served, code = serve([a.dotnet, a.dll], {'DOTNET_CLI_TELEMETRY_OPTOUT': '1'}, RATE,
                                       during)
            wrong = '' if code == 0 and load.answered and not load.wrong and \
                served >= load.answered else f'exit {code}, {load.wrong[:1]}'
        except (Wrong, OSError, ValueError, subprocess.SubprocessError) as e:
            wrong = str(e)
        if wrong:
            dead += 1
            print(f'join {done}: {wrong}', flush=True)
    print(f'{done} joins, a shot in each: {dead} servers did not end well', flush=True)
    return 1 if dead else 0


if __name__ == '__main__':
    sys.exit(main())

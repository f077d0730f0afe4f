#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that the collector holds up wait for it, and those that wait for a lock meanwhile do that.

usage: test_held.py mono|clr PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import os
import subprocess
import sys

import target
from test_states import report, states
from test_waits import HOSTS
from verdict import Verdict

SECONDS, RATE = 8, 100
POINTS = 4  # of the recording's time: on a busy machine threads are looked at more rarely; the stops are 15 to 20
LEAST = 1  # points that the collector must have taken, else nothing is proven


def points(ns):
    return 100 * ns / (SECONDS * 1e9)


def judge(v, profview, log, said):
    collections = report(profview, log, '--section', 'gc')['gc']['collections']
    stopped = points(sum(c['pause_ns'] for c in collections))
    for word in said.split():
        what, rest = word.split('=')
        tid, us = (int(n) for n in rest.split(':'))
        of = states(report(profview, log, '--section', 'samples', '--thread', hex(tid)))
        got = {s: points(n * 1e9 / RATE) for s, n in of.items()}
        gc, lock, real = got.get('gc', 0), got.get('lock', 0), points(us * 1000)
        print(f'{what} {tid}: waited {real:.1f} %, gc {gc:.1f}, lock {lock:.1f}, stops {stopped:.1f}')
        if what == 'compute':
            v.true('the collector takes its time', real > LEAST, real)
            v.between(f'computes: {gc:.1f} of {real:.1f} for the collector', gc, real - POINTS, real + POINTS)
            v.true('no longer than its stops', gc <= stopped + POINTS, (gc, stopped))
            v.between('computes: waits for no lock', lock, 0, POINTS)
        elif what == 'lock':
            v.between(f'locks: {lock:.1f} of {real:.1f}', lock, real - POINTS, real + POINTS)


def main(host, profview, library, program, dotnet='none'):
    if host == 'clr' and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    library, program = os.path.abspath(library), os.path.abspath(program)
    v = Verdict(f'held-{host}')
    with target.scratch() as folder:
        log = os.path.join(folder, 'a.mlpd')
        command, more = HOSTS[host](library, program, f'gc,sample-real={RATE},output={log}', dotnet)
        done = subprocess.run([*command, str(SECONDS)], env=os.environ | more, text=True, check=False,
                              capture_output=True, timeout=target.DEADLINE)
        v.equal('exit code', done.returncode, 0)
        v.equal('nothing is said', done.stderr, '')
        judge(v, profview, log, done.stdout)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

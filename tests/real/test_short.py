#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that live for less than a period have their share of samples, and leave nothing open.

usage: test_short.py native|clr PROFVIEW LIBRARY PROGRAM [DOTNET [THREADS]]     (DOTNET 'none': skipped)
"""
import json
import math
import os
import subprocess
import sys

import target
from rates import TICKS, perf_is_allowed
from test_waits import HOSTS
from verdict import Verdict

THREADS, RATES = '500', (100, 1000)
SIGMAS = 4
DESCRIPTORS = 40  # more than before: threads that are there at once, and what the runtime opens
OF_OURS = {'native': 'libprofview-native.so', 'clr': 'libprofview-coreclr.so'}


def report(profview, log):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section',
                           'methods,call_tree'], text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def total(d, name):
    return sum(m['samples_total'] for m in d['methods']
               if name in m['name'].lower() and m['samples_total'])


def frames_of_ours(d, host):
    """What of the probe stands above the program's own functions."""
    node = {n['id']: n for n in d['call_tree']}
    return {node[n['parent']]['method'] for n in d['call_tree']
            if 'live' in n['method'].lower() and n['parent'] in node
            and OF_OURS[host] in node[n['parent']]['method']}


def one(v, host, profview, command, rate, threads):
    with target.scratch() as folder:
        log = os.path.join(folder, 'short.mlpd')
        words, more = HOSTS[host](*command[:2], f'sample={rate},output={log}', command[2])
        if host == 'native':
            more['PROFVIEW_OPTIONS'] = 'nodefaults,' + more['PROFVIEW_OPTIONS']
        done = subprocess.run([*words, threads], env=os.environ | more, text=True, check=False,
                              capture_output=True, timeout=target.DEADLINE)
        v.equal(f'{rate}: exit code', done.returncode, 0)
        if done.returncode != 0:
            return
        d = report(profview, log)
    said = {k: int(n) for k, n in (word.split('=') for word in done.stdout.split())}
    brief, steady = total(d, 'brief'), total(d, 'evenly')
    if rate > TICKS and perf_is_allowed():
        # A processor that others take away is computed time, too, for all but this timer: compared
        # with a thread that lives long.
        want = steady * said['brief_us'] / said['steady_us']
        far = SIGMAS * math.sqrt(want + want * want / max(steady, 1))
    else:
        want = min(rate, TICKS) * said['brief_us'] / 1e6
        far = SIGMAS * math.sqrt(want)
    v.between(f'{rate}: samples of {said["brief_us"]} us, {steady} of {said["steady_us"]} us',
              brief, want - far, want + far)
    v.between(f'{rate}: descriptors', said['most'], 1, said['before'] + DESCRIPTORS)
    v.equal(f'{rate}: functions of ours on the stack', frames_of_ours(d, host), set())


def main(host, profview, library, program, dotnet=None, threads=THREADS):
    if dotnet == 'none':
        print('dotnet is not installed')
        return 77
    v = Verdict(f'short {host}')
    for rate in RATES:
        one(v, host, profview, (os.path.abspath(library), os.path.abspath(program), dotnet), rate, threads)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Time that the probe itself takes in a C++ program is one row, whatever it does there; none of its
functions and threads is taken for the program's, and the allocator's time remains the program's.

usage: test_own_frames.py CASE PROFVIEW PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys

import target
from evidence import enough
from verdict import Verdict

OWN = '[profview probe]'
OURS = re.compile(r'\bpvp?_|__cyg_profile\w+(?!@plt)\b|libprofview')  # the program has a stub of its own
CASES = {'leaks': ['--leaks', '--probe', 'sample=1000'],
         'calls': ['--calls', '--probe', 'sample=1000,block=yes'],
         'allocations': ['--probe', 'alloc,sample=1000,block=yes']}
TIMES = {'leaks': 300000, 'calls': 1500000, 'allocations': 800000}
SHARE = {'leaks': 0.2, 'calls': 0.2, 'allocations': 0.1}  # of the samples at least, in the probe
ENOUGH = 150  # samples that a share is told from
SECTIONS = 'methods,call_tree,threads,samples,held,allocation_sites,findings'


def record(profview, program, case, times, folder):
    log = pathlib.Path(folder, f'{times}.mlpd')
    done = subprocess.run([profview, 'run', *CASES[case], '--record', log, '--', program,
                           str(times)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=target.DEADLINE)
    if done.returncode or not log.exists():
        sys.exit(f'exit {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}')
    said = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0',
                           '--section', SECTIONS, log], check=True, capture_output=True,
                          timeout=target.DEADLINE)
    return json.loads(said.stdout)


def names_in(told):
    names = {m['name'] for m in told['methods']} | {n['method'] for n in told['call_tree']}
    for site in (told['held'] or []) + (told['allocation_sites'] or []):
        names |= set(site['stack'])
    return names


def main(case, profview, program):
    v = Verdict(f'own-frames-{case}')
    with target.scratch() as folder:
        told = enough(lambda times: record(profview, program, case, times, folder), TIMES[case],
                      lambda told: told['samples']['total'], ENOUGH)
    samples = {m['name']: m['samples_self'] for m in told['methods']}
    total = told['samples']['total']
    v.equal('names of the probe', {n for n in names_in(told) if OURS.search(n)}, set())
    v.equal('rows of the probe', [n for n in samples if 'profview' in n], [OWN])
    v.at_least('samples', total, ENOUGH)
    v.at_least('its samples', samples[OWN], SHARE[case] * total)
    v.true('the program has the rest', samples[OWN] < total, samples)
    inside = {n['method'] for n in told['call_tree'] if n['method'] == OWN}
    parents = {n['id']: n for n in told['call_tree']}
    v.equal('the row is in the tree', inside, {OWN})
    v.equal('nothing runs inside of it', [n for n in told['call_tree']
            if n['parent'] and parents[n['parent']]['method'] == OWN], [])
    if case != 'calls':
        v.true('the allocator is the program\'s', any('libc_free' in n or '_int_' in n for n in samples), samples)
    v.equal('threads with samples that are the probe\'s',
            [t for t in told['threads'] if t['name'].startswith('profview') and t.get('samples')], [])
    v.true('no finding of it', not any(OWN in (f['text'] or '') for f in told['findings']),
           told['findings'])
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

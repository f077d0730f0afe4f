#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A .NET HTTP server under load with our module inside: it answers, ends well, and does not grow.

usage: clr_server.py PROFVIEW SERVER.DLL MODULE DOTNET [--rate N] [--counts LIBRARY] [SECONDS [GROUP...]]
('none': skipped.) A GROUP is a name of GROUPS below or option words; without any, all of GROUPS run,
600 s each; the test suite runs a few seconds of some. --rate: requests a second, as many as it
answers without. --counts: tests/soak/probe_memory.c as a shared library, which tells the memory that
the module itself holds. Where heap shots are on they are asked for at random moments besides. The
group `none` runs without the module, to compare. Prints a row of a table for each: what is at start,
middle and end are MiB. tests/real/test_clr_attach.py joins and leaves a program as often as told.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'
# Domains, assemblies, modules, classes, threads and compiled methods are always told.
GROUPS = {
    'always': 'nodefaults',
    'samples': 'nodefaults,sample=100',
    'locks': 'nodefaults,monitor',
    'exceptions, transitions': 'nodefaults,exception,transitions',
    'gc, moves, handles': 'nodefaults,gc,gcmove,gchandle,finalization',
    'allocations sampled': 'nodefaults,alloc=512k',
    'every allocation': 'nodefaults,gcalloc',
    'jit, tiers, contexts': 'nodefaults,runtime,contexts',
    'suspensions': 'nodefaults,suspend',
    'counters': 'nodefaults,counter',
    'spans': 'nodefaults,spans',
    'files': 'nodefaults,spans=files',
    'heap shots': 'nodefaults,heapshot=1gc',
    'heap shots, roots': 'nodefaults,heapshot=1gc,gcroot',
    'heap shots, fields, strings': 'nodefaults,heapshot=1gc,fields,strings=16',
    'calls filtered': 'nodefaults,calls,filter=a:clr_server',
    'calls': 'nodefaults,calls',
    'as run does': 'sample=100,gc,exception,monitor,alloc=512k,counter',
    'all that can be joined': 'alloc=512k,sample=500,heapshot=1gc',
    'all': 'calls,gc,gcmove,gchandle,gcroot,exception,monitor,finalization,gcalloc,counter,sample=100,'
           'heapshot=1gc,runtime,suspend,contexts,transitions,fields,strings=16,spans',
    'all and files': 'calls,gc,gcmove,gchandle,gcroot,exception,monitor,finalization,gcalloc,counter,'
                     'sample=100,heapshot=1gc,runtime,suspend,contexts,transitions,fields,strings=16,'
                     'spans=files',
}
CLIENTS = 4
GROWTH = 64 << 20   # of the whole process, between thirds of the run; its collector breathes
OWN = 4 << 20       # of what the module itself holds, likewise
DEADLINE = float(os.environ.get('PROFVIEW_TEST_DEADLINE', '60'))


def resident(pid):
    pages = pathlib.Path(f'/proc/{pid}/statm').read_text(encoding='ascii').split()[1]
    return int(pages) * os.sysconf('SC_PAGE_SIZE')


class Load:
    """Clients that ask for ever; `answered` counts what was right."""

    def __init__(self, address, rate):
        self.address, self.answered, self.wrong, self.stop = address, 0, [], False
        self.pause = CLIENTS / rate if rate else 0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.ask) for _ in range(CLIENTS)]
        for t in self.threads:
            t.start()

    def ask(self):
        try:
            link = http.client.HTTPConnection(self.address, timeout=DEADLINE)
            due = time.monotonic()
            while not self.stop:
                link.request('GET', '/')
                body = link.getresponse().read()
                with self.lock:
                    self.answered += body.startswith(b'served ')
                due = max(due + self.pause, time.monotonic() - 1)
                time.sleep(max(0, due - time.monotonic()))
        except (OSError, http.client.HTTPException) as e:
            self.wrong.append(e)

    def end(self):
        self.stop = True
        for t in self.threads:
            t.join()


def serve(command, env, rate, during):
    """Runs the server, calls during(pid, load), ends it; what it says it served, and its exit code."""
    with subprocess.Popen(command, env=os.environ | env, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split('//')[1].strip()
            load = Load(address, rate)
            during(server.pid, load)
            load.end()
            server.stdin.close()
            said = server.stdout.readline()
            code = server.wait(DEADLINE)
        finally:
            server.kill()
    return load, int(said.split()[1]) if said.startswith('served') else -1, code


def order(profview, pid, *words):
    """What the probe answers; its first word is ok."""
    return subprocess.run([profview, 'ctl', str(pid), *words], capture_output=True, check=False,
                          text=True, timeout=DEADLINE).stdout


def lost(profview, pid):
    said = dict(w.split('=', 1) for w in order(profview, pid, 'stats').split() if '=' in w)
    return int(said.get('lost', -1))


def growth(sizes):
    """Bytes between the medians of the second and of the last third."""
    third = len(sizes) // 3
    return statistics.median(sizes[-third:]) - statistics.median(sizes[third:2 * third]) \
        if third else 0


def three(sizes):
    """At the start, in the middle, at the end, in MiB."""
    return ' '.join(f'{sizes[i] / (1 << 20):.1f}' for i in (0, len(sizes) // 2, -1)) if sizes else '-'


def recorded(profview, log):
    out = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section',
                          'events', str(log)], capture_output=True, text=True, check=False)
    return out.returncode, json.loads(out.stdout) if out.stdout else {}


def run(a, words, folder):
    """One group; whether all was well, and the cells of its row."""
    log, memory = pathlib.Path(folder, 'log.mlpd'), pathlib.Path(folder, 'memory')
    sizes, own, mapped, shots, losses = [], [], [], [], []

    def during(pid, load):
        end = time.monotonic() + a.seconds
        while time.monotonic() < end and not load.wrong:
            sizes.append(resident(pid))
            if a.counts and words != 'none':
                held = struct.unpack('qq', memory.read_bytes())
                own.append(held[0])
                mapped.append(held[1])
            if 'heapshot' in words:
                shots.append(order(a.profview, pid, 'heapshot').startswith('ok'))
            time.sleep(random.uniform(0.05, 0.35))
        if words != 'none':
            losses.append(lost(a.profview, pid))

    env = {'CORECLR_ENABLE_PROFILING': '0' if words == 'none' else '1', 'CORECLR_PROFILER': GUID,
           'CORECLR_PROFILER_PATH': a.module, 'DOTNET_CLI_TELEMETRY_OPTOUT': '1',
           'PROFVIEW_OPTIONS': f'{words},ring=256m,output={log}'}
    if a.counts and words != 'none':
        env |= {'LD_PRELOAD': f'{a.counts} {a.module}', 'PROBE_MEMORY': str(memory)}
    load, served, code = serve([a.dotnet, a.dll], env, a.rate, during)
    status, report = recorded(a.profview, log) if words != 'none' else (0, {})
    damage = report.get('source', {}).get('damage', ['no report'] if words != 'none' else [])
    fine = code == 0 and not load.wrong and load.answered > 0 and all(shots) and status == 0 and \
        served >= load.answered and not damage and growth(sizes) < GROWTH and \
        growth(own) < OWN and growth(mapped) < OWN
    events = sum((report.get('events') or {}).values())
    return fine, [load.answered, f'{len(shots)}', events, losses, three(own), three(mapped),
                  three(sizes), f'exit {code} {load.wrong[:1]} {damage[:1]}']


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('profview', 'dll', 'module', 'dotnet'):
        p.add_argument(name)
    p.add_argument('--rate', type=float, default=0)
    p.add_argument('--counts')
    p.add_argument('seconds', nargs='?', type=float, default=600)
    p.add_argument('groups', nargs='*', default=list(GROUPS))
    a = p.parse_intermixed_args()
    if 'none' in (a.dll, a.module, a.dotnet):
        print('no .NET SDK with the web framework here')
        return 77
    bad = 0
    print('| group | s | answers | shots asked for | events kept | lost | held by the module | mapped '
          '| process | end |\n' + '|---' * 10 + '|', flush=True)
    for group in a.groups:
        with tempfile.TemporaryDirectory() as folder:
            fine, cells = run(a, GROUPS.get(group, group), folder)
        bad += not fine
        print(f'| {group} | {a.seconds:.0f} | {" | ".join(map(str, cells))}, '
              f'{"fine" if fine else "WRONG"} |', flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""A .NET HTTP server under load with our module inside: it answers, ends well, and does not grow.

usage: clr_server.py PROFVIEW SERVER.DLL MODULE DOTNET [SECONDS [GROUPS...]]   ('none': skipped)
Without SECONDS each group, and all of them together, run 600 s each; the test suite runs a few
seconds of some. Where heap shots are on they are asked for at random moments besides. The group
`none` runs without the module, to compare. tests/real/test_clr_attach.py joins and leaves a program
as often as it is told.
"""
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'
GROUPS = ['nodefaults', 'gc', 'exception', 'monitor', 'nodefaults,alloc=512k', 'nodefaults,gcalloc',
          'nodefaults,sample=100', 'nodefaults,heapshot=1gc', 'nodefaults,heapshot=1gc,gcroot',
          'nodefaults,gchandle,finalization', 'nodefaults,calls,filter=a:clr_server',
          'nodefaults,runtime,suspend,contexts,transitions', 'nodefaults,spans=files',
          'nodefaults,heapshot=1gc,fields,strings=16', 'alloc=512k,sample=500,heapshot=1gc',
          'calls,gc,gcmove,gchandle,gcroot,exception,monitor,finalization,gcalloc,counter,sample=100,'
          'heapshot=1gc,runtime,suspend,contexts,transitions,spans=files,fields,strings=16']
CLIENTS = 4
GROWTH = 64 << 20   # of the whole process, between thirds of the run; its collector breathes
DEADLINE = float(os.environ.get('PROFVIEW_TEST_DEADLINE', '60'))


def resident(pid):
    pages = pathlib.Path(f'/proc/{pid}/statm').read_text(encoding='ascii').split()[1]
    return int(pages) * os.sysconf('SC_PAGE_SIZE')


class Load:
    """Clients that ask for ever; `answered` counts what was right."""

    def __init__(self, address):
        self.address, self.answered, self.wrong, self.stop = address, 0, [], False
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.ask) for _ in range(CLIENTS)]
        for t in self.threads:
            t.start()

    def ask(self):
        try:
            link = http.client.HTTPConnection(self.address, timeout=DEADLINE)
            while not self.stop:
                link.request('GET', '/')
                body = link.getresponse().read()
                with self.lock:
                    self.answered += body.startswith(b'served ')
        except OSError as e:
            self.wrong.append(e)

    def end(self):
        self.stop = True
        for t in self.threads:
            t.join()


def serve(command, env, during):
    """Runs the server, calls during(pid, load), ends it; what it says it served, and its exit code."""
    with subprocess.Popen(command, env=os.environ | env, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split('//')[1].strip()
            load = Load(address)
            during(server.pid, load)
            load.end()
            server.stdin.close()
            said = server.stdout.readline()
            code = server.wait(DEADLINE)
        finally:
            server.kill()
    return load, int(said.split()[1]) if said.startswith('served') else -1, code


def shoot(profview, pid):
    """A heap shot now, whatever the program is doing; false: it is refused."""
    return subprocess.run([profview, 'ctl', str(pid), 'heapshot'], capture_output=True, check=False,
                          timeout=DEADLINE).returncode == 0


def growth(sizes):
    """Bytes between the medians of the second and of the last third."""
    third = len(sizes) // 3
    return statistics.median(sizes[-third:]) - statistics.median(sizes[third:2 * third]) \
        if third else 0


def recorded(profview, log):
    out = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section',
                          'events', str(log)], capture_output=True, text=True, check=False)
    return out.returncode, json.loads(out.stdout) if out.stdout else {}


def main(profview, dll, module, dotnet, seconds='600', *groups):
    if 'none' in (dll, module, dotnet):
        print('no .NET SDK with the web framework here')
        return 77
    bad = 0
    for group in groups or GROUPS:
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, 'log.mlpd')
            sizes, shots = [], []

            def during(pid, load):
                end = time.monotonic() + float(seconds)
                while time.monotonic() < end and not load.wrong:
                    sizes.append(resident(pid))
                    if 'heapshot' in group:
                        shots.append(shoot(profview, pid))
                    time.sleep(random.uniform(0.05, 0.35))

            load, served, code = serve([dotnet, dll], {
                'CORECLR_ENABLE_PROFILING': '0' if group == 'none' else '1', 'CORECLR_PROFILER': GUID,
                'CORECLR_PROFILER_PATH': module, 'DOTNET_CLI_TELEMETRY_OPTOUT': '1',
                'PROFVIEW_OPTIONS': f'{group},ring=256m,output={log}'}, during)
            status, report = recorded(profview, log) if group != 'none' else (0, {})
            damage = report.get('source', {}).get('damage', ['no report'] if group != 'none' else [])
            grown = growth(sizes)
            fine = code == 0 and not load.wrong and load.answered > 0 and all(shots) and \
                served >= load.answered and status == 0 and not damage and grown < GROWTH
            bad += not fine
            print(f'{"fine " if fine else "WRONG"} {group}: {load.answered} answers, exit {code}, '
                  f'{load.wrong[:1]}, {int(statistics.median(sizes)) >> 20} MiB, grown by '
                  f'{int(grown) / (1 << 20):.1f}, {len(shots)} shots asked for, '
                  f'{sum((report.get("events") or {}).values())} events, damage {damage[:1]}', flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

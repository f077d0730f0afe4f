#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static fields of a .NET server are what holds objects, by name: when started, and when joined.

usage: test_clr_statics.py PROFVIEW SERVER.DLL MODULE DOTNET     ('none': skipped)
"""
import http.client
import json
import pathlib
import subprocess
import sys

import target
from test_clr import environment
from verdict import Verdict

KEPT = 'System.Collections.Concurrent.ConcurrentDictionary<System.String,System.Byte[]>'
REQUESTS = 50


def sections(profview, log, names, *more):
    return json.loads(subprocess.run(
        [profview, 'report', '--format', 'json', '--no-index', '--section', names, str(log), *more],
        check=True, capture_output=True, text=True).stdout)


def shots(profview, log):
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section', 'events',
                           str(log)], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)['events'].get('heap.end', 0) if done.stdout else 0


def shoot(profview, pid, log):
    """One shot, asked for."""
    target.wait_for('the probe', lambda: subprocess.run(
        [profview, 'ctl', str(pid), 'heapshot'], capture_output=True, check=False).returncode == 0)
    target.wait_for('a heap shot', lambda: shots(profview, log))


def joined(profview, pid, log):
    viewer = subprocess.Popen([profview, 'attach', '--heapshot=ondemand', str(pid), '--record',
                               str(log)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        shoot(profview, pid, log)
    finally:
        viewer.terminate()
        viewer.wait(target.DEADLINE)


def serve(profview, dotnet, dll, module, log, attach):
    env = None if attach else environment(module, f'heapshot=ondemand,output={log}')
    with subprocess.Popen([dotnet, dll], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=env) as server:
        try:
            link = http.client.HTTPConnection(server.stdout.readline().split('//')[1].strip(),
                                              timeout=target.DEADLINE)
            for _ in range(REQUESTS):
                link.request('GET', '/')
                link.getresponse().read()
            link.close()
            (joined if attach else shoot)(profview, server.pid, log)
            server.stdin.close()
            server.stdout.read()
            return server.wait(target.DEADLINE)
        finally:
            server.kill()


def look(v, profview, log):
    r = sections(profview, log, 'heap_objects', '--shot', '0', '--filter', KEPT)
    kept = [o for o in r['heap_objects'] if o['class'] == KEPT]
    v.equal('dictionaries', len(kept), 1)
    v.true('it is kept by no object', kept[0]['dominator'] is None, kept)
    path = sections(profview, log, 'heap_path', '--shot', '0', '--object',
                    kept[0]['address'])['heap_path']
    v.equal('what holds it', [(s['owner'], s['field'], s['root']) for s in path[-1:]],
            [('Server', 'kept', 'static field')])
    said = {c['what']: c for c in r['coverage']}
    v.equal('roots', said['roots']['state'], 'partial')
    v.true('what is inferred', 'other roots inferred' in said['roots']['detail'], said['roots'])


def main(profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('no .NET SDK with the web framework here')
        return target.SKIP
    v = Verdict('clr-statics')
    with target.scratch() as folder:
        for attach in (False, True):
            log = pathlib.Path(folder, f'{attach}.mlpd')
            v.equal('exit code', serve(profview, dotnet, dll, module, log, attach), 0)
            look(v, profview, log)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

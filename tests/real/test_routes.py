#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Routes of a real web server under load, by its own meter over the event stream: as its clients count them.

usage: test_routes.py PROFVIEW SERVER.DLL DOTNET     ('none': skipped)
"""
import collections
import http.client
import pathlib
import subprocess
import sys
import threading
import time

import target
from test_events import join, leave, report
from verdict import Verdict

CLIENTS = 4
WORK = [*(('GET', f'/orders/{i}') for i in range(60)), *(('GET', '/slow/40') for _ in range(12)),
        *(('POST', f'/broken/{name}') for name in 'abc'), ('GET', '/else/where')]
ROUTE = {'orders': 'GET /orders/{id:int}', 'slow': 'GET /slow/{ms:int}', 'broken': 'POST /broken/{name}', 'else': 'GET (no route)'}


def ask(address, got):
    link = http.client.HTTPConnection(address, timeout=target.DEADLINE)
    for verb, path in WORK:
        start = time.monotonic()
        link.request(verb, path)
        answer = link.getresponse()
        answer.read()
        got.append((ROUTE[path.split('/')[1]], answer.status, time.monotonic() - start))


def routes(profview, log):
    return {r['name']: r for r in report(profview, log, '--section', 'routes').get('routes') or []}


def load(address, turns, got):
    for _ in range(turns):
        clients = [threading.Thread(target=ask, args=(address, got)) for _ in range(CLIENTS)]
        for c in clients:
            c.start()
        for c in clients:
            c.join()


def compare(v, rows, got):
    for name in ROUTE.values():
        mine = sorted(took for route, _, took in got if route == name)
        row = rows.get(name, collections.defaultdict(int))
        v.equal(f'{name}: requests', row['count'], len(mine))
        v.equal(f'{name}: errors', row['errors'], sum(status >= 500 for route, status, _ in got if route == name))
        v.between(f'{name}: mean', row['mean_ns'], 0.01 * sum(mine) / len(mine) * 1e9, 1.05 * sum(mine) / len(mine) * 1e9)
        v.true(f'{name}: percentiles rise', row['p50_ns'] <= row['p95_ns'] <= row['p99_ns'] <= mine[-1] * 1.1e9, row)
    slow = rows[ROUTE['slow']]
    mine = sorted(took for route, _, took in got if route == ROUTE['slow'])
    # Between the quantiles of an interval values are taken to lie evenly, so a high one may be that of the next.
    for above, word in ((0.75, 'p50_ns'), (1, 'p95_ns')):
        v.between(f'{word} of requests of 40 ms', slow[word] / 1e6, 39, mine[int(above * (len(mine) - 1))] * 1000 * 1.1 + 5)


def main(profview, dll, dotnet):
    if 'none' in (dll, dotnet):
        print('dotnet is not installed' if dotnet == 'none' else 'no .NET SDK with the web framework here')
        return target.SKIP
    v = Verdict('routes')
    got = []
    with target.scratch() as folder, subprocess.Popen([dotnet, dll], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            log = pathlib.Path(folder, 'a.nettrace')
            address = server.stdout.readline().split('//')[1].strip()
            viewer = join(profview, server.pid, log, '--meter', 'Microsoft.AspNetCore.*')
            target.wait_for('the meters', lambda: any(c['section'] == 'Microsoft.AspNetCore.Server.Kestrel' or 'threadpool' in c['name']
                                                      for c in report(profview, log, '--section', 'counters').get('counters') or []))
            load(address, 3, got)
            target.wait_for('all requests', lambda: sum(r['count'] for r in routes(profview, log).values()) >= len(got))
            compare(v, routes(profview, log), got)
            shown = subprocess.run([profview, '--dump', '--keys', ':routes<Enter>', '--size', '120x30', '--no-index', str(log)],
                                   capture_output=True, text=True, timeout=150, check=True).stdout
            v.true('on the screen', all(name in shown for name in ROUTE.values()), shown)
            leave(viewer)
            server.stdin.close()
            v.equal('it served all and ends well', server.wait(target.DEADLINE), 0)
        finally:
            server.kill()
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What requests of a real web server cost, against what the server says it did for them.

usage: test_requests.py probe|events PROFVIEW REQUESTS.DLL MODULE DOTNET     ('none': skipped)
"""
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

import target
from test_clr import environment
from test_events import join, joined, leave
from verdict import Verdict

TIMES, CLIENTS, EACH = 6, 6, 5
LIST, OVERLAP = 'SELECT * FROM lines WHERE owner = ? AND kind = ?', 'SELECT name FROM things WHERE id = ?'
QUERIES = {'list': 21, 'overlap': 1, 'burn': 0, 'wait': 0}


def ask(address, paths):
    link = http.client.HTTPConnection(address, timeout=target.DEADLINE)
    for path in paths:
        link.request('GET', path)
        link.getresponse().read()


def load(address):
    """One after the other, so that each ends on the thread it began on; then many at once, which all wait in between."""
    ask(address, ['/idle', '/wait/0', '/burn/0', '/list/0'])
    for name in ('wait', 'burn', 'list'):
        ask(address, [f'/{name}/{i}' for i in range(1, TIMES)])
    clients = [threading.Thread(target=ask, args=(address, [f'/overlap/{i}' for i in range(EACH)])) for _ in range(CLIENTS)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    ask(address, ['/fail?code=topsecret'])


def run(way, profview, dll, module, dotnet, log):
    """The server under load; what it says of itself at its end."""
    viewer = None
    env = environment(module, f'sample=1000,spans,alloc=100k,monitor,output={log}') if way == 'probe' else os.environ
    with subprocess.Popen([dotnet, dll], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as server:
        try:
            address = server.stdout.readline().split('//')[1].strip()
            if way == 'events':
                viewer = join(profview, server.pid, log, '--sample=1000', '--probe', 'spans')
                joined(profview, viewer, log)
            load(address)
            if viewer:
                leave(viewer)
            server.stdin.close()
            said = {}
            for line in server.stdout:
                if line.startswith('SAID'):
                    _, route, what, n = line.split()
                    said[route, what] = float(n)
            server.wait(target.DEADLINE)
        finally:
            server.kill()
    return said


def section(profview, log, name, *words):
    done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', '--section', name, *words, str(log)],
                          check=True, capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)[name]


def check_routes(v, way, rows, queries, said):
    for name, each in QUERIES.items():
        row = rows[f'GET /{name}/*']
        n = CLIENTS * EACH if name == 'overlap' else TIMES
        v.equal(f'{name}: requests', row['count'], n)
        v.equal(f'{name}: no status, so no figure of errors', row['errors'], None)
        v.equal(f'{name}: queries of each', row['queries_each'], each)
        v.true(f'{name}: queries take a part of it', row['query_each_ns'] <= row['mean_ns'], row)
        v.true(f'{name}: percentiles rise', row['p50_ns'] <= row['p95_ns'] <= row['p99_ns'], row)
    asked = {q['name']: (q['count'], q['requests'], q['most']) for q in queries}
    v.equal('queries by text', asked, {LIST: (21 * TIMES, TIMES, 21), OVERLAP: (CLIENTS * EACH, CLIENTS * EACH, 1)})
    v.equal('fails', (rows['GET /fail']['count'], rows['GET /fail']['errors']), (1, 1))
    waited = said['wait', 'waited_ns'] / TIMES
    v.between('wait: for the lock', rows['GET /wait/*']['wait_each_ns'], 0.8 * waited, 1.1 * waited)
    for name in ('burn', 'list'):
        burnt = said[name, 'burnt_ns'] / TIMES
        row = rows[f'GET /{name}/*']
        # The stream's sampler follows no clock of the processor's: on a busy machine it comes late, or counts threads that have none.
        least, most = (0.6 * burnt, 1.6 * burnt) if way == 'probe' else (0.2 * burnt, 1.1 * row['mean_ns'])
        v.between(f'{name}: processor time', row['cpu_each_ns'], least, most)
        v.true(f'{name}: hardly waited', rows[f'GET /{name}/*']['wait_each_ns'] < waited / 4, rows[f'GET /{name}/*'])
    if way == 'probe':
        v.true('wait: hardly ran', rows['GET /wait/*']['cpu_each_ns'] < 0.7 * said['burn', 'burnt_ns'] / TIMES, rows['GET /wait/*'])


def check_spans(v, spans):
    """Each request has its own: nothing of one that ran at the same time."""
    for s in spans:
        name = re.match(r'GET /(\w+)/', s['name'])
        if name and name[1] in QUERIES:
            v.equal(f'{s["name"]}: queries', s['queries'], QUERIES[name[1]])
    texts = {s['name'] for s in spans if s['what'] == 'SQL'}
    v.equal('SQL without literals', texts, {LIST, OVERLAP})
    v.true('URLs end at the question mark', not any('secret' in s['name'] for s in spans))


def check_filters(v, profview, log, rows):
    """What other views have of a route's requests is what the route has, and what it did."""
    for name in ('burn', 'list', 'wait'):
        words = ('--filter', f'route:="GET /{name}/*"')
        row = {r['name']: r for r in section(profview, log, 'routes', *words)}[f'GET /{name}/*']
        v.equal(f'{name}: the route itself', row, rows[f'GET /{name}/*'])
        methods = {m['name']: m['samples_self'] for m in section(profview, log, 'methods', '--limit', '0', *words)}
        ran = sum(methods.values())
        v.between(f'{name}: samples of all methods', ran, row['cpu_each_ns'] * TIMES / 1e6 - 1, row['cpu_each_ns'] * TIMES / 1e6 + 1)
        burnt = sum(n for m, n in methods.items() if ':Burn ' in m)
        v.true(f'{name}: what ran', burnt > 0.7 * ran if name != 'wait' else burnt == 0, methods)
        waits = sum(s['contentions'] for s in section(profview, log, 'wait_sites', *words))
        v.equal(f'{name}: waits for the lock', waits > 0, name == 'wait')
    v.equal('fail: thrown', sum(s['thrown'] for s in section(profview, log, 'throw_sites', '--filter', 'route:/fail')), 1)
    v.equal('fail: only there', section(profview, log, 'throw_sites', '--filter', 'slow>1ms !route:/fail'), [])


def check_words(v, profview, log, folder):
    """The queries of /list are found, and nothing of requests that only overlap; budgets of routes."""
    found = {f['finding']: f for f in section(profview, log, 'findings')}['n-plus-one']
    v.true('n-plus-one', found['text'].startswith(f'21 times within one GET /list/*, in {TIMES} such requests: SELECT * FROM lines'), found)
    rules = pathlib.Path(folder, 'rules.ini')
    for rule, wants in (('kind = route.p99\nmatch = GET /wait/*\nmax = 60s', 0), ('kind = route.p99\nmatch = GET /wait/*\nmax = 1ms', 1),
                        ('kind = route.errors\nmax = 1', 5), ('kind = route.errors\nmax = 0', 1),
                        ('kind = route.errors\nmatch = GET /burn/*\nmax = 0', 5), ('kind = route.errors\nmatch = SELECT *\nmax = 0', 0),
                        ('kind = query.count\nmax = 21', 0), ('kind = query.count\nmatch = GET /list/*\nmax = 20', 1),
                        ('kind = query.count\nmatch = GET /burn/*\nmax = 0', 0)):
        rules.write_text(f'[rule a]\n{rule}\n', encoding='utf-8')
        done = subprocess.run([profview, 'check', str(log), '--rules', str(rules)], capture_output=True, text=True, timeout=120, check=False)
        v.equal(f'check: {rule}', done.returncode, wants)


def main(way, profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('no .NET SDK with the web framework here')
        return target.SKIP
    v = Verdict(f'requests-{way}')
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'log.mlpd' if way == 'probe' else 'log.nettrace')
        said = run(way, profview, dll, module, dotnet, log)
        rows = {r['name']: r for r in section(profview, log, 'routes')}
        check_routes(v, way, rows, section(profview, log, 'queries'), said)
        check_spans(v, section(profview, log, 'spans'))
        check_filters(v, profview, log, rows)
        check_words(v, profview, log, folder)
        if way == 'probe':
            v.true('no secret is in the log', not re.search(b'topsecret|secret\\d', log.read_bytes()))
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Requests that a real web server of the framework serves, as spans of our module's log.

usage: test_clr_served.py PROFVIEW SERVER.DLL MODULE DOTNET     ('none': skipped)
"""
import collections
import http.client
import json
import pathlib
import subprocess
import sys
import threading

import target
from test_clr import environment
from verdict import Verdict

CLIENTS, PAGES = 3, 20


def ask(address, name):
    """One client: pages, a form, one that fails in the server. What it got by method and path."""
    link = http.client.HTTPConnection(address, timeout=target.DEADLINE)
    got = []
    for verb, path in [*(('GET', f'/{name}/{i}') for i in range(PAGES)), ('POST', f'/{name}/form'),
                       ('GET', '/fail')]:
        link.request(verb, path + '?question=1', body='a=b' if verb == 'POST' else None)
        answer = link.getresponse()
        answer.read()
        got.append((f'{verb} {path}', answer.status))
    return got


def served(dotnet, dll, module, log):
    got = []
    with subprocess.Popen([dotnet, dll], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=environment(module, f'nodefaults,spans,output={log}')) as server:
        try:
            address = server.stdout.readline().split('//')[1].strip()
            clients = [threading.Thread(target=lambda i=i: got.extend(ask(address, f'client{i}')))
                       for i in range(CLIENTS)]
            for c in clients:
                c.start()
            for c in clients:
                c.join()
            server.stdin.close()
            said, code = server.stdout.readline(), server.wait(target.DEADLINE)
        finally:
            server.kill()
    return got, said, code


def main(profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('no .NET SDK with the web framework here')
        return target.SKIP
    v = Verdict('clr-served')
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'log.mlpd')
        got, said, code = served(dotnet, dll, module, log)
        v.equal('exit code', code, 0)
        v.equal('what the server says', said.strip(), f'served {CLIENTS * (PAGES + 2)}')
        report = json.loads(subprocess.run(
            [profview, 'report', '--format', 'json', '--no-index', '--section', 'spans', str(log)],
            check=True, capture_output=True, text=True).stdout)
        spans = [s for s in report['spans'] if s['what'] == 'served']
        v.equal('requests', collections.Counter((s['name'], s['failed']) for s in spans),
                collections.Counter((name, status >= 500) for name, status in got))
        v.equal('those that fail', sum(s['failed'] for s in spans), CLIENTS)
        for s in spans:
            v.true(f'{s["name"]} took time', s['took_ns'] > 0 and s['start_ns'] > 0, s)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

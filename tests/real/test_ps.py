#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview ps` beside processes that do all they can to be in its way.

usage: test_ps.py PROFVIEW

They do not answer, or a byte at a time, or without end, or in other words; their queues are full,
they are stopped, and their sockets are others'. Each has its row, the honest ones among them have
theirs, and all of it takes no longer than the second that is promised.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import strange
import target
from verdict import Verdict

NOBODY = 65534
SECOND = 1.0
CROWD = 12      # of those that do not answer: asked in turn they take seconds
OK = b'ok host=native version=1.2.3\n'
HEAD = strange.message(b'')

# What it does; whether it has answered, and its version, by the words for a probe and for .NET.
KINDS = {
    'honest': (lambda text: strange.answer_with(text), True, {}),
    'never accepts': (lambda _: strange.never_accept, False, {}),
    'accepts and is silent': (lambda _: strange.accept_and_keep, False, {}),
    'a full queue': (lambda _: strange.fill_queue, False, {'backlog': 0, 'says_ready': True}),
    'a byte at a time': (strange.byte_by_byte, False, {}),
    'floods without end': (lambda _: strange.flood(b'x' * 65536), False, {}),
    'floods with answers': (lambda text: strange.flood((text() if callable(text) else text) * 99),
                            True, {}),
    'hangs up': (lambda _: strange.hang_up, False, {}),
    'stopped': (lambda text: strange.answer_with(text), False, {'stop': True}),
    'half an answer': (lambda text: strange.answer_with(
        lambda: (text() if callable(text) else text)[:-5]), False, {}),
    'other words': (lambda _: strange.answer_with(b'\0\1\2\3\xff' * 10), False, {}),
    'a head alone': (lambda _: strange.answer_with(HEAD), False, {}),
    'a length of zero': (lambda _: strange.answer_with(strange.MAGIC + bytes(6)), False, {}),
}


def listed(profview):
    """The rows, and how long they took, at best: other work of this machine is no fault of ps."""
    best = None
    for _ in range(8):
        began = time.monotonic()
        done = subprocess.run([profview, 'ps', '--format', 'json'], capture_output=True, text=True,
                              check=True, timeout=target.DEADLINE)
        took = time.monotonic() - began
        best = took if best is None else min(best, took)
        if best <= SECOND:
            break
    return {(p['pid'], p['join']): p for p in json.loads(done.stdout)}, best


def all_kinds(v, profview):
    made = {}
    for what, (serve, answers, options) in KINDS.items():
        for kind, text in ('probe', OK), ('dotnet', strange.process_info):
            made[what, kind] = strange.Strange(kind, serve(text), **options), answers
    crowd = [strange.Strange('dotnet', strange.accept_and_keep) for _ in range(CROWD)]
    rows, took = listed(profview)
    v.true('ps beside strangers: the second', took <= SECOND, f'{took:.2f} s')
    for (what, kind), (process, answers) in made.items():
        row = rows.get((process.pid, 'probe' if kind == 'probe' else 'diagnostics'))
        v.true(f'{what}, {kind}: has a row', row is not None)
        if not row:
            continue
        version = ('1.2.3' if kind == 'probe' else '10.0.0') if answers else ''
        v.equal(f'{what}, {kind}: answered', row.get('answered'), answers)
        v.equal(f'{what}, {kind}: version', row['version'], version)
    for process in crowd:
        row = rows.get((process.pid, 'diagnostics'), {})
        v.equal('one of a crowd: answered', row.get('answered'), False)
    text = subprocess.run([profview, 'ps'], capture_output=True, text=True, check=True).stdout
    silent = [line for line in text.splitlines() if line.split()[0] == str(crowd[0].pid)]
    v.true('the table says so', len(silent) == 1 and 'no answer' in silent[0], silent)
    for process in [p for p, _ in made.values()] + crowd:
        process.close()


def untouched(profview, process, log):
    """What reached the socket while ps ran."""
    rows, _ = listed(profview)
    process.close()
    with open(log, 'rb') as f:
        return rows, f.read()


def witness(log):
    """Writes what comes, "c" for a connection and then its bytes."""
    def serve(s):
        with open(log, 'wb', buffering=0) as out:
            while True:
                link, _ = s.accept()
                out.write(b'c')
                link.settimeout(0.2)
                try:
                    out.write(link.recv(4096))
                except TimeoutError:
                    pass
                link.close()
    return serve


def others(v, profview, folder):
    """Sockets that belong to another process or user: nothing is sent there."""
    for kind in 'probe', 'dotnet':
        log = folder / f'witness-{kind}'
        honest = strange.Strange('none', strange.never_accept,
                                 where=lambda pid: f'{os.environ["TMPDIR"]}/plain-{pid}')
        process = strange.Strange(kind, witness(log), where=lambda _, k=kind, h=honest: strange.place_of(
            k, h.pid))
        rows, came = untouched(profview, process, log)
        v.equal(f"a {kind} socket in another process's name: row", [r for r in rows if r[0] == honest.pid], [])
        v.true(f"a {kind} socket in another process's name: bytes", came.replace(b'c', b'') == b'', came)
        honest.close()
        if os.geteuid() != 0:
            continue
        process = strange.Strange(kind, witness(log), owner=NOBODY)
        rows, came = untouched(profview, process, log)
        v.equal(f"a {kind} socket of another user: row", [r for r in rows if r[0] == process.pid], [])
        v.equal(f"a {kind} socket of another user: connections", came, b'')


def decoy(v, profview):
    """Another user's newer socket does not hide the process's own."""
    if os.geteuid() != 0:
        return
    process = strange.Strange('dotnet', strange.answer_with(strange.process_info))
    path = f'{os.environ["TMPDIR"]}/dotnet-diagnostic-{process.pid}-999-socket'
    other = strange.Strange('dotnet', strange.accept_and_keep, owner=NOBODY, where=lambda _: path)
    rows, _ = listed(profview)
    row = rows.get((process.pid, 'diagnostics'), {})
    v.equal("a decoy of another user's", (row.get('version'), row.get('socket', '').rsplit('-', 2)[1:]),
            ('10.0.0', ['1', 'socket']))
    other.close()
    process.close()


def main(profview):
    v = Verdict('ps')
    all_kinds(v, profview)
    others(v, profview, pathlib.Path(os.environ['TMPDIR']))
    decoy(v, profview)
    v.close()


def begin(profview):
    """With folders of its own, which its processes have from their start."""
    with target.scratch() as folder:
        inner = os.environ | {'TMPDIR': folder, 'XDG_RUNTIME_DIR': folder}
        return subprocess.run([sys.executable, __file__, profview, 'inner'], env=inner,
                              check=False).returncode


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]) if len(sys.argv) > 2 else begin(sys.argv[1]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joining what looks like .NET programs of every kind that cannot be joined, without any .NET.

usage: test_join_fake.py PROFVIEW

A process of this script listens as the runtime does and answers as it is told: for another machine,
for another C library, for another user, with each of the runtime's reasons, and as another process
from the second connection on.
"""
import json
import mmap
import os
import pathlib
import socket
import struct
import subprocess
import sys

import target
from verdict import Verdict

MAGIC = b'DOTNET_IPC_V1\0'
NOBODY = 65534


def text(s):
    return struct.pack('<I', len(s) + 1) + (s + '\0').encode('utf-16-le')


def answer(link, arch, reason, cookie):
    """To one command, which is returned: what the process is, or a refusal."""
    head = b''
    while len(head) < 20:
        more = link.recv(20 - len(head))
        if not more:
            return None
        head += more
    left = struct.unpack('<H', head[14:16])[0] - 20
    while left > 0:
        left -= len(link.recv(left))
    ok = head[16] == 4
    body = struct.pack('<Q', os.getpid()) + cookie + text('fake') + text('linux') + text(arch) + \
        text('fake') + text('10.0.0') if ok else struct.pack('<I', reason)
    link.sendall(MAGIC + struct.pack('<HBBH', 20 + len(body), 255, 0 if ok else 255, 0) + body)
    return f'{head[16]:02x}{head[17]:02x}'


def listen(arch, reason, owner, *libraries):
    """What the process that is to be joined does, for ever."""
    held = []
    for library in libraries:
        path = pathlib.Path(os.environ['TMPDIR'], library)
        path.write_bytes(bytes(4096))
        with open(path, 'rb') as f:
            held.append(mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ))
    path = f'{os.environ["TMPDIR"]}/dotnet-diagnostic-{os.getpid()}-1-socket'
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.bind(path)
        s.listen(8)
        os.chown(path, int(owner), -1)
        print('ready', flush=True)
        changes, said = reason == 'changes', []
        while True:
            link, _ = s.accept()
            with link:
                said.append(answer(link, arch, 0 if changes else int(reason, 16), bytes([1 + (changes and len(said) > 0)] * 16)))
            pathlib.Path(os.environ['TMPDIR'], 'commands').write_text(' '.join(map(str, said)))


class Fake:
    def __init__(self, profview, arch, reason, owner, *libraries):
        self.profview, self.words = profview, [arch, reason, str(owner), *libraries]

    def __enter__(self):
        self.folder = target.scratch()
        self.place = self.folder.__enter__()
        env = os.environ | {'TMPDIR': str(self.place)}
        self.process = subprocess.Popen([sys.executable, __file__, 'listen', *self.words], env=env,
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        return self

    def __exit__(self, *why):
        self.process.kill()
        self.process.communicate()
        self.folder.__exit__(*why)

    def attach(self, via='probe'):
        done = subprocess.run([self.profview, 'attach', '--via', via, str(self.process.pid), '--record',
                               f'{self.place}/log.mlpd'], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=target.DEADLINE)
        return done.returncode, done.stderr

    def listed(self):
        done = subprocess.run([self.profview, 'ps', '--format', 'json'], capture_output=True,
                              text=True, check=True)
        return [(p['runtime'], p['version']) for p in json.loads(done.stdout)
                if p['pid'] == self.process.pid]


HERE = {'x86_64': ('x64', 'Arm64'), 'aarch64': ('Arm64', 'x64')}
CORE = 'libcoreclr.so'
# what it is, its machine (ours or another), the runtime's reason, who owns the socket, its
# libraries; what is said
CASES = [
    ('another machine', 1, '0', 0, (CORE,), 'use one that was built for it'),
    ('another C library', 0, '0', 0, (CORE, 'ld-musl-x86_64.so.1'), 'runs on musl'),
    ('another profiler', 0, '8013136a', 0, (CORE,), 'another profiler'),
    ('ours is in it', 0, '8013136a', 0, (CORE, 'libprofview-coreclr.so'), 'leave that viewer first'),
    ('a library that does not load', 0, '80070002', 0, (CORE,), 'cannot load the probe'),
    ('an old runtime', 0, '80131385', 0, (CORE,), 'does not know that command'),
    ('some other reason', 0, '80004005', 0, (CORE,), 'the .NET runtime refuses: 0x80004005'),
    ('a word for Mono', 0, '80070057', 0, (CORE,), 'for Mono alone'),
]


def main(profview):
    v = Verdict('join-fake')
    machines = HERE[os.uname().machine]
    for what, machine, reason, owner, libraries, said in CASES:
        with Fake(profview, machines[machine].lower(), reason, owner or os.geteuid(),
                  *libraries) as fake:
            code, complaint = fake.attach()
            v.equal(f'{what}: exit', code, 3)
            v.true(f'{what}: what is said', said in complaint, complaint)
            v.true(f'{what}: one line', complaint.count('\n') == 1, complaint)
            v.equal(f'{what}: ps', fake.listed(), [('.NET', '10.0.0')])
    for via in ('probe', 'events'):
        with Fake(profview, machines[0].lower(), 'changes', os.geteuid(), CORE) as fake:
            code, complaint = fake.attach(via)
            v.equal(f'another process by the second connection, {via}: exit', code, 3)
            v.true(f'{via}: it is said', 'another process answers there' in complaint and complaint.count('\n') == 1, complaint)
            v.equal(f'{via}: and it was asked who it is, no more', set(pathlib.Path(fake.place, 'commands').read_text().split()), {'0404'})
    if os.geteuid() == 0:
        with Fake(profview, machines[0].lower(), '0', NOBODY, CORE) as fake:
            code, complaint = fake.attach()
            v.equal('a socket of another user: exit', code, 3)
            v.true('a socket of another user', "is another user's, so it is left alone" in complaint,
                   complaint)
            v.equal('a socket of another user: ps', fake.listed(), [])
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(listen(*sys.argv[2:]) if sys.argv[1] == 'listen' else main(*sys.argv[1:]))

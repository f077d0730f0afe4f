#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The key for a heap shot, over logs that name ports and sockets of others.

usage: test_port.py PROFVIEW LOG.mlpd.gz

A log is a file that anybody can have written. Something is sent to the port or the socket in its
header only when the log's process lives here, writes the log and is the one that holds it; to a probe
also where it has the id of the header.
"""
import contextlib
import gzip
import multiprocessing
import os
import pathlib
import socket
import struct
import sys
import time

import target
from term import Terminal
from verdict import Verdict

ARGS = 38       # of a header 3.0: everything before has its fixed place


def log_of(data, path, pid, port=0, args=None, start=None):
    """The log with another process, port and options in its header."""
    start = int(time.time() * 1000) if start is None else start
    n = struct.unpack_from('<I', data, ARGS)[0]
    old = data[ARGS + 4:ARGS + 4 + n]
    new = (args.encode() + b'\0') if args else old
    path.write_bytes(data[:8] + struct.pack('<Q', start) + data[16:32] +
                     struct.pack('<IHI', pid, port, len(new)) + new + data[ARGS + 4 + n:])
    return path


def listen_and_tell(where, tell, log, answer):
    """Listens, with the log open for writing; tells every connection's first bytes."""
    if log:
        os.open(log, os.O_WRONLY | os.O_CREAT, 0o600)
    with socket.socket(socket.AF_UNIX if where else socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(where or ('127.0.0.1', 0))
        s.listen(8)
        tell.send(s.getsockname())
        while True:
            link, _ = s.accept()
            link.settimeout(target.DEADLINE)
            with contextlib.suppress(ConnectionError):
                line = link.recv(100)
                tell.send(line)
                if answer:
                    link.sendall(answer.encode() + b'\n')
            link.close()


class Listener:
    def __init__(self, where=None, log=None, answer=None):
        self.ear, tell = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=listen_and_tell, args=(where, tell, log, answer), daemon=True)
        self.process.start()
        self.name = self.ear.recv()
        self.port = self.name[1] if not where else 0

    def heard(self, wait=0.0):
        return self.ear.recv() if self.ear.poll(wait) else None

    def close(self):
        self.process.kill()
        self.process.join()


def press(profview, log, live=False):
    """What the screen says; `live`: once it knows that the writer is there."""
    with target.scratch() as folder, Terminal(folder) as t:
        t.run(profview, '--follow', '--no-index', log)
        t.wait('LIVE' if live else 'F10Quit')
        t.keys('S')
        said = t.wait(lambda screen: next((line for line in screen.splitlines() if line.strip().startswith(
            ('no heap shot', 'heap shot asked'))), None))
        t.keys('q')
    return said.strip()


def dead_pid():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def known(v, profview, data, path, folder):
    """Sockets of programs that live here under the number of the header, as another program of a container may."""
    place = [str(folder / name) for name in ('stranger', 'other', 'itself', 'writer')]
    answer = 'ok pid=1 id=00000000000000ab host=mono'
    stranger, another, itself = (Listener(p, answer=answer) for p in place[:3])
    writer = Listener(place[3], log=folder / 'written.mlpd', answer='ok')
    for who, one, log, more in (('no id', stranger, path, ''), ('another id', another, path, ',id=00000000000000cd'),
                                ('its id', itself, path, ',id=00000000000000ab'), ('no id, the writer', writer, folder / 'written.mlpd', '')):
        heard, asked = [], one in (itself, writer)
        press(profview, log_of(data, log, one.process.pid, args=f'profview:mono,control={one.name}{more},output=x'), live=one is writer)
        while (line := one.heard(target.DEADLINE if asked and b'heapshot\n' not in heard else 0.2)):
            heard.append(line)
        v.equal(f'{who}: a shot was asked for', b'heapshot\n' in heard, asked)
        v.true(f'{who}: else nothing but figures', set(heard) <= {b'stats\n', b'heapshot\n'}, heard)
    return stranger, another, itself, writer


def main(profview, packed):
    v = Verdict('port')
    data = gzip.decompress(pathlib.Path(packed).read_bytes())
    with target.scratch() as name:
        folder = pathlib.Path(name)
        path = folder / 'log.mlpd'
        holder, other = Listener(log=path), Listener()
        for what, pid, port, start in (
                ('a program that has ended', dead_pid(), holder.port, None),
                ("another program's port", other.process.pid, holder.port, None),
                ('no program', 0, holder.port, None)):
            said = press(profview, log_of(data, path, pid, port, start=start))
            v.true(f'{what}: what is said', 'asked for' not in said, said)
            v.equal(f'{what}: what was sent', holder.heard(0.2), None)
        said = press(profview, log_of(data, path, holder.process.pid, holder.port))
        v.true('its own port: what is said', 'heap shot asked for' in said, said)
        v.equal('its own port', holder.heard(target.DEADLINE), b'heapshot\n')
        place = str(folder / 'control')
        control = Listener(place)
        args = f'log:calls,control={place}'
        for what, pid in (('a program that has ended', dead_pid()), ('no program', 0),
                          ('another program', other.process.pid)):
            press(profview, log_of(data, path, pid, args=args))
            heard = control.heard(0.2)
            v.true(f"{what}'s socket: what was sent", not heard, heard)
        for one in known(v, profview, data, path, folder):
            one.close()
        for one in holder, other, control:
            one.close()
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

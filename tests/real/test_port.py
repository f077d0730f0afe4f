#!/usr/bin/env python3
"""The key for a heap shot, over logs that name ports and sockets of others.

usage: test_port.py PROFVIEW LOG.mlpd.gz

A log is a file that anybody can have written. Something is sent to the port or the socket in its
header only when the log's process lives here, was there before the log, and is the one that holds
it.
"""
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


def listen_and_tell(where, tell):
    """Listens; tells every connection's first bytes."""
    with socket.socket(socket.AF_UNIX if where else socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(where or ('127.0.0.1', 0))
        s.listen(8)
        tell.send(s.getsockname())
        while True:
            link, _ = s.accept()
            link.settimeout(target.DEADLINE)
            tell.send(link.recv(100))
            link.close()


class Listener:
    def __init__(self, where=None):
        self.ear, tell = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=listen_and_tell, args=(where, tell), daemon=True)
        self.process.start()
        self.name = self.ear.recv()
        self.port = self.name[1] if not where else 0

    def heard(self, wait=0.0):
        return self.ear.recv() if self.ear.poll(wait) else None

    def close(self):
        self.process.kill()
        self.process.join()


def press(profview, log):
    """What the screen says."""
    with target.scratch() as folder, Terminal(folder) as t:
        t.run(profview, '--follow', '--no-index', log)
        t.wait('F10Quit')
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


def main(profview, packed):
    v = Verdict('port')
    data = gzip.decompress(pathlib.Path(packed).read_bytes())
    with target.scratch() as name:
        folder = pathlib.Path(name)
        holder, other = Listener(), Listener()
        path = folder / 'log.mlpd'
        for what, pid, port, start in (
                ('a program that has ended', dead_pid(), holder.port, None),
                ("another program's port", other.process.pid, holder.port, None),
                ('a program that began later', holder.process.pid, holder.port, 10 ** 12),
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
        for one in holder, other, control:
            one.close()
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

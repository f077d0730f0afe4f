# SPDX-License-Identifier: MIT
"""Processes that listen where a probe or a .NET runtime would, and do there whatever they like.

Each is a copy of this process, in whose environment TMPDIR and XDG_RUNTIME_DIR are folders of the
test's own.
"""
import contextlib
import ctypes
import os
import signal
import socket
import struct
import time

PR_SET_PDEATHSIG = 1
MAGIC = b'DOTNET_IPC_V1\0'


def utf16(text):
    """A text of the diagnostics protocol; bytes are its units as they are."""
    units = text if isinstance(text, bytes) else text.encode('utf-16-le', 'surrogatepass')
    units += b'\0\0'
    return struct.pack('<I', len(units) // 2) + units


def message(body, kind=0):
    return MAGIC + struct.pack('<HBBH', 20 + len(body), 255, kind, 0) + body


def process_info(version='10.0.0', arch='x64', entry='fake'):
    return message(struct.pack('<Q', os.getpid()) + bytes(16) + utf16('fake') + utf16('linux') +
                   utf16(arch) + utf16(entry) + utf16(version))


def place_of(kind, pid):
    if kind == 'dotnet':
        return f'{os.environ["TMPDIR"]}/dotnet-diagnostic-{pid}-1-socket'
    return f'{os.environ["XDG_RUNTIME_DIR"]}/profview/{pid}'


def answer_with(text):
    def serve(s):
        while True:
            link, _ = s.accept()
            with link, contextlib.suppress(ConnectionError):    # whoever asked had no patience left
                if link.recv(4096):
                    link.sendall(text() if callable(text) else text)
    return serve


def never_accept(_):
    signal.pause()


def accept_and_keep(s):
    kept = []
    while True:
        kept.append(s.accept())


def fill_queue(s):
    """Nobody else gets into it."""
    path, links = s.getsockname(), []
    try:
        while True:
            links.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            links[-1].setblocking(False)
            links[-1].connect(path)
    except BlockingIOError:
        os.write(READY, b'.')
    signal.pause()


def byte_by_byte(text):
    def serve(s):
        while True:
            link, _ = s.accept()
            try:
                for byte in text() if callable(text) else text:
                    link.sendall(bytes([byte]))
                    time.sleep(0.1)    # slower than anybody waits
            except OSError:
                pass
            link.close()
    return serve


def flood(text):
    def serve(s):
        while True:
            link, _ = s.accept()
            try:
                while True:
                    link.sendall(text)
            except OSError:
                pass
            link.close()
    return serve


def hang_up(s):
    while True:
        s.accept()[0].close()


READY = None


class Strange:
    """A process with one socket; `where` has its place from the pid."""

    def __init__(self, kind, serve, backlog=8, owner=None, where=None, stop=False, says_ready=False):
        global READY
        out, READY = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                path = where(os.getpid()) if where else place_of(kind, os.getpid())
                os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
                    s.bind(path)
                    s.listen(backlog)
                    if owner is not None:
                        os.lchown(path, owner, owner)
                    if not says_ready:
                        os.write(READY, b'.')
                    serve(s)
            finally:
                os._exit(1)
        os.close(READY)
        if os.read(out, 1) != b'.':
            raise RuntimeError('a process of the test did not begin')
        os.close(out)
        if stop:
            os.kill(self.pid, signal.SIGSTOP)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


if __name__ == '__main__':    # a .NET process whose command line is whatever it was given
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as own:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        own.bind(place_of('dotnet', os.getpid()))
        own.listen(8)
        print('ready', flush=True)
        answer_with(process_info)(own)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Root joins and leaves hostile programs of another user, again and again: no file outside of what is theirs is touched.

usage: hostile_joins.py PROFVIEW PROGRAM PROBE [JOINS] [HOT.DLL DOTNET]
PROGRAM is started with the library PROBE inside; HOT.DLL by DOTNET where they are given and not 'none'. Needs root: 77 without.
The programs say what they please of themselves, and change names while they are joined: links in place of folders, other
mounts, folders that are moved. Owner, mode, times, links and content of all that is not theirs are
compared after every join, those of the system's folders at the end. The test suite makes a dozen joins.
"""
import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import platform
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

USER = 65534
LEFT_S = 20
DEADLINE = float(os.environ.get('PROFVIEW_TEST_DEADLINE', '60'))
AS_USER = ['setpriv', f'--reuid={USER}', f'--regid={USER}', '--clear-groups']
SECRET = 'only root may read this'
SYSTEM = ('/etc', '/home', '/srv', '/usr/local', '/usr/lib/systemd')


# ---- what the hostile programs are

class Fake:
    """Listens as .NET does, or as a probe, and does something at the moment that is told of."""

    def __init__(self, home, victim):
        self.home, self.victim = pathlib.Path(home), pathlib.Path(victim)
        self.link = self.home / 'tmp'
        for name in 'good', 'bad':
            (self.home / name).mkdir(exist_ok=True)

    def turn(self, to):
        """The link that all goes through leads somewhere else, from one moment to the next."""
        fresh = self.home / 'fresh'
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        fresh.symlink_to(to)
        fresh.rename(self.link)

    def say(self, what):
        with contextlib.suppress(OSError):
            print(what, flush=True)

    def at_info(self):
        """The viewer has asked who this is, and makes its pipe next."""

    def at_attach(self, log):
        """It has told where the pipe is."""

    def at_stream(self, link):
        """A session of events is open."""

    # -- as .NET

    def dotnet(self):
        with open('/proc/self/stat', encoding='ascii') as f:
            start = f.read().rsplit(')', 1)[1].split()[19]
        path = f'{os.environ["TMPDIR"]}/dotnet-diagnostic-{os.getpid()}-{start}-socket'
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path)
            s.listen(8)
            self.say('ready')
            while True:
                link, _ = s.accept()
                with link, contextlib.suppress(OSError, ValueError):
                    self.answer(link)

    def answer(self, link):
        head = link.recv(20, socket.MSG_WAITALL)
        if len(head) < 20:
            return
        rest = link.recv(struct.unpack('<H', head[14:16])[0] - 20, socket.MSG_WAITALL)
        body = b''
        if head[16] == 4:
            self.at_info()
            text = lambda s: struct.pack('<I', len(s) + 1) + (s + '\0').encode('utf-16-le')
            arch = {'x86_64': 'x64', 'aarch64': 'arm64'}[platform.machine()]
            body = struct.pack('<Q', os.getpid()) + bytes(16) + b''.join(map(text, ('f', 'linux', arch, 'f', '10.0.0')))
        if head[16] == 3:
            self.at_attach(pathlib.Path(rest[rest.index(b'output=') + 7:].split(b',')[0].rstrip(b'\0').decode()))
            self.say('done')
        if head[16] == 2:
            body = struct.pack('<Q', 7)
        link.sendall(b'DOTNET_IPC_V1\0' + struct.pack('<HBBH', 20 + len(body), 255, 0, 0) + body)
        if head[16] == 2 and head[17] != 1:
            self.at_stream(link)

    # -- as a probe

    def probe(self, answer):
        folder = pathlib.Path(f'/tmp/profview-{USER}')
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / str(os.getpid())
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(path))
            s.listen(8)
            self.say('ready')
            while True:
                link, _ = s.accept()
                with link, contextlib.suppress(OSError):
                    line = link.recv(2000).decode()
                    if line.startswith('attach'):
                        self.at_attach(pathlib.Path(line.split()[1]))
                    link.sendall((answer(line) + '\n').encode())
                    if line:
                        self.say('done')


class PipeMadeThere(Fake):
    """TMPDIR leads into a folder of root's when the pipe is made."""
    run = Fake.dotnet

    def at_info(self):
        self.turn(self.victim / 'closed')


class LibraryCopiedThere(Fake):
    """TMPDIR leads into a folder of root's when the library is copied."""
    run = Fake.dotnet

    def at_info(self):
        def wait():
            while not any((self.home / 'good').glob('profview-join-*/log')):
                pass
            self.turn(self.victim / 'open')
        threading.Thread(target=wait, daemon=True).start()


class MovedFolder(Fake):
    """The folder with the pipe is moved away, and a link to one of root's has its name when it is left."""
    run = Fake.dotnet

    def at_attach(self, log):
        log.parent.rename(self.home / f'moved-{os.getpid()}-{time.monotonic_ns()}')
        log.parent.symlink_to(self.victim / 'fifo')


class LinkedPipe(Fake):
    """The pipe is a link to a file of root's when it is opened, and when it is left."""
    run = Fake.dotnet

    def at_attach(self, log):
        log.unlink()
        log.symlink_to(self.victim / 'closed' / 'secret')


class Mounted(Fake):
    """In a user namespace: what root has there is mounted over the folder as soon as that is made."""
    run = Fake.dotnet

    def at_info(self):
        def wait():
            found = []
            while not found:
                found = list((self.home / 'good').glob('profview-join-*'))
            there = self.home / 'bad' / found[0].name
            there.mkdir()
            ctypes.CDLL(None).mount(str(self.victim / 'closed').encode(), str(there).encode(), None, 0x1000, None)
            self.turn(self.home / 'bad')
        threading.Thread(target=wait, daemon=True).start()


class NeverEnds(Fake):
    """Its stream of events has a beginning, and then nothing comes, not even an end."""
    run = Fake.dotnet
    links = []

    def at_stream(self, link):
        self.links.append(link.dup())
        link.sendall(b'Nettrace\x14\0\0\0!FastSerialization.1')
        self.say('done')


class SaysFile(Fake):
    """A probe that says its log is a file of root's."""

    def run(self):
        self.probe(lambda line: f'ok pid={os.getpid()} host=native version=1 sink=file reader=no '
                                f'output={self.victim}/closed/secret')


class SaysLink(Fake):
    """A probe whose log is another one each time it is looked at."""

    def run(self):
        (self.home / 'own.mlpd').touch()

        def flip():
            while True:
                self.turn(self.victim / 'closed' / 'secret')
                self.turn(self.home / 'own.mlpd')
        threading.Thread(target=flip, daemon=True).start()
        self.probe(lambda line: f'ok pid={os.getpid()} host=native version=1 sink=file reader=no output={self.link}')


class SaysPipe(Fake):
    """A probe that says its log is a pipe of root's; then its folder is moved."""

    def run(self):
        self.probe(lambda line: f'ok pid={os.getpid()} host=native version=1 sink=pipe reader=no '
                                f'output={self.victim}/fifo/log')

    at_attach = MovedFolder.at_attach


def parent_of(pid):
    with contextlib.suppress(OSError):
        return int(pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rsplit(')', 1)[1].split()[1])
    return None


def is_held(path):
    """Whether a process of this user has it open."""
    for link in pathlib.Path('/proc').glob('[0-9]*/fd/*'):
        with contextlib.suppress(OSError):
            if os.readlink(link) == str(path):
                return True
    return False


class Mover(Fake):
    """No program itself, but one that moves the folders of another one of its user's, once it writes there, and puts
    links in their place."""

    def run(self):
        self.say('ready')
        bench = int(os.environ['BENCH'])
        while True:
            for folder in pathlib.Path('/tmp').glob('profview-join-*'):
                with contextlib.suppress(OSError):
                    maker = int(folder.name.split('-')[2])
                    if not folder.is_symlink() and parent_of(maker) == bench and is_held(folder / 'log'):
                        folder.rename(self.home / folder.name)
                        folder.symlink_to(self.victim / 'fifo')
                        self.say('done')
            time.sleep(0.01)


KINDS = {k.__name__: k for k in (PipeMadeThere, LibraryCopiedThere, MovedFolder, LinkedPipe, Mounted, NeverEnds, SaysFile, SaysLink,
                                 SaysPipe, Mover)}
MUST_SAY = {'PipeMadeThere': 'no folder for a pipe can be made'}
WORDS = {'NeverEnds': ['--via', 'events']}
MOUNTS = {'PipeMadeThere', 'LibraryCopiedThere'}  # in a mount namespace of their own


# ---- what is not theirs

def make_victims(folder):
    """As of a machine: what root has, in folders that others may look into and in those that they may not."""
    folder.mkdir(mode=0o755)
    for name, mode in ('closed', 0o700), ('open', 0o755), ('fifo', 0o755), ('empty', 0o755):
        (folder / name).mkdir()
        (folder / name).chmod(mode)
    for name in 'secret', 'log':
        path = folder / 'closed' / name
        path.write_text(SECRET, encoding='ascii')
        path.chmod(0o600)
    (folder / 'open' / 'log').write_text('root has written this', encoding='ascii')
    os.mkfifo(folder / 'fifo' / 'log', 0o600)


def state(path, whole):
    st = path.lstat()
    content = hashlib.sha256(path.read_bytes()).hexdigest() if whole and stat.S_ISREG(st.st_mode) else None
    return (st.st_ino, st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_size, st.st_mtime_ns, st.st_ctime_ns,
            content)


def snapshot(*roots, whole=True):
    found = {}
    for root in roots:
        for path in (pathlib.Path(root), *pathlib.Path(root).rglob('*')):
            with contextlib.suppress(OSError):
                found[str(path)] = state(path, whole)
    return found


def changed(before, after):
    return sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))


# ---- joining

class Bench:
    def __init__(self, profview, program, probe, folder):
        self.folder, self.homes = folder, 0
        shutil.copy(profview, folder)  # so that its processes are known by their file
        (folder / 'probe').symlink_to(os.path.abspath(pathlib.Path(profview).parent / 'probe'))
        self.profview = str(folder / os.path.basename(profview))
        for file in program, probe, __file__:
            shutil.copy(file, folder)
            (folder / os.path.basename(file)).chmod(0o755)
        self.script, self.program, self.probe = (
            folder / os.path.basename(f) for f in (__file__, program, probe))
        self.victim = folder / 'victims'
        make_victims(self.victim)
        self.before = snapshot(self.victim)
        self.python = next(p for p in (sys.executable, '/usr/bin/python3') if not subprocess.run(
            [*AS_USER, 'env', p, '-c', ''], capture_output=True, check=False).returncode)
        self.joined = 0

    def home(self):
        self.homes += 1
        home = self.folder / f'home{self.homes}'
        home.mkdir()
        os.chown(home, USER, USER)
        return home

    @contextlib.contextmanager
    def start(self, *words, before=(), **env):
        """A process of the user's; in a session of its own, which ends with it."""
        theirs = ['env', *(f'{k}={v}' for k, v in env.items())]
        with subprocess.Popen([*before, *AS_USER, *theirs, *map(str, words)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True) as p:
            try:
                yield p
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(p.pid, signal.SIGKILL)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f'/tmp/profview-{USER}/{p.pid}')

    @contextlib.contextmanager
    def fake(self, kind):
        home = self.home()
        os.symlink('good', home / 'tmp')
        (home / 'good').mkdir()
        os.chown(home / 'good', USER, USER)
        mounts = ['unshare', '-m', '--propagation', 'private'] if kind in MOUNTS else []
        inside = ['unshare', '-Urm', '--propagation', 'private'] if kind == 'Mounted' else []
        with self.start(*inside, self.python, self.script, 'be', kind, home, self.victim, before=mounts,
                        TMPDIR=str(home / 'tmp'), BENCH=os.getpid()) as p:
            if p.stdout.readline() != 'ready\n':
                yield None
            else:
                yield p
        shutil.rmtree(home)

    def attach(self, pids, ready, how=signal.SIGINT, words=()):
        """Until `ready()`, and then it is left; what it said."""
        record = self.folder / 'record'
        shutil.rmtree(record, ignore_errors=True)
        v = subprocess.Popen([self.profview, 'attach', *map(str, pids), *words, '--record', f'{record}/'],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.viewer = v.pid
        end = time.monotonic() + DEADLINE
        while v.poll() is None and not ready(record) and time.monotonic() < end:
            time.sleep(0.01)
        v.send_signal(how)
        said = v.communicate(timeout=DEADLINE)[1]
        return said, record

    def left(self):
        """Processes of profview's."""
        for exe in pathlib.Path('/proc').glob('[0-9]*/exe'):
            with contextlib.suppress(OSError):
                if os.readlink(exe) == self.profview:
                    yield int(exe.parent.name)

    def judge(self, what, record):
        """What is wrong after a join."""
        end = time.monotonic() + LEFT_S
        while list(self.left()) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in self.left():
            yield f'{what}: process {pid} of profview is left'
            os.kill(pid, signal.SIGKILL)
        for path in changed(self.before, snapshot(self.victim)):
            yield f'{what}: {path} is another now'
        for path in record.glob('*'):
            if path.name != 'index.json' and path.stat().st_mode & 0o077:
                yield f'{what}: others may read {path.name}'
            if path.is_file() and SECRET.encode() in path.read_bytes():
                yield f'{what}: {path.name} has what only root may read'
        for path in pathlib.Path('/tmp').glob(f'profview-join-{self.viewer}-*'):  # the user has changed them
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)


def heard(p):
    """Whether the process has said that it is done."""
    done = threading.Event()

    def listen():
        if 'done' in p.stdout.readline():
            done.set()
    threading.Thread(target=listen, daemon=True).start()
    return lambda _: done.is_set()


def join_fake(b, kind):
    with b.fake(kind) as p:
        if not p:
            if kind != 'Mounted':  # which not every machine lets a user do
                yield f'{kind}: it did not start'
            return
        b.joined += 1
        said, record = b.attach([p.pid], heard(p), words=WORDS.get(kind, ()))
        if kind in MUST_SAY and MUST_SAY[kind] not in said:
            yield f'{kind}: what is said: {said}'
        yield from b.judge(kind, record)


def size(record):
    total = 0
    for log in record.glob('*.mlpd') if record.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):
            total += log.stat().st_size
    return total


def join_native(b, moved, how=signal.SIGINT):
    """A program that writes to a command: it is joined as if its own user had."""
    with contextlib.ExitStack() as stack:
        is_moved = heard(stack.enter_context(b.fake('Mover'))) if moved else lambda _: True
        options = 'output=|cat >/dev/null,control=on,sample=100'
        p = stack.enter_context(b.start(b.program, 'compute', '60000', LD_PRELOAD=str(b.probe), PROFVIEW_OPTIONS=options))
        ask = [b.profview, 'ctl', str(p.pid), 'stats']
        end = time.monotonic() + DEADLINE
        while subprocess.run(ask, capture_output=True, check=False).returncode and time.monotonic() < end:
            time.sleep(0.02)
        b.joined += 1
        said, record = b.attach([p.pid], lambda r: size(r) > 1000 and is_moved(r), how)
        if size(record) <= 1000:
            yield f'a native program: nothing was recorded: {said}'
        yield from b.judge('a native program', record)


def join_dotnet(b, image, dotnet, how=signal.SIGINT):
    home = b.home()
    with contextlib.ExitStack() as stack:
        is_moved = heard(stack.enter_context(b.fake('Mover')))
        p = stack.enter_context(b.start(dotnet, image, 'loops', '60', HOME=str(home), TMPDIR='/tmp'))
        end = time.monotonic() + DEADLINE
        while not list(pathlib.Path('/tmp').glob(f'dotnet-diagnostic-{p.pid}-*')) and time.monotonic() < end:
            time.sleep(0.02)
        b.joined += 1
        said, record = b.attach([p.pid], lambda r: size(r) > 1000 and is_moved(r), how)
        if size(record) <= 1000:
            yield f'.NET: nothing was recorded: {said}'
        yield from b.judge('.NET', record)
    for path in pathlib.Path('/tmp').glob(f'*-{p.pid}-*'):
        with contextlib.suppress(OSError):
            path.unlink()


def rounds(b, joins, dll, dotnet):
    ways = [lambda k=k: join_fake(b, k) for k in KINDS if k not in ('Mover', 'NeverEnds')]
    ways += [lambda: join_native(b, False), lambda: join_native(b, True),
             lambda: join_native(b, True, signal.SIGTERM), lambda: join_native(b, True, signal.SIGKILL),
             lambda: join_fake(b, 'NeverEnds')]  # which takes ten seconds
    if 'none' not in (dll, dotnet):
        image = b.folder / 'hot'
        shutil.copytree(os.path.dirname(os.path.abspath(dll)), image, ignore=lambda d, names: [
            n for n in names if not n.startswith(os.path.basename(dll).split('.')[0])])
        ways.append(lambda: join_dotnet(b, image / os.path.basename(dll), dotnet))
        ways.append(lambda: join_dotnet(b, image / os.path.basename(dll), dotnet, signal.SIGTERM))
    wrong = []
    for i in range(joins):
        wrong += ways[i % len(ways)]()
        if wrong and joins > len(ways):
            break
    return b.joined, wrong


def main(profview, program, probe, joins='12', dll='none', dotnet='none'):
    if os.geteuid() != 0:
        print('only root joins programs of others')
        return 77
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    folder = pathlib.Path(tempfile.mkdtemp(prefix='profview-hostile-', dir='/tmp'))
    try:
        folder.chmod(0o755)
        began = time.monotonic()
        system = snapshot(*SYSTEM, whole=False)
        n, wrong = rounds(Bench(profview, program, probe, folder), int(joins), dll, dotnet)
        wrong += [f'{p} is another now' for p in changed(system, snapshot(*SYSTEM, whole=False))]
        print(*wrong[:20], sep='\n')
        print(f'{n} joins of hostile programs in {time.monotonic() - began:.0f} s, {len(system)} files of the system and all '
              f'that was laid out for them as before: {"no" if wrong else "yes"}')
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == '__main__':
    if sys.argv[1] == 'be':
        KINDS[sys.argv[2]](*sys.argv[3:]).run()
    else:
        sys.exit(main(*sys.argv[1:]))

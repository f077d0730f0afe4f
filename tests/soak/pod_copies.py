#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A log that cp or scp brings, and one on a file system that tells no changes, ends with the finished file's figures.

usage: pod_copies.py copies PROFVIEW LOG.mlpd.gz NETTRACE.gz MPROF [--only FAMILY/WAY,...]    each as quickly as it goes
       pod_copies.py minutes PROFVIEW ... [--only ...] [--seconds 200]    all at the same time, over so many seconds

FAMILY: mlpd, gzip, block07, nettrace, perf, folded, long-folded. WAY: how it is brought (by cp; by scp in its own protocol
and by sftp, both over a stand-in for ssh; by scp over a sshd of this machine, where that is installed; appended; hesitant),
`older`: onto another log; and how it is seen, told of changes, `untold` by bindfs, which tells none (root, /dev/fuse), or where
inotify is `refused`. Compared with the finished file: the lines of `dump`, and what the viewer shows, which never may speak of
damage. copies: 105 cells; minutes: all of WAY cp, ... in SECONDS and a little.
"""
import argparse
import concurrent.futures
import contextlib
import fnmatch
import gzip
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / 'real'), str(HERE.parent / 'program')]
import target    # noqa: E402  pylint: disable=wrong-import-position
from pod_rhythms import QUIET_S, follow    # noqa: E402  pylint: disable=wrong-import-position
from term import Terminal    # noqa: E402  pylint: disable=wrong-import-position
from test_clr_join import can    # noqa: E402  pylint: disable=wrong-import-position
from test_stacks_text import Perf    # noqa: E402  pylint: disable=wrong-import-position

FEW_S = 2
SAMPLES = 3000
SFTP = '/usr/lib/openssh/sftp-server'
SSHD = '/usr/sbin/sshd'
# What scp starts in place of ssh: its options end with --, the host and the command come then.
STAND_IN = f'''#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
[ "$*" = sftp ] && exec {SFTP}
exec sh -c "$*"
'''
REFUSED = ['unshare', '-Ur', 'sh', '-c', 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"', 'sh']


def families(profview, mlpd, nettrace, mprof, folder):
    packed = pathlib.Path(mlpd).read_bytes()
    stacks = folder / 'stacks.folded'
    subprocess.run([profview, 'convert', mlpd, '-o', stacks], check=True, capture_output=True)
    return {'mlpd': gzip.decompress(packed), 'gzip': packed, 'block07': pathlib.Path(mprof).read_bytes(),
            'nettrace': gzip.decompress(pathlib.Path(nettrace).read_bytes()), 'perf': Perf(1, SAMPLES).text(),
            'folded': stacks.read_bytes(), 'long-folded': Perf(2, SAMPLES).folded()}


# ---- how it is brought

def feed(to, data, seconds):
    """In pieces of any size, in so many seconds; in minutes it also rests until the file is held to be quiet."""
    cuts = sorted(random.sample(range(1, len(data)), min(40, len(data) - 1)))
    rests = {len(cuts) // 3, len(cuts) // 2} if seconds > 60 else ()
    wait_s = (seconds - len(rests) * QUIET_S) / len(cuts)
    for i, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(data)])):
        to.write(data[begin:end])
        to.flush()
        time.sleep(QUIET_S if i in rests else wait_s)


def append(path, data, seconds):
    with open(path, 'ab') as f:
        feed(f, data, seconds)


def by_cp(path, data, seconds):
    """What it reads from is as slow as a disk across a network; a log that is there is written over."""
    source = path.with_suffix('.source')
    os.mkfifo(source)
    with subprocess.Popen(['cp', source, path]) as cp, open(source, 'wb') as f:
        feed(f, data, seconds)
        f.close()
        if cp.wait(target.DEADLINE):
            raise RuntimeError('cp failed')


def hesitant(path, data, _):
    """What it is cannot be told by what comes first, for long."""
    with open(path, 'wb', buffering=0) as f:
        for part in data[:1], data[1:6], data[6:]:
            f.write(part)
            time.sleep(QUIET_S)


def scp(path, data, seconds, *words, host='there'):
    source = path.with_suffix('.source')
    source.write_bytes(data)
    kbit = max(8, int(len(data) * 8 / 1000 / seconds))
    subprocess.run(['scp', '-q', '-l', str(kbit), *words, source, f'{host}:{path}'], check=True, timeout=seconds * 3 + target.DEADLINE)


def by_sftp(path, data, seconds, *words):
    stand_in = path.with_suffix('.ssh')
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    scp(path, data, seconds, '-S', stand_in, *words)


def by_scp(path, data, seconds):
    by_sftp(path, data, seconds, '-O')


@contextlib.contextmanager
def server(folder):
    """A sshd of our own that knows a key of our own; words for scp."""
    for name in ('host', 'user'):
        subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', folder / name], check=True)
    (folder / 'authorized').write_bytes((folder / 'user.pub').read_bytes())
    pathlib.Path('/run/sshd').mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    (folder / 'conf').write_text(f'ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n'
                                 f'StrictModes no\nUsePAM no\nPidFile none\nSubsystem sftp internal-sftp\n')
    with subprocess.Popen([SSHD, '-D', '-e', '-f', folder / 'conf'], stderr=subprocess.PIPE) as sshd:
        try:
            while b'listening' not in (line := sshd.stderr.readline()):
                if not line:
                    raise RuntimeError('sshd ended')
            yield ['-P', port, '-i', folder / 'user', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null',
                   '-o', 'LogLevel=ERROR']
        finally:
            sshd.terminate()


def by_sshd(path, data, seconds):
    with tempfile.TemporaryDirectory(prefix='profview-ssh-') as folder, server(pathlib.Path(folder)) as more:
        scp(path, data, seconds, *map(str, more), host='127.0.0.1')


# ---- how it is seen

@contextlib.contextmanager
def told(_):
    yield {}


@contextlib.contextmanager
def untold(folder):
    with tempfile.TemporaryDirectory(prefix='profview-fuse-') as mount:
        subprocess.run(['bindfs', folder, mount], check=True)
        try:
            yield {'seen_in': pathlib.Path(mount)}
        finally:
            subprocess.run(['umount', '-l', mount], check=True)


@contextlib.contextmanager
def refused(_):
    yield {'below': REFUSED}


WAYS = {
    'cp': (by_cp, told), 'cp-older': (by_cp, told), 'cp-untold': (by_cp, untold), 'cp-older-untold': (by_cp, untold),
    'hesitant': (hesitant, told), 'cp-refused': (by_cp, refused), 'append-untold': (append, untold), 'append-refused': (append, refused),
    'scp': (by_scp, told), 'scp-older': (by_scp, told), 'sftp': (by_sftp, told), 'sftp-older': (by_sftp, told), 'sftp-untold': (by_sftp, untold),
    'sshd': (by_sshd, told), 'sshd-older': (by_sshd, told), 'sshd-untold': (by_sshd, untold),
}
NEEDS = {by_scp: 'scp', by_sftp: SFTP, by_sshd: SSHD}


def missing(way):
    """Why a way cannot be tried here."""
    bring, see = WAYS[way]
    if bring in NEEDS and not shutil.which(NEEDS[bring]):
        return f'{pathlib.Path(NEEDS[bring]).name} is not installed'
    if see is untold and (os.geteuid() != 0 or not shutil.which('bindfs') or not os.path.exists('/dev/fuse')):
        return 'bindfs and /dev/fuse make a file system that tells no changes, as root'
    return '' if see is not refused or can(*REFUSED, 'true') else 'this user has no namespaces to refuse inotify in'


# ---- a cell

KEY = '2'


def finished(profview, path):
    """The picture of the whole file."""
    return subprocess.run([profview, '--no-index', path, '--dump', '--size', '120x36', '--keys', KEY], capture_output=True, text=True,
                          check=True, timeout=target.DEADLINE).stdout.splitlines()


class Watched:
    """A viewer in a terminal; whether it ever speaks of damage."""

    def __init__(self, profview, path, folder, below=()):
        self.terminal = Terminal(folder)
        self.terminal.run(*below, profview, '--follow', '--no-index', path)
        self.said = None
        self.over = threading.Event()
        self.watch = threading.Thread(target=self._look)
        target.wait_for('the viewer', lambda: self.terminal.ask('alternate_on') == '1')
        self.terminal.keys(KEY)
        self.watch.start()

    def _look(self):
        while not self.over.wait(0.3):
            screen = self.terminal.text()
            if 'damage' in screen and not self.said:
                self.said = screen

    def shows(self, want):
        """Waits until it does: its first line when the file has been quiet for a while."""
        target.wait_for('the picture', lambda: self.terminal.lines() == want)

    def wrong(self, want):
        """What is wrong, or nothing."""
        got = self.terminal.lines()
        if got != want:
            return 'the picture is\n' + '\n'.join(f'- {a}\n+ {b}' for a, b in zip(got, want) if a != b)
        return self.said and f'it said\n{self.said}'

    def close(self):
        self.over.set()
        self.watch.join()
        self.terminal.close()


def cell(profview, data, older, way, seconds):
    """What is wrong, or nothing."""
    bring, see = WAYS[way]
    older = older if 'older' in way else b''
    with tempfile.TemporaryDirectory(prefix='profview-soak-') as made:
        folder, whole = pathlib.Path(made, 'here'), pathlib.Path(made, 'whole')
        folder.mkdir()
        whole.mkdir()
        (whole / 'log').write_bytes(data)
        want = finished(profview, whole / 'log')
        with see(folder) as where:
            if older:
                (folder / 'log').write_bytes(older)
            watched = Watched(profview, where.get('seen_in', folder) / 'log', made, where.get('below', ()))
            try:
                wrong = follow(profview, data, lambda to, all_of_it, _: bring(to, all_of_it, seconds), folder, older=older,
                               read=lambda: watched.shows(want), **where)
                return '; '.join(filter(None, (wrong, watched.wrong(want))))
            finally:
                watched.close()


def chosen(names, only):
    wanted = only.split(',') if only else ['*/*']
    return [(f, w) for f in names for w in WAYS if any(fnmatch.fnmatch(f'{f}/{w}', o) for o in wanted)]


def run(profview, logs, only, seconds, at_once):
    """As many cells at once; those that cannot be tried are said."""
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix='profview-soak-') as folder:
        data = families(profview, *logs, pathlib.Path(folder))
    cells = chosen(data, only)
    without = {w: missing(w) for _, w in cells}
    for way, why in without.items():
        if why:
            print(f'{way}: {why}')
    cells = [c for c in cells if not without[c[1]]]

    def one(family, way):
        older = data['mlpd' if family != 'mlpd' else 'gzip']
        try:
            return cell(profview, data[family], older, way, seconds)
        except (target.TimedOut, RuntimeError, subprocess.SubprocessError, OSError) as e:
            return f'{type(e).__name__} {e}'

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(at_once or len(cells) or 1) as pool:
        for (family, way), wrong in zip(cells, pool.map(one, *zip(*cells)) if cells else ()):
            print(f'{family}/{way}: {wrong or "the same"}', flush=True)
            bad += bool(wrong)
    print(f'{len(cells)} cells, {bad} wrong')
    return 1 if bad else 0 if cells else target.SKIP


def main():
    target.need('tmux')
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=('copies', 'minutes'))
    p.add_argument('profview')
    p.add_argument('logs', nargs=3)
    p.add_argument('--only')
    p.add_argument('--seconds', type=float, default=200)
    a = p.parse_args()
    minutes = a.what == 'minutes'
    return run(os.path.abspath(a.profview), a.logs, a.only, a.seconds if minutes else FEW_S, None if minutes else 8)


if __name__ == '__main__':
    sys.exit(main())

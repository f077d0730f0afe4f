#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The index: figures are the same with it and without, and a bad one is as good as none.

usage: test_index.py whole|grown|damaged|places|follow|screen|window PROFVIEW COUNTED.EXE
       test_index.py streams PROFVIEW FILE.nettrace.gz
"""
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import target
from term import Terminal
from verdict import Verdict

OPTIONS = 'nodefaults,calls,calldepth=10000,alloc,exception,monitor,gc,counter'
WORLDS = 'throws locks allocs allocs handles calls allocs threads allocs finalizers heap'.split()
ENOUGH = 3 << 20  # bytes: well above the size from which an index is kept


class Same(Verdict):
    """Whole reports are compared: too much to print."""

    def same(self, what, got, want):
        self.true(what, got == want)


def report(profview, path, *more, **how):
    done = subprocess.run(
        [profview, 'report', str(path), '--format', 'json', '--section', 'all', *more],
        capture_output=True, timeout=target.DEADLINE, check=False, **how)
    return done.returncode, done.stdout


def real_log(folder, exe):
    """A log of the stock profiler that is large enough to be kept an index of."""
    path = pathlib.Path(folder, 'log.mlpd')
    with target.Mono(exe, WORLDS, OPTIONS, path) as program:
        program.wait()
    data = path.read_bytes()
    if len(data) < ENOUGH:
        raise RuntimeError(f'a log of {len(data)} bytes only')
    return path, data


def index():
    """The one that is there, or None."""
    found = target.entries()
    if len(found) > 1:
        raise RuntimeError(f'{len(found)} indexes')
    return found[0] if found else None


def drop():
    for entry in target.entries():
        entry.unlink()


def beside(path):
    return [p.name for p in path.parent.iterdir() if p != path and p.name.startswith(path.name)]


def whole(profview, folder, exe, verdict):
    path, data = real_log(folder, exe)
    for name, bytes_ in (('plain', data), ('gzip', gzip.compress(data, 1))):
        path.write_bytes(bytes_)
        drop()
        without = report(profview, path, '--no-index')
        verdict.same(f'{name}: --no-index leaves no index', index(), None)
        first = report(profview, path)
        verdict.true(f'{name}: an index is left', index())
        verdict.equal(f'{name}: none beside the log', beside(path), [])
        inode = index().stat().st_ino
        verdict.same(f'{name}: while it is written', first, without)
        for jobs in '1', '2', '8':
            verdict.same(f'{name}: read again, {jobs} jobs',
                         report(profview, path, '--jobs', jobs), without)
        verdict.same(f'{name}: and not written again', index().stat().st_ino, inode)
        ranged = report(profview, path, '--range', '10ms..60ms')
        verdict.same(f'{name}: a range is the same',
                     ranged, report(profview, path, '--range', '10ms..60ms', '--no-index'))


def grown(profview, folder, exe, verdict):
    """The log goes on behind what the index covers, wherever it was cut."""
    path, data = real_log(folder, exe)
    choose = random.Random(7)
    path.write_bytes(data)
    want = report(profview, path, '--no-index')
    cuts = sorted(choose.sample(range(ENOUGH // 2, len(data)), 12)) + [len(data) - 1]
    for i, (cut, squeeze) in enumerate((cut, squeeze) for cut in cuts for squeeze in (False, True)):
        if cut != cuts[-1] and (i // 2 + squeeze) % 2:
            continue  # one of both, by turns
        drop()
        path.write_bytes(gzip.compress(data[:cut], 1) if squeeze else data[:cut])
        short = report(profview, path, '--no-index')
        verdict.same(f'{cut} {squeeze}: cut, first time', report(profview, path), short)
        verdict.same(f'{cut} {squeeze}: cut, with the index', report(profview, path), short)
        if not squeeze:
            path.write_bytes(data)
            verdict.same(f'{cut}: grown', report(profview, path), want)
            verdict.same(f'{cut}: grown, once more', report(profview, path), want)


def streams(profview, folder, recorded, verdict):
    """.NET's own: the index is of the finished file alone, and made anew for one that has grown or was cut."""
    one = gzip.decompress(pathlib.Path(recorded).read_bytes())
    data = one * (ENOUGH // len(one) + 1)
    path = pathlib.Path(folder, 'log.nettrace')
    for name, bytes_ in (('plain', data), ('gzip', gzip.compress(data, 1)), ('cut', data[:-len(one) // 2]), ('grown', data + one)):
        path.write_bytes(bytes_)
        without = report(profview, path, '--no-index')
        verdict.true(f'{name}: it is read', b'"format":"nettrace"' in without[1].replace(b' ', b''))
        drop()
        verdict.same(f'{name}: while it is written', report(profview, path), without)
        verdict.true(f'{name}: an index is left', index())
        good, inode = index().read_bytes(), index().stat().st_ino
        verdict.same(f'{name}: read again', report(profview, path), without)
        verdict.equal(f'{name}: and not written again', index().stat().st_ino, inode)
        for more in (['--range', '10ms..60ms'], ['--thread', '0x1']):
            verdict.same(f'{name}: {more}', report(profview, path, *more), report(profview, path, *more, '--no-index'))
    choose = random.Random(29)
    for at in [0, 24, 320] + [choose.randrange(len(good)) for _ in range(9)]:
        flipped = bytearray(good)
        flipped[at] ^= 1 << choose.randrange(8)
        index().write_bytes(flipped)
        verdict.same(f'byte {at} flipped', report(profview, path), without)


def damaged(profview, folder, exe, verdict):
    """Whatever happens to the index: the figures are those of the log."""
    path, data = real_log(folder, exe)
    want = report(profview, path)
    entry = index()
    good = entry.read_bytes()
    choose = random.Random(11)

    def with_index(what, bytes_, again=True):
        entry.write_bytes(bytes_)
        verdict.same(what, report(profview, path), want)
        verdict.same(f'{what}: made anew', index().read_bytes() != bytes_, True)
        inode = index().stat().st_ino
        if not again:
            return
        verdict.same(f'{what}: with the new one', report(profview, path), want)
        verdict.same(f'{what}: which is good', index().stat().st_ino, inode)

    # Of the header and of the rest; the mutations of an index flip hundreds.
    header = [0, 8, 24, 32, 40, 300, 320, 360]
    for at in header + [choose.randrange(len(good)) for _ in range(12)]:
        flipped = bytearray(good)
        flipped[at] ^= 1 << choose.randrange(8)
        with_index(f'byte {at} flipped', bytes(flipped), at in header)
    for size in 0, 1, 319, 320, 321, len(good) // 2, len(good) - 1:
        with_index(f'cut at {size}', good[:size])
    with_index('longer', good + b'x')
    with_index('something else', b'PK' * 5000)
    # The log is another one of the same length.
    other = bytearray(data)
    other[len(data) // 2] ^= 0xff
    entry.write_bytes(good)
    path.write_bytes(other)
    verdict.same('of another log', report(profview, path), report(profview, path, '--no-index'))
    # It became shorter.
    path.write_bytes(data)
    report(profview, path)
    path.write_bytes(data[:len(data) // 2])
    verdict.same('of a longer log', report(profview, path), report(profview, path, '--no-index'))


def places(profview, folder, exe, verdict):
    """It lies in the cache of who reads; what lies beside a log is not looked at."""
    path, _ = real_log(folder, exe)
    want = report(profview, path, '--no-index')
    beside_it = pathlib.Path(f'{path}.idx')
    os.mkfifo(beside_it)  # who opens it waits for ever
    verdict.same('one beside the log', report(profview, path), want)
    made = index()
    moved = pathlib.Path(folder, 'other name')
    path.rename(moved)
    inode = made.stat().st_ino
    code, said = report(profview, moved)
    verdict.same('moved', (code, said.replace(bytes(moved), bytes(path))), want)
    verdict.same('moved: the same index', index().stat().st_ino, inode)
    moved.rename(path)
    nowhere = dict(os.environ, HOME='/proc/none', XDG_CACHE_HOME='')
    verdict.same('no place for one', report(profview, path, env=nowhere), want)
    home = pathlib.Path(folder, 'home')
    home.mkdir()
    how = {'env': dict(os.environ, HOME=str(home), XDG_CACHE_HOME='')}
    if os.geteuid() == 0:  # who can write every folder
        how['user'] = 65534
        os.chown(home, 65534, 65534)
        verdict.same('in the home of another', report(profview, path, env=how['env']), want)
        verdict.equal('nothing is left there', list(home.iterdir()), [])
        profview = shutil.copy(profview, folder)
        os.chmod(folder, 0o755)
        path.chmod(0o644)
    else:
        os.chmod(folder, 0o500)
    try:
        verdict.same('read-only', report(profview, path, **how), want)
        found = list(home.glob('.cache/profview/index/*.*'))
        verdict.equal('in the cache', len(found), 1)
        inode = found[0].stat().st_ino
        verdict.same('read-only, again', report(profview, path, **how), want)
        verdict.equal('not written again', found[0].stat().st_ino, inode)
        verdict.equal('modes', [oct(p.stat().st_mode & 0o777) for p in (found[0].parent, found[0])],
                      ['0o700', '0o600'])
    finally:
        os.chmod(folder, 0o700)


def follow(profview, folder, exe, verdict):
    """A frame of a log that begins with an index, in the viewer too."""
    path, _ = real_log(folder, exe)
    frame = [profview, str(path), '--dump', '--size', '100x30', '--keys', '2']
    without = subprocess.run([*frame, '--no-index'], capture_output=True, check=True).stdout
    report(profview, path)
    verdict.true('an index is there', index())
    verdict.same('the frame', subprocess.run(frame, capture_output=True, check=True).stdout, without)


def dumped(profview, path):
    """The frame of methods, of a log read without an index, once it was read."""
    return subprocess.run([profview, str(path), '--no-index', '--dump', '--size', '120x36', '--keys', '2'],
                          capture_output=True, check=True, text=True).stdout.splitlines()


def shown(folder, want, words):
    """Until a terminal shows these lines; TimedOut says what it shows instead."""
    wanted = [line.rstrip() for line in want]

    def same(screen):
        return [line.rstrip() for line in screen.splitlines()] == wanted

    same.__doc__ = '\n'.join(wanted)
    with Terminal(folder) as t:
        t.run(*words)
        t.wait('[1 Home')
        t.keys('2')
        t.wait(same)
        t.keys('Q')


def screen(profview, folder, exe, verdict):
    """The first frame is drawn before the index is read: the figures follow, and stay right."""
    path, data = real_log(folder, exe)
    want = dumped(profview, path)
    verdict.true('it has methods', any('Counted' in line for line in want))
    for name, bytes_ in (('plain', data), ('gzip', gzip.compress(data, 1))):
        path.write_bytes(bytes_)
        drop()
        for time in 'first', 'second':
            shown(folder, dumped(profview, path), [profview, path])
            verdict.true(f'{name}, {time} time: an index is left', index())
    path.write_bytes(data[:len(data) // 2])
    report(profview, path)
    path.write_bytes(data)
    shown(folder, want, [profview, path])


def window(profview, folder, exe, verdict):
    """The last seconds of a recording are the same with an index and without, and not nothing."""
    path, _ = real_log(folder, exe)
    report(profview, path)
    verdict.true('an index is left', index())
    for keys in '2w', '2ww', '3w':
        def lines(*more, pressed=keys):
            done = subprocess.run(
                [profview, path, '--dump', '--size', '120x36', '--keys', pressed, *more],
                capture_output=True, text=True, timeout=target.DEADLINE, check=False)
            return done.stdout.splitlines()
        verdict.same(keys, lines(), lines('--no-index'))
        verdict.true(f'{keys}: what it shows is said',
                     any('s of the recording' in line for line in lines()))
        verdict.true(f'{keys}: it has rows', any('Counted' in line for line in lines()), lines())


def main():
    name, profview, exe = sys.argv[1:]
    verdict = Same(name)
    with target.scratch() as folder:
        target.indexed(folder)
        globals()[name](profview, folder, exe, verdict)
    verdict.close()


if __name__ == '__main__':
    main()

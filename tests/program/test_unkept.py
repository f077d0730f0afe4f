#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What cannot be written is said once, with exit code 125, and reads as cut off.

usage: test_unkept.py PROFVIEW LOG.GZ run|none   run: programs can be recorded, too
A record, a spool, a converted log, a report and a frame meet a full disk (a small tmpfs), a folder
that is removed, a limit of the file's size and one of the disk's blocks for the user (a tmpfs of
few blocks stands for a quota: both are ENOSPC or EDQUOT of write(2)).
"""
import contextlib
import gzip
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

DEADLINE = 60
SMALL = 300 << 10  # bytes: less than the log has
wrong = []


def check(what, got, want):
    if got != want:
        wrong.append(f'{what}: {got!r}, not {want!r}')


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))


class Bench:
    def __init__(self, profview, log, folder):
        self.profview, self.folder = profview, pathlib.Path(folder)
        self.packed = log
        self.data = gzip.decompress(pathlib.Path(log).read_bytes())
        self.plain = self.folder / 'log.mlpd'
        self.plain.write_bytes(self.data)

    def call(self, *words, stdin=None, stdout=subprocess.PIPE, limit=None):
        return subprocess.run([self.profview, *map(str, words)], input=stdin, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=DEADLINE, check=False,
                              preexec_fn=limit)

    def said(self, what, done, part, code=125):
        """One line, once, of ours, and the exit code."""
        lines = [s for s in done.stderr.decode().splitlines() if s.startswith('profview: ')]
        check(f'{what}: exit code', done.returncode, code)
        check(f'{what}: lines', len(lines), 1)
        check(f'{what}: words', part in ''.join(lines), True)
        if part not in ''.join(lines):
            wrong.append(done.stderr.decode())

    def is_cut(self, what, record):
        done = self.call('report', record, '--format', 'json', '--section', 'coverage', '--no-index')
        source = json.loads(done.stdout)['source']
        check(f'{what}: end', source['end'], 'cut off')
        check(f'{what}: complete', source['complete'], False)

    def record(self, what, record, part, **more):
        done = self.call('-', '--record', record, '--dump', stdin=self.data, **more)
        self.said(f'record, {what}', done, part)
        return done


@contextlib.contextmanager
def small_disk(b):
    """Of root alone; None without."""
    disk = b.folder / 'disk'
    disk.mkdir(exist_ok=True)
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={SMALL}', 'none', disk],
                             stderr=subprocess.DEVNULL, check=False).returncode == 0
    if not mounted:
        print('no tmpfs can be mounted here: a full disk is tried with /dev/full alone')
    try:
        yield disk if mounted else None
    finally:
        if mounted:
            subprocess.run(['umount', disk], check=True)


def full_disk(b):
    with small_disk(b) as disk:
        if not disk:
            return
        b.record('full disk', disk / 'record.mlpd', 'No space left')
        b.is_cut('record, full disk', disk / 'record.mlpd')
        (disk / 'record.mlpd').unlink()
        done = b.call('convert', b.packed, '-o', disk / 'out.mlpd')
        b.said('convert, full disk', done, 'No space left')
        check('convert, full disk: left behind', list(disk.iterdir()), [])


def size_limit(b):
    record = b.folder / 'limited.mlpd'
    b.record('size limit', record, 'File too large', limit=limited)
    b.is_cut('record, size limit', record)
    out = b.folder / 'out.mlpd'
    b.said('convert, size limit', b.call('convert', b.packed, '-o', out, limit=limited),
           'File too large')
    check('convert, size limit: nothing is left', [p.name for p in b.folder.glob('out*')], [])
    with open(b.folder / 'report.txt', 'wb') as out:
        done = b.call('dump', b.packed, stdout=out, limit=limited)
    b.said('dump, size limit', done, 'File too large')


def removed_folder(b):
    """While the log comes."""
    folder = b.folder / 'gone'
    folder.mkdir()
    read, write = os.pipe()
    with subprocess.Popen([b.profview, '-', '--record', folder / 'record.mlpd', '--dump'],
                          stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        os.close(read)
        os.write(write, b.data[:4096])
        while not (folder / 'record.mlpd').exists() or not (folder / 'record.mlpd').stat().st_size:
            if p.poll() is not None:
                break
        shutil.rmtree(folder)
        with os.fdopen(write, 'wb') as pipe:
            pipe.write(b.data[4096:])
        out, err = p.communicate(timeout=DEADLINE)
    done = subprocess.CompletedProcess([], p.returncode, out, err)
    b.said('record, removed folder', done, 'was removed')


def opened(p, folder):
    """Files that the process has open there, with or without a name."""
    try:
        return [fd for fd in os.listdir(f'/proc/{p.pid}/fd') if str(folder) in os.readlink(f'/proc/{p.pid}/fd/{fd}')]
    except FileNotFoundError:
        return []


def has_nameless(folder):
    """Whether the file system has files without a name; where it has none a temporary one is left."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        print('no files without a name here: what a program that is ended leaves is not looked at')
        return False
    return True


def ended(b):
    """While it writes: nothing is left."""
    if not has_nameless(b.folder):
        return
    head = b.data.index(b'\x01LPM')
    large = b.folder / 'large.mlpd'
    large.write_bytes(b.data[:head] + 120 * b.data[head:])
    for sig in signal.SIGTERM, signal.SIGKILL:
        folder = b.folder / f'ended{sig}'
        folder.mkdir()
        with subprocess.Popen([b.profview, 'convert', large, '-o', folder / 'out.mlpd']) as p:
            while not opened(p, folder) and p.poll() is None:
                pass
            p.send_signal(sig)
            check(f'convert, {sig.name}: its end', p.wait(timeout=DEADLINE), -sig)
        check(f'convert, {sig.name}: left behind', [q.name for q in folder.iterdir()], [])


def no_folder(b):
    done = b.call('convert', b.packed, '-o', b.folder / 'none' / 'out.mlpd')
    b.said('convert, no folder', done, 'No such file')


def device(b):
    for words in (['report', b.packed], ['dump', b.packed], [b.packed, '--dump'],
                  ['report', b.packed, '--format', 'json'], ['convert', b.packed, '-o', '-'],
                  ['convert', b.packed, '-o', '-', '--shot', '1'], ['ps'], ['--help']):
        with open('/dev/full', 'wb') as full:
            done = b.call(*words, stdout=full)
        b.said(f'/dev/full, {" ".join(map(str, words[:1] + words[2:]))}', done, 'No space left')


def ends_of_buffers(data):
    """Of the header, and of each whole buffer."""
    at, ends = data.index(b'\x01LPM'), []
    while at <= len(data):
        ends.append(at)
        at += 48 + int.from_bytes(data[at + 4:at + 8], 'little')
    return ends


def busy(code):
    """A program whose allocations are more than there is room for."""
    return ['--', sys.executable, '-c',
            f'import sys\nfor i in range(400000): bytearray(2000)\nsys.exit({code})']


def tree(b, what, folder, part, **more):
    """The launcher sees it: in the index, and in the exit code."""
    done = b.call('run', '--alloc=1k', '--record', f'{folder}/', *busy(0), **more)
    check(f'tree, {what}: exit code', done.returncode, 125)
    check(f'tree, {what}: words', f'recording was cut short: {part}' in done.stderr.decode(), True)
    row, = json.loads((folder / 'index.json').read_text())['processes']
    check(f'tree, {what}: its log', bool(row['log']), True)
    check(f'tree, {what}: its reason', row['reason'], f'cut short: {part}')


def limited_to(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def program(b):
    """`run` passes the program's code on, unless that says that all is well."""
    for code in 0, 7:
        record = b.folder / f'run{code}.mlpd'
        done = b.call('run', '--alloc=4k', '--record', record, *busy(code), limit=limited_to(4096))
        b.said(f'run to {code}, size limit', done, 'File too large', code or 125)
        b.is_cut(f'run to {code}, size limit', record)
    tree(b, 'size limit', b.folder / 'limited', 'File too large', limit=limited_to(100 << 10))
    with small_disk(b) as disk:
        if disk:
            tree(b, 'full disk', disk / 'tree', 'No space left on device')
    for size in ends_of_buffers(record.read_bytes()):
        short = b.folder / 'short.mlpd'
        short.write_bytes(record.read_bytes()[:size])
        b.is_cut(f'run, {size} bytes of the record', short)


def main(profview, log, runs):
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(os.path.abspath(profview), os.path.abspath(log), folder)
        for case in (full_disk, size_limit, removed_folder, ended, no_folder, device):
            case(b)
        if runs == 'run':
            program(b)
    print('\n'.join(wrong))
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

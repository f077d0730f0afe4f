#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's functions stand before the function that called the kernel, with its share of the time.

usage: test_kernel.py native|mono|clr PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import ctypes
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import target
from rates import CALL, CLOEXEC, CPU_CLOCK, PERIOD, SIZE, SOFTWARE
from test_waits import HOSTS
from verdict import Verdict

POINTS, NO_USER, TURNS = 5, 1 << 4, '120'
PLAIN, WORDS = 'sample=100', 'sample=100,kernel'
NOBODY = 65534


def perf_shows_kernel():
    attr = struct.pack('IIQQQQQ', SOFTWARE, SIZE, CPU_CLOCK, PERIOD, 0, 0, NO_USER)
    attr = ctypes.create_string_buffer(attr, SIZE)
    fd = ctypes.CDLL(None).syscall(CALL, attr, 0, -1, -1, CLOEXEC)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def names_are_there():
    lines = pathlib.Path('/proc/kallsyms').read_text(encoding='ascii').split('\n', 1)
    return not lines[0].startswith('0000000000000000')


class Ran:
    """A program of one of the hosts."""

    def __init__(self, host, library, program, dotnet):
        self.of, self.dotnet = HOSTS[host], dotnet
        self.library, self.program = os.path.abspath(library), os.path.abspath(program)

    def run(self, log, words=WORDS, user=None, turns=TURNS):
        command, more = self.of(self.library, self.program, f'{words},output={log}', self.dotnet)
        done = subprocess.run([*command, turns], env=os.environ | more | {'HOME': os.path.dirname(log)}, text=True,
                              check=True, capture_output=True, timeout=2 * target.DEADLINE, user=user)
        return {k: int(n) for k, n in (w.split('=') for w in done.stdout.split())}, done.stderr


def report(profview, log):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section', 'call_tree',
                           '--limit', '100000'], text=True, capture_output=True, check=True)
    return json.loads(done.stdout)['call_tree']


def words_of(profview, log):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index'], text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)['target']['args'].split(',')


def is_kernel(node):
    return node['method'].endswith('[kernel]')


def shares(tree):
    """Of the samples in the three functions, in %: below each, below it in the kernel, and all of the kernel."""
    node = {n['id']: n for n in tree}
    got = dict.fromkeys(('reads', 'faults', 'computes', 'kernel', 'reads-kernel', 'faults-kernel',
                         'computes-kernel'), 0)
    for n in tree:
        names, at = [], n
        while at:
            names.append(at)
            at = node.get(at['parent'])
        for what in ('reads', 'faults', 'computes'):
            below = next((i for i, a in enumerate(names) if re.search(rf'\b{what}\b', a['method'].lower())), None)
            if below is not None:
                got[what] += n['samples']
                got[f'{what}-kernel'] += n['samples'] * any(is_kernel(a) for a in names[:below])
    for what in ('reads', 'faults', 'computes'):
        got['kernel'] += got[f'{what}-kernel']
    all_of = got['reads'] + got['faults'] + got['computes']
    return {k: 100 * v / all_of for k, v in got.items()}, all_of


def main(host, profview, library, program, dotnet=None):
    if dotnet == 'none':
        print('dotnet is not installed')
        return 77
    ran = Ran(host, library, program, dotnet)
    v = Verdict(f'kernel {host}')
    with target.scratch() as folder:
        log = os.path.join(folder, 'a.mlpd')
        said, errors = ran.run(log)
        v.equal('nothing is said', errors, '')
        word = 'kernel' if perf_shows_kernel() else 'kernel=refused'
        v.true('the log says what it has', word in words_of(profview, log), word)
        tree = report(profview, log)
        got, samples = shares(tree)
        print(said, {k: round(x, 1) for k, x in got.items()})
        spent = said['reads'] + said['faults'] + said['computes']
        for what in ('reads', 'faults', 'computes'):
            share = 100 * said[what] / spent
            points = POINTS + 3 * (share * (100 - share) / samples) ** 0.5
            v.between(f'{what}: {got[what]:.1f} of {share:.1f} %', got[what], share - points, share + points)
        if not perf_shows_kernel():
            v.true('refused: none of the kernel', not any(is_kernel(n) for n in tree), tree)
            v.close()
            return 0
        # Some hypervisors handle page faults themselves: ticks count that time as the program's own, events do not.
        kernel, most = 100 * said['kernel'] / (said['user'] + said['kernel']), got['reads'] + got['faults']
        v.between(f'kernel: {got["kernel"]:.1f} of {kernel:.1f} %', got['kernel'], kernel - POINTS, most)
        for what, least in ('reads', 0.8), ('faults', 0.5):
            v.true(f'{what}: most of it in the kernel', got[f'{what}-kernel'] > least * got[what], got)
        v.between('computes: not in the kernel', got['computes-kernel'], 0, POINTS)
        if names_are_there():
            names = {n['method'] for n in tree if is_kernel(n)}
            v.true('names of the calls', {'vfs_read [kernel]', 'handle_mm_fault [kernel]'} <= names, names)
        plain = os.path.join(folder, 'plain.mlpd')
        ran.run(plain, PLAIN, turns='20')
        v.true('without the word none', not any(is_kernel(n) for n in report(profview, plain)), '')
        if os.getuid() == 0 and int(pathlib.Path('/proc/sys/kernel/perf_event_paranoid').read_text()) > 1:
            os.chmod(folder, 0o777)
            other = os.path.join(folder, 'nobody.mlpd')
            said, errors = ran.run(other, user=NOBODY, turns='20')
            v.equal('as nobody: nothing is said', errors, '')
            refused = report(profview, other)
            v.true('as nobody: the log says so', 'kernel=refused' in words_of(profview, other), '')
            v.true('as nobody: refused', refused and not any(is_kernel(n) for n in refused), refused)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

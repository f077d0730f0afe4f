#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `run` starts: words no probe understands are refused before, what starts another program is
looked through, and nothing ends well unrecorded without a word.

usage: test_starts.py native|mono|dotnet PROFVIEW PROGRAM   as of test_ends.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from target import DEADLINE
from test_ends import Bench, Wrong, expect

WAIT = 'import time; time.sleep(.2)'
REFUSED = {
    'native': ('fields', 'filter=n:App', 'free', 'nonsense', 'heapshot=5gc', 'output=x',
               'sample=20000'),
    'mono': ('free', 'nonsense', 'filter=App', 'suspend', 'alloc=5q', 'sample=20000', 'heapshot=nogc'),
    'dotnet': ('free', 'nonsense', 'filter=App', 'calldepth=3', 'coverage', 'sample=20000'),
}


def refused(b, case, command):
    """The native command makes a file where it is started."""
    mark = b.folder / 'started'
    for word in (*REFUSED[case], '--sample=20000', '--alloc=0', '--heapshot=5'):
        how = [word] if word.startswith('--') else ['--probe', word]
        done = subprocess.run([b.profview, 'run', *how, '--', *command(mark)], text=True,
                              capture_output=True, timeout=DEADLINE, check=False)
        expect(f'{word}: code', done.returncode, 2)
        expect(f'{word}: lines', done.stderr.count('\n'), 1)
        expect(f'{word}: named', word.split('=')[0].strip('-') in done.stderr, True)
        expect(f'{word}: standard output', done.stdout, '')
        expect(f'{word}: nothing is started', mark.exists(), False)


def recorded(b, host, code, *command, options=()):
    got, said, source = b.run(*options, '--', *command)
    expect(f'{command}: code', got, code)
    expect(f'{command}: end', source['end'], 'ended')
    expect(f'{command}: host', host in b.options(), True)
    expect(f'{command}: said', said, [])


class Starts(Bench):
    def options(self):
        done = subprocess.run([self.profview, 'report', self.folder / 'log.mlpd', '--section',
                               'coverage'], text=True, stdout=subprocess.PIPE, timeout=DEADLINE,
                              check=False)
        return next(s for s in done.stdout.splitlines() if s.startswith('options'))

    def silent(self, code, part, *command):
        done = subprocess.run([self.profview, 'run', '--', *command], text=True, timeout=DEADLINE,
                              capture_output=True, check=False)
        lines = [s for s in done.stderr.splitlines() if s.startswith('profview: ')]
        expect(f'{command}: code', done.returncode, code)
        expect(f'{command}: lines', len(lines), 1)
        expect(f'{command}: why', part in lines[0], True)


def allocations(b, *command):
    """One meaning on every host, as an option and as a word; the log says it."""
    for how, every in ((['--alloc'], True), (['--probe', 'alloc'], True),
                       (['--alloc=64k', '--probe', 'alloc'], True), (['--probe', 'alloc=64k'], False),
                       (['--alloc', '--probe', 'alloc=64k'], False), (['--alloc=off'], None),
                       (['--alloc', '--probe', 'alloc=off'], None), (['--probe', 'noalloc'], None)):
        b.run(*how, '--', *command)
        words = b.options().split()[1].split(',')
        expect(f'{how}: every allocation', 'gcalloc' in words, every is True)
        expect(f'{how}: sampled', any(w.startswith('alloc=') for w in words), every is False)


def native(b, _):
    allocations(b, 'true')
    prog = [sys.executable, '-c', WAIT]
    line = f"exec {sys.executable} -c '{WAIT}'"
    refused(b, 'native', lambda mark: [sys.executable, '-c', f'open({str(mark)!r}, "w")'])
    for starter in (['env', 'A=1'], ['nice', '-n', '1'], ['nohup'], ['stdbuf', '-oL'],
                    ['setsid', '-w'], ['taskset', '1'], ['timeout', '60'], ['env', 'nice', 'nohup']):
        recorded(b, 'profview:native', 0, *starter, *prog)
    recorded(b, 'profview:native', 0, 'sh', '-c', line)
    recorded(b, 'profview:native', 0, 'bash', '-c', f'{line[5:]}; true')
    b.silent(125, 'environment', 'env', '-i', *prog)
    b.silent(7, 'environment', 'env', '-i', sys.executable, '-c', 'raise SystemExit(7)')


def mono(b, program):
    run = ['mono', program, 'return']
    allocations(b, *run)
    refused(b, 'mono', lambda mark: run)
    for starter in (['env', 'A=1'], ['timeout', '60', 'nice']):
        recorded(b, 'profview:mono', 5, *starter, *run)
    recorded(b, 'profview:mono', 5, 'bash', '-c', f'exec mono {program} return')
    recorded(b, 'profview:mono', 5, 'bash', '-c', f'$NOTHING mono {program} return')
    b.silent(5, 'environment', 'env', '-i', 'PATH=/usr/bin:/bin', *run)


def dotnet(b, program):
    allocations(b, 'dotnet', program, 'return')
    refused(b, 'dotnet', lambda mark: ['dotnet', program, 'return'])
    recorded(b, 'profview:coreclr', 5, 'bash', '-c', f'exec dotnet {program} return',
             options=['--probe', 'fields,gcroot,spans'])
    recorded(b, 'profview:coreclr', 5, 'env', 'A=1', 'dotnet', program, 'return')
    _, said, _ = b.run('--alloc=64k', '--', 'dotnet', program, 'return')
    expect('a step that .NET has not', ['100 KiB' in s for s in said], [True])


def main(case, profview, program):
    with tempfile.TemporaryDirectory() as folder:
        try:
            globals()[case](Starts(os.path.abspath(profview), pathlib.Path(folder)),
                            os.path.abspath(program))
        except Wrong as wrong:
            print(wrong)
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the log of a real program ends: ended, cut off or unknown, and what `run` says of its code.

usage: test_ends.py native|mono|dotnet PROFVIEW PROGRAM
PROGRAM: ends.exe, ends.dll; of native cases Python's own interpreter.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from target import DEADLINE

WAYS = {  # way -> (exit code alone, end, complete)
    'return': (5, 'ended', True),
    'exit': (7, 'ended', True),
    'kill': (137, 'cut off', False),
}
NATIVE = {
    'return': 'import time; time.sleep(.2); raise SystemExit(5)',
    'exit': 'import sys, time; time.sleep(.2); sys.exit(7)',
    'kill': 'import os, time; time.sleep(.2); os.kill(os.getpid(), 9)',
    '_exit': 'import os, time; time.sleep(.2); os._exit(0)',
    'exec': 'import os, time; time.sleep(.2); os.execl("/bin/true", "true")',
}
# What closes descriptors that it does not know, and opens its own under their numbers.
CLOSES = """import os, sys, time
def spin(s):
    end = time.time() + s
    while time.time() < end: sum(range(1000))
spin(.3)
os.closerange(3, 1024)
own = [os.open(sys.argv[1] + str(i), os.O_CREAT | os.O_RDWR) for i in range(int(sys.argv[2]))]
spin(.3)
raise SystemExit(sum(os.fstat(fd).st_size for fd in own) and 9)"""
CUT_NATIVE = {'_exit': (0, 'cut off', False), 'exec': (0, 'cut off', False)}


class Wrong(Exception):
    pass


def expect(what, got, want):
    if got != want:
        raise Wrong(f'{what}: {got!r}, not {want!r}')


class Bench:
    def __init__(self, profview, folder):
        self.profview, self.folder = profview, pathlib.Path(folder)

    def run(self, *words):
        """Exit code, what stood on standard error from profview itself, and the record's source."""
        log = self.folder / 'log.mlpd'
        log.unlink(missing_ok=True)
        done = subprocess.run([self.profview, 'run', '--record', log, *words], text=True,
                              capture_output=True, timeout=DEADLINE, check=False)
        said = [line for line in done.stderr.splitlines() if line.startswith('profview: ')]
        return done.returncode, said, self.source(log)

    def source(self, log):
        return self.report(log)['source']

    def report(self, log):
        done = subprocess.run([self.profview, 'report', log, '--format', 'json', '--section',
                               'coverage', '--no-index'], stdout=subprocess.PIPE, timeout=DEADLINE,
                              check=False)
        return json.loads(done.stdout)


def check(b, way, command, want):
    code, said, source = b.run('--', *command)
    expect(f'{way}: code', code, want[0])
    expect(f'{way}: end', source['end'], want[1])
    expect(f'{way}: complete', source['complete'], want[2])
    thrown = '; no catch of System.InvalidOperationException, thrown shortly before, is in the log'
    expect(f'{way}: not caught', thrown in source['end_known_from'], way == 'throw')
    if want[0] < 128:
        expect(f'{way}: said', [s for s in said if 'cut off' in s] != [], want[1] == 'cut off')


def native(b, _):
    for way, want in {**WAYS, **CUT_NATIVE}.items():
        check(b, way, [sys.executable, '-c', NATIVE[way]], want)
    for n in (0, 300):
        check(b, f'closes, opens {n}', [sys.executable, '-c', CLOSES, b.folder / 'own', str(n)],
              (0, 'ended', True))


def untrue(b, program):
    """Mono ends with 0 where a sampling signal meets its report of an abort."""
    os.environ['MONO_DEBUG'] = 'no-gdb-backtrace'  # gdb takes half a minute for it
    alone = subprocess.run(['mono', program, 'failfast'], capture_output=True, timeout=DEADLINE,
                           check=False, cwd=b.folder)
    expect('fail fast alone', alone.returncode, -6)
    os.chdir(b.folder)  # Mono leaves files of its crash here
    code, said, _ = b.run('--sample=1000', '--', 'mono', program, 'failfast')
    expect('fail fast, sampled: said', any('may be untrue' in s for s in said), code == 0)
    code, said, source = b.run('--sample=0', '--', 'mono', program, 'failfast')
    expect('fail fast, not sampled', (code, source['end']), (134, 'cut off'))
    code, said, _ = b.run('--', 'mono', program, 'return')
    expect('nothing said of a true code', said, [])


def stock(b, program):
    log = b.folder / 'stock.mlpd'
    subprocess.run(['mono', f'--profile=log:nodefaults,gc,output={log}', program, 'return'],
                   timeout=DEADLINE, check=False)
    source = b.source(log)
    expect('stock', (source['end'], source['complete']), ('unknown', None))
    expect('stock: its last event', 'the last event is known' in source['end_known_from'], True)


def mono(b, program):
    for way, want in WAYS.items():
        check(b, way, ['mono', program, way], want)
    stock(b, program)
    untrue(b, program)


def dotnet(b, program):
    for way, want in {**WAYS, **dict.fromkeys(('failfast', 'throw'), (134, 'cut off', False))}.items():
        check(b, way, ['dotnet', program, way], want)
    runtime(b, program)


def runtime(b, program):
    """The head says which runtime it was; how it collects is not known before a collection."""
    there = subprocess.run(['dotnet', '--list-runtimes'], capture_output=True, text=True, check=True).stdout
    for server in '0', '1':
        os.environ['DOTNET_gcServer'] = server
        b.run('--', 'dotnet', program, 'return')
        told = b.report(b.folder / 'log.mlpd')['target']
        expect(f'{server}: the version', f"Microsoft.NETCore.App {told['runtime_version']} " in there, True)
        expect(f'{server}: another mode', told.get('gc_mode') == ('server', 'workstation')[int(server)] and
               len(os.sched_getaffinity(0)) > 1, False)


def main(case, profview, program):
    with tempfile.TemporaryDirectory() as folder:
        try:
            globals()[case](Bench(os.path.abspath(profview), folder), os.path.abspath(program))
        except Wrong as wrong:
            print(wrong)
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

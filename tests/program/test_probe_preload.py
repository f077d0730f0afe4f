#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The probe in a program that was only compiled for it: stock mprof-report reads what it wrote.

usage: test_probe_preload.py LIBRARY SAMPLE PLUGIN WEAK
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

DEADLINE = 60
PLUGIN_RUNS, PLUGIN_CALLS = 2, 500


class Failure(Exception):
    pass


def equal(what, got, want):
    if got != want:
        raise Failure(f'{what}: {got!r}, want {want!r}')


def report(log):
    """mprof-report's calls and thread names; anything it says on stderr is a failure."""
    done = subprocess.run(['mprof-report', '--verbose', log], capture_output=True, text=True, errors='replace')
    equal('exit code of mprof-report', done.returncode, 0)
    equal('its warnings', done.stderr, '')
    if re.search('warning|invalid|unknown|corrupt|unhandled', done.stdout, re.I):
        raise Failure('mprof-report warns:\n' + done.stdout)
    table = done.stdout.partition('Method call summary')[2]
    calls = {m[2]: int(m[1]) for m in re.finditer(r'^ *\d+ +\d+ +(\d+) (.+)$', table, re.M)}
    names = set(re.findall(r'Thread: 0x\w+, name: "([^"]*)"', done.stdout))
    return calls, names, done.stdout


def check(log, said):
    want = {k: int(n) for k, n in (line.split('=') for line in said.split())}
    calls, names, text = report(log)
    want['helper [' + pathlib.Path(PLUGIN).name + ']'] = PLUGIN_RUNS * PLUGIN_CALLS
    equal('calls', calls, want)
    equal('threads', names, {'main', 'sleeper', 'leaver', 'third', 'profview writer'})
    if 'profview:native,calls' not in text:
        raise Failure('the header does not say what was recorded')


def environment(log):
    return dict(os.environ, LD_PRELOAD=LIBRARY, PROFVIEW_OPTIONS=f'output={log}')


def to_the_end(folder):
    log = folder / 'end.mlpd'
    done = subprocess.run([SAMPLE, PLUGIN], env=environment(log), capture_output=True, text=True)
    equal('exit code', done.returncode, 0)
    equal('standard error', done.stderr, '')
    check(log, done.stdout)


def killed(folder):
    """SIGKILL while it waits: all it did is in the log, without an end."""
    log = folder / 'killed.mlpd'
    with subprocess.Popen([SAMPLE, PLUGIN, 'kill'], env=environment(log), text=True,
                          stdout=subprocess.PIPE) as program:
        said = ''.join(program.stdout.readline() for _ in range(6))
        settled(log)
        program.kill()
    check(log, re.sub('main=1\n', '', said) + 'main=1\n')


def settled(log):
    """Until the file has not grown for half a second: five ticks of the writer."""
    until, size, since = time.monotonic() + DEADLINE, -1, time.monotonic()
    while time.monotonic() - since < 0.5:
        if time.monotonic() > until:
            raise Failure('the log never stops growing')
        now = log.stat().st_size
        if now != size:
            size, since = now, time.monotonic()
        time.sleep(0.02)


def refused(folder):
    """Bad options and places: the program runs as if nothing were there, but for a line.

    A launcher tells it itself, and what the launched program leaves behind must not."""
    place, end = f'output={folder}/no/such/place', ': the program runs unprofiled\n'
    for variable, options, why in (
            ('PROFVIEW_OPTIONS', 'colour=blue', 'an option in PROFVIEW_OPTIONS is not understood'),
            ('PROFVIEW_OPTIONS', 'sample=20000', 'an option in PROFVIEW_OPTIONS is not understood'),
            ('PROFVIEW_OPTIONS', place, 'cannot record: No such file or directory'),
            ('PROFVIEW_OPTIONS', f'program=/bin/true,output={folder}/other.mlpd', ''),
            ('PROFVIEW_NATIVE_OPTIONS', place, '')):
        env = dict(os.environ, LD_PRELOAD=LIBRARY) | {variable: options}
        done = subprocess.run([SAMPLE, PLUGIN], env=env, capture_output=True, text=True)
        equal(f'exit code with {options}', done.returncode, 0)
        equal(f'standard error with {options}', done.stderr, why and f'profview: {why}{end}')


def found(folder):
    """A program that may run without the library finds it when it is there."""
    done = subprocess.run([WEAK], env=environment(folder / 'weak.mlpd'))
    equal('exit code with the library', done.returncode, 3)
    equal('exit code without', subprocess.run([WEAK]).returncode, 0)


def main():
    if not shutil.which('mprof-report'):
        print('mprof-report is not installed')
        return 77
    failed = 0
    for case in (to_the_end, killed, refused, found):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(pathlib.Path(folder))
                print(f'{case.__name__}: ok')
            except Failure as e:
                print(f'{case.__name__}: {e}')
                failed = 1
    return failed


if __name__ == '__main__':
    LIBRARY, SAMPLE, PLUGIN, WEAK = (os.path.abspath(a) for a in sys.argv[1:])
    sys.exit(main())

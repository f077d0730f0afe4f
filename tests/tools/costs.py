#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tells which tests of a run cost most: seconds of processor time, of the test and of every process
that it waited for. Other programs on the machine make a test wait, which does not count here.

usage: costs.py BUILD [--most N] [--lists FILE] [MESON-TEST-OPTION...]    runs the tests
       costs.py BUILD --of FILE [--most N]                                reads what a run listed
What a daemon uses that is still there when its test has ended is not in it.
"""
import argparse
import ctypes
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
SUITES = ('long', 'unit', 'golden', 'style', 'fuzz', 'real') # a test counts in the first it is in


def wait_for_all(child):
    """The exit status of the test. Daemons, tmux for one, count as well: orphans are given to this process."""
    status = None
    while status is None:
        pid, ended = os.wait()
        if pid == child.pid:
            status = child.returncode = os.waitstatus_to_exitcode(ended)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    return status


def wrapped(listed, command):
    """Meson runs each test through this."""
    begin = time.monotonic()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    status = wait_for_all(subprocess.Popen(command))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = {'command': command, 'cpu': used.ru_utime + used.ru_stime, 'wall': time.monotonic() - begin}
    with open(listed, 'a', encoding='utf-8') as out:
        out.write(json.dumps(row) + '\n')
    return status if status >= 0 else 128 - status


def run_tests(build, listed, options):
    pathlib.Path(listed).unlink(missing_ok=True)
    own = f'{sys.executable} {pathlib.Path(__file__).resolve()} --wrapped {listed}'
    return subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--wrapper', own, *options],
                          check=False).returncode


def suite_of(test):
    mine = {s.split(':')[-1] for s in test['suite']}
    return next((s for s in SUITES if s in mine), 'other')


def tell(build, listed, most):
    tests = json.loads(subprocess.run(['meson', 'introspect', '--tests', build], check=True,
                                      capture_output=True, text=True).stdout)
    by_command = {tuple(t['cmd']): t for t in tests}
    rows = []
    for line in pathlib.Path(listed).read_text(encoding='utf-8').splitlines():
        row = json.loads(line)
        test = by_command.get(tuple(row['command']), {'name': ' '.join(row['command']), 'suite': []})
        rows.append((row['cpu'], row['wall'], suite_of(test), test['name']))
    print('    cpu s   wall s  suite   test')
    for cpu, wall, suite, name in sorted(rows, reverse=True)[:most]:
        print(f'{cpu:9.2f}{wall:9.2f}  {suite:7} {name}')
    for suite in (*SUITES, 'other'):
        mine = [r for r in rows if r[2] == suite]
        if mine:
            print(f'{sum(r[0] for r in mine):9.1f} s of processor time, {sum(r[1] for r in mine):.1f} s '
                  f'of tests: suite {suite}, {len(mine)} tests')
    print(f'{sum(r[0] for r in rows):9.1f} s of processor time, {len(rows)} tests')


def main():
    if sys.argv[1:2] == ['--wrapped']:
        return wrapped(sys.argv[2], sys.argv[3:])
    words = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument('build')
    words.add_argument('--of', metavar='FILE')
    words.add_argument('--lists', metavar='FILE')
    words.add_argument('--most', metavar='N', type=int, default=40)
    args, options = words.parse_known_args()
    listed = args.of or os.path.abspath(args.lists or f'{args.build}/meson-logs/costs.json')
    status = 0 if args.of else run_tests(args.build, listed, options)
    tell(args.build, listed, args.most)
    return status


if __name__ == '__main__':
    sys.exit(main())

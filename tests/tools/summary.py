#!/usr/bin/env python3
"""Adds up what meson counted in some build folders; a skip must be listed with its reason.

usage: summary.py SKIPS-FILE BUILD-FOLDER...
       summary.py --failed BUILD-FOLDER
A line of the list reads `NAME: reason`; NAME is the test's name without project and suite.

Tests on real programs share the machine with each other. One that failed is run again alone, and
what that run (again.json) says counts; it is named here as unsteady, and more than UNSTEADY of
them fail the whole. With --failed: the names to run again, one a line.
"""
import collections
import json
import pathlib
import sys

UNSTEADY = 3
TAIL = 40 # lines of a failed test's output
KINDS = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}


def listed(path):
    names = {}
    for line in pathlib.Path(path).read_text(encoding='utf-8').splitlines():
        name, colon, reason = line.partition(':')
        if line.strip() and not line.startswith('#'):
            if not colon or not reason.strip():
                raise SystemExit(f'{path}: no reason given: {line}')
            names[name.strip()] = reason.strip()
    return names


def results(folder, base='testlog'):
    log = pathlib.Path(folder, 'meson-logs', base + '.json')
    if not log.exists():
        return {}
    tests = map(json.loads, log.read_text(encoding='utf-8', errors='replace').splitlines())
    return {t['name'].split(' / ')[-1].split(':')[-1]: t for t in tests}


def failed(folder, base='testlog'):
    return [n for n, t in results(folder, base).items() if KINDS.get(t['result']) is None]


def tell(folder, name, test):
    print(f'{folder}: {name}: {test["result"]}')
    said = test.get('stdout', '') + test.get('stderr', '')
    for line in said.splitlines()[-TAIL:]:
        print(f'    {line}')


def count_folder(folder, allowed, count, unlisted):
    again = results(folder, 'again')
    for name, test in results(folder).items():
        kind = KINDS.get(test['result'], 'failed')
        if kind == 'failed':
            tell(folder, name, test)
            second = again.get(name)
            if second and KINDS.get(second['result']) == 'passed':
                print(f'{folder}: {name}: unsteady: passed when run again alone')
                kind = 'passed'
                count['unsteady'] += 1
        count[kind] += 1
        if kind == 'skipped':
            print(f'{folder}: {name} was skipped: {allowed.get(name, "not listed")}')
            if name not in allowed:
                unlisted.append(name)


def main(skips, folders):
    allowed = listed(skips)
    count = collections.Counter()
    unlisted = []
    for folder in folders:
        count_folder(folder, allowed, count, unlisted)
    if unlisted:
        print(f'skipped without a reason in {skips}: {" ".join(sorted(set(unlisted)))}')
    if count['unsteady']:
        print(f'{count["unsteady"]} of those passed failed before (at most {UNSTEADY} may)')
    print(f'tests: {count["passed"]} passed, {count["failed"]} failed, '
          f'{count["skipped"]} skipped')
    bad = count['failed'] or unlisted or not count['passed'] or count['unsteady'] > UNSTEADY
    return 1 if bad else 0


if __name__ == '__main__':
    if sys.argv[1] == '--failed':
        for name in failed(sys.argv[2]):
            print(name)
        sys.exit(0)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

#!/usr/bin/env python3
"""Adds up what meson counted in some build folders, part by part; a skip must be listed with its reason.

usage: summary.py SKIPS-FILE BUILD-FOLDER...
       summary.py --failed BUILD-FOLDER PART
A part is a run of `meson test --logbase PART`: `testlog`, which is meson's own word, or `long`.
A line of the list reads `NAME: reason`; NAME is the test's name without project and suite.

Tests on real programs share the machine with each other. One that failed is run again alone, and
what that run (PART-again.json) says counts; it is named here as unsteady, and more than UNSTEADY of
them fail the whole. With --failed: the names to run again, one a line.
"""
import collections
import json
import pathlib
import sys

UNSTEADY = 3
TAIL = 40 # lines of a failed test's output
KINDS = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
PARTS = {'testlog': '', 'long': ', long'}


def listed(path):
    names = {}
    for line in pathlib.Path(path).read_text(encoding='utf-8').splitlines():
        name, colon, reason = line.partition(':')
        if line.strip() and not line.startswith('#'):
            if not colon or not reason.strip():
                raise SystemExit(f'{path}: no reason given: {line}')
            names[name.strip()] = reason.strip()
    return names


def results(folder, part):
    log = pathlib.Path(folder, 'meson-logs', part + '.json')
    if not log.exists():
        return {}
    tests = map(json.loads, log.read_text(encoding='utf-8', errors='replace').splitlines())
    return {t['name'].split(' / ')[-1].split(':')[-1]: t for t in tests}


def failed(folder, part):
    return [n for n, t in results(folder, part).items() if KINDS.get(t['result']) is None]


def tell(where, name, test):
    print(f'{where}: {name}: {test["result"]}')
    said = test.get('stdout', '') + test.get('stderr', '')
    for line in said.splitlines()[-TAIL:]:
        print(f'    {line}')


def seconds(tests):
    """From the first test's begin to the last one's end."""
    begins = [t['starttime'] for t in tests]
    return max(t['starttime'] + t['duration'] for t in tests) - min(begins)


def count_part(folder, part, allowed, unlisted):
    """What became of its tests, by kind; says what did not pass at once."""
    where, count = f'{folder}{PARTS[part]}', collections.Counter()
    tests, again = results(folder, part), results(folder, part + '-again')
    for name, test in tests.items():
        kind = KINDS.get(test['result'], 'failed')
        if kind == 'failed':
            tell(where, name, test)
            second = again.get(name)
            if second and KINDS.get(second['result']) == 'passed':
                print(f'{where}: {name}: unsteady: passed when run again alone')
                kind = 'passed'
                count['unsteady'] += 1
        count[kind] += 1
        if kind == 'skipped':
            print(f'{where}: {name} was skipped: {allowed.get(name, "not listed")}')
            if name not in allowed:
                unlisted.append(name)
    if tests:
        print(f'{where}: {sums(count)}, in {seconds(tests.values()):.0f} s')
    return count


def sums(count):
    return f'{count["passed"]} passed, {count["failed"]} failed, {count["skipped"]} skipped'


def main(skips, folders):
    allowed = listed(skips)
    count = collections.Counter()
    unlisted = []
    for folder in folders:
        for part in PARTS:
            count += count_part(folder, part, allowed, unlisted)
    if unlisted:
        print(f'skipped without a reason in {skips}: {" ".join(sorted(set(unlisted)))}')
    if count['unsteady']:
        print(f'{count["unsteady"]} of those passed failed before (at most {UNSTEADY} may)')
    print(f'tests: {sums(count)}')
    bad = count['failed'] or unlisted or not count['passed'] or count['unsteady'] > UNSTEADY
    return 1 if bad else 0


if __name__ == '__main__':
    if sys.argv[1] == '--failed':
        for name in failed(sys.argv[2], sys.argv[3]):
            print(name)
        sys.exit(0)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

#!/usr/bin/env python3
"""Adds up what meson counted in some build folders; a skip must be listed with its reason.

usage: summary.py SKIPS-FILE BUILD-FOLDER...
A line of the list reads `NAME: reason`; NAME is the test's name without project and suite.
"""
import collections
import json
import pathlib
import sys

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


def results(folder):
    log = pathlib.Path(folder, 'meson-logs', 'testlog.json')
    for line in log.read_text(encoding='utf-8', errors='replace').splitlines():
        test = json.loads(line)
        yield test['name'].split(' / ')[-1].split(':')[-1], test['result']


def main(skips, folders):
    allowed = listed(skips)
    count = collections.Counter()
    unlisted = []
    for folder in folders:
        for name, result in results(folder):
            kind = KINDS.get(result, 'failed')
            count[kind] += 1
            if kind == 'failed':
                print(f'{folder}: {name}: {result}')
            if kind == 'skipped':
                print(f'{folder}: {name} was skipped: {allowed.get(name, "not listed")}')
                if name not in allowed:
                    unlisted.append(name)
    if unlisted:
        print(f'skipped without a reason in {skips}: {" ".join(sorted(set(unlisted)))}')
    print(f'tests: {count["passed"]} passed, {count["failed"]} failed, '
          f'{count["skipped"]} skipped')
    return 1 if count['failed'] or unlisted or not count['passed'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))

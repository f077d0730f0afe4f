#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds up what meson counted in some build folders, part by part; a skip must be listed with its reason.

usage: summary.py SKIPS-FILE BUILD-FOLDER...
       summary.py --failed BUILD-FOLDER PART
       meson test -C BUILD-FOLDER --list | summary.py --chosen SKIPS-FILE BUILD-FOLDER
A part is a run of `meson test --logbase PART`: `testlog`, which is meson's own word, `long`, or `packages`.
A line of the list reads `NAME: reason`; NAME is the test's name without project and suite. With
`program NAME: reason` every test may be skipped that ends with "NAME is not installed". With `in FOLDER:
reason` no test need run in that build folder; with `in FOLDER, NAME: reason` that test is left out of
it: --chosen prints the names of the others, one a line.

A subject of the first folder that has no test, or of which most were skipped, fails the whole: a
program that is missing takes its tests along, and of those nobody would hear. A line `subject NAME:
reason` lets it be.

Tests on real programs share the machine with each other. One that failed is run again alone, and
what that run (PART-again.json) says counts; it is named here as unsteady. More than UNSTEADY of
them fail the whole: a fault that shows now and then hides behind the second run. With --failed: the
names to run again, one a line.
"""
import collections
import json
import pathlib
import re
import sys

UNSTEADY = 3 # one is the aim: faults planted for time are unsteady while two processors do other things
SUBJECTS = { # of a test with these suites and this name
    'unit': lambda suites, name: 'unit' in suites,
    'Mono': lambda suites, name: 'mono' in suites,
    "Mono's module": lambda suites, name: name.startswith('mono probe'),
    '.NET': lambda suites, name: 'clr' in suites,
    'native': lambda suites, name: 'native' in suites,
    'screen': lambda suites, name: 'live' in suites or 'screen' in name,
}
TAIL = 40 # lines of a failed test's output
KINDS = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
PARTS = {'testlog': '', 'long': ', long', 'packages': ', packages'}


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


def suites_of(test):
    return test['name'].rpartition(' / ')[0].rpartition(':')[2].split('+')


def is_allowed(name, test, allowed):
    """The reason why it may be skipped, or None."""
    said = re.findall(r'^(\S+) is not installed$', test.get('stdout', '') or '', re.M)
    return allowed.get(name) or next((allowed[f'program {p}'] for p in said if f'program {p}' in allowed), None)


def left_out(folder, allowed):
    """Names of the tests that a build folder does without."""
    of = f'in {folder}, '
    return {key[len(of):]: reason for key, reason in allowed.items() if key.startswith(of)}


def chosen(skips, folder, rows):
    """Those that run there; a name that no test has fails."""
    names = [row.rstrip('\n').split(' / ')[-1].split(':')[-1] for row in rows]
    without = left_out(folder, listed(skips))
    stale = sorted(set(without) - set(names))
    if stale:
        raise SystemExit(f'{skips} leaves out of {folder} what is no test: {", ".join(stale)}')
    return [name for name in names if name not in without]


def count_subjects(folder, allowed):
    """Says how many tests the folder has of each; returns those that are missing."""
    ran, every = collections.Counter(), collections.Counter()
    for part in PARTS:
        for name, test in results(folder, part).items():
            of = [s for s, is_of in SUBJECTS.items() if is_of(suites_of(test), name)]
            every.update(of)
            ran.update(of if KINDS.get(test['result']) != 'skipped' else ())
    print(f'{folder}: tests that ran: ' + ', '.join(f'{s} {ran[s]} of {every[s]}' for s in SUBJECTS))
    missing = [s for s in SUBJECTS if 2 * ran[s] < max(every[s], 1)]
    for subject in missing:
        print(f'{folder}: {subject} is not tested: {allowed.get("subject " + subject, "not listed")}')
    return [s for s in missing if f'subject {s}' not in allowed]


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


def count_part(folder, part, allowed, unlisted, unsteady, twice):
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
                unsteady.append(name)
            else:
                twice.append(f'{where}: {name}')
        count[kind] += 1
        if kind == 'skipped':
            reason = is_allowed(name, test, allowed)
            print(f'{where}: {name} was skipped: {reason or "not listed"}')
            if not reason:
                unlisted.append(name)
    if tests:
        print(f'{where}: {sums(count)}, in {seconds(tests.values()):.0f} s')
    return count


def sums(count):
    return f'{count["passed"]} passed, {count["failed"]} failed, {count["skipped"]} skipped'


def main(skips, folders):
    allowed = listed(skips)
    count = collections.Counter()
    unlisted, unsteady, twice, empty = [], [], [], []
    for folder in folders:
        of_folder = sum((count_part(folder, part, allowed, unlisted, unsteady, twice) for part in PARTS), collections.Counter())
        if of_folder:
            for name, reason in left_out(folder, allowed).items():
                print(f'{folder}: {name} was left out: {reason}')
                of_folder['skipped'] += 1
        else:
            reason = allowed.get(f'in {folder}')
            print(f'{folder}: no test was run' + (f': {reason}' if reason else ''))
            empty += [] if reason else [folder]
        count += of_folder
    missing = count_subjects(folders[0], allowed)
    if unlisted:
        print(f'skipped without a reason in {skips}: {" ".join(sorted(set(unlisted)))}')
    if missing:
        print(f'not tested, without a reason in {skips}: {", ".join(missing)}')
    if unsteady:
        print(f'{len(unsteady)} of those passed failed before (at most {UNSTEADY} may): {", ".join(unsteady)}')
    if twice:  # here too: of a long output often only the end is kept
        print(f'failed: {"; ".join(twice)}')
    print(f'tests: {sum(count.values())}: {sums(count)}')
    return 1 if count['failed'] or unlisted or missing or empty or len(unsteady) > UNSTEADY else 0


if __name__ == '__main__':
    if sys.argv[1] == '--failed':
        for name in failed(sys.argv[2], sys.argv[3]):
            print(name)
        sys.exit(0)
    if sys.argv[1] == '--chosen':
        print('\n'.join(chosen(sys.argv[2], sys.argv[3], sys.stdin)))
        sys.exit(0)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The summary of a run counts each part, lets nothing pass that failed twice, was skipped or left out
without a reason, and names what passed only when run again.

usage: test_summary.py
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SUMMARY = pathlib.Path(__file__).resolve().parent / 'summary.py'
GOOD = {'a': 'OK', 'b': 'EXPECTEDFAIL', 'c': 'SKIP'}
ALL_OF_GOOD = ['build: c was skipped: there is no c here', 'build: 2 passed, 0 failed, 1 skipped, in 2 s']
SUBJECTS = ('unit', 'Mono', "Mono's module", '.NET', 'screen') # without a test, for a reason; not so `native`
# Parts with their tests' results (`SUITE/NAME`, of suite native where there is none); exit code; lines that are printed.
CASES = [
    ({'testlog': GOOD}, 0, ALL_OF_GOOD + ['tests: 3: 2 passed, 0 failed, 1 skipped',
                                         'build: tests that ran: unit 0 of 0, Mono 0 of 0, Mono\'s module 0 of 0, .NET 0 of 0, native 2 of 3, screen 0 of 0',
                                         'build: .NET is not tested: there is no .NET here']),
    ({'testlog': GOOD, 'long': {'d': 'OK'}}, 0,
     ALL_OF_GOOD + ['build, long: 1 passed, 0 failed, 0 skipped, in 2 s', 'tests: 4: 3 passed, 0 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'TIMEOUT'}}, 1,
     ['build, long: d: TIMEOUT', '    said by d', 'tests: 4: 2 passed, 1 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'FAIL'}, 'long-again': {'d': 'FAIL'}}, 1,
     ['build, long: d: FAIL', 'failed: build, long: d', 'tests: 4: 2 passed, 1 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'FAIL'}, 'long-again': {'d': 'OK'}}, 0,
     ['build, long: d: unsteady: passed when run again alone', '1 of those passed failed before (at most 3 may): d',
      'tests: 4: 3 passed, 0 failed, 1 skipped']),
    # The other part's second run says nothing of this one.
    ({'testlog': {'d': 'FAIL'}, 'long': {'e': 'OK'}, 'long-again': {'d': 'OK'}}, 1, ['build: d: FAIL']),
    # Those of both parts count together.
    ({p: {n: r for n in names} for p, names, r in (('testlog', 'abd', 'FAIL'), ('testlog-again', 'abd', 'OK'), ('long', 'f', 'FAIL'),
                                                   ('long-again', 'f', 'OK'))},
     1, ['4 of those passed failed before (at most 3 may): a, b, d, f']),
    ({p: {n: r for n in 'abd'} for p, r in (('testlog', 'FAIL'), ('testlog-again', 'OK'))},
     0, ['3 of those passed failed before (at most 3 may): a, b, d']),
    ({'testlog': GOOD, 'long': {'d': 'SKIP'}}, 1, ['build, long: d was skipped: not listed']),
    # Said by itself that a program is not there: `d` ends with that of tmux, `e` with that of a word.
    ({'testlog': {**GOOD, 'd tmux': 'SKIP', 'e': 'OK'}}, 0, ['build: d tmux was skipped: the screen is tried in it']),
    ({'testlog': {**GOOD, 'd word': 'SKIP', 'e': 'OK'}}, 1, ['build: d word was skipped: not listed']),
    ({'testlog': {'c': 'SKIP'}}, 1, ['not tested, without a reason in skips: native']),
    ({'testlog': {'unit/d': 'OK'}}, 1, ['build: native is not tested: not listed']),
    ({'testlog': {**GOOD, 'real+mono/d tmux': 'SKIP'}}, 0, ['build: Mono is not tested: there is no Mono here']),
    # Another folder than the first may be left out, and do without some tests.
    ({'testlog': GOOD, 'arm64/testlog': {'unit/e': 'OK'}}, 0,
     ['arm64: 1 passed, 0 failed, 0 skipped, in 2 s', 'arm64: f g was left out: of this machine', 'tests: 5: 3 passed, 0 failed, 2 skipped']),
    ({'testlog': GOOD, 'arm64/testlog': {}}, 0, ['arm64: no test was run: no compiler', 'tests: 3: 2 passed, 0 failed, 1 skipped']),
    ({'testlog': GOOD, 'fuzz/testlog': {}}, 1, ['fuzz: no test was run']),
    ({}, 1, ['build: no test was run', 'tests: 0: 0 passed, 0 failed, 0 skipped']),
]


def written(logs, parts):
    logs.mkdir(parents=True)
    for part, tests in parts.items():
        rows = []
        for i, (name, result) in enumerate(tests.items()):
            suites, _, name = name.rpartition('/')
            said = f'said by {name}\n{name.split()[-1]} is not installed\n' if result == 'SKIP' else f'said by {name}\n'
            rows.append(json.dumps({'name': f'profview:{suites or "native"} / {name}', 'result': result, 'starttime': 100.0,
                                    'duration': 2 - i / 2, 'stdout': said}))
        (logs / f'{part}.json').write_text(''.join(row + '\n' for row in rows), encoding='utf-8')


def said_of(parts, *words, typed=''):
    """The folder of a part is `build`, where it names no other."""
    with tempfile.TemporaryDirectory() as top:
        folders = {part.rpartition('/')[0] or 'build' for part in parts} or {'build'}
        for folder in folders:
            own = {p.rpartition('/')[2]: t for p, t in parts.items() if (p.rpartition('/')[0] or 'build') == folder}
            written(pathlib.Path(top, folder, 'meson-logs'), own)
        if not words:
            words = ('skips', 'build', *sorted(folders - {'build'}))
        pathlib.Path(top, 'skips').write_text(
            '# those\nc: there is no c here\nprogram tmux: the screen is tried in it\n'
            'in arm64: no compiler\nin arm64, f g: of this machine\n'
            + ''.join(f'subject {s}: there is no {s} here\n' for s in SUBJECTS), encoding='utf-8')
        done = subprocess.run([sys.executable, SUMMARY, *words], cwd=top, input=typed, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()


def main():
    wrong = []
    for parts, code, lines in CASES:
        got, said = said_of(parts)
        missing = [line for line in lines if line not in said]
        if got != code or missing:
            wrong.append(f'{parts}: exit code {got}, not {code}; not said: {missing} of {said}')
    of_long = said_of({'testlog': {'d': 'FAIL'}, 'long': {'e f': 'FAIL', 'g': 'OK'}}, '--failed', 'build', 'long')
    if of_long != (0, ['e f']):
        wrong.append(f'--failed: {of_long}')
    for rows, right in (('p:unit / e\np:unit+long / f g\n', (0, ['e'])), ('p:unit / e\n', (1, ['skips leaves out of arm64 what is no test: f g']))):
        of_arm64 = said_of({}, '--chosen', 'skips', 'arm64', typed=rows)
        if of_arm64 != right:
            wrong.append(f'--chosen: {of_arm64}, not {right}')
    print('\n'.join(wrong) or f'{len(CASES)} summaries are right')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""The summary of a run counts each part, lets nothing pass that failed twice or was skipped without a
reason, and names what passed only when run again.

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
# Parts with their tests' results; exit code; lines that are printed.
CASES = [
    ({'testlog': GOOD}, 0, ALL_OF_GOOD + ['tests: 2 passed, 0 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'OK'}}, 0,
     ALL_OF_GOOD + ['build, long: 1 passed, 0 failed, 0 skipped, in 2 s', 'tests: 3 passed, 0 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'TIMEOUT'}}, 1,
     ['build, long: d: TIMEOUT', '    said by d', 'tests: 2 passed, 1 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'FAIL'}, 'long-again': {'d': 'FAIL'}}, 1,
     ['build, long: d: FAIL', 'tests: 2 passed, 1 failed, 1 skipped']),
    ({'testlog': GOOD, 'long': {'d': 'FAIL'}, 'long-again': {'d': 'OK'}}, 0,
     ['build, long: d: unsteady: passed when run again alone', '1 of those passed failed before (at most 3 may)',
      'tests: 3 passed, 0 failed, 1 skipped']),
    # The other part's second run says nothing of this one.
    ({'testlog': {'d': 'FAIL'}, 'long': {'e': 'OK'}, 'long-again': {'d': 'OK'}}, 1, ['build: d: FAIL']),
    # Two in each part are four.
    ({p: {n: r for n in names} for p, names, r in (
        ('testlog', 'de', 'FAIL'), ('testlog-again', 'de', 'OK'), ('long', 'fg', 'FAIL'), ('long-again', 'fg', 'OK'))},
     1, ['4 of those passed failed before (at most 3 may)']),
    ({'testlog': GOOD, 'long': {'d': 'SKIP'}}, 1, ['build, long: d was skipped: not listed']),
    ({'testlog': {'c': 'SKIP'}}, 1, []),
    ({}, 1, ['tests: 0 passed, 0 failed, 0 skipped']),
]


def written(logs, parts):
    logs.mkdir(parents=True)
    for part, tests in parts.items():
        rows = [json.dumps({'name': f'profview:real / {name}', 'result': result, 'starttime': 100.0,
                            'duration': 2 - i / 2, 'stdout': f'said by {name}\n'})
                for i, (name, result) in enumerate(tests.items())]
        (logs / f'{part}.json').write_text(''.join(row + '\n' for row in rows), encoding='utf-8')


def said_of(parts, *words):
    with tempfile.TemporaryDirectory() as top:
        written(pathlib.Path(top, 'build/meson-logs'), parts)
        pathlib.Path(top, 'skips').write_text('# those\nc: there is no c here\n', encoding='utf-8')
        done = subprocess.run([sys.executable, SUMMARY, *words], cwd=top, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()


def main():
    wrong = []
    for parts, code, lines in CASES:
        got, said = said_of(parts, 'skips', 'build')
        missing = [line for line in lines if line not in said]
        if got != code or missing:
            wrong.append(f'{parts}: exit code {got}, not {code}; not said: {missing} of {said}')
    of_long = said_of({'testlog': {'d': 'FAIL'}, 'long': {'e f': 'FAIL', 'g': 'OK'}}, '--failed', 'build', 'long')
    if of_long != (0, ['e f']):
        wrong.append(f'--failed: {of_long}')
    print('\n'.join(wrong) or f'{len(CASES)} summaries are right')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

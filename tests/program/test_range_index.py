#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A report of a range is the same with the index of its log as without, and reads less for it.

usage: test_range_index.py PROFVIEW BIGLOG
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DEADLINE = 120
SECTIONS = 'source,coverage,events,methods,call_tree,classes,gc,threads,exceptions'
RANGES = ('10ms..20ms', '15ms..', '-10ms..', '10s..11s')


def report(profview, log, *options):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--section', SECTIONS,
                           *options], capture_output=True, timeout=DEADLINE, check=False)
    # A range outside the log is refused, with an index as without.
    return done.returncode, done.stderr, json.loads(done.stdout) if done.returncode != 2 else {}


def main(profview, biglog):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'log.mlpd')
        os.environ['XDG_CACHE_HOME'] = folder
        with open(log, 'wb') as out:
            subprocess.run([biglog, 'calls', '5'], stdout=out, timeout=DEADLINE, check=True)
        wanted = [report(profview, log, '--no-index', f'--range={r}') for r in RANGES]
        if [code == 2 for code, *_ in wanted] != [r == '10s..11s' for r in RANGES]:
            print('another range is refused', file=sys.stderr)
            wrong += 1
        report(profview, log)
        if not list(pathlib.Path(folder, 'profview', 'index').glob('*.*')):
            print('no index was made', file=sys.stderr)
            wrong += 1
        for text, want in zip(RANGES, wanted):
            got = report(profview, log, f'--range={text}')
            if got != want:
                print(f'{text}: another report with the index', file=sys.stderr)
                for key in want[2]:
                    if got[2].get(key) != want[2][key]:
                        print(f'  {key}: {str(got[2].get(key))[:300]}\n  not {str(want[2][key])[:300]}',
                              file=sys.stderr)
                wrong += 1
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

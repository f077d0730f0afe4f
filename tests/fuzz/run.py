#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Runs one libFuzzer target for a bounded time on a copy of its corpus; what makes it fail is printed.

usage: run.py TARGET CORPUS        PV_FUZZ_SECONDS in the environment, else 40
"""
import base64
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIMITS = ['-timeout=5', '-rss_limit_mb=1024', '-max_len=16384', '-print_final_stats=1',
          '-verbosity=0']


def main(fuzzer, corpus):
    seconds = int(os.environ.get('PV_FUZZ_SECONDS', '40'))
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder, 'found')
        found.mkdir()
        done = subprocess.run(
            [fuzzer, *LIMITS, f'-max_total_time={seconds}', f'-artifact_prefix={folder}/bad-',
             found, corpus], capture_output=True, text=True, errors='replace', check=False,
            env={**os.environ, 'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1'})
        runs = re.search(r'number_of_executed_units: (\d+)', done.stderr)
        print(f'{runs[1] if runs else 0} executions, {len(list(found.iterdir()))} new inputs')
        for bad in pathlib.Path(folder).glob('bad-*'):
            print(f'{bad.name}:\n{base64.encodebytes(bad.read_bytes()).decode()}')
    if done.returncode or not runs:
        sys.exit(done.stderr[-8000:])


if __name__ == '__main__':
    main(*sys.argv[1:])

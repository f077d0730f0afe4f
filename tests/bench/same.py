#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether two builds say the same: every section as JSON with one job and with two, and the dump, byte for byte.

usage: same.py BEFORE AFTER LOG...
BEFORE and AFTER are programs. Run before a change of the reader is committed, with a log of each kind. Ends with 1
and the first line that differs where one does. This compares; it is no test.
"""
import os
import subprocess
import sys

ALL = ['report', '--format', 'json', '--section', 'all', '--limit', '0', '--no-index']
ASKED = [[*ALL, '--jobs', '1'], [*ALL, '--jobs', '2'], ['dump']]
DUMPED = 4 << 20  # bytes: a dump of more takes minutes


def said(program, words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout + f'\nexit {done.returncode}'.encode()


def main():
    before, after, *logs = sys.argv[1:]
    differ = 0
    for log in logs:
        for words in ASKED if os.path.getsize(log) < DUMPED else ASKED[:2]:
            was, now = said(before, [*words, log]), said(after, [*words, log])
            if was == now:
                continue
            differ += 1
            old, new = was.splitlines(), now.splitlines()
            at = next((i for i, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), min(len(old), len(new)))
            print(f'{log}: {" ".join(words)}: line {at + 1} of {len(old)} and {len(new)}')
            for lines in (old, new):
                print('   ', lines[at][:300].decode(errors='replace') if at < len(lines) else '(none)')
    print(f'{len(logs)} logs, {differ} answers differ')
    sys.exit(differ > 0)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranges, threads and filters that no log can answer are a sentence and exit 2; times of the day.

usage: test_range_words.py PROFVIEW LOG
"""
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

profview, log = sys.argv[1:]
FAILED = []
TIMED = {'TZ': 'America/New_York'}  # four hours behind UTC in July


def run(verb, path, *words, env=None):
    return subprocess.run([profview, verb, path, *words], capture_output=True, text=True, check=False, timeout=150,
                          env={**os.environ, **(env or {})})


def expect(text, is_so):
    if not is_so:
        FAILED.append(text)


def refused(path, out, *words, says):
    for verb, more in (('report', ()), ('convert', ('-o', out)), ('diff', (path,))):
        if words[0] == '--filter' and verb != 'report':
            continue
        done = run(verb, path, *more, *words, env=TIMED)
        expect(f'{verb} {words}: exit {done.returncode}, {done.stderr!r}',
               done.returncode == 2 and says in done.stderr and not done.stdout and not os.path.exists(out))


def events(path, *words):
    done = run('report', path, '--section', 'methods', '--format', 'json', *words, env=TIMED)
    if done.returncode not in (0, 4):
        FAILED.append(f'{words}: exit {done.returncode}, {done.stderr!r}')
        return None
    return json.loads(done.stdout)


def main():
    with tempfile.TemporaryDirectory() as home:
        path, out = f'{home}/a.mlpd', f'{home}/out.mlpd'
        data = bytearray(gzip.open(log).read())
        # The start, ms since the epoch: 2026-07-01 14:05:58 in New York.
        struct.pack_into('<Q', data, 8, 1782929158000)
        with open(path, 'wb') as f:
            f.write(data)
        before = 'before it ends'
        refused(path, out, '--range', '9s..2s', says=before)
        refused(path, out, '--range', '1s..1s', says=before)
        refused(path, out, '--range', '1h..2h', says='outside the log')
        refused(path, out, '--range', '..-1h', says='outside the log')
        refused(path, out, '--range', '@15:05..@15:06', says='outside the log')
        refused(path, out, '--range', '@24:05..@24:06', says='FROM..TO')
        refused(path, out, '--range', '@2026-13-01T14:05..', says='FROM..TO')
        refused(path, out, '--thread', 'nobody', says='thread')
        refused(path, out, '--filter', 'self>', '--section', 'methods', says='nothing after >')
        whole = events(path)
        one = json.loads(run('report', path, '--section', 'threads', '--format', 'json').stdout)['threads'][0]['id']
        expect(f'{one} in decimals', events(path, '--thread', str(int(one, 16))) == events(path, '--thread', one) != whole)
        for day, plain in (('@14:05:59..@14:06', '1s..2s'), ('@14:06..', '2s..'), ('..@14:06', '..2s'),
                           ('@2026-07-01T14:05:59..@14:06:00', '1s..2s')):
            same = events(path, '--range', day)
            expect(f'{day} is not {plain}', same == events(path, '--range', plain) and same != whole)
    print('\n'.join(FAILED) or 'all as it should be')
    return bool(FAILED)


if __name__ == '__main__':
    sys.exit(main())

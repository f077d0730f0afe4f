#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of allocations and of held memory have the inlined functions that addr2line -i would name.

usage: test_inlined_alloc.py PROFVIEW LIBRARY PROGRAM SOURCE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from verdict import Verdict

STACKS = {30: ['main', 'both() (inlined)', 'fill(unsigned int)', 'take_large(unsigned long) (inlined)',
               'take(unsigned long) (inlined)'],
          20: ['main', 'both() (inlined)', 'plain(unsigned int)'],
          10: ['main', 'take(unsigned long) (inlined)']}


def plain(name):
    return name.split('(', 1)[0].rstrip() + (' (inlined)' if name.endswith(' (inlined)') else '')


def by_line(v, profview, log, source):
    """Allocations at their lines: in the inlined function, and with all lines that led there."""
    def report(*words):
        return subprocess.run([profview, *words], check=False, capture_output=True, text=True, timeout=60)
    texts = source.read_text().splitlines()
    said = report('report', '--no-index', '--format', 'json', '--limit', '0', '--section', 'lines', log).stdout
    rows = {texts[r['line'] - 1].strip(): r for r in json.loads(said)['lines'] if r['file'] and r['file'].endswith(source.name)}
    inner, large, small = 'return std::malloc(bytes);', 30 * 3072, 10 * 7000
    own = {inner: (40, large + small), 'kept[n++] = std::malloc(5000);': (20, 100000)}
    total = {inner: large + small, 'kept[n++] = std::malloc(5000);': 100000, 'return take(kib << 10);': large,
             'kept[n++] = take_large(3);': large, 'fill(30);': large, 'plain(20);': 100000, 'both();': large + 100000,
             'kept[n++] = take(7000);': small}
    v.same_rows('allocated at the line', {t: (r['allocations'], r['allocated_bytes']) for t, r in rows.items() if r['allocations']}, own)
    v.same_rows('with what it calls', {t: r['allocated_bytes_total'] for t, r in rows.items()}, total)
    place = f'{source.name}:{rows[inner]["line"]}'
    for rule, code in (('max=200k', 0), ('max=100k', 1), ('of=objects max=39', 1)):
        done = report('check', log, '--rule', f'line.allocated match={place} {rule}')
        v.equal(f'check line.allocated {rule}', done.returncode, code)


def main(profview, library, program, source):
    v = Verdict('inlined allocations')
    with tempfile.TemporaryDirectory() as folder:
        for section, words in (('allocation_sites', 'malloc,maxframes=64'), ('held', 'held')):
            log = pathlib.Path(folder, section + '.mlpd')
            env = os.environ | {'LD_PRELOAD': os.path.abspath(library),
                                'PROFVIEW_OPTIONS': f'nodefaults,{words},output={log}'}
            subprocess.run([program], env=env, check=True, timeout=150)
            said = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                                   section, log], check=True, capture_output=True, text=True)
            stacks = {s['allocations']: [plain(n) for n in s['stack']] for s in json.loads(said.stdout)[section]}
            for n, want in STACKS.items():
                got = stacks.get(n, [])
                v.equal(f'{section}, {n} blocks', got[got.index('main') if 'main' in got else 0:],
                        [plain(name) for name in want])
        by_line(v, profview, pathlib.Path(folder, 'allocation_sites.mlpd'), pathlib.Path(source))
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

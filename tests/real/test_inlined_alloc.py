#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of allocations and of held memory have the inlined functions that addr2line -i would name.

usage: test_inlined_alloc.py PROFVIEW LIBRARY PROGRAM
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


def main(profview, library, program):
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
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

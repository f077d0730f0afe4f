#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All cells of the heat strip together have as many samples as the flame, which has them from the call tree.

usage: test_heat.py PROFVIEW LOG.gz
"""
import re
import subprocess
import sys

SIZES = '120x36', '80x24', '60x30', '200x50'
WAYS = {'': 'what ran', '|': 'with waits', ':range 0.5s..2s<Enter>': 'a range', ':thread boris<Enter>|': 'a thread',
        ':thread anna<Enter>:range 0.2s..1.5s<Enter>|': 'a thread in a range'}


def number(text, pattern):
    found = re.search(pattern, text)
    return found and int(found[1].replace(' ', ''))


def main(profview, log):
    wrong = compared = 0
    for size in SIZES:
        for way, what in WAYS.items():
            frame = subprocess.run([profview, '--dump', '--no-index', '--size', size, '--keys',
                                    way + ':flame<Enter>dg<Space>G', log],
                                   capture_output=True, text=True, check=True).stdout
            heat = number(frame, r'to [\d.]+ s · ([\d ]+) samples?')
            flame = number(frame, r'100 % = ([\d ]+) samples')
            empty = 'nothing ran in this time' in frame and 'nothing of it happened here' in frame
            compared += not empty
            if not empty and (heat is None or heat != flame):
                print(f'{size}, {what}: the heat strip has {heat}, the flame {flame}\n{frame}')
                wrong += 1
    print(f'{compared} frames compared, {wrong} wrong')
    sys.exit(wrong > 0 or not compared)


main(*sys.argv[1:])

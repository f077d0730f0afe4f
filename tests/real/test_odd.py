#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Odd programs end as they do when nobody records them: the same output, the same code.

usage: test_odd.py PROFVIEW PROGRAM NAME...
"""
import sys

import odd_ways
from verdict import Verdict


def main(profview, program, *names):
    ways = {'alone': ['leaks' if 'coroutines' in names else 'run'], 'in a shell': ['tree']}
    return odd_ways.main(Verdict('odd ' + ' '.join(names)), profview, program, names, ways)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview diff --per none` of builds of fixed work, again and again: a planted change is named in each of ten
pairs and nothing else, and of twenty pairs of the same build at least nineteen name nothing.

usage: diff_noise.py native|mono PROFVIEW BASE NEW [--keep FOLDER]

BASE, NEW: tests/real/fixed-base and -new of the build folder (mono: .exe). Counts what single rows say, too.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import test_diff    # noqa: E402  pylint: disable=wrong-import-position
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

PAIRS, SAME = 10, 20


def named(tool, kind, base, new):
    report = tool.diff(base, new, '--per', 'none')
    return {s: test_diff.changed(report, s) for s in test_diff.WANTED[kind]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('kind', choices=('native', 'mono'))
    parser.add_argument('profview')
    parser.add_argument('programs', nargs=2)
    parser.add_argument('--keep')
    o = parser.parse_args()
    v = Verdict(f'diff noise {o.kind}')
    with tempfile.TemporaryDirectory() as own:
        folder = o.keep or own
        tool = test_diff.Tool(o.profview, v, folder)
        tool.env['XDG_CACHE_HOME'] = f'{own}/cache'
        base = [tool.record(o.kind, o.programs[0])]
        wrong, noisy = [], []
        for i in range(SAME):
            base.append(tool.record(o.kind, o.programs[0]))
            got = {s: r for s, r in named(tool, o.kind, base[i], base[i + 1]).items() if r}
            noisy += [(i, got)] if got else []
            print(f'the same build, pair {i + 1}: {got or "nothing"}', flush=True)
        for i in range(PAIRS):
            got = named(tool, o.kind, base[i], tool.record(o.kind, o.programs[1]))
            if got != test_diff.WANTED[o.kind]:
                wrong.append((i, got))
            print(f'planted change, pair {i + 1}: {"named" if got == test_diff.WANTED[o.kind] else got}', flush=True)
        v.equal(f'planted changes named exactly in {PAIRS - len(wrong)} of {PAIRS} pairs', wrong, [])
        v.true(f'nothing named in {SAME - len(noisy)} of {SAME} pairs of the same build', len(noisy) <= 1, noisy)
        print(f'{PAIRS - len(wrong)} of {PAIRS}, {SAME - len(noisy)} of {SAME}')
    return v.close()


if __name__ == '__main__':
    main()

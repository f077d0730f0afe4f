#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static functions are named with their subject: no name stands in five files or more.

usage: check_statics.py SOURCE_ROOT [list]

`add` in fifty files cannot be searched for, and a stack of a debugger or of perf names it without its file. `list` prints
the names that stand in most files, with the files.
"""
import collections
import pathlib
import re
import sys

FILES = 5
AT_MOST = 0  # names that stand in so many files or more; only ever fewer
FUNCTION = re.compile(r'^static (?!inline)[^=;{}()]*?\b(\w+)\(', re.M)
NO_NAMES = {'PV_ARRAY', '__attribute__', '_Atomic', '_Alignas'}  # no functions


def count(root):
    files = collections.defaultdict(set)
    for top in ('common', 'probe', 'tui'):
        for path in (root / top).rglob('*.c'):
            for name in FUNCTION.findall(path.read_text(encoding='utf-8')):
                files[name].add(path.relative_to(root).as_posix())
    return {name: of for name, of in files.items() if name not in NO_NAMES}


def main(root, *args):
    files = count(pathlib.Path(root))
    often = sorted((name for name in files if len(files[name]) >= FILES), key=lambda name: (-len(files[name]), name))
    for name in often if 'list' in args else ():
        print(f'{name}: {len(files[name])}: {" ".join(sorted(files[name]))}')
    if len(often) > AT_MOST:
        print(f'{len(often)} static names stand in {FILES} files or more, {AT_MOST} did; name a function with its subject: '
              + ' '.join(often))
    else:
        print(f'{len(often)} of {len(files)} static names stand in {FILES} files or more')
    return 1 if len(often) > AT_MOST or not files else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

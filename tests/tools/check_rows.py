#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No code asks for a view by name: what is said of one is a field or a flag of its row in views.def.

usage: check_rows.py SOURCE_ROOT
Counted are comparisons with PV_VIEW_ and a name, and cases of it, in what is no test.
"""
import pathlib
import re
import sys

MOST = 0
NAME = r'PV_VIEW_(?!COUNT\b)\w+'
NAMED = re.compile(rf'(?:[!=]=|[<>]=?)\s*{NAME}|{NAME}\s*[!=]=|\bcase\s+{NAME}')


def places(root):
    for top in ('common', 'probe', 'tui'):
        for path in sorted((root / top).rglob('*.[ch]')):
            text = path.read_text(encoding='utf-8')
            for found in NAMED.finditer(text):
                yield f'{path.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}: {found.group(0)}'


def main(root):
    found = list(places(pathlib.Path(root)))
    print('\n'.join(found))
    print(f'{len(found)} comparisons with the name of a view (limit {MOST})')
    return len(found) > MOST


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every test that rules.txt names is there: usage: check_rules.py TESTS-FOLDER"""
import pathlib
import re
import sys


def main(folder):
    folder = pathlib.Path(folder)
    there = set()
    for path in folder.rglob('*.[cp]*'):
        text = path.read_text(encoding='utf-8', errors='replace')
        there |= set(re.findall(r'START_TEST\((\w+)\)|^def (\w+)', text, re.M)) | {(path.stem,)}
    there = {name for names in there for name in names}
    text = (folder / 'tools/rules.txt').read_text(encoding='utf-8')
    named = re.findall(r'\b[a-z]\w*_\w+\b', text)
    gone = sorted(set(named) - there)
    print(f'rules.txt names {len(named)} tests; not there: {gone or "none"}')
    return 1 if gone or not named else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

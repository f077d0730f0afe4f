#!/usr/bin/env python3
"""Every C file is as clang-format 19 writes it. Tables may stand between `clang-format off` and `on`.

usage: check_format.py SOURCE [--fix]
With --fix the files are written as they should be.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

MAJOR = '19' # another one writes some things otherwise
NAMES = (f'clang-format-{MAJOR}', 'clang-format')
ROOMS = ('common', 'probe', 'tui', 'tests')
AT_ONCE = 40 # files


def formatter():
    for name in filter(shutil.which, NAMES):
        said = subprocess.run([name, '--version'], capture_output=True, text=True, check=True).stdout
        if re.search(rf'version {MAJOR}\.', said):
            return name
    sys.exit(f'clang-format {MAJOR} is not installed')


def sources(root):
    for room in ROOMS:
        yield from sorted(p for p in (root / room).rglob('*.[ch]') if p.is_file())


def wrong_of(name, files):
    """Where each file is otherwise, at first."""
    said = subprocess.run([name, '--dry-run', '-ferror-limit=0', *files], capture_output=True,
                          text=True, check=True).stderr
    places = {}
    for file, line in re.findall(r'^(\S+?):(\d+):\d+: warning', said, re.M):
        places.setdefault(file, line)
    return places


def main(root, fix=None):
    name, root = formatter(), pathlib.Path(root)
    files = list(sources(root))
    parts = [files[i:i + AT_ONCE] for i in range(0, len(files), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if fix:
            list(pool.map(lambda part: subprocess.run([name, '-i', *part], check=True), parts))
            return 0
        wrong = {f: n for found in pool.map(lambda part: wrong_of(name, part), parts)
                 for f, n in found.items()}
    for file, line in sorted(wrong.items()):
        print(f'{pathlib.Path(file).relative_to(root)}:{line}: not as clang-format writes it')
    print(f'{len(files)} files, {len(wrong)} of them otherwise'
          + (': python3 tests/tools/check_format.py . --fix' if wrong else ''))
    return 1 if wrong or not files else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

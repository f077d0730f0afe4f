#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every C file is as clang-format 19 writes it. Tables may stand between `clang-format off` and `on`.

usage: check_format.py SOURCE [--fix | KEPT]
With --fix the files are written as they should be. KEPT is a file that what was found right is written
into, by its contents: only what is new is looked at the next time.
"""
import concurrent.futures
import hashlib
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
    """Its name, and what it says of its version."""
    for name in filter(shutil.which, NAMES):
        said = subprocess.run([name, '--version'], capture_output=True, text=True, check=True).stdout
        if re.search(rf'version {MAJOR}\.', said):
            return name, said
    print(f'clang-format-{MAJOR} is not installed')
    sys.exit(77)


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


class Kept:
    """Hashes of files that were right, with the formatter and the style that found them so."""

    def __init__(self, path, *style):
        self.path, self.style = path and pathlib.Path(path), b'\0'.join(style)
        self.right = set(self.path.read_text(encoding='ascii').split()) if path and self.path.exists() else set()

    def key(self, file):
        return hashlib.sha256(self.style + b'\0' + file.read_bytes()).hexdigest()

    def write(self, files):
        if self.path:
            part = self.path.with_suffix('.part')
            part.write_text('\n'.join(map(self.key, files)), encoding='ascii')
            part.replace(self.path)


def main(root, how=None):
    (name, version), root = formatter(), pathlib.Path(root)
    every, fix = list(sources(root)), how == '--fix'
    kept = Kept(None if fix else how, version.encode(), (root / '.clang-format').read_bytes())
    files = [f for f in every if kept.key(f) not in kept.right] if kept.right else every
    parts = [files[i:i + AT_ONCE] for i in range(0, len(files), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if fix:
            list(pool.map(lambda part: subprocess.run([name, '-i', *part], check=True), parts))
            return 0
        wrong = {f: n for found in pool.map(lambda part: wrong_of(name, part), parts)
                 for f, n in found.items()}
    kept.write([f for f in every if str(f) not in wrong])
    for file, line in sorted(wrong.items()):
        print(f'{pathlib.Path(file).relative_to(root)}:{line}: not as clang-format writes it')
    print(f'{len(every)} files, {len(wrong)} of them otherwise'
          + (': python3 tests/tools/check_format.py . --fix' if wrong else ''))
    return 1 if wrong or not every else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

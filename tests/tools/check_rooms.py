#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The developers' page has a section for every folder of the house, and names only files there are; no folder holds too many.

usage: check_rooms.py SOURCE_ROOT
"""
import pathlib
import re
import sys

PAGE = 'common/README.md'
MOST = 45  # sources in a folder
MORE = {'tui/screen': 46}  # only ever fewer


def rooms(root):
    """Folders with C sources, but for the one that only holds others."""
    for top in ('common', 'probe', 'tui'):
        for folder in [root / top, *sorted((root / top).rglob('*'))]:
            if folder.is_dir() and (any(folder.glob('*.[chS]')) or (folder / 'meson.build').exists()):
                yield folder.relative_to(root).as_posix()


def exists(root, name):
    """By its path, or by its end anywhere in the house."""
    if '*' in name:
        return any(root.glob(f'**/{name}'))
    return (root / name).exists() or any(root.glob(f'*/**/{name}'))


def main(root):
    root = pathlib.Path(root)
    text = (root / PAGE).read_text(encoding='utf-8')
    named = re.findall(r'^##+ ((?:common|probe|tui)\S*)$', text, re.M)
    there = [r for r in rooms(root) if r != 'common']
    problems = [f'{PAGE}: no section for {r}' for r in there if r not in named]
    problems += [f'{PAGE}: there is no {r}' for r in named if r not in there]
    for r in there:
        n = sum(f.suffix in ('.c', '.h', '.def', '.S') for f in (root / r).iterdir())
        if n > MORE.get(r, MOST):
            problems.append(f'{r}: {n} sources, at most {MORE.get(r, MOST)} may be')
    for name in re.findall(r'`([\w./*-]+\.(?:c|h|def|py|scd|sh))`', text):
        if not exists(root, name):
            problems.append(f'{PAGE}: there is no {name}')
    print('\n'.join(problems) or f'{len(there)} rooms')
    return 1 if problems or not there else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

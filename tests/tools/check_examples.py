#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worked examples of the developers' page apply to the tree as it is: each alone, and all of them.

usage: check_examples.py SOURCE_ROOT
The page names each, and it has a test. `check_examples.py SOURCE_ROOT apply` changes the tree itself.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MAX_LINES = 130  # of a diff
PAGE = 'common/README.md'
# Files that one thing more may touch.
PLACES = {'view.patch': 4, 'column.patch': 2, 'finding.patch': 4, 'word.patch': 3}


def apply(folder, patch):
    """What git says against it; None when it applies. Files outside of the folder are not touched."""
    done = subprocess.run(['git', 'apply', '--whitespace=nowarn', patch], cwd=folder, capture_output=True,
                          text=True, env={'PATH': '/usr/bin:/bin', 'GIT_CEILING_DIRECTORIES': str(folder),
                                          'GIT_DIR': '/dev/null'})
    return None if done.returncode == 0 else done.stderr.strip()


def copy(root, names, folder):
    for name in names:
        to = pathlib.Path(folder, name)
        to.parent.mkdir(parents=True, exist_ok=True)
        if (root / name).exists():
            shutil.copyfile(root / name, to)


def files(patch):
    return re.findall(r'^\+\+\+ b/(\S+)', patch.read_text(encoding='utf-8'), re.M)


def taken_keys(root, patch):
    """Those that it gives to a command of its own although another has them."""
    row = r'%sCOMMAND\(\w+, +"[^"]*", +"([^"]*)"'
    table = root / 'tui/commands.def'
    has = {k for keys in re.findall(row % '^', table.read_text(encoding='utf-8') if table.exists() else '', re.M)
           for k in keys.split()}
    return [k for keys in re.findall(row % r'^\+', patch.read_text(encoding='utf-8'), re.M)
            for k in keys.split() if k in has]


def problems_of(root, patches):
    page = (root / PAGE).read_text(encoding='utf-8')
    for patch in patches:
        name = patch.relative_to(root).as_posix()
        lines = patch.read_text(encoding='utf-8').count('\n')
        if lines > MAX_LINES:
            yield f'{name}: {lines} lines (limit {MAX_LINES})'
        if len(set(files(patch))) > PLACES.get(patch.name, sys.maxsize):
            yield f'{name}: {len(set(files(patch)))} files (limit {PLACES[patch.name]})'
        if patch.name not in page:
            yield f'{PAGE} does not name {patch.name}'
        if not any(f.startswith('tests/') for f in files(patch)):
            yield f'{name}: has no test'
        for key in taken_keys(root, patch):
            yield f'{name}: {key} is the key of another command'
        with tempfile.TemporaryDirectory() as folder:
            copy(root, files(patch), folder)
            against = apply(folder, patch)
            if against:
                yield f'{name}: {against}'
    with tempfile.TemporaryDirectory() as folder:
        copy(root, {f for p in patches for f in files(p)}, folder)
        for patch in patches:
            against = apply(folder, patch)
            if against:
                yield f'{patch.name}, after those before it: {against}'
    for name in re.findall(r'`(tests/examples/\S+\.patch)`', page):
        if not (root / name).exists():
            yield f'{PAGE}: there is no {name}'


def main(root, *how):
    root = pathlib.Path(root).resolve()
    patches = sorted((root / 'tests/examples').glob('*.patch'))
    problems = [p for p in (apply(root, q) for q in patches) if p] if how else list(problems_of(root, patches))
    print('\n'.join(problems) or f'{len(patches)} examples apply')
    return 1 if problems or not patches else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

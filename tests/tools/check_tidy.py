#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-tidy 19 has nothing to say: usage: check_tidy.py SOURCE BUILD [--base REVISION]

With a base only files that are not as they are there are read; of a header, the file of its name.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

TIDY = 'clang-tidy-19'
ROOMS = ('common/', 'probe/', 'tui/', 'tests/')
FOUND = re.compile(r'^(?P<file>\S+?):(?P<line>\d+):\d+: (?:warning|error): (?P<text>.* \[\S+\])$', re.M)


def built(root, build):
    """Each source that is compiled, once."""
    commands = json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))
    for command in commands:
        path = pathlib.Path(os.path.normpath(os.path.join(command['directory'], command['file'])))
        if path.suffix == '.c' and path.is_relative_to(root):
            name = path.relative_to(root).as_posix()
            if name.startswith(ROOMS):
                yield name


def changed(root, base):
    def names(*words):
        return subprocess.run(['git', '-C', root, *words], capture_output=True, text=True,
                              check=True).stdout.split()
    since = names('merge-base', base, 'HEAD')[0]
    for name in names('diff', '--name-only', since) + names('ls-files', '-o', '--exclude-standard'):
        yield re.sub(r'\.h$', '.c', name)


def read(root, build, name):
    """What is said of it; what is wrong with the call itself is said as well."""
    done = subprocess.run(['nice', TIDY, '-p', build, '--quiet', root / name], capture_output=True,
                          text=True, check=False, cwd=build)
    found = {(os.path.relpath(os.path.join(build, m['file']), root), int(m['line']), m['text'])
             for m in FOUND.finditer(done.stdout)}
    found = {f for f in found if not f[0].startswith('..')} # the system's headers
    if done.returncode:
        found.add((name, 0, done.stderr[-500:]))
    return found


def main(root, build, _=None, base=None):
    if not shutil.which(TIDY):
        sys.exit(f'{TIDY} is not installed')
    root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
    names = set(built(root, build))
    if base:
        names &= set(changed(root, base))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = set().union(*pool.map(lambda name: read(root, build, name), sorted(names)))
    for file, line, text in sorted(found):
        print(f'{file}:{line}: {text}')
    print(f'{len(names)} files read, {len(found)} finds')
    return 1 if found or not (names or base) else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that a test starts is installed by bootstrap.sh, or skips.txt says why it may be missing.

usage: check_started.py SOURCE_ROOT
Looked at: subprocess.*(['PROGRAM', ...]), shutil.which('PROGRAM'), need('PROGRAM') of the tests in Python,
find_program('PROGRAM') of meson, and what the rows of the matrix need that are in the suite. A new program
comes into PACKAGES, its package into bootstrap.sh, or it gets a line `program NAME: reason` in skips.txt.
"""
import ast
import pathlib
import re
import sys

STARTS = {'run', 'Popen', 'check_output', 'check_call', 'call', 'which', 'need'}
# Every Debian has these: its packages of the priority `required`, and what runs the tests.
EVERYWHERE = set('''apt-cache apt-get bash cat chmod cp dd dpkg-query env false find grep gzip head id kill ldd ls mkfifo mount nice
    nohup prlimit python3 sed setpriv setsid sh sleep stdbuf tail tar taskset tic timeout true umount unshare'''.split())
PACKAGES = {
    'addr2line': 'gcc', 'bindfs': 'bindfs', 'callgrind_annotate': 'valgrind', 'cc': 'gcc',
    'clang-format-19': 'clang-format-19', 'fish': 'fish', 'g++': 'g++', 'gcc': 'gcc', 'git': 'git',
    'lintian': 'lintian', 'make': 'make', 'mcs': 'mono-mcs', 'meson': 'meson', 'mono': 'mono-runtime',
    'mprof-decoder': 'mono-profiler', 'mprof-report': 'mono-utils', 'musl-gcc': 'musl-tools',
    'ninja': 'ninja-build', 'nm': 'gcc', 'objcopy': 'gcc', 'perl': 'perl', 'pkg-config': 'pkg-config',
    'objdump': 'gcc', 'ps': 'procps', 'readelf': 'gcc', 'scdoc': 'scdoc', 'sqlite3': 'sqlite3', 'strip': 'gcc', 'tmux': 'tmux',
    'valgrind': 'valgrind', 'xmllint': 'libxml2-utils', 'xz': 'xz-utils', 'zsh': 'zsh', 'zstd': 'zstd',
}
OURS = {'profview', '/no/such/program'}
BY_ITSELF = {'nginx': 'need_nginx'} # a function of bootstrap.sh gets it


def constant(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def started(path):
    """What a file in Python starts, by name."""
    for call in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        name = isinstance(call, ast.Call) and (getattr(call.func, 'attr', None) or getattr(call.func, 'id', None))
        if name not in STARTS or not call.args:
            continue
        first = call.args[0]
        if name in ('which', 'need'):
            yield constant(first)
        elif isinstance(first, (ast.List, ast.Tuple)) and first.elts and getattr(call.func, 'attr', None):
            yield constant(first.elts[0])


def of_matrix(root, rows):
    """Its rows that the suite has, and what they need."""
    for call in ast.walk(ast.parse((root / 'tests/soak/matrix_programs.py').read_text(encoding='utf-8'))):
        if isinstance(call, ast.Call) and getattr(call.func, 'id', None) == 'Program' and len(call.args) > 2:
            name = constant(call.args[0])
            if name and f"'{name}'" in rows:
                yield from ((constant(e), f'matrix {name}') for e in call.args[2].elts)


def in_suite(root, rows):
    for room in ('real', 'program', 'tools'):
        yield from sorted((root / 'tests' / room).glob('*.py'))
    yield from (p for p in sorted((root / 'tests/soak').glob('*.py')) if p.name in rows and p.name != 'matrix_programs.py')


def lists(bootstrap):
    """The packages of its lists; of several names each."""
    return set(re.findall(r'[^\s\'"|()]+', ' '.join(re.findall(r'^\w+_(?:PACKAGES|WISHES)=\(([^)]*)\)', bootstrap, re.M))))


def main(root):
    root = pathlib.Path(root)
    meson = {p: p.read_text(encoding='utf-8') for p in (root / 'tests/meson.build', root / 'tests/real/meson.build')}
    rows = ''.join(meson.values())
    found = {}
    for path in in_suite(root, rows):
        for name in filter(None, started(path)):
            found.setdefault(name.rpartition('/')[2] if name.startswith(('/usr/bin/', '/bin/')) else name, path.name)
    for path, text in meson.items():
        for name in re.findall(r"find_program\('([^']+)'", text):
            found.setdefault(name, path.relative_to(root).as_posix())
    for name, where in of_matrix(root, rows):
        if name:
            found.setdefault(name, where)
    bootstrap = (root / 'bootstrap.sh').read_text(encoding='utf-8')
    skips = (root / 'tests/tools/skips.txt').read_text(encoding='utf-8').splitlines()
    there, wrong = lists(bootstrap), []
    for name, where in sorted(found.items()):
        if name in EVERYWHERE | OURS or any(s.startswith((f'program {name}:', f'{where}:')) for s in skips):
            continue
        if not (BY_ITSELF.get(name, '-') in bootstrap if name in BY_ITSELF else PACKAGES.get(name) in there):
            wrong.append(f'{where} starts {name}: neither is its package in bootstrap.sh, nor has skips.txt a line for it')
    for name in (s[8:].partition(':')[0] for s in skips if s.startswith('program ')):
        if name not in found and name not in PACKAGES:
            wrong.append(f'skips.txt names {name}, which no test starts')
    print('\n'.join(wrong) or f'{len(found)} programs are started')
    return 1 if wrong or len(found) < 20 else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

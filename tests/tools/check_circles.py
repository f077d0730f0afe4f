#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which source files need each other in a circle, and which rooms, from the objects that were built.

usage: check_circles.py BUILD [list]    `list` prints the circles
A file needs another when its code refers to a symbol that the other defines; rows of a table that
name functions are no need. What is counted here may only become less.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

# Files in the circles of a layer, largest first.
FILES = {
    'common/format': [5],
    'common/ingest': [2],
    'common/model': [4, 3, 2, 2],
    'common/query': [2],
    'common/target': [2],
    'probe': [7, 7, 7, 6, 3, 2, 2],
    'tui': [3, 3, 3, 2, 2, 2, 2, 2],
}
# Rooms that need each other in circles.
ROOMS = set()

# What probe/meson.build takes objects from, and for what.
PARTS = {
    'libpv-probe-parts.a': ('libprofview-native.so', 'libmono-profiler-profview.so', 'libprofview-coreclr.so'),
    'libpv-probe.a': ('libprofview-native.so',),
}
# Of libc, though the native probe stands in front of them.
LIBC = {'malloc', 'calloc', 'realloc', 'free', 'pthread_create', 'thrd_create', 'sigaction', 'sigtimedwait', 'syscall',
        'prctl'}

ENTRY = re.compile(r"^[0-9a-f]+\s+[0-9a-f]+\s+R_\S+\s+[0-9a-f]+\s+(\S+)")


def objects(build):
    """{target's folder: [(object, source relative to the root)]} of what is no test."""
    found = collections.defaultdict(list)
    root = pathlib.Path(build).resolve()
    for row in json.loads(pathlib.Path(build, 'compile_commands.json').read_text(encoding='utf-8')):
        source = (pathlib.Path(row['directory']) / row['file']).resolve()
        out = pathlib.Path(row['directory'], row['output'])
        for top in ('common', 'probe', 'tui'):
            if f'/{top}/' in f'/{row["output"]}' or row['output'].startswith('profview.p/'):
                text = source.as_posix()
                at = text.rfind(f'/{top}/')
                if at >= 0 and source.suffix == '.c' and out.exists() and '/tests/' not in text:
                    found[out.parent].append((out.as_posix(), text[at + 1:]))
                    break
    if not found:
        sys.exit(f'{root}: no objects')
    join_parts(found)
    return found


def join_parts(found):
    """Objects that were compiled for one target and are linked into others as well are theirs, too."""
    for shared, users in PARTS.items():
        parts = [row for folder, rows in found.items() if folder.name == f'{shared}.p' for row in rows]
        for folder in found:
            if folder.name in (f'{user}.p' for user in users):
                found[folder] = found[folder] + parts


def blocks(command, paths):
    """The output of a binutils tool about several files, by file."""
    out = subprocess.run(command + paths, capture_output=True, text=True, check=True,
                         env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'}).stdout
    now, found = None, collections.defaultdict(list)
    for line in out.splitlines():
        named = re.match(r'(?:File: )?(\S+\.o):?$', line)
        if named:
            now = named.group(1)
        elif now or len(paths) == 1:
            found[now or paths[0]].append(line)
    return found


def needs(pairs):
    """(user, used) of the sources of one target."""
    paths = [o for o, _ in pairs]
    source = dict(pairs)
    defined = {}
    for o, lines in blocks(['nm', '--defined-only', '-g'], paths).items():
        for line in lines:
            words = line.split()
            if len(words) == 3 and words[2] not in LIBC:
                defined[words[2]] = source[o]
    for o, lines in blocks(['readelf', '-Wr'], paths).items():
        text = False
        for line in lines:
            if line.startswith('Relocation section'):
                text = "'.rela.text" in line
            entry = text and ENTRY.match(line)
            if entry:
                used = defined.get(entry.group(1).split('@')[0])
                if used and used != source[o]:
                    yield source[o], used


def circles(edges):
    """Tarjan's strongly connected components with more than one member."""
    graph = collections.defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph[v]):
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for v in sorted(graph):
        if v not in index:
            visit(v)
    return sorted(found, key=lambda c: (-len(c), c))


def layer(name):
    return '/'.join(name.split('/')[:2]) if name.startswith('common/') else name.split('/')[0]


def room(name):
    return name.rsplit('/', 1)[0]


def main(build, *more):
    edges = set()
    for pairs in objects(build).values():
        edges.update(needs(pairs))
    by_file = collections.defaultdict(list)
    for c in circles(edges):
        by_file[' '.join(sorted({layer(f) for f in c}))].append(c)
    by_room = circles({(room(a), room(b)) for a, b in edges if room(a) != room(b)})
    if more:
        for name, found in sorted(by_file.items()):
            for c in found:
                print(f'{name}: {len(c)}: {" ".join(c)}')
        for c in by_room:
            print(f'rooms: {len(c)}: {" ".join(c)}')
        return 0
    problems = []
    sizes = {name: [len(c) for c in found] for name, found in by_file.items()}
    rooms = {' '.join(c) for c in by_room}
    for name in sorted(sizes.keys() | FILES.keys()):
        if sizes.get(name, []) != FILES.get(name, []):
            problems.append(f'{name}: circles of {sizes.get(name, [])} files, known: {FILES.get(name, [])}')
    for c in sorted(rooms ^ ROOMS):
        problems.append(f'rooms: {"new" if c in rooms else "gone"}: {c}')
    print('\n'.join(problems) or f'{len(edges)} needs, circles as known')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

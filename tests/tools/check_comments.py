#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plain comments: few pronouns, and a line that says what each source file is for.

usage: check_comments.py SOURCE_ROOT [list ROOM|table]

A comment whose every noun is "it", "that" or "one" cannot be read without the code below. Of the words of a room's
comments at most 4 % are such pronouns; a room that has more keeps its row in AT_MOST, which only ever falls. `list`
prints the comments of a room that have the most, with their lines; `table` the rows anew.
"""
import collections
import math
import pathlib
import re
import sys

PRONOUNS = re.compile(r'\b(?:it|its|that|those|ones?|which)\b', re.I)
WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
PIECES = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
SHARE = 4.0  # %
LEAST_WORDS = 100  # of fewer a share says nothing

# Tenths of a % of each room that has more; files of a room that do not say in their first lines what they are for.
AT_MOST = {
}
SILENT = {
}


def comments(text):
    """Each comment that is no licence and no switch of a tool, with its place."""
    for m in PIECES.finditer(text):
        piece = m.group()
        if piece[0] == '/' and not re.search(r'SPDX-|clang-format|NOLINT', piece):
            yield m.start(), piece


def says_purpose(text):
    """A comment opens the file, below the licence and before any code but `#include`, or within the first three lines."""
    body = re.sub(r'\A\s*/\*\s*SPDX.*?\*/\s*', '', text, flags=re.S)
    return body.lstrip().startswith(('/*', '//'))


def count(root):
    rooms = collections.defaultdict(lambda: [0, 0, []])
    found = collections.defaultdict(list)
    for top in ('common', 'probe', 'tui'):
        for path in sorted((root / top).rglob('*')):
            if path.suffix not in ('.c', '.h', '.def', '.S'):
                continue
            name = path.relative_to(root)
            room = rooms[name.parent.as_posix()]
            text = path.read_text(encoding='utf-8')
            if path.suffix == '.c' and not says_purpose(text):
                room[2].append(name.name)
            for at, piece in comments(text):
                words, pronouns = len(WORD.findall(piece)), len(PRONOUNS.findall(piece))
                room[0] += words
                room[1] += pronouns
                if pronouns:
                    found[name.parent.as_posix()].append((pronouns / words, pronouns, f'{name}:{text.count(chr(10), 0, at) + 1}',
                                                          ' '.join(piece.split())))
    return rooms, found


def share(words, pronouns):
    return math.ceil(1000 * pronouns / words) if words >= LEAST_WORDS else 0


def main(root, *args):
    rooms, found = count(pathlib.Path(root))
    if args[:1] == ('list',):
        for _, n, place, piece in sorted(found[args[1]], key=lambda f: -f[1]):
            print(f'{place}: {n}: {piece}')
    problems = []
    for room, (words, pronouns, silent) in sorted(rooms.items()):
        now, most = share(words, pronouns), AT_MOST.get(room, 10 * SHARE)
        if args[:1] == ('table',) and now > 10 * SHARE:
            print(f"    '{room}': {now},")
        if now > most:
            problems.append(f'{room}: {now / 10} % of the words of comments are pronouns, at most {most / 10} may be')
        if len(silent) > SILENT.get(room, 0):
            problems.append(f'{room}: {len(silent)} files do not say what they are for: {" ".join(silent)}')
    if args[:1] == ('table',):
        print(*(f"    '{room}': {len(r[2])}," for room, r in sorted(rooms.items()) if r[2]), sep='\n')
        return 0
    words, pronouns = (sum(r[i] for r in rooms.values()) for i in (0, 1))
    print('\n'.join(problems) or f'{100 * pronouns / words:.1f} % of {words} words in {len(rooms)} rooms')
    return 1 if problems or not rooms else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words of our own, and comments that open with What, Who or Where: per room, only ever fewer.

usage: check_words.py SOURCE_ROOT [list]    `list` prints the places, `table` the table below anew
Words are counted in comments and identifiers, not in texts; the glossary
in common/README.md has those that stay. Text in quotes is what users see, and stays.
"""
import collections
import pathlib
import re
import sys

WORDS = re.compile(
    r'digests?|strands?|stretch(?:es)?|breathes?|breath|let_go|take_back|let go|takes? back|'
    r'lates?|recall|births?|born|settles?|unkey|steady|looks|spoils?|rejoins|befores|'
    r'belongs|guest|heaper|ranger|follower|talk|asker|told|whoever|nobody|told apart|behind|beside|'
    r'of whom|crowd|alone|orders', re.I)
OPENS = re.compile(r'\W*(?:what|whoever|whom|whose|who|where)\b', re.I)
PIECES = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*|[A-Za-z_]\w*', re.S)

MOST_IN_GLOSSARY = 15

# [words, openings] of each room; a room without a row has none.
AT_MOST = {
    'tests': [10, 0], # orders of a shop,
}


def words_in(piece):
    """Of an identifier the parts between underscores; of a comment the words."""
    if piece.startswith('/'):
        return re.findall(rf'\b(?:{WORDS.pattern})\b', piece, re.I)
    parts = re.sub(r'([a-z])([A-Z])', r'\1_\2', piece).split('_')
    return [p for p in parts if WORDS.fullmatch(p)]


def count(root):
    rooms, places = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(list)
    for top in ('common', 'probe', 'tui', 'tests'):
        for path in sorted((root / top).rglob('*')):
            if path.suffix not in ('.c', '.h', '.def', '.S'):
                continue
            name = path.relative_to(root)
            # The folders of tests together: they follow the names of the rooms that they test.
            room = 'tests' if top == 'tests' else name.parent.as_posix()
            text = path.read_text(encoding='utf-8')
            rooms[room][0] += 0
            for m in PIECES.finditer(text):
                piece = m.group()
                if piece[0] in '"\'':
                    continue
                found = words_in(piece)
                opens = piece[0] == '/' and OPENS.match(piece)
                rooms[room][0] += len(found)
                rooms[room][1] += bool(opens)
                if found or opens:
                    line = text.count('\n', 0, m.start()) + 1
                    places[room].append(f'{name}:{line}: {" ".join(found)}{" (opening)" if opens else ""}')
    return rooms, places


def glossary(root):
    """At most fifteen words of ours, each with its meaning."""
    text = (root / 'common/README.md').read_text(encoding='utf-8')
    part = re.search(r'^## Glossary$(.*?)(?=^## |\Z)', text, re.M | re.S)
    heads = re.findall(r'^- ((?:\*\*[^*]+\*\*(?:, )?)+): \S', part[1], re.M) if part else []
    n = sum(head.count('**') // 2 for head in heads) # a row may be about two
    return [] if 0 < n <= MOST_IN_GLOSSARY else [f'common/README.md: {n} words in the glossary']


def main(root, *args):
    rooms, places = count(pathlib.Path(root))
    if 'list' in args:
        print(*(place for of in places.values() for place in of), sep='\n')
    if 'table' in args:
        for room, n in sorted(rooms.items()):
            print(f"    '{room}': {n},")
    problems = glossary(pathlib.Path(root))
    for room, n in sorted(rooms.items()):
        most = AT_MOST.get(room, [0, 0])
        for now, was, of in zip(n, most, ('words of our own', 'comments that open with What, Who, Where')):
            if now > was:
                problems.append(f'{room}: {now} {of}, {was} were there; one of these is new:')
                problems += [p for p in places[room] if ('(opening)' in p) == ('open' in of)]
    print('\n'.join(problems) or f'{sum(n[0] for n in rooms.values())} words, '
          f'{sum(n[1] for n in rooms.values())} openings in {len(rooms)} rooms')
    return 1 if problems or not rooms else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

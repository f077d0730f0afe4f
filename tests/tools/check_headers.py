#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A header says what it is, and of each function what a caller must know: per room, only ever fewer lacks.

usage: check_headers.py SOURCE_ROOT [list]    `list` prints the places, `table` the table below anew

The head is the comment that the file begins with. A function's comment stands directly above it, above
the lines of which it is one (no empty line between), or behind it. Asked for:

  head      the file begins with a comment of a few words
  comment   every function declared or defined in it has one
  failure   of a bool or a pointer that is returned the comment says when it is false or NULL, or what
            it answers; a name of one question (is, has, ...) says it itself
  lifetime  of a pointer that is returned the comment or the head says who frees it or how long it is good
  threads   a header with functions speaks once of threads, locks or signals
  units     a time among the fields or arguments has its unit in its name, its line, the comment above or
            the head
"""
import collections
import pathlib
import re
import sys

KINDS = ('head', 'comment', 'failure', 'lifetime', 'threads', 'units')

# Lacks of each room, in the order of KINDS: none any more, and a room that is not here has none.
AT_MOST = {}

FAILURE = re.compile(
    r"\b(?:NULL|false|true|fails?|failed|failure|failing|errors?|whether|memory|errno|PV_E[A-Z]+|never|always)\b|-1\b",
    re.I)
LIFETIME = re.compile(
    r"\b(?:owns?|owned|owner|owning|frees?|freed|until|valid|belongs|borrowed|constants?|literals?|static|"
    r"destroys?|destroyed|closes?|held|holds?|lives?|stays?|while|as long as|points? into|good|"
    r"moves?|caller's|arena)\b|_(?:free|destroy|close|finish|drop|stop|end)\(\)", re.I)
THREADS = re.compile(r"\b(?:threads?|locks?|locked|locking|unlocked|signals?|atomic|reentrant)\b|thread-safe", re.I)
UNITS = re.compile(r"(?<!')\b(?:ns|us|ms|s|ticks?|nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|clock)\b")
TIME = re.compile(r"(?:^|_)(?:time|times|duration|elapsed|interval|timeout|delay|pause|wait)$")
# What is said elsewhere: "As pv_other()", "Likewise".
REFERS = re.compile(r"\bas \w+\(\)|/\*\s*(?:\*\s*)?(?:the same|likewise)\b", re.I)
QUESTION = re.compile(r"_(?:is|are|has|have|may|can|does|do|knows|wants|needs|same|equal|was|were)(?:_|$)")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                   re.S | re.M)


class Item:
    """A declaration at the top level: its text, its lines, and the comments that speak of it."""

    def __init__(self, text, first, last):
        self.text, self.first, self.last, self.above, self.behind = text, first, last, '', ''

    def comment(self):
        return f'{self.above} {self.behind}'


def blank(match):
    """Spaces in place of a token, so that places stay."""
    return re.sub(r'[^\n]', ' ', match.group())


def comments(text):
    """(first line, last line, text, is alone on its line) of each comment."""
    for m in TOKEN.finditer(text):
        if m.group().startswith('/'):
            first = text.count('\n', 0, m.start())
            before = text[text.rfind('\n', 0, m.start()) + 1:m.start()]
            yield first, first + m.group().count('\n'), m.group(), not before.strip()
        elif m.group().lstrip().startswith('#'):
            yield from ((text.count('\n', 0, m.start() + c.start()),) * 2 + (c.group(), False)
                        for c in re.finditer(r'/\*.*?\*/', m.group()))


def items(text):
    """The declarations of a header; those of its functions are without their bodies' insides."""
    code = TOKEN.sub(blank, text)
    code = re.sub(r'extern\s+"?\s*"?\s*\{', blank, code)
    depth, start = 0, None
    for i, c in enumerate(code):
        if start is None and not c.isspace() and c not in ';}':
            start = i
        if c in '{(':
            depth += 1
        elif c in '})':
            depth = max(0, depth - 1)
        if start is None or depth:
            continue
        is_body = c == '}' and re.match(r'[^={;]*\)\s*\{', code[start:i])
        if c == ';' or is_body:
            yield Item(code[start:i + 1], code.count('\n', 0, start), code.count('\n', 0, i))
            start = None


FUNCTION = re.compile(r'^(?!typedef\b)([A-Za-z_][\w\s*]*?[\s*])([A-Za-z_]\w*)\s*\((?!\*)', re.S)


def function(item):
    """Its returned type and its name."""
    text = re.sub(r'\b__attribute__\s*\(\(.*?\)\)\s*', '', item.text, flags=re.S)
    m = FUNCTION.match(text)
    if not m or '=' in text[:m.end()] or '{' in text[:m.end()]:
        return None
    return re.sub(r'\b(?:static|inline|extern|_Noreturn|PVP_API|PV_EXPORT)\b', '', m[1]).strip(), m[2]


def attach(found, text):
    """The comments that speak of each item, a group's to all of it."""
    lines = text.split('\n')
    above = {last: c for first, last, c, alone in comments(text) if alone}
    firsts = {last: first for first, last, c, alone in comments(text) if alone}
    behind = collections.defaultdict(str)
    for first, last, c, alone in comments(text):
        if not alone:
            behind[first] += c
    previous = None
    for item in found:
        at = item.first - 1
        while at in above or (at >= 0 and lines[at].lstrip().startswith('#')):
            item.above = above.get(at, '') + item.above
            at = firsts.get(at, at) - 1
        # Without an empty line before it, a declaration is of the group of the one above.
        if not item.above and previous and not any(not l.strip() for l in lines[previous.last + 1:item.first]):
            item.above = previous.above
        is_body = '{' in item.text
        item.behind = ''.join(behind[i] for i in range(item.first, item.last + 1)
                              if not is_body or i == item.first)
        # A comment that goes on behind it, in lines of its own that are set in.
        at = item.last + 1
        while not is_body and item.behind and at < len(lines) and re.match(r'\s+\*', lines[at]):
            item.behind += lines[at]
            at += 1
        previous = item


def head_of(text):
    m = re.match(r'\s*(?:/\*.*?\*/\s*)+', text, re.S)
    return re.sub(r'/\* SPDX-License-Identifier.*?\*/', '', m.group()) if m else ''


def untimed(text, head):
    """Lines with a time of which nothing says the unit."""
    if UNITS.search(head):
        return
    block = ''
    for number, line in enumerate(text.split('\n')):
        is_comment = re.match(r'\s*/?\*', line)
        if not line.strip():
            block = ''
        if is_comment:
            block += line
        code = re.sub(r'/\*.*?(\*/|$)', '', line)
        for m in re.finditer(r'\bu?int\d+_t\s+((?:\w+(?:\[\w*\])?\s*,\s*)*\w+)\s*[;,)\[]', code):
            names = re.findall(r'\w+', m[1])
            if any(TIME.search(n) for n in names) and not is_comment and not UNITS.search(line + block):
                yield number, ' '.join(names)


def lacks(text):
    """(kind, line, name) of each thing that is not said."""
    head = head_of(text)
    if len(re.findall(r'\w+', head)) < 3:
        yield 'head', 0, ''
    found = list(items(text))
    attach(found, text)
    functions = [(f, i) for i in found for f in [function(i)] if f]
    for (returns, name), item in functions:
        comment = item.comment()
        if not re.search(r'\w', comment):
            yield 'comment', item.first, name
            continue
        is_pointer = '*' in returns
        is_bool = re.fullmatch(r'(?:const\s+)?bool', returns)
        if REFERS.search(comment):
            continue
        if (is_pointer or is_bool and not QUESTION.search(name)) and not FAILURE.search(comment + head):
            yield 'failure', item.first, name
        if is_pointer and not LIFETIME.search(comment + head):
            yield 'lifetime', item.first, name
    spoken = ''.join(c for _, _, c, _ in comments(text))
    if functions and not THREADS.search(spoken):
        yield 'threads', 0, ''
    for line, name in untimed(text, head):
        yield 'units', line, name


def main(root, *args):
    root = pathlib.Path(root)
    rooms, headers = collections.defaultdict(lambda: [[] for _ in KINDS]), 0
    for top in ('common', 'tui', 'probe'):
        for path in sorted((root / top).rglob('*.h')):
            name = path.relative_to(root)
            headers += 1
            for kind, line, of in lacks(path.read_text(encoding='utf-8')):
                rooms[name.parent.as_posix()][KINDS.index(kind)].append(f'{name}:{line + 1}: {kind} {of}')
    if 'list' in args:
        print('\n'.join(place for places in rooms.values() for kind in places for place in kind))
    if 'table' in args:
        print('\n'.join(f"    '{room}': {[len(n) for n in places]}," for room, places in sorted(rooms.items())))
    problems = []
    for room, places in sorted(rooms.items()):
        for now, was, kind in zip(places, AT_MOST.get(room, [0] * len(KINDS)), KINDS):
            if len(now) > was:
                problems += [*now, f'{room}: {len(now)} headers or functions without {kind}, {was} were there']
    lacking = sum(len(n) for places in rooms.values() for n in places)
    print('\n'.join(problems) or f'{headers} headers, {lacking} lacks')
    return 1 if problems or not headers else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

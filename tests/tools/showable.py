# SPDX-License-Identifier: MIT
"""How foreign text is shown, after the table in common/base/text/showable.h and not after its code."""
import functools
import unicodedata

MARKS = 2
HIDDEN = [(0x00, 0x1f), (0x7f, 0x9f), (0xad, 0xad), (0x34f, 0x34f), (0x61c, 0x61c), (0x115f, 0x1160),
          (0x17b4, 0x17b5), (0x180b, 0x180f), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f),
          (0x3164, 0x3164), (0xfeff, 0xfeff), (0xffa0, 0xffa0), (0xfff0, 0xfffb), (0x1bca0, 0x1bca3),
          (0x1d173, 0x1d17a), (0xe0000, 0xe0fff)]


@functools.cache
def hides(code):
    return any(first <= code <= last for first, last in HIDDEN)


@functools.cache
def is_mark(code):
    return unicodedata.category(chr(code)) in ('Mn', 'Me') and code >= 0x300 or \
        0x1161 <= code <= 0x11ff


def escape(code):
    short = {10: '\\n', 13: '\\r', 9: '\\t'}.get(code)
    if short:
        return short
    return f'\\x{code:02x}' if code < 0x80 else f'\\u{code:04x}' if code < 0x10000 else f'\\U{code:08x}'


@functools.lru_cache(1 << 16)
def shown(raw, quoted=False):
    """Of bytes or a text."""
    if isinstance(raw, str):
        raw = raw.encode('utf-8', 'surrogateescape')
    out, marks = [], MARKS
    for c in raw.decode('utf-8', 'surrogateescape'):
        code = ord(c)
        if 0xdc80 <= code <= 0xdcff:    # a byte that is no UTF-8
            out.append(f'\\x{code - 0xdc00:02x}')
            marks = 0
        elif hides(code):
            out.append(escape(code))
            marks = 0
        elif is_mark(code):
            out.append(escape(code) if marks >= MARKS else c)
            marks += marks < MARKS
        else:
            out.append('\\' + c if quoted and c in '"\\' else c)
            marks = 0
    return ''.join(out)


BAD = {chr(c) for first, last in [*HIDDEN, (0xd800, 0xdfff)] for c in range(first, last + 1)}


def piled(line):
    """The first mark too many in a line."""
    marks = MARKS
    for c in line:
        marks = marks + 1 if is_mark(ord(c)) else 0
        if marks > MARKS:
            return c
    return None


def harmful(text):
    """The first character that may not reach a terminal, and its line; None. Ends of lines may."""
    for line in text.split('\n'):
        met = set(line)
        bad = met & BAD or (any(is_mark(ord(c)) for c in met) and piled(line))
        if bad:
            return min(bad), line
    return None


def formula(text):
    """Whether a cell of CSV needs a ' in front."""
    try:
        float(text)
        number = set(text) <= set('+-.0123456789eE')
    except ValueError:
        number = False
    return text[:1] in set('=+-@\t\r＝＋－＠') and not number

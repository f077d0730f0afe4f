#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A text file as two C strings, before and after the place where data goes.

usage: embed.py PAGE OUT.c NAME
"""
import pathlib
import sys

PLACE = '@DATA@'
PART = 64    # bytes a line


def literal(data):
    for at in range(0, len(data), PART):
        yield '\t' + ', '.join(map(str, data[at:at + PART])) + ','
    yield '\t0'


def main(page, out, name):
    before, after = pathlib.Path(page).read_text(encoding='utf-8').split(PLACE)
    lines = [f'#include "common/export/{name}.h"']
    for part, text in ('before', before), ('after', after):
        lines += [f'const char pv_{name}_{part}[] = {{', *literal(text.encode()), '};']
    pathlib.Path(out).write_text('\n'.join(lines) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:])

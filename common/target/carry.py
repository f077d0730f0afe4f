#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the table of the files that a program carries within itself.

usage: carry.py TO FOLDER    TO: a file in C; FOLDER: what is carried, with its folders and links

The assembler takes the bytes from where they lie. Their hash stands in the text, so that others are taken again.
"""
import hashlib
import json
import pathlib
import sys


def main(to, folder):
    folder = pathlib.Path(folder)
    every, code, rows = hashlib.sha256(), [], []
    for i, path in enumerate(sorted(p for p in folder.rglob('*') if p.is_symlink() or p.is_file())):
        name = path.relative_to(folder).as_posix()
        link = str(path.readlink()) if path.is_symlink() else None
        data = b'' if link else path.read_bytes()
        every.update(json.dumps([name, link, len(data)]).encode() + data)
        if link:
            rows.append(f'\t{{ {json.dumps(name)}, {json.dumps(link)}, 0, 0 }},\n')
            continue
        code.append(f'__asm__(".section .rodata\\n.balign 64\\ncarried_{i}: .incbin " {json.dumps(json.dumps(str(path)))} "\\n'
                    f'.previous\\n");\nextern const unsigned char carried_{i}[] __attribute__((visibility("hidden")));\n')
        rows.append(f'\t{{ {json.dumps(name)}, 0, carried_{i}, {len(data)} }},\n')
    text = (f'#include "common/target/process/carried.h"\n\n{"".join(code)}\n'
            f'const char pv_carried_hash[] = "{every.hexdigest()[:32]}";\n'
            f'const struct pv_carried_file pv_carried_files[] = {{\n{"".join(rows)}\t{{ 0 }}\n}};\n')
    to = pathlib.Path(to)
    if not to.exists() or to.read_text() != text:  # else nothing is compiled again
        to.write_text(text)


if __name__ == '__main__':
    main(*sys.argv[1:])

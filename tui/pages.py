#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages out of their sources: NAME.scd becomes NAME in a folder.

usage: pages.py SCDOC FOLDER SOURCE...
"""
import pathlib
import subprocess
import sys


def main(scdoc, folder, *sources):
    for source in map(pathlib.Path, sources):
        with open(source, encoding='utf-8') as page:
            made = subprocess.run([scdoc], stdin=page, capture_output=True, check=False)
        if made.returncode:
            sys.exit(f'{source}: {made.stderr.decode(errors="replace")}')
        pathlib.Path(folder, source.stem).write_bytes(made.stdout)


if __name__ == '__main__':
    main(*sys.argv[1:])

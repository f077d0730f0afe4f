#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All odd programs (tests/real/odd.c) under every way of recording, alone and as a child of a shell: some five
hundred runs, half an hour of a busy machine. Fails where output, code or end differ from those of a bare run.

usage: odd.py PROFVIEW PROGRAM [NAME...]     PROGRAM: tests/real/odd of the build
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import odd_ways    # noqa: E402  pylint: disable=wrong-import-position
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position


def main(profview, program, *names):
    names = names or odd_ways.names_of(program)
    ways = {parent: list(odd_ways.RECORD) for parent in odd_ways.PARENTS}
    return odd_ways.main(Verdict('odd programs'), profview, program, names, ways)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

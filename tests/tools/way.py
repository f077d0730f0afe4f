#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The way of an event from bytes to a printed row: functions of common/ that are called once more for
each event that a log has more, and the files that they stand in (callgrind). The limits only go down.

usage: way.py PROFVIEW SHOP [NAME]       SHOP: a log whose header is used; NAME: lists that way's functions

What the compiler has inlined is not seen: a build with -O0 shows more.
"""
import collections
import gzip
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'program'))
from test_streams import SAMPLER, RUNTIME, Stream, wide    # noqa: E402  pylint: disable=wrong-import-position

# Functions and files at most, by gcc at -O2, with room for four and one that move at the same time. The aim is 150 in 40.
LIMITS = {'allocation': (156, 66), 'sample': (160, 71), 'nettrace': (138, 56)}
EVENTS = 8
BASE = 1 << 30


def uleb(v):
    out = b''
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def sleb(v):
    out = b''
    while not -64 <= v < 64:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v & 127])


def text(i):
    return f'N.C{i:x}'.encode() + b'\0'


def log(head, event, n):
    """A buffer an event, each with the description of what it is about."""
    out = head
    for i in range(n):
        payload = event(i)
        out += struct.pack('<IIQQQQQ', 0x4d504c01, len(payload), 10**12 + i * 10**6, BASE, BASE >> 3, 1, BASE) + payload
    return out


def allocation(i):
    """A class, its vtable and an object."""
    return (b'\x22\0\1' + sleb(16 * i) + sleb(8) + text(i) + b'\x22\0\7' + sleb(16 * i + 4096) + sleb(0) + sleb(16 * i)
            + b'\0\1' + sleb(16 * i + 4096) + sleb(i) + uleb(24))


def sample(i):
    """A method, compiled, and a hit in it."""
    return (b'\x43\0' + sleb(16 * (i + 1)) + sleb(4096 * i) + uleb(64) + text(i) + b'\7\1' + sleb(1) + uleb(1) + sleb(4096 * i + 8)
            + uleb(1) + sleb(0))


def nettrace(n):
    s = Stream()
    for i in range(n):
        at = 0x10000 + 4096 * i
        s.event(2000 + i, RUNTIME, 143, struct.pack('<QQQIII', 100 + i, 1, at, 64, 0x6000001, 1) + wide('N') + wide(f'M{i:x}')
                + wide('void ()'))
        s.event(3000 + 10000 * i, SAMPLER, 0, struct.pack('<I', 2), stack=s.stack(at + 8))
    return s.bytes()


def calls(program, section, data, folder):
    """How often each function of the house was called."""
    path, out = folder / 'log', folder / 'out'
    path.write_bytes(data)
    done = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', program, 'report', '--no-index', '-j', '1',
                           '--section', section, '--format', 'csv', path], capture_output=True, text=True, check=True)
    count, names, now, callee = collections.Counter(), {}, '', ''
    for line in out.read_text().splitlines():
        m = re.match(r'(fl|fi|fe|cfi|cfl|fn|cfn)=\((\d+)\)(?: (.*))?', line)
        if m:
            kind, number, name = m.groups()
            key = kind.endswith('n'), number
            if name:
                names[key] = name
            if kind in ('fl', 'fi', 'fe'):
                now = callee = names[key]
            elif kind in ('cfi', 'cfl'):
                callee = names[key]
            elif kind == 'cfn':
                function = re.sub(r"'\d+$", '', names[key])
        elif line.startswith('calls='):
            where = re.search(r'(?:^|/)(common/.*)', callee)
            if where:
                count[where[1], function] += int(line[6:].split()[0])
            callee = now
    return done.stdout, count


def way(program, name, head, folder):
    def data(n):
        return nettrace(n) if name == 'nettrace' else log(head, {'allocation': allocation, 'sample': sample}[name], n)

    section = 'classes' if name == 'allocation' else 'methods'
    (few, before), (many, after) = (calls(program, section, data(n), folder) for n in (EVENTS, 2 * EVENTS))
    rows = [len([line for line in t.splitlines() if 'N.' in line]) for t in (few, many)]
    if rows != [EVENTS, 2 * EVENTS]:
        sys.exit(f'{name}: {rows} rows where {EVENTS} and {2 * EVENTS} events were written:\n{few}')
    return sorted(f for f in after if after[f] >= before[f] + EVENTS)


def main(program, shop, only=None):
    if not shutil.which('valgrind'):
        sys.exit(77)
    data = gzip.decompress(pathlib.Path(shop).read_bytes())
    head = data[:data.index(struct.pack('<I', 0x4d504c01))]
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        for name, limit in LIMITS.items():
            if only not in (None, name):
                continue
            passed = way(program, name, head, pathlib.Path(folder))
            got = len(passed), len({file for file, _ in passed})
            print(f'{name}: {got[0]} functions in {got[1]} files (at most {limit[0]} in {limit[1]})')
            if only:
                print(*(f'{file}: {function}' for file, function in passed), sep='\n')
            bad |= got > limit or got[1] > limit[1]
    sys.exit(bad)


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What :which without a key says shows the same frame, and reports the same rows.

usage: test_same_frame.py PROFVIEW LOG.gz
"""
import gzip
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

# Keys that lead to a view, and those of the report's objects that stand in its first row.
WAYS = {
    ':methods<Enter>': 'methods',
    '2\\shop !main<Enter>': 'methods',
    "2\\class:Shop | 'x<Enter>": 'methods',
    '2\\calls<lt>5<Enter>': 'methods',
    '2:sort calls<Enter>': 'methods',
    '2:group class<Enter>': 'methods',
    '2c': 'methods',
    ':range 1s..2.5s<Enter>2': 'methods',
    ':thread anna<Enter>2': 'methods',
    ':range 1s..2.5s<Enter>:thread boris<Enter>22': 'call_tree',
    'D++<Enter>': 'call_tree',
    ':range -1s..<Enter>2': 'methods',
    '3': 'classes',
    ':locks<Enter>': 'locks',
    ':threads<Enter>': 'threads',
    'X<Tab>': 'throw_sites',
    '5<Tab>': 'gc.generations',
    'M': 'findings',
}
SIZE = '150x40'


def dump(profview, log, keys):
    r = subprocess.run([profview, '--dump', '--size', SIZE, '--keys', keys, log], capture_output=True,
                       text=True, check=True)
    return r.stdout.splitlines()


def commands(lines):
    """The commands of the help, put together where they were broken."""
    at = lines.index('This view as a command') + 1
    found = []
    more = False
    for line in lines[at:]:
        if not line.strip():
            break
        text = line.strip().removesuffix(' \\')
        found[-1:] = [found[-1] + ' ' + text] if more else found[-1:] + [text]
        more = line.endswith(' \\')
    return found


def main():
    profview, packed = sys.argv[1:]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        log = str(pathlib.Path(folder) / "it's a log.mlpd")
        pathlib.Path(log).write_bytes(gzip.open(packed).read())
        for keys, section in WAYS.items():
            want = dump(profview, log, keys)
            said = commands(dump(profview, log, keys + ':which<Enter><Enter>'))
            if len(said) != 2 or not all(s.startswith('profview ') for s in said):
                print(f'{keys}: said {said}')
                wrong += 1
                continue
            run = [[profview, *shlex.split(s)[1:]] for s in said]
            frame = subprocess.run(run[0], capture_output=True, text=True, check=True).stdout
            # The last line but one is that of messages: a key may have said something.
            if frame.splitlines()[:-2] != want[:-2]:
                print(f'{keys}: {said[0]} shows another frame:\n{frame}\nnot\n' + '\n'.join(want))
                wrong += 1
            report = subprocess.run([*run[1][:2], '--format', 'json', *run[1][2:]], capture_output=True,
                                    text=True, check=True).stdout
            rows = json.loads(report)
            for part in section.split('.'):
                rows = rows[part]
            rows = rows if isinstance(rows, list) else next(v for v in rows.values() if isinstance(v, list))
            text = '\n'.join(want)
            empty = any(s in text for s in ('nothing matches', '  nothing'))
            if not rows and not empty:
                print(f'{keys}: {said[1]} has no rows')
                wrong += 1
    print(f'{len(WAYS)} views, {wrong} wrong')
    sys.exit(wrong > 0)


main()

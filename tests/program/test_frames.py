#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every pane of a log with every kind of event at twenty sizes; of a real log, which takes three times
as long to read, and with more keys at seven: nothing beyond the screen, no half of a wide character, a
cursor where there are rows, and no crash. Frames come from FRAMES_PRINT, which reads a log once; some of
them from the program, too, which has its memory filled, and are the same.

usage: test_frames.py PROFVIEW FRAMES_PRINT MAKE_LOG LOG ...
"""
import concurrent.futures
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

PANES = ('', '2', '22', '3', '4', '444', '4444', '5', '66', '7', '77', '0', *'YLXHKAVJCMiD')
DEEPER = ('2<Tab><Tab><Enter>', '22**', '3<Enter>', '4gmG', '444yb', '4444d<Tab><Tab><Tab>', '4444Bj<Tab>',
          'Y<Enter>W', 'Vjj+j', '2w', '2:range<Space>1s..2s<Enter>', '{{{[', '3<F6>', '2<F1>', '`jj', 'M<Enter>', 'D++><Space>>o', ':thread<Space>0x1<Enter>D')
SIZES = [(w, h) for w in (20, 40, 41, 80, 120) for h in (5, 10, 24, 36)]
# Each width, as what is drawn is cut at it, and the least and the most of both.
FEWER = [(20, 5), *((w, h) for w, h in SIZES if h == 24), (120, 36)]
WORLDS = (('every-kind', '15', '8'), ('strings', '17', '8'))
CURSOR = '\u25b6\u25b8'
LEAST_ROWS = 12 # of a screen on which a pane with rows has room for one
WIDE = 'WF'
BY_PROGRAM = 20 # a frame in so many
FILLED = {'MALLOC_PERTURB_': '165'} # the C library's: what is read before it is written differs
ENV = {**os.environ, 'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1'}


def cells(line):
    return sum(0 if unicodedata.combining(c) or unicodedata.category(c) in ('Mn', 'Me', 'Cf') else
               2 if unicodedata.east_asian_width(c) in WIDE else 1 for c in line)


def frames_of(tool, log, jobs):
    """{job: its frame} of one log's; that of a crash, and what comes behind it, are None."""
    asked = ''.join(f'{size[0]}x{size[1]} {keys}\n' for _, keys, size in jobs)
    done = subprocess.run([tool, log], input=asked.encode(), capture_output=True, env=ENV, timeout=400,
                          check=False)
    found, said = {}, io.BytesIO(done.stdout)
    for job in jobs:
        size = said.readline()
        found[job] = said.read(int(size)) if size else None
    if done.returncode or done.stderr:
        print(f'{log}: {done.returncode}: {done.stderr[-300:]}')
    return found


def by_program(profview, log, keys, size):
    done = subprocess.run([profview, log, '--dump', '--no-index', '--size', f'{size[0]}x{size[1]}',
                           '--keys', keys], capture_output=True, env=ENV | FILLED, timeout=150, check=False)
    return done.stdout if done.returncode == 0 else None


def wrong(frame, size):
    """What is not as it should be in a frame."""
    if frame is None:
        yield 'there is none'
        return
    try:
        lines = frame.decode('utf-8').splitlines()
    except UnicodeDecodeError as e: # half a character
        yield str(e)
        return
    if len(lines) > size[1]:
        yield f'{len(lines)} lines'
    for n, line in enumerate(lines):
        if cells(line) > size[0]:
            yield f'line {n + 1} has {cells(line)} cells: {line}'
        if not line.isprintable():
            yield f'line {n + 1} has what cannot be printed: {line!r}'
    marks = sum(line.startswith(CURSOR[0]) for line in lines) # elsewhere it folds a tree's row
    if marks > 1:
        yield f'{marks} cursors'


def has_rows(frame):
    return any(c in (frame or b'').decode('utf-8', 'replace') for c in CURSOR)


def main(profview, tool, make_log, *logs):
    with tempfile.TemporaryDirectory() as top:
        made = []
        for world in WORLDS:
            path = pathlib.Path(top, f'{world[0]}.mlpd')
            path.write_bytes(subprocess.run([make_log, *world], stdout=subprocess.PIPE,
                                            check=True).stdout)
            made.append(str(path))
        jobs = [(log, keys, size) for log in (*made, *logs) for keys in PANES
                for size in (SIZES if log == made[0] else FEWER)]
        jobs += [(logs[0], keys, size) for keys in DEEPER for size in FEWER]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            frames, some = {}, jobs[::BY_PROGRAM]
            for found in pool.map(lambda log: frames_of(tool, log, [j for j in jobs if j[0] == log]),
                                  (*made, *logs)):
                frames |= found
            by_itself = dict(zip(some, pool.map(lambda j: by_program(profview, *j), some)))
    bad = [f'{pathlib.Path(log).name} {keys} {size}: {what}' for (log, keys, size), frame in
           frames.items() for what in wrong(frame, size)]
    bad += [f'{job}: the program has another frame' for job in some if by_itself[job] != frames[job]]
    for (log, keys, size), frame in frames.items(): # rows that a larger screen shows have a cursor
        if keys in PANES and size[1] >= LEAST_ROWS and size[0] >= 40 and not has_rows(frame) and \
                has_rows(frames[log, keys, (120, 36)]):
            bad.append(f'{pathlib.Path(log).name} {keys} {size}: no cursor')
    print('\n'.join(bad[:40]))
    print(f'{len(frames)} frames, {len(some)} of them by the program, {len(bad)} wrong')
    return 1 if bad or not frames else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

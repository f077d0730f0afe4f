#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A log of a real program gives one report, byte for byte, however it is read.

usage: test_equal.py PROFVIEW COUNTED.EXE
By one worker, two and eight; as a file, and through a pipe whole, in odd pieces and a byte at a
time.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import threading

import target
from verdict import Verdict

OPTIONS = 'nodefaults,calls,calldepth=10000,alloc,exception,monitor,sample,gc'
WORLDS = 'calls throws locks handles'.split()
SECTIONS = ('source,target,coverage,events,methods,call_tree,classes,allocation_sites,gc,'
            'exceptions,locks,samples,threads,jit')
MOST = 1_500_000    # bytes: a pipe a byte at a time takes its time


def report(profview, jobs, path, stdin=None):
    done = subprocess.run([profview, 'report', path, '--format', 'json', '--limit', '0',
                           '--no-index', '--jobs', str(jobs), '--section', SECTIONS],
                          stdin=stdin, capture_output=True, timeout=target.DEADLINE * 4,
                          check=False)
    j = json.loads(done.stdout)
    for key in ('path', 'file_bytes'):    # a pipe has no size
        j['source'].pop(key, None)
    return done.returncode, json.dumps(j)


def pieces(data, sizes):
    at = 0
    while at < len(data):
        n = sizes()
        yield data[at:at + n]
        at += n


def through_pipe(profview, jobs, data, sizes):
    end, begin = os.pipe()

    def write():
        with os.fdopen(begin, 'wb', buffering=0) as pipe:
            for piece in pieces(data, sizes):
                pipe.write(piece)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        return report(profview, jobs, '-', end)
    finally:
        os.close(end)
        writer.join()


def main(profview, exe):
    v = Verdict('one log, read in many ways')
    dice = random.Random(7)
    with target.scratch() as folder:
        log, cut = pathlib.Path(folder, 'log.mlpd'), pathlib.Path(folder, 'cut.mlpd')
        with target.Mono(exe, WORLDS, OPTIONS, log) as program:
            program.wait()
        data = log.read_bytes()[:MOST]
        cut.write_bytes(data)
        want = report(profview, 1, str(cut))
        v.true('a report', len(want[1]) > 10000, len(want[1]))
        for jobs in (1, 2, 8):
            v.true(f'{jobs} jobs: as with one', report(profview, jobs, str(cut)) == want)
            for what, sizes in (('whole', lambda: len(data)),
                                ('odd pieces', lambda: dice.randrange(1, 90000))):
                got = through_pipe(profview, jobs, data, sizes)
                v.true(f'{jobs} jobs: a pipe, {what}', got == want)
        v.true('a pipe, a byte at a time', through_pipe(profview, 2, data, lambda: 1) == want)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Events at full speed, in more threads than there are processors: a record without a screen and
block=yes lose none, a screen says how to lose none where some were lost.

usage: test_losses.py CASE PROFVIEW PROGRAM
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import target
from term import Terminal
from verdict import Verdict

THREADS, DEPTH = '4', '29'
HINT = 'none is with --probe block=yes, or with --record and no screen, while the disk has room'


def bare(program):
    done = subprocess.run([program, THREADS, DEPTH], capture_output=True, text=True, check=True)
    return int(done.stdout.partition('=')[2])


def told(profview, log):
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0',
                           '--section', 'events,methods,coverage,findings', log],
                          capture_output=True, check=True, timeout=target.DEADLINE)
    r = json.loads(done.stdout)
    return r, next(c for c in r['coverage'] if c['what'] == 'losses')


def none_lost(v, profview, log, calls):
    r, losses = told(profview, log)
    v.equal('losses', losses['state'], 'complete')
    own = [m for m in r['methods'] if re.match(r'Fib::(even|odd)', m['name'])]
    v.equal('calls', sum(m['calls'] for m in own), calls)
    v.equal('as many leaves', r['events']['method.leave'], r['events']['method.enter'])


def record(v, profview, program, folder):
    log = folder / 'record.mlpd'
    done = subprocess.run([profview, 'run', '--calls', '--record', log, '--', program, THREADS, DEPTH],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=target.DEADLINE)
    v.equal('exit code', done.returncode, 0)
    none_lost(v, profview, log, bare(program))


def block(v, profview, program, folder):
    log = folder / 'block.mlpd'
    with Terminal(folder) as t:
        t.run(profview, 'run', '--calls', '--probe', 'block=yes', '--record', log, '--', program,
              THREADS, DEPTH)
        t.wait_end()
        t.keys('Q')
        t.wait_prompt()
    none_lost(v, profview, log, bare(program))


def lost(v, profview, program, folder):
    """Nobody takes what is written until the program has ended: most is lost, and said so."""
    log, pipe = folder / 'lost.mlpd', folder / 'pipe'
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    library = pathlib.Path(profview).parent / 'probe' / 'libprofview-native.so'
    with subprocess.Popen([program, THREADS, DEPTH], stdout=subprocess.PIPE, text=True, env={
            **os.environ, 'LD_PRELOAD': str(library.resolve()),
            'PROFVIEW_OPTIONS': f'output={pipe},buffer=256k'}) as running:
        calls = running.stdout.readline()
        os.set_blocking(reader, True)
        with open(reader, 'rb') as taken, open(log, 'wb') as to:
            shutil.copyfileobj(taken, to)
    v.true('it ran to its end', calls.startswith('calls='), calls)
    r, losses = told(profview, log)
    v.true('some were lost', 'events lost by the probe' in losses['detail'], losses)
    v.true('and how to lose none', HINT in losses['detail'], losses)
    finding = next(f for f in r['findings'] if f['finding'] == 'losses')
    v.true('a finding', re.search(r'lower bounds: \d+ events lost, \S+ %', finding['text']), finding)
    frame = subprocess.run([profview, '--dump', '--size', '120x36', '--no-index', log],
                           capture_output=True, text=True, check=True).stdout
    v.true('on the screen', 'events lost' in frame, frame)


CASES = {'record': record, 'block': block, 'lost': lost}


def main(case, profview, program):
    v = Verdict(f'losses-{case}')
    with target.scratch() as folder:
        CASES[case](v, profview, program, pathlib.Path(folder))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

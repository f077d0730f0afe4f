#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""As many samples as were asked for, of the time that was computed; and nothing of it does harm.

usage: test_rates.py PROFVIEW LIBRARY PROGRAM
"""
import json
import os
import pathlib
import resource
import subprocess
import sys

import target
from rates import TICKS, perf_is_allowed
from verdict import Verdict

RATES = (100, 1000, 10000)


def run(library, program, rate, log, word=None, limit=None):
    env = os.environ | {'LD_PRELOAD': library,
                        'PROFVIEW_OPTIONS': f'nodefaults,sample={rate},output={log}'}

    def lower():
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (limit, limit))

    return subprocess.run([program, *([word] if word else [])], env=env, text=True, check=False,
                          capture_output=True, timeout=target.DEADLINE,
                          preexec_fn=lower if limit is not None else None)


def report(profview, log):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index'], text=True,
                          capture_output=True, check=False)
    return json.loads(done.stdout)


def samples(d):
    return {m['name']: m['samples_self'] for m in d['methods'] if m['samples_self']}


def ended_well(v, what, done):
    v.equal(f'{what}: exit code', done.returncode, 0)
    said = dict(word.split('=') for word in done.stdout.split())
    v.equal(f'{what}: waits cut short', said.get('cut'), '0')
    return float(said.get('burnt_ms', 0)) / 1000


def timer(d):
    return next(word for word in d['target']['args'].split(',') if word.startswith('sample-timer'))


def main(profview, library, program):
    library, program = os.path.abspath(library), os.path.abspath(program)
    v = Verdict('rates')
    perf = perf_is_allowed()
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'rates.mlpd')
        for rate in RATES:
            seconds = ended_well(v, f'{rate}', run(library, program, rate, log))
            d = report(profview, log)
            real = rate if perf else min(rate, TICKS)
            kind = 'user' if perf and rate > TICKS else 'cpu'
            v.equal(f'{rate}: timer', timer(d), f'sample-timer={kind}:{real}')
            # A thread is found within a round of the writer, and few samples are lost.
            v.between(f'{rate}: samples of a known time', samples(d).get('burn', 0),
                      0.6 * real * seconds, 1.1 * real * seconds)
        for word in ('close', 'fork', 'block'):
            ended_well(v, word, run(library, program, 2000, log, word))
            some = samples(report(profview, log)).get('burn', 0)
            v.true(f'{word}: it is sampled', some > TICKS / 2, some)
        ended_well(v, 'sigio', run(library, program, 2000, log, 'sigio'))
        some = samples(report(profview, log)).get('burn', 0)
        v.true('sigio: by ticks', 0 < some < 4 * TICKS, some)
        ended_well(v, 'no signal may be pending', run(library, program, 2000, log, limit=0))
        v.true('no signal may be pending: by ticks',
               timer(report(profview, log)).startswith('sample-timer=cpu:'), '')
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

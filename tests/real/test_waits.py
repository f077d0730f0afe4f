#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sampling cuts no wait short: fifty waits of every kind, or a hundred, take their time under every option.

usage: test_waits.py native|mono|clr PROFVIEW LIBRARY PROGRAM [DOTNET]     (DOTNET 'none': skipped)
"""
import json
import os
import pathlib
import subprocess
import sys

import target
from rates import TICKS, perf_is_allowed
from verdict import Verdict

EACH, MS = {'native': 50, 'mono': 100, 'clr': 100}, 10
KINDS = {'native': 20, 'mono': 2, 'clr': 2}
AT_ONCE = {'native': 20, 'mono': 1, 'clr': 1}  # threads, each with its kind
MONO_CUTS = 50  # of 200, as a busy machine has more of that time; without the mend all of them
WORDS = 'sample', 'sample-real'
RATES = {'native': (1, 100, 10000), 'mono': (1, 100, 10000), 'clr': (100, 10000)}  # with the clock's tick, and above
GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'


def native(library, program, options, _):
    return [program], {'LD_PRELOAD': library, 'PROFVIEW_OPTIONS': options}


def mono(library, program, options, _):
    return (['mono', f'--profile=profview:nodefaults,{options}', program],
            {'LD_LIBRARY_PATH': os.path.dirname(library)})


def clr(library, program, options, dotnet):
    return [dotnet, program], {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
                               'CORECLR_PROFILER_PATH': library,
                               'PROFVIEW_OPTIONS': 'nodefaults,' + options}


HOSTS = {'native': native, 'mono': mono, 'clr': clr}


def waited(v, host, library, program, options, words, log, dotnet):
    command, more = HOSTS[host](library, program, f'{options},output={log}', dotnet)
    done = subprocess.run([*command, *words], env=os.environ | more, text=True, check=False,
                          capture_output=True, timeout=target.DEADLINE)
    what = f'{options} {" ".join(words)}: '
    v.equal(what + 'exit code', done.returncode, 0)
    said = dict(word.split('=') for word in done.stdout.split())
    waits = EACH[host] * KINDS[host]
    v.equal(what + 'waits', said.get('waits'), str(waits))
    # Mono signals every thread for each so many ms of the process's time, the probe's included.
    some = MONO_CUTS if host == 'mono' else 0
    v.between(what + f'waits cut short: {said.get("in")}', int(said.get('cut', waits)), 0, some)
    least = (waits // AT_ONCE[host] - some - 1) * MS
    v.true(what + 'the usual time', int(said.get('ms', 0)) >= least, said)
    return done.stderr


def recorded(v, profview, log, options):
    """The log says how often the timers ring, not how often they were asked to."""
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index'], text=True,
                          capture_output=True, check=False)
    args = json.loads(done.stdout)['target']['args'].split(',')
    asked = int(options.split('=')[1])
    timer = f'user:{asked}' if asked > TICKS and perf_is_allowed() else f'cpu:{min(asked, TICKS)}'
    v.true(f'{options}: its rate stands in the log', f'sample-timer={timer}' in args, args)


def main(host, profview, library, program, dotnet='none'):
    if host == 'clr' and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    library, program = os.path.abspath(library), os.path.abspath(program)
    v = Verdict(f'waits-{host}')
    with target.scratch() as folder:
        for options in (f'{word}={rate}' for word in WORDS for rate in RATES[host]):
            # Mono's own sampler signals every thread while one of them computes.
            for words in ([],) if host == 'mono' else ([], ['busy']):
                log = pathlib.Path(folder, f'{options}-{len(words)}.mlpd')
                said = waited(v, host, library, program, options, words, log, dotnet)
                v.equal(f'{options}: nothing is said', said, '')
                if host != 'mono':
                    recorded(v, profview, log, options)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

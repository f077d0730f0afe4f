#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program with a fault planted: the first finding is that fault, and names what was planted.

test_findings.py HOST PROFVIEW PROGRAM [SECONDS [FAULT...]]; HOST is mono, dotnet, or events: .NET's
own stream.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import target
from test_clr import environment

# By the stream, which has the counters of .NET's pool.
EVENTS = ['pool-starvation']
# fault: words of the probe, what the finding names, how much longer than the others it runs
FAULTS = {
    'leak': ('gc,heapshot=300ms', 'Customer', 4),  # its class comes before the second of six shots
    'static-holder': ('gc,heapshot=300ms', 'CustomerCache', 1),
    'duplicate-strings': ('gc,heapshot=300ms,strings=32', 'country: ', 1),
    'explicit-gc': ('gc,sample=500', 'System.GC:Collect', 1),
    'string-churn': ('gc,alloc,block=yes', 'System.String', 1),
    'boxing': ('gc,alloc,block=yes', 'System.Int32', 1),
    'closures': ('gc,alloc,block=yes', 'Closures|DisplayClass|Func', 1),  # both are made together
    'resizing': ('gc,alloc,block=yes', 'System.Int64[]', 1),
    'large-objects': ('gc,alloc,block=yes', 'System.Byte[]', 1),
    'exception-flow': ('gc,exception', 'OrderNotFound', 2),  # a thousand of them
    'unhandled-exception': ('gc,exception', 'OrderNotFound ended the program: nothing caught it, "order 4711"; thrown in Program:Find', 1),
    'type-init': ('gc,exception', 'TypeInitialization', 1),
    'lock-contention': ('gc,monitor', 'Ledger', 1),
    'finalizers': ('gc,finalization', 'Upload', 1),
    'pool-starvation': (None, 'thread of the pool', 4),
    'thread-burst': ('gc,runtime', '', 1),
    'handle-growth': ('gc,gchandle', 'normal', 1),
    'gc-time': ('gc', '', 1),
    'futile-collections': ('gc', '', 1),
    'rising-floor': ('gc', '', 6),  # judged from 10 s on
    'jit-heavy': ('gc,jit', '', 12),  # from 20 s on
    'sync-over-async': ('gc,sample-real=500', 'Task:InternalWait', 2),
    'hot-method': ('gc,sample=500', 'Spin', 1),
    'full-collections': ('gc', '', 2),
    'long-pause': ('gc', '', 8),  # so that the pauses before the longest are a small share
    'losses': ('alloc', 'events lost', 2),
    'healthy': ('gc,alloc,block=yes,exception,monitor,sample=200', None, 1),
    'busy': ('gc,alloc=100k,exception,monitor,finalization,sample=200', None, 1),
}
WELL = ('healthy', 'busy')
# What may be meant is a note at most.
NOTES = ['hot-method', 'static-holder']
# By words that Mono's probe does not have.
NOT_MONO = ['duplicate-strings']
# Of the objects of the newest shot.
OBJECTS = ['static-holder', 'duplicate-strings']
# The same program, and another rule comes first: samples in GC.Collect, or that nothing was freed.
NOT_MONO += ['rising-floor']
NOT_CLR = ['futile-collections', 'sync-over-async']  # its share of samples depends on the machine there
# With nothing beside, which the viewer would record: allocations and samples say what the cause is.
BARE = ['full-collections', 'losses']
# Exit codes of those that do not end well: Mono's, .NET's.
CODES = {'unhandled-exception': (1, 134)}
failed = 0


def check(ok, text):
    global failed
    if not ok:
        print('FAIL', text)
        failed += 1


def wrong_verdict(fault, rows):
    """What is wrong with the findings of a log, or nothing."""
    grave = [r for r in rows if (r['score'] or 0) >= 50]
    lines = ['%s %s %s' % (r['score'], r['finding'], r['text']) for r in rows[:4]]
    if fault in WELL:
        return grave and f'{fault}: {lines}'
    # Of two with the same score chance says which is above the other.
    first = next((r for r in rows if r['finding'] == fault), rows[0])
    if first['finding'] != fault or (first['score'] or 0) < (rows[0]['score'] or 0):
        return f'{fault} is not the first: {lines}'
    if (first['score'] or 0) < (25 if fault in NOTES else 50):
        return f'{fault}: {lines}'
    name = FAULTS[fault][1]
    found = re.search(name.replace('[]', r'\[\]'), (first['subject'] or '') + ' ' + first['text'])
    return not found and f'{fault} does not name {name}: {lines}'


def findings_of(profview, log):
    out = subprocess.run([profview, 'report', log, '--section', 'findings', '--format', 'json'],
        capture_output=True, text=True, check=True).stdout
    return json.loads(out)['findings']


def record(host, profview, program, fault, seconds, folder):
    log = folder / f'{fault}.mlpd'
    log.unlink(missing_ok=True)
    command = ['mono', program] if host == 'mono' else ['dotnet', program]
    words = 'nodefaults,' + FAULTS[fault][0]
    got = subprocess.run([profview, 'run', '--probe', words, '--record', str(log), '--', *command,
        fault, str(seconds * FAULTS[fault][2])], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(got.returncode == CODES.get(fault, (0, 0))[host != 'mono'], f'{fault}: exit {got.returncode}: {got.stdout[-500:]}')
    return str(log)


def follow(profview, program, fault, seconds, folder):
    """Until the program ends: its stream is joined once its socket is there."""
    log = folder / f'{fault}.nettrace'
    log.unlink(missing_ok=True)
    with subprocess.Popen(['dotnet', program, fault, str(seconds * FAULTS[fault][2])],
                          stdout=subprocess.DEVNULL) as faulty:
        target.wait_for('the socket', lambda: list(pathlib.Path('/tmp').glob(f'dotnet-diagnostic-{faulty.pid}-*-socket')))
        got = subprocess.run([profview, 'attach', '--via', 'events', str(faulty.pid), '--record', str(log)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             timeout=target.DEADLINE)
        check(got.returncode == 0, f'{fault}: exit {got.returncode}: {got.stderr[-500:]}')
    return str(log)


def bare(host, profview, program, fault, seconds, folder, name=None):
    """By the probe's words only; of losses the reader takes nothing until the program has ended."""
    name = name or fault
    log, probes = folder / f'{name}.mlpd', pathlib.Path(profview).resolve().parent / 'probe'
    pipe, reader = folder / f'{name}.pipe', None
    log.unlink(missing_ok=True)
    words = f'nodefaults,{FAULTS[fault][0]},output={log}'
    if fault == 'losses':
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        words = f'nodefaults,{FAULTS[fault][0]},output={pipe},buffer=256k'
    if host == 'mono':
        command = ['mono', f'--profile=profview:{words}', program]
        env = os.environ | {'LD_LIBRARY_PATH': str(probes)}
    else:
        command, env = ['dotnet', program], environment(str(probes / 'libprofview-coreclr.so'), words)
    done = subprocess.run([*command, fault, str(seconds * FAULTS[fault][2])], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=4 * target.DEADLINE)
    check(done.returncode == 0, f'{fault}: exit {done.returncode}: {done.stdout[-500:]}')
    if reader:
        os.set_blocking(reader, True)
        with open(reader, 'rb') as taken, open(log, 'wb') as to:
            shutil.copyfileobj(taken, to)
    return str(log)


def judge_objects(profview, fault, log):
    """Rules about the objects of a shot have it in brief and check, too."""
    rules = pathlib.Path(log).with_suffix('.rules')
    rules.write_text(f'[check]\nversion = 1\n\n[rule one]\nkind = finding.{fault}\nmax = 40\n', encoding='utf-8')
    said = subprocess.run([profview, 'brief', log], capture_output=True, text=True, check=True).stdout
    check(fault in said and re.search(FAULTS[fault][1], said), f'{fault} is in the brief: {said}')
    done = subprocess.run([profview, 'check', log, '--rules', str(rules)], capture_output=True, text=True, check=False)
    check(done.returncode == 1 and 'fail     one' in done.stdout, f'{fault} fails a check: {done.stdout}')


def judge_pool(profview, log):
    """The pool's own view has the queue that the finding is about."""
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section', 'pool'],
                          capture_output=True, text=True, check=True)
    rows = {r['name']: r for r in json.loads(done.stdout)['pool'] or []}
    queue = rows.get('dotnet.thread_pool.queue.length') or rows.get('threadpool-queue-length') or {}
    check(queue.get('max', 0) > 10, f'the queue of the pool: {rows}')
    check(any(name.startswith('thread pool set to, by ') for name in rows), f'why the pool grew: {rows}')


def main(host, profview, program, seconds='2', *faults):
    with tempfile.TemporaryDirectory() as folder:
        def one(fault, turns=1):
            """The fault, if nothing but its verdict is wrong."""
            how = (profview, program, fault, turns * float(seconds), pathlib.Path(folder))
            log = follow(*how) if host == 'events' else (bare if fault in BARE else record)(host, *how)
            if not pathlib.Path(log).exists():
                return None
            if host == 'events' and fault == 'pool-starvation':
                judge_pool(profview, log)
            wrong = wrong_verdict(fault, findings_of(profview, log))
            if wrong and turns == 1:
                return fault
            check(not wrong, wrong)
            if fault in OBJECTS:
                judge_objects(profview, fault, log)
            return None
        with concurrent.futures.ThreadPoolExecutor(3) as some:
            again = list(some.map(one, faults or [f for f in FAULTS if f not in EVENTS + (NOT_MONO if host == 'mono' else NOT_CLR)]))
        # Beside others a program may have been given too little of the machine to show its fault: alone, and longer.
        for fault in filter(None, again):
            one(fault, 3)
    print(f'{failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

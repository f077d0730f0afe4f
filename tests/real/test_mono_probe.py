#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mono programs under our own module: the report says what the program and mprof-report say.

usage: test_mono_probe.py CASE PROFVIEW COUNTED.EXE MODULE
"""
import os
import pathlib
import subprocess
import sys

import checks
import rates
import target
from test_mono import Run, alone
from verdict import Verdict


class Probed(target.Program):
    """The C# program under libmono-profiler-profview.so, which Mono finds by its folder."""

    def __init__(self, exe, worlds, options, output):
        super().__init__(['mono', f'--profile=profview:{options},output={output}', exe, *worlds],
                         output)


def stock_reads(v, r):
    """The stock reader takes every event of a log without extensions, and warns of none."""
    target.need('mprof-report')
    done = subprocess.run(['mprof-report', str(r.path)], capture_output=True, text=True, check=False)
    v.equal('exit code of mprof-report', done.returncode, 0)
    v.equal('standard error of mprof-report', done.stderr, '')


def names(v, r):
    """No method that was called lacks its name."""
    for m in r.json['methods'] or []:
        native = not m['calls'] and len(m['name']) == 14  # sampled outside managed code
        v.true(f'name of {m["name"]}', native or not m['name'].startswith('0x'))
    for c in r.json['classes'] or []:
        v.true(f'name of {c["name"]}', not c['name'].startswith('0x'))


ALWAYS = (checks.source, checks.events, stock_reads, names)

def estimates(v, r):
    """Sampled allocations are scaled to about what the program made, and say how near that is."""
    said = checks.said_of(r.said, 'bytes')
    rows = {c['name']: c for c in r.json['classes']}
    for name, n in said.items():
        if n < 100 * PERIOD:
            continue
        row = rows[name]
        v.equal(f'estimated {name}', row['estimated'], True)
        # three times the half-width of 95 %: once in a hundred million
        v.between(f'bytes of {name}', row['allocated_bytes'], n - 3 * row['error_bytes'],
                  n + 3 * row['error_bytes'])
        v.between(f'error of {name}', row['error_bytes'], 1, n / 2)
    cover = next(c for c in r.json['coverage'] if c['what'] == 'allocations')
    v.equal('state of allocations', cover['state'], 'inferred')
    stacks = sum(bool(s['stack']) for s in r.json['allocation_sites'])
    v.at_least('sites with stacks', stacks, 2)
    # One in a period of bytes, by chance (six standard deviations), and a few of the runtime's own.
    mean = 1.1 * sum(said.values()) / PERIOD
    v.between('events', r.log.events['alloc'], 1, mean + 6 * mean ** 0.5)
    v.at_least('allocations for each event', sum(checks.said_of(r.said, 'allocs').values()),
               2 * r.log.events['alloc'])


def tree(v, r):
    """Calls that were summed up in the process are those the program made, with their times."""
    said = checks.said_of(r.said, 'calls')
    got = checks.rows(r.json['methods'], 'name', 'calls')
    for name, n in said.items():
        v.equal(f'calls the program made to {name}', got.get(name, 0), n)
    unwound = checks.rows(r.json['methods'], 'name', 'exceptional_leaves')
    for name, n in checks.said_of(r.said, 'unwound').items():
        v.equal(f'frames the program unwound of {name}', unwound.get(name, 0), n)
    totals = checks.rows(r.json['methods'], 'name', 'total_ns')
    for name, inside in checks.said_of(r.said, 'inside').items():
        v.between(f'time in {name}', totals[name], inside, r.said[f'around {name}'])
    checks.call_tree(v, r)
    v.equal('enters told one by one', r.log.events['method.enter'], 0)
    state = {c['what']: c['state'] for c in r.json['coverage']}
    checks.calls_whole(v, 'state of calls', r.json)
    v.equal('state of losses', state['losses'], 'complete')
    # Each path that was taken once more is a node of some 20 bytes, each method a name.
    v.between('bytes of the log', r.inflated, 1, 600000)


def tells_nobody(v, r):
    """The runtime's calls that tell the probe of something are none of the program's. A sample may meet one."""
    v.equal('calls that tell a profiler', [m['name'] for m in r.json['methods'] if 'wrapper_mono_profiler_' in m['name'] and m['calls']], [])


def processor(v, r):
    """Time of the processor goes to where the samples fell; the system knows it to 10 ms or so."""
    used = sum(m['cpu_user_ns'] + m['cpu_kernel_ns'] for m in r.json['methods'])
    wall = sum(t['end_ns'] - t['start_ns'] for t in r.json['threads'] if t['end_ns'])
    v.between('processor time', used, 50_000_000, r.json['duration_ns'] * os.cpu_count() + wall)
    v.at_least('samples', r.json['samples']['total'], 10)


def same_counters(v, r):
    """Sections, names, types and units are those of the stock profiler, but for its own."""
    def described(report):
        return {tuple(c[k] for k in ('section', 'name', 'type', 'unit', 'variance'))
                for c in report['counters'] if c['section'] != 'profiler'}
    other = r.path.with_name('stock.mlpd')
    with target.Mono(r.exe, ['rest'], 'nodefaults,counter', other) as program:
        program.wait()
    stock = described(Run(r.profview, other, {}, []).json)
    v.at_least('counters', len(stock), 100)
    v.equal('counters that stock has', stock - described(r.json), set())
    v.equal('counters that stock has not', described(r.json) - stock, set())


def covered(v, r):
    """Every method of the program that ran is in the table of coverage once, with what it passed."""
    rows = r.json['code_coverage']
    keys = [(m['class'], m['token'], m['file']) for m in rows if '<' not in m['class']]
    v.equal('methods told twice', len(keys) - len(set(keys)), 0)
    v.equal('assemblies', {m['assembly'] for m in rows}, {'counted'})
    names = {(m['class'].split('.')[-1], m['method']): m for m in rows}
    for name, n in checks.said_of(r.said, 'calls').items():
        if n and '<' not in name and '/' not in name:
            owner, method = name.split(' ')[0].split('.')[-1].split(':')
            v.true(f'coverage of {name}', names.get((owner, method), {}).get('covered'), 'none')
    v.between('passed', sum(m['covered'] for m in rows), 100, sum(m['statements'] for m in rows))


def times_of_compiling(v, r):
    jit = r.json['jit']
    v.equal('times', r.log.events['ext.runtime.jit_time'] > 100, True)
    v.between('time to compile', jit['total_ns'], 1000, r.json['duration_ns'] * 4)
    v.at_least('names of fields', r.log.events['ext.fields.field'], 500)


def of_their_own(v, r):
    """Above the system's ticks each sample is evidence of its own, where perf events are allowed: few stand for several."""
    text = subprocess.run([r.profview, 'dump', r.path], capture_output=True, text=True, check=True).stdout
    times = [line.split()[2] for line in text.splitlines() if ' sample.hit ' in line]
    v.at_least('samples', len(times), 20)
    perf = rates.perf_is_allowed()
    timer = next(w for w in r.json['target']['args'].split(',') if w.startswith('sample-timer='))
    v.equal('timer', timer, f'sample-timer={"mono-perf" if perf else "mono-cpu"}:1000')
    if perf:
        v.at_least('samples of a time of their own', len(set(times)), 0.7 * len(times))


PERIOD = 512
CASES = {
    'calls': ('nodefaults,calls', 'calls spin throws threads finalizers',
              (checks.calls, checks.times, checks.call_tree)),
    'alloc': ('nodefaults,alloc', 'allocs finalizers',
              (checks.allocations, checks.sites, checks.collections_, checks.moves)),
    'alloc-sampled': (f'nodefaults,alloc={PERIOD}', 'allocs allocs', (estimates,)),
    'calltree': ('nodefaults,calltree', 'calls spin throws threads finalizers', (tree,)),
    'calltree-sample': ('nodefaults,calltree,sample=1000', 'calls' + 12 * ' spin',
                        (tree, processor)),
    'calltree-cpu': ('nodefaults,calltree=cpu', 'calls spin', (tree,)),
    'counter': ('nodefaults,counter', 'rest', (checks.counters, same_counters)),
    'defaults': ('', 'calls throws locks collect rest', (alone(checks.exceptions), alone(checks.locks), checks.counters)),
    'coverage': ('nodefaults,coverage=a:counted', 'calls throws', (covered,)),
    'runtime': ('nodefaults,jit,runtime,fields', 'calls throws', (times_of_compiling,)),
    'gchandle': ('nodefaults,gchandle,finalization', 'handles finalizers',
                 (checks.handles, checks.finalizers)),
    'exception': ('nodefaults,exception', 'throws calls', (alone(checks.exceptions),)),
    'exception-alloc': ('nodefaults,exception,alloc', 'throws calls', (checks.exceptions,)),
    'monitor': ('nodefaults,monitor', 'locks', (alone(checks.locks),)),
    'monitor-alloc': ('nodefaults,monitor,alloc', 'locks', (checks.locks, checks.allocations)),
    'heapshot': ('nodefaults,heapshot=1gc,alloc', 'heap collect allocs collect heap collect',
                 (checks.shots, checks.allocations, checks.collections_)),
    'sample': ('nodefaults,sample=1000', 'spin calls ' + 40 * 'spin ', (checks.samples, of_their_own)),
    'everything': ('calls,alloc,gchandle,finalization,sample=500',
                   'calls allocs throws locks threads handles finalizers', (
        checks.calls, checks.times, checks.call_tree, checks.allocations, checks.collections_,
        checks.moves, checks.handles, checks.finalizers, checks.exceptions, checks.locks, tells_nobody)),
    'domains': ('nodefaults,calls,alloc,filter=a:counted', 'domains calls domains',
                (checks.calls, checks.times, checks.own_allocations, checks.domains)),
}


def main(case, profview, exe, module):
    options, worlds, wanted = CASES[case]
    os.environ['LD_LIBRARY_PATH'] = os.path.dirname(module)
    v = Verdict(f'mono-probe-{case}')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        with Probed(exe, worlds.split(), options, path) as program:
            said = program.wait()
        run = Run(profview, path, said, [])
        run.exe, run.profview = exe, profview
        v.equal('exit code', run.exit, 0)
        v.equal('standard error', run.complaint, '')
        if run.json:
            extended = run.log.extensions
            for check in ALWAYS + wanted:
                if check is not stock_reads or not extended:
                    check(v, run)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

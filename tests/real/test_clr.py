#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs on .NET under our own module: the report says what the program and mprof-report say.

usage: test_clr.py CASE PROFVIEW COUNTED.DLL MODULE DOTNET     ('none' for what is not there: skipped)
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import checks
import target
from test_mono import Run, alone
from test_mono_probe import names, stock_reads, tree
from verdict import Verdict

GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'


def environment(module, options):
    return os.environ | {
        'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
        'CORECLR_PROFILER_PATH': module, 'PROFVIEW_OPTIONS': options,
        'DOTNET_CLI_TELEMETRY_OPTOUT': '1', 'DOTNET_NOLOGO': '1'}


def started(dotnet, program):
    """The command of an image, or of a program that has its runtime with it."""
    return [dotnet, program] if str(program).endswith('.dll') else [program]


class Probed(target.Program):
    """A program on .NET with our module in it, which takes its options from the environment."""

    def __init__(self, dotnet, dll, worlds, options, output, module):
        mine = os.environ.copy()
        os.environ.update(environment(module, f'{options},output={output}'))
        super().__init__([*started(dotnet, dll), *worlds], output)
        os.environ.clear()
        os.environ.update(mine)


def collections_(v, r):
    """What the program counts as generation 0 are the collections of every generation."""
    gc = r.json['gc']
    got = {g['generation']: g['count'] for g in gc['generations']}
    v.equal('collections', sum(got.values()), r.said['collections 0'])
    v.equal('collections of 1 and 2', got.get(1, 0) + got.get(2, 0), r.said['collections 1'])
    v.same_rows('collections after mprof-report', checks.nonzero(got),
                checks.nonzero(r.mprof['collections']))
    v.equal('listed collections', len(gc['collections']), sum(got.values()))
    for c in gc['collections']:
        v.true(f'duration of the collection at {c["start_ns"]}', 0 < c['duration_ns'])
        v.true(f'pause of the collection at {c["start_ns"]}', 0 < c['pause_ns'])
    v.at_least('heap at most', gc['max_heap_bytes'], 1)
    v.true('there are pauses', len(gc['pauses']) >= len(gc['collections']))


def jit(v, r):
    v.equal('jitted methods', r.json['jit']['methods'], r.mprof['jit_methods'])
    v.at_least('jitted methods of the program', r.json['jit']['methods'], 20)


def loads(v, r):
    """An assembly that was unloaded has its end, and its classes' ids were used again by others."""
    own = [a for a in r.json['assemblies'] if a['name'] == 'counted_clr']
    v.equal('loads of the program\'s assembly', len(own), 1 + r.said['unloaded assemblies'])
    gone = [a for a in own if a['unload_ns'] is not None]
    v.equal('unloads of it', len(gone), r.said['unloaded assemblies'])
    for a in gone:
        v.true('it is unloaded after its load', a['unload_ns'] > a['load_ns'])


def paired(v, r):
    """Every leave is of the method entered last, on each thread."""
    v.equal('leaves without an enter', r.log.times.unmatched, 0)
    v.equal('enters without a leave', r.log.times.closed_early, 0)


def exceptions(v, r, classes=True):
    """.NET 10 tells of no finally clauses."""
    r.said.pop('finally at least', None)
    checks.exceptions(v, r, classes)


def locks(v, r):
    """A wait that was given up ends like one that was not."""
    k = r.json['locks']
    v.equal('contentions after mprof-report', k['contentions'], r.mprof['contentions'])
    v.equal('every wait ends', k['acquired'], k['contentions'])
    gate = max(k['objects'], key=lambda o: o['contentions'])
    v.equal('contentions of the gate', gate['contentions'], r.said['contended Counted.Gate'])
    v.between('wait for the gate', gate['wait_ns'], r.said['waited at least'] * 9 // 10,
              r.said['waited at most'])


def sampled(v, r):
    """The estimate is as near as it says, and the stacks end where the program allocates."""
    v.at_least('samples', r.json['events'].get('alloc', 0), 10)
    wide = [s for s in r.json['allocation_sites'] if s['class'] == 'Counted.Wide']
    v.true('a Wide was sampled', wide)
    for site in wide:
        v.equal('innermost frame of a Wide', site['stack'][-1:], ['Counted.Allocs:Make (int)'])
    v.true('allocations are estimates', all(c['estimated'] for c in r.json['classes']))


def own_sites(v, r):
    for site in r.json['allocation_sites']:
        if site['class'] == 'Counted.Wide':
            v.equal('innermost frame of a Wide', site['stack'][-1:], ['Counted.Allocs:Make (int)'])


def alive_at_end(v, r):
    """The last shot holds what the program has kept, object by object."""
    shot = r.json['heap_shots'][-1]
    for column, word in (('objects', 'alive'), ('bytes', 'alive bytes')):
        got = checks.shot_rows(shot, column)
        for name, n in checks.said_of(r.said, word).items():
            if not name.startswith('bytes '):
                v.equal(f'{column} of {name} alive at the end', got.get(name), n)


def said_of(r, what):
    return next(c['detail'] for c in r.json['coverage'] if c['what'] == what)


def fates(v, r):
    """What the program dropped before the shot has died young, what it keeps has not."""
    done = subprocess.run([r.profview, 'report', r.path, '--no-index', '--format', 'json', '--section', 'lives',
                           '--limit', '0'], capture_output=True, timeout=120, check=False)
    lives = {row['name']: row for row in json.loads(done.stdout)['lives']}
    dropped = lives['Counted.Dropped']
    v.equal('dropped: allocated, young, alive', [dropped[k] for k in ('allocations', 'died_young', 'alive_objects')],
            [r.said['dropped Counted.Dropped'], r.said['dropped Counted.Dropped'], 0])
    v.equal('bytes of these', dropped['died_young_bytes'], dropped['allocated_bytes'])
    for name in ('Counted.Kept', 'Counted.KeptPart'):
        kept = lives[name]
        n, size = r.said[f'alive {name}'], r.said[f'alive bytes {name}']
        v.equal(f'{name}: allocated, alive, bytes, young, dead', [kept[k] for k in (
            'allocations', 'alive_objects', 'alive_bytes', 'died_young', 'dead_objects')], [n, n, size, 0, 0])
        v.equal(f'{name}: promoted by the collection', kept['promoted_objects'], n)


def by_stack(v, r):
    """One shot at the end: what it has of a class lies below the method that allocated it."""
    done = subprocess.run([r.profview, 'report', str(r.path), '--no-index', '--format', 'json', '--section',
                           'heap_flame'], capture_output=True, timeout=target.DEADLINE, check=False)
    v.equal('exit code of the flame', (done.returncode, done.stderr), (0, b''))
    rows = json.loads(done.stdout)['heap_flame'] if done.stdout else []
    shots = r.json['heap_shots']
    v.equal('shots', len(shots), 1)
    v.equal('all of the shot', rows[0]['weight'], shots[0]['bytes'])
    above = {row['id']: row for row in rows}

    def callers(row):
        while row['parent']:
            row = above[row['parent']]
            yield row['frame']
    for name in ('Counted.Kept', 'Counted.KeptPart'):
        leaves = [row for row in rows if row['frame'] == name and row['kind'] == 'class']
        v.equal(f'bytes of {name}', sum(row['weight'] for row in leaves), r.said[f'alive bytes {name}'])
        for row in leaves:
            v.true(f'{name} is by who made it', any(f.startswith('Counted.Heap:Keep ') for f in callers(row)),
                   list(callers(row)))


def live(v, r):
    """What nobody holds is not in the shot; the collection for it is none of the program's."""
    got = checks.shot_rows(r.json['heap_shots'][-1], 'objects')
    v.equal('garbage in the last shot', got.get('Counted.Wide', 0), 0)
    v.true('the profiler\'s collection is said', '1 more by the profiler' in said_of(r, 'gc'),
           said_of(r, 'gc'))
    v.equal('collections that the program has made', sum(g['count'] for g in r.json['gc']['generations']),
            r.said['collections 0'])
    v.equal('listed collections', len(r.json['gc']['collections']), r.said['collections 0'])


def garbage(v, r):
    got = checks.shot_rows(r.json['heap_shots'][-1], 'objects')
    v.at_least('garbage in the last shot', got.get('Counted.Wide', 0), 1)
    v.true('that garbage is included', 'garbage included' in said_of(r, 'heap_shots'))


def by_time(v, r):
    v.at_least('heap shots', len(r.json['heap_shots']), 2)
    v.true('the header says when they were taken', 'heapshot=100ms' in r.json['target']['args'],
           r.json['target']['args'])


def keepers(v, r):
    """Objects that each thread holds in a field of its own are kept by that field."""
    done = subprocess.run([r.profview, 'report', str(r.path), '--no-index', '--format', 'json', '--section',
                           'heap_keepers', '--shot', '0', '--limit', '0'], capture_output=True, timeout=target.DEADLINE,
                          check=False)
    v.equal('exit code of the keepers', (done.returncode, done.stderr), (0, b''))
    rows = {row['name']: row for row in json.loads(done.stdout)['heap_keepers']} if done.stdout else {}
    wanted = [('thread static Counted.Holders.mine', 'Counted.HeldByThread')]
    if r.json['target'].get('runtime_version', '').startswith('10.'):  # it tells of itself how generic classes lie
        wanted.append(('static Counted.Keeper<Counted.HeldByClass>.List', 'Counted.HeldByClass'))
    for name, klass in wanted:
        kept = rows.get(name, {})
        n = r.said[f'held {klass}']
        v.equal(f'{name} keeps most of', kept.get('most_class'), klass)
        v.equal(f'{klass} kept by it', kept.get('most_objects'), n)
        v.at_least('objects with what they hold', kept.get('objects', 0), 2 * n)


def rooted(v, r):
    v.true('every shot has roots', all(s['roots'] > 0 for s in r.json['heap_shots']))


def samples(v, r):
    """Most of the time goes to the busy loop, and its callers stand below it."""
    v.equal('samples', r.json['samples']['total'], r.log.samples)
    v.at_least('samples', r.log.samples, 20)
    total = checks.rows(r.json['methods'], 'name', 'samples_total')
    v.at_least('samples in the busy loop', total['Counted.Spin:Busy (int)'], r.log.samples // 5)
    v.at_least('samples below Main', total['Counted.Program:Main (string[])'],
               total['Counted.Spin:Busy (int)'])
    v.at_least('samples of native code', total['unresolved in libcoreclr.so'] + total['coreclr_execute_assembly'], 1)


def moved(v, r):
    """Every object that the program saw move is told to have moved from there to there."""
    dump = subprocess.run([r.profview, 'dump', str(r.path)], capture_output=True, text=True,
                          check=True).stdout
    pairs = {int(a, 16): int(b, 16) for a, b in re.findall(r'(0x\w+) -> (0x\w+)', dump)}
    said = checks.said_of(r.said, 'moved')
    v.at_least('objects that the program saw move', len(said), 100)
    for old, new in said.items():
        v.equal(f'where the object at {old} went', pairs.get(int(old)), new)


def tasks(v, r):
    """What may not be inlined is counted whole, also without `everycall`."""
    got = checks.rows(r.json['methods'], 'name', 'calls')
    for name, n in checks.said_of(r.said, 'calls').items():
        if name.startswith(('Counted.Tasks:', 'Counted.Cell')):
            v.equal(f'calls the program made to {name}', got.get(name, 0), n)


def used(v, r):
    """Processor time of calls is what their methods ran."""
    got = checks.rows(r.json['methods'], 'name', 'cpu_user_ns')
    self_ns = checks.rows(r.json['methods'], 'name', 'self_ns')
    total = sum(n for n in got.values() if n)
    v.between('processor time', total, 1_000_000, 1.1 * sum(self_ns.values()) + 20_000_000)


def only_own(v, r):
    for m in r.json['methods'] or []:
        v.true(f'{m["name"]} is of the assembly that was asked for', m['name'].startswith('Counted.'))


ALWAYS = (checks.source, checks.events, stock_reads, names)

# case: options, worlds, checks
CASES = {
    'threads': ('nodefaults', 'threads calls', (checks.threads, checks.modules, jit)),
    'gc': ('nodefaults,gc', 'collect heap collect', (collections_,)),
    'calls': ('nodefaults,calls,everycall', 'calls throws threads',
              (checks.calls, checks.times, checks.call_tree, paired)),
    'calls-own': ('nodefaults,calls,everycall,filter=a:counted_clr', 'calls throws domains calls', (
        checks.calls, checks.times, checks.call_tree, paired, only_own, loads)),
    'calls-late': ('nodefaults,calls', 'tasks', (paired, tasks)),
    'tasks': ('nodefaults,calls,everycall,filter=a:counted_clr', 'tasks', (paired, checks.calls)),
    'calltree': ('nodefaults,calltree,everycall', 'calls spin throws threads', (tree,)),
    'calltree-own': ('nodefaults,calltree,everycall,filter=a:counted_clr', 'calls throws tasks calls', (
        tree, only_own)),
    'calltree-cpu': ('nodefaults,calltree=cpu,everycall,filter=a:counted_clr', 'calls spin', (tree, used)),
    'alloc': ('nodefaults,gcalloc', 'allocs finalizers', (checks.allocations, own_sites)),
    'sampled': ('nodefaults,alloc=512k', 20 * 'allocs ', (sampled,)),
    'exception': ('nodefaults,exception', 'throws calls', (alone(exceptions),)),
    'exception-alloc': ('nodefaults,exception,gcalloc', 'throws calls', (exceptions,)),
    'monitor': ('nodefaults,monitor', 'locks', (locks,)),
    'heapshot': ('nodefaults,heapshot-on-shutdown', 'heap allocs', (checks.shots, alive_at_end)),
    'heapshot-every': ('nodefaults,heapshot=2gc,heapshot-on-shutdown,gcroot',
                       'heap collect allocs collect heap collect',
                       (checks.shots, alive_at_end, rooted)),
    'heapshot-load': ('nodefaults,heapshot=1gc,gcalloc,gc', 5 * 'tasks throws collect ',
                      (checks.shots,)),
    'heapshot-live': ('nodefaults,gc,heapshot-on-shutdown', 'heap allocs',
                      (checks.shots, alive_at_end, live)),
    'heapshot-keepers': ('nodefaults,heapshot-on-shutdown', 'hold allocs', (checks.shots, keepers)),
    'heapshot-garbage': ('nodefaults,heapshot-on-shutdown,heapshot=nogc', 'heap allocs',
                         (checks.shots, alive_at_end, garbage)),
    'heapshot-stacks': ('nodefaults,alloc,gcmove,heapshot-on-shutdown', 'heap collect allocs',
                        (alive_at_end, by_stack, fates)),
    'heapshot-timed': ('nodefaults,heapshot=100ms', 20 * 'spin ', (checks.shots, by_time)),
    'sample': ('nodefaults,sample=500', 20 * 'spin ', (samples,)),
    'gchandle': ('nodefaults,gchandle,finalization', 'handles finalizers',
                 (checks.handles, checks.finalizers)),
    'counter': ('nodefaults,counter,gc,exception', 'throws collect', (collections_, checks.counters)),
    'moves': ('nodefaults,gc,gcmove', 'moves', (collections_, checks.moves, moved)),
    'calls-alloc': ('nodefaults,calls,everycall,filter=a:counted_clr,gcalloc', 'allocs',
                    (paired, own_sites)),
    'loads': ('nodefaults', 'domains calls domains', (loads, checks.modules)),
}


def main(case, profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    options, worlds, wanted = CASES[case]
    v = Verdict(f'clr-{case}')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        with Probed(dotnet, dll, worlds.split(), options, path, module) as program:
            said = program.wait()
        run = Run(profview, path, said, [])
        v.equal('exit code', run.exit, 0)
        v.equal('standard error', run.complaint, '')
        if run.json:
            command = run.json['target'].get('command', '')
            v.true('the command line is in the log', command.endswith(' '.join(['', *worlds.split()])), command)
            summed = 'calltree' in options  # which mprof-report does not know
            for check in [c for c in ALWAYS + wanted if not (summed and c is stock_reads)]:
                check(v, run)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

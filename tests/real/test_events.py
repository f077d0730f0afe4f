#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A .NET program is joined by its own event stream: nothing is loaded, and it goes on whatever the viewer does.

usage: test_events.py visit|rude|listen|meters PROFVIEW COUNTED.DLL DOTNET     ('none': skipped)
       test_events.py states PROFVIEW STATES.DLL DOTNET
"""
import collections
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

import target
from nettrace import RUNTIME, SAMPLER, Trace
from verdict import Verdict

RELAY = 'profview-events'
THREAD_TIME = 28790  # our own event: how long a thread has run
LIMIT = 512 << 20  # bytes


def report(profview, log, *words):
    done = subprocess.run([profview, 'report', '--waits', '--format', 'json', '--no-index', *words, str(log)],
                          capture_output=True, text=True, timeout=120, check=False)
    with contextlib.suppress(ValueError):
        return json.loads(done.stdout)
    return {}


def row(profview, pid):
    listed = json.loads(subprocess.run([profview, 'ps', '--format', 'json'], check=True, timeout=150,
                                       capture_output=True, text=True).stdout)
    return [(p['join'], p['answered']) for p in listed if p['pid'] == pid]


def relays(log):
    """Processes that hold sessions for a viewer with this record: they are its children's children."""
    ret = []
    for comm in pathlib.Path('/proc').glob('[0-9]*/comm'):
        with contextlib.suppress(OSError):
            if comm.read_text().strip() == RELAY and str(log).encode() in comm.with_name('cmdline').read_bytes():
                ret.append(int(comm.parent.name))
    return ret


def writers(pid):
    """Threads of the runtime that serve and write event streams."""
    return sum(p.read_text().strip() == '.NET EventPipe' for p in pathlib.Path(f'/proc/{pid}/task').glob('*/comm'))


def join(profview, pid, log, *words):
    return subprocess.Popen([profview, 'attach', '--via', 'events', *words, str(pid), '--record', str(log)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def leave(viewer, how=signal.SIGINT):
    viewer.send_signal(how)
    return viewer.communicate(timeout=target.DEADLINE)[1]


def shot_ended(profview, log):
    """The first heap shot is whole."""
    rows = report(profview, log, '--section', 'heap_shots').get('heap_shots') or []
    return rows and rows[0]['objects'] and not rows[0]['state'] and rows


def readings(profview, log):
    rows = report(profview, log, '--section', 'counters').get('counters') or []
    return sum(len(r.get('samples') or ()) for r in rows)


def joined(profview, viewer, log, more_than=0):
    """Its own counters come, which are told once a second: the session is open."""
    def there():
        if viewer.poll() is not None:
            raise target.TimedOut(f'the viewer ended: {viewer.stderr.read()}')
        return readings(profview, log) > more_than
    target.wait_for('the event stream', there)


def compare_shot(v, j, trace, said):
    rows = {r['name']: r for r in j['heap_shots'][0]['classes']}
    want = trace.shots()[0]
    v.equal('objects', j['heap_shots'][0]['objects'], sum(want['classes'].values()))
    v.equal('bytes', j['heap_shots'][0]['bytes'], sum(want['bytes'].values()))
    v.equal('references', j['heap_shots'][0]['references'], want['references'])
    v.equal('roots', j['heap_shots'][0]['roots'], want['roots'])
    for name in ('Kept', 'KeptPart'):
        v.equal(f'{name}, alive', rows.get(f'Counted.{name}', {}).get('objects'), said[f'alive Counted.{name}'])
        v.equal(f'{name}, bytes', rows.get(f'Counted.{name}', {}).get('bytes'), said[f'alive bytes Counted.{name}'])
    v.true('nothing that was dropped', 'Counted.Dropped' not in rows)


def compare_heap(v, profview, log):
    """What holds the planted objects has the static field's name."""
    objects = report(profview, log, '--section', 'heap_objects', '--shot', '0', '--limit', '20').get('heap_objects') or []
    arrays = [o for o in objects if o['class'] == 'Counted.Kept[]']
    v.true('the list of those kept is among the largest', arrays, [o['class'] for o in objects])
    if arrays:
        path = report(profview, log, '--section', 'heap_path', '--shot', '0', '--object', arrays[0]['address'])
        v.true('its path begins in the static', 'kept' in json.dumps(path.get('heap_path')), path.get('heap_path'))


def visit(v, profview, dll, dotnet):
    """One stay with a heap shot: names, exceptions, locks, collections as the program counts them."""
    limited = ['env', f'DOTNET_GCHeapHardLimit={LIMIT:x}', dotnet]
    with target.scratch() as folder, target.Program([*limited, dll, 'heap', 'pause', 'throws', 'locks', 'collect', 'pause'],
                                                    folder) as program:
        log = pathlib.Path(folder, 'a.nettrace')
        before = program.wait_phase(1)
        pid = program.process.pid
        viewer = join(profview, pid, log, '--heapshot')
        target.wait_for('the heap shot', lambda: shot_ended(profview, log))
        joined(profview, viewer, log, readings(profview, log))  # those before the shot say nothing
        program.go()
        said = program.wait_phase(2)
        target.wait_for('all exceptions', lambda: (report(profview, log, '--section', 'exceptions').get(
            'exceptions') or {}).get('thrown', 0) >= said['throws total'])
        complaint = leave(viewer)
        v.true('no complaint', 'refuse' not in complaint and 'stream' not in complaint, complaint)
        target.wait_for('the sessions to end', lambda: not relays(log))
        v.equal('it can be joined again', row(profview, pid), [('diagnostics', True)])
        j = report(profview, log, '--section', 'all')
        trace = Trace(log.read_bytes())
        v.equal('its end', j['source']['end'], 'ended')
        limits = {s[1] for c in j['counters'] if c['name'] == 'heap limit' for s in c['samples']}
        v.equal('the limit of its heap', limits, {LIMIT})
        v.equal('process', (j['target']['pid'], trace.pid), (pid, pid))
        v.same_rows('thrown', {r['name']: r['thrown'] for r in j['exceptions']['classes']}, trace.thrown())
        v.at_least('exceptions', j['exceptions']['thrown'], said['throws total'] - before.get('throws total', 0))
        v.at_least('contentions', j['locks']['contentions'], len(trace.of(RUNTIME, 81)))
        v.true('throwers have names', all(any('Counted.' in f for f in s['stack']) for s in j['throw_sites']),
               [s['stack'] for s in j['throw_sites']])
        losses = next(c for c in j['coverage'] if c['what'] == 'losses')['detail']
        v.equal('losses: before and after the shot nothing was recorded', losses.split(',')[0],
                '2 stretches in which recording was paused')
        compare_shot(v, j, trace, before)
        compare_heap(v, profview, log)
        program.go()
        program.wait()


def rude(v, profview, dll, dotnet):
    """Viewers that are killed or stand still, and a program that is killed."""
    pauses = 8 * ['throws', 'pause']
    with target.scratch() as folder, target.Program([dotnet, dll, *pauses], folder) as program:
        program.wait_phase(1)
        pid = program.process.pid
        none = writers(pid)
        for i, how in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP)):
            log = pathlib.Path(folder, f'{i}.nettrace')
            viewer = join(profview, pid, log, *(['--sample'] if i == 2 else []))
            joined(profview, viewer, log)
            v.at_least('threads that write sessions', writers(pid), none + 1)
            viewer.send_signal(how)
            program.go()
            program.wait_phase(i + 2)
            v.equal(f'{how.name}: the runtime answers', row(profview, pid), [('diagnostics', True)])
            if how == signal.SIGSTOP:
                viewer.send_signal(signal.SIGCONT)
                complaint = leave(viewer)
                v.true('the price of samples is said', 'fifth' in complaint, complaint)
            else:
                viewer.communicate(timeout=target.DEADLINE)
            target.wait_for(f'{how.name}: the sessions to end', lambda log=log: not relays(log))
            target.wait_for(f'{how.name}: the runtime to end its sessions', lambda: writers(pid) == none)
        for words in (['--calls'], ['--probe', 'fields'], ['--heapshot=1gc'], ['--alloc']):
            done = subprocess.run([profview, 'attach', '--via', 'events', *words, str(pid)], capture_output=True, text=True,
                                  timeout=150, check=False)
            v.equal(f'{words}: refused', done.returncode, 2)
            v.true(f'{words}: by name', words[0].split('=')[0] in done.stderr, done.stderr)
        log = pathlib.Path(folder, 'end.nettrace')
        viewer = join(profview, pid, log)
        joined(profview, viewer, log)
        program.process.kill()
        viewer.communicate(timeout=target.DEADLINE)
        v.equal('the viewer ends with the program', viewer.returncode, 0)
        v.equal('all that came is there', report(profview, log, '--section', 'events')['source']['end'], 'cut off')


def newest(profview, log):
    """Counters by section and name, with their last and greatest value."""
    ret = {}
    for r in report(profview, log, '--section', 'counters').get('counters') or []:
        values = [value for _, value in r.get('samples') or ()]
        if values:
            ret[r['section'], r['name']] = r | {'last': values[-1], 'max': max(values)}
    return ret


def last(rows, name, section='Shop.Orders'):
    row = rows.get((section, name))
    return row and row['last']


def meters(v, profview, dll, dotnet):
    """Instruments and counters have the values that the program gave them, with unit and tags; limits are said."""
    with target.scratch() as folder, target.Program([dotnet, dll, 'meters', 'pause', 'measure', 'pause', 'measure', 'pause'],
                                                    folder) as program:
        log = pathlib.Path(folder, 'a.nettrace')
        program.wait_phase(1)
        pid = program.process.pid
        viewer = join(profview, pid, log, '--meter', 'Shop.*', '--meter', 'Shop-Events')
        target.wait_for('the gauge', lambda: last(newest(profview, log), 'shop.load') is not None)
        for turn in (2, 3):
            program.go()
            said = program.wait_phase(turn)
            target.wait_for('the values', lambda: last(newest(profview, log), 'shop.placed{kind=home}') == said['placed home'] and
                            last(newest(profview, log), 'shop.took{kind=home} count') == said['took'])
        rows = newest(profview, log)
        for name, want in {'shop.placed{kind=home}': said['placed home'], 'shop.placed{kind=abroad,paid=True}': said['placed abroad'],
                           'shop.waiting': 2 * said['waiting'] // 2, 'shop.revenue': 25.5, 'shop.load': 0.75,
                           'shop.took{kind=home} count': said['took'], 'shop.took{kind=home} sum': 2 * 5050,
                           'shop.many{series=39}': 2 * 39}.items():
            v.equal(name, last(rows, name), want)
        for word, low, high in (('p50', 48, 52), ('p95', 93, 97), ('p99', 97, 100)):
            v.between(f'{word} of 1 to 100 ms', rows['Shop.Orders', f'shop.took{{kind=home}} {word}']['max'], low, high)
        v.equal('greatest rate', rows['Shop.Orders', 'shop.placed{kind=home} a second']['max'] >= 1200 * 0.9, True)
        v.equal('units', [rows['Shop.Orders', n]['unit'] for n in ('shop.took{kind=home} p50', 'shop.placed{kind=home}', 'shop.load')],
                ['ms', '{order}', '1'])
        v.equal('what only grows', [rows['Shop.Orders', n]['variance'] for n in ('shop.placed{kind=home}', 'shop.waiting')],
                ['monotonic', 'variable'])
        v.true('a meter that was not asked for is not there', not any(section == 'Other' for section, _ in rows))
        v.true('the runtime has meters', ('System.Runtime', 'dotnet.gc.collections{gc.heap.generation=gen0}') in rows,
               [n for s, n in rows if s == 'System.Runtime'])
        v.true('and generations of the heap', any(n.startswith('dotnet.gc.last_collection.heap.size{') for _, n in rows))
        target.wait_for('the counter of the event source', lambda: last(newest(profview, log), 'queue-depth', 'Shop-Events') == 42)
        rows = newest(profview, log)
        v.equal('its unit', rows['Shop-Events', 'queue-depth']['unit'], 'orders')
        v.equal('its growth', rows['Shop-Events', 'sold']['max'] >= 77, True)
        v.true('no complaint', 'meter' not in leave(viewer))
        done = subprocess.run([profview, 'attach', '--via', 'probe', '--meter', 'Shop.*', str(pid)], capture_output=True, text=True,
                              timeout=150, check=False)
        v.equal('the probe has none', (done.returncode, '--meter' in done.stderr), (2, True))
        program.go()
        program.wait()


def listening(profview, path, *words):
    viewer = subprocess.Popen([profview, 'listen', str(path), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    target.wait_for('the socket', path.exists)
    return viewer


def listen(v, profview, dll, dotnet):
    """A program that is told to call, and waits for us: all of it is recorded, from its first exception on."""
    with target.scratch() as folder:
        path, log = pathlib.Path(folder, 'port'), pathlib.Path(folder, 'a.nettrace')
        viewer = listening(profview, path, '--record', str(log))
        v.equal('the socket is ours alone', path.stat().st_mode & 0o777, 0o700)
        again = subprocess.run([profview, 'listen', str(path)], capture_output=True, text=True, timeout=150, check=False)
        v.equal('one that is there is not taken', (again.returncode, str(path) in again.stderr), (3, True))
        os.environ['DOTNET_DiagnosticPorts'] = str(path)
        try:
            with target.Program([dotnet, dll, 'throws', 'locks', 'pause'], folder) as program:
                said = program.wait_phase(1)
                pid = program.process.pid
                program.go()
                program.wait()
        finally:
            del os.environ['DOTNET_DiagnosticPorts']
        viewer.communicate(timeout=target.DEADLINE)
        v.equal('it ends with the program', viewer.returncode, 0)
        v.true('the socket is gone', not path.exists())
        j, trace = report(profview, log, '--section', 'all'), Trace(log.read_bytes())
        v.equal('process', j['target']['pid'], pid)
        v.equal('exceptions', j['exceptions']['thrown'], said['throws total'])
        v.same_rows('thrown', {r['name']: r['thrown'] for r in j['exceptions']['classes']}, trace.thrown())
        v.at_least('compiled methods', j['events']['method.jit'], len(trace.of(RUNTIME, 145)) - 50)
        v.equal('losses', next(c for c in j['coverage'] if c['what'] == 'losses')['state'], 'complete')
        viewer = listening(profview, path)
        viewer.kill()
        viewer.communicate(timeout=target.DEADLINE)
        v.true('one that was killed leaves its socket', path.exists())
        viewer = subprocess.Popen([profview, 'listen', str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        v.true('which the next one replaces', 'waiting' in viewer.stderr.readline())
        leave(viewer)
        v.equal('a signal while it waits', (viewer.returncode, path.exists()), (128 + signal.SIGINT, False))


PLANTED = {'Computes': 'running', 'Locks': 'lock', 'Reads': 'io', 'Sleeps': 'sleep'}
WAITS_MS = {'lock': 30, 'io': 20, 'sleep': 10}  # in a round
STATES_OF = {'(waits for a lock)': 'lock', '(sleeps)': 'sleep', '(waits)': 'unknown', '(waits for a processor)': 'runnable'}


def phases(profview, log, tid):
    """Milliseconds of a thread's samples by planted phase and state. Thread.Sleep is inlined into what calls Sleeps."""
    tree = report(profview, log, '--section', 'call_tree', '--thread', hex(tid))['call_tree']
    node, ret = {n['id']: n for n in tree}, {p: collections.Counter() for p in PLANTED}
    for n in tree:
        above, state = n, STATES_OF.get(n['method'], 'running')
        while above and not any(above['method'].startswith(f'States:{p} ') for p in PLANTED):
            above = node.get(above['parent'])
        phase = above['method'].split(':')[1].split(' ')[0] if above else 'Sleeps' if state == 'sleep' else None
        if phase:
            ret[phase][state] += n['samples']
    return ret


def states(v, profview, dll, dotnet):
    """A thread that waited is not counted as running, nor one that ran as waiting: by how long the kernel let it run."""
    rounds = 60
    with target.scratch() as folder:
        path, log = pathlib.Path(folder, 'port'), pathlib.Path(folder, 'a.nettrace')
        viewer = listening(profview, path, '--sample', '--record', str(log))
        done = subprocess.run([dotnet, dll, str(rounds)], env=os.environ | {'DOTNET_DiagnosticPorts': str(path)}, check=True,
                              capture_output=True, text=True, timeout=4 * target.DEADLINE)
        viewer.communicate(timeout=target.DEADLINE)
        said = {k: int(n) for k, n in (w.split('=') for w in done.stdout.split())}
        got = phases(profview, log, said['tid'])
        planted = sum(said[state] for state in PLANTED.values()) / 1000
        # Threads that stand for the sampler wait until it has a processor again: a crowded machine makes that long.
        crowded = got['Computes']['runnable'] > said['running'] / 10000
        low, high, most = (0.7, 1.4, 0.3) if crowded else (0.9, 1.1, 0.03)
        for phase, state in PLANTED.items():
            if state == 'running':
                continue
            waited, share = got[phase]['unknown' if state == 'io' else state], said[state] / 10 / planted
            v.between(f'{state}, ms, planted and as it was: {dict(got[phase])}', waited, low * rounds * WAITS_MS[state],
                      high * said[state] / 1000)
            if not crowded:
                v.between(f'{state}, part of what was planted', 100 * waited / planted, share - 3, share + 3)
            v.between(f'{phase}: ran', got[phase]['running'], 0, (most + 0.1) * waited)
        ran = got['Computes']
        v.at_least(f'computing: {dict(ran)}', ran['running'], low * said['running'] / 1000)
        v.between('of which it waited', sum(ran.values()) - ran['running'] - ran['runnable'], 0, most * ran['running'])
        trace = Trace(log.read_bytes())
        readings = [e for e in trace.events if (e.provider, e.id, e.thread) == (SAMPLER, THREAD_TIME, said['tid'])]
        v.at_least('readings of the thread, ten a second', len(readings), rounds / 2)
        j = report(profview, log, '--section', 'samples')
        v.equal('losses', next(c for c in j['coverage'] if c['what'] == 'losses')['state'], 'complete')
        row = next(c for c in j['coverage'] if c['what'] == 'samples')
        v.true('it is not called WALL', 'WALL' not in row['detail'] and 'how long threads ran' in row['detail'], row)
        all_of = j['samples']['states']
        logged = sum(s['samples'] for s in all_of if s['known'] == 'logged')  # names tell until the second reading
        v.at_least('states are logged, per cent', 100 * logged / sum(s['samples'] for s in all_of), 80)
        mlpd = pathlib.Path(folder, 'a.mlpd')
        subprocess.run([profview, 'convert', log, '-o', mlpd], check=True, capture_output=True, timeout=target.DEADLINE)
        other = phases(profview, mlpd, said['tid'])
        v.equal('the same in a log that it is converted to', {p: dict(c) for p, c in other.items()}, {p: dict(c) for p, c in got.items()})


def main(case, profview, dll, dotnet):
    if 'none' in (dll, dotnet):
        print('dotnet is not installed')
        sys.exit(target.SKIP)
    os.environ['DOTNET_CLI_TELEMETRY_OPTOUT'] = '1'
    v = Verdict(f'events, {case}')
    {'visit': visit, 'rude': rude, 'listen': listen, 'meters': meters, 'states': states}[case](v, profview, dll, dotnet)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

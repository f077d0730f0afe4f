#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What our Mono module must stand: losses, readers that come and go, ends without warning.

usage: test_mono_proof.py CASE PROFVIEW PROOF.EXE MONOLOG.EXE COUNTED.EXE MODULE
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import checks
import rawlog
import target
from checks import said_of
from verdict import Verdict


LONGER = int(os.environ.get('PROFVIEW_SOAK', '1'))  # so many times as long, see tests/soak


STOCK_RUNS = 5


class Place:
    def __init__(self, folder, profview, proof, monolog, counted):
        self.folder, self.profview = pathlib.Path(folder), profview
        self.proof, self.monolog, self.counted = proof, monolog, counted

    def run(self, options, *words, exe=None, output='log.mlpd'):
        path = self.folder / output
        command = ['mono', f'--profile=profview:{options},output={path}', exe or self.proof, *words]
        return target.Program(command, path)

    def stock(self, options, *words, exe=None):
        path = self.folder / 'stock.mlpd'
        return target.Program(['mono', f'--profile=log:{options},output={path}',
                               exe or self.proof, *words], path)

    def stock_ran(self, options, *words, exe=None):
        """Mono's own profiler crashes now and then, which says nothing of ours: the program is run again."""
        for left in reversed(range(STOCK_RUNS)):
            with self.stock(options, *words, exe=exe) as s:
                try:
                    s.wait()
                    return s
                except RuntimeError as ended:
                    if s.process.returncode >= 0 or not left:
                        raise
                    print(f'the stock profiler: {ended}')
        return None

    def report(self, path, *words):
        done = subprocess.run([self.profview, 'report', str(path), '--format', 'json', '--limit', '0',
                               '--no-index', *words], capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def library(self, path):
        """What Mono's own Mono.Profiler.Log says of the log; nothing on standard error."""
        done = subprocess.run(['mono', self.monolog, str(path)], capture_output=True, text=True,
                              check=False)
        pairs = (line.rpartition('=') for line in done.stdout.splitlines())
        return done, {k: int(n) for k, _, n in pairs}


def calls_of(report):
    out = {}
    for m in report['methods'] or []:
        out[m['name']] = out.get(m['name'], 0) + (m['calls'] or 0)
    return out


def detail(report, what):
    return next(c for c in report['coverage'] if c['what'] == what)


def nameless(report):
    return [m['name'] for m in report['methods'] or [] if m['name'].startswith('0x') and m['calls']]


def leaves(v, p):
    """Whichever way methods are left, each leave is of the method entered last."""
    for options in ('nodefaults,calls', 'calls,alloc,sample=200'):
        with p.run(options, 'leaves') as program:
            program.wait()
        done, said = p.library(program.output)
        v.equal(f'standard error, {options}', done.stderr, '')
        v.equal(f'mismatches, {options}', said['mismatches'], 0)
        v.equal(f'nameless, {options}', said['nameless'], 0)
        v.at_least(f'exceptional leaves, {options}', said['ExceptionalLeaveEvent'], 500)
        _, report = p.report(program.output)
        checks.calls_whole(v, f'state of calls, {options}', report)


KINDS = {'EnterEvent': 'method.enter', 'LeaveEvent': 'method.leave', 'ThrowEvent': 'exception.throw',
         'ExceptionalLeaveEvent': 'method.exc_leave', 'AllocationEvent': 'alloc',
         'HeapObjectEvent': 'heap.object', 'HeapBeginEvent': 'heap.start', 'GCEvent': 'gc.event',
         'GCMoveEvent': 'gc.move', 'HeapRootsEvent': 'heap.roots', 'JitEvent': 'method.jit',
         'ExceptionClauseEvent': 'exception.clause', 'SampleHitEvent': 'sample.hit',
         'GCHandleCreationEvent': 'gc.handle_created', 'ThreadStartEvent': 'thread.start',
         'CounterSamplesEvent': 'counters.sample', 'VTableLoadEvent': 'vtable.load'}


def library(v, p):
    """Mono's own library reads every event, in file order and sorted, and says nothing."""
    with p.run('alloc,exception,gchandle,finalization,sample=500,heapshot=1gc,counter', 'throws',
               'locks', 'threads', 'handles', 'heap', 'collect', 'spin', exe=p.counted) as program:
        program.wait()
    done, said = p.library(program.output)
    v.equal('exit code', done.returncode, 0)
    v.equal('standard error', done.stderr, '')
    _, report = p.report(program.output)
    for theirs, ours in KINDS.items():
        v.equal(f'{ours} after the library', said.get(theirs, 0), report['events'].get(ours, 0))
    v.equal('events that sorting loses', [k for k in said if k.startswith('sorted ')],
            ['sorted mismatches'])


def same(v, p):
    """The stock profiler counts the same in the same run."""
    words = ('calls', 'throws', 'allocs', 'finalizers')
    s = p.stock_ran('nodefaults,calls,calldepth=100000,alloc,exception', *words, exe=p.counted)
    with p.run('nodefaults,calls,alloc,exception', *words, exe=p.counted) as o:
        o.wait()
    (_, stock), (_, ours) = p.report(s.output), p.report(o.output)
    mine, theirs = calls_of(ours), calls_of(stock)
    for name in sorted(n for n in theirs if n.startswith('Counted.')):
        v.equal(f'calls of {name}', mine.get(name), theirs[name])
    for column in ('allocations', 'allocated_bytes'):
        a, b = ({c['name']: c[column] for c in r['classes'] if c['name'].startswith('Counted.')}
                for r in (ours, stock))
        v.same_rows(column, a, b)
    v.equal('throws', ours['exceptions']['thrown'], stock['exceptions']['thrown'])
    v.at_least('methods compared', sum(n.startswith('Counted.') for n in theirs), 30)


def options(v, p):
    """callspec= and calldepth= choose the calls that they choose for the stock profiler."""
    for chosen in ('calls,calldepth=3', 'calls,callspec=program,calldepth=100000',
                   "calls,callspec='N:Counted,-T:Counted.Tree',calldepth=2"):
        s = p.stock_ran('nodefaults,' + chosen, 'calls', exe=p.counted)
        with p.run('nodefaults,' + chosen, 'calls', exe=p.counted) as o:
            o.wait()
        (_, stock), (_, ours) = p.report(s.output), p.report(o.output)
        mine, theirs = ({n: c for n, c in calls_of(r).items() if c and n.startswith('Counted.')}
                        for r in (ours, stock))
        v.same_rows(f'calls, {chosen}', mine, theirs)
    text = subprocess.run(['mono', '--profile=profview:help', p.counted], capture_output=True,
                          text=True, check=False).stderr
    v.true('help', 'callspec=' in text and not os.path.exists('output.mlpd'), text)


def many(v, p):
    with p.run('nodefaults,calls', 'many', '64', str(2000 * LONGER)) as program:
        said = program.wait()
    code, report = p.report(program.output)
    v.equal('exit code', code, 0)
    calls = calls_of(report)
    for name, n in said_of(said, 'calls').items():
        v.equal(f'calls of {name}', calls.get(name), n)
    v.equal('state of losses', detail(report, 'losses')['state'], 'complete')
    v.at_least('threads', len(report['threads']), 65)


CALLS = ('method.enter', 'method.leave', 'method.exc_leave')


def calls_in(report):
    return sum(report['events'].get(kind, 0) for kind in CALLS)


def unmatched(profview, path):
    """Leaves that do not fit: behind a gap at most those of Outer and Inner, entered inside it."""
    done = subprocess.run([profview, 'dump', str(path)], capture_output=True, text=True, check=False)
    wrong, stacks = [], {}
    for line in done.stdout.splitlines():
        words = line.split(maxsplit=4)
        if len(words) < 5 or words[3] not in ('method.enter', 'method.leave', 'counters.sample'):
            continue
        stack, excused = stacks.get(words[1], ([], 0))
        if words[3] == 'counters.sample':
            stack, excused = [], 2
        elif words[3] == 'method.enter':
            stack.append(words[4])
        elif stack:
            if stack.pop() != words[4]:
                wrong.append(line)
        elif (excused := excused - 1) < 0:
            wrong.append(line)
        stacks[words[1]] = stack, excused
    return wrong


def loss(v, p):
    """Nobody reads until the program is through: whole pieces are lost and counted, the rest is
    true. The log is several times what the pipe (1 MiB) and the buffers hold."""
    options, words = 'nodefaults,calls,filter=c:Proof', ('many', '4', '60000')
    with p.run(options, *words, output='whole.mlpd') as program:
        program.wait()
    _, whole = p.report(program.output)
    fifo, record = p.folder / 'pipe', p.folder / 'record.mlpd'
    os.mkfifo(fifo)
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(fd, True)
    with p.run(options + ',buffer=256k,linger=60000', *words, output='pipe') as program:
        program.wait_phase(1)
        with open(record, 'wb') as out:
            while piece := os.read(fd, 1 << 16):
                out.write(piece)
        said = program.wait()
    os.close(fd)
    code, report = p.report(record)
    lost = sum(c['samples'][-1][1] for c in report['counters']
               if c['name'] == 'lost events' and c['samples'])
    v.equal('exit code', code, 0)
    v.equal('losses of the whole log', detail(whole, 'losses')['state'], 'complete')
    v.at_least('bytes of the whole log', (p.folder / 'whole.mlpd').stat().st_size, 3 << 20)
    v.at_least('lost events', lost, 1000)
    v.equal('events and losses together', calls_in(report) + lost, calls_in(whole))
    v.equal('methods without a name', nameless(report), [])
    v.equal('state of losses', detail(report, 'losses')['state'], 'lost')
    v.equal('mismatches outside of gaps', unmatched(p.profview, record), [])
    for name, n in said_of(said, 'calls').items():
        v.between(f'calls of {name}', calls_of(report).get(name, 0), 1, n - 1)


def block(v, p):
    """block=yes, small buffers, a slow reader, collections: the program waits, nothing is lost."""
    fifo, record = p.folder / 'pipe', p.folder / 'record.mlpd'
    os.mkfifo(fifo)
    options = 'nodefaults,calls,alloc,gcmove,gcroot,gchandle,exception,monitor,finalization,' \
        'heapshot=1gc,buffer=256k,block=yes,linger=60000'
    with p.run(options, 'calls', 'throws', 'allocs', 'finalizers', 'collect', 'threads', 'heap',
               exe=p.counted, output='pipe') as program:
        with open(fifo, 'rb', buffering=0) as pipe, open(record, 'wb') as out:
            while piece := pipe.read(1 << 12):
                out.write(piece)
                time.sleep(0.001)
        said = program.wait()
    code, report = p.report(record)
    v.equal('exit code', code, 0)
    for what in 'losses', 'calls', 'allocations', 'heap_shots':
        v.equal(f'state of {what}', detail(report, what)['state'], 'complete')
    for name, n in said_of(said, 'calls').items():
        v.equal(f'calls of {name}', calls_of(report).get(name, 0), n)


def holds(program, path):
    folder = pathlib.Path(f'/proc/{program.process.pid}/fd')
    return any(os.path.realpath(fd) == str(path) for fd in folder.iterdir() if fd.is_symlink())


def readers(v, p):
    """Twenty readers, one after the other, each killed: each has a log of its own."""
    fifo = p.folder / 'pipe'
    os.mkfifo(fifo)
    pieces = []
    with p.run('nodefaults,calls,alloc', 'run', '7200000', output='pipe') as program:
        for i in range(20 * LONGER):
            path = p.folder / f'piece{i}'
            with open(path, 'wb') as out:
                reader = subprocess.Popen(['cat', str(fifo)], stdout=out)
                target.wait_for('bytes', lambda p=path: p.stat().st_size > 300000)
                reader.kill()
                reader.wait()
                target.wait_for('the writer to notice', lambda: not holds(program, fifo))
            pieces.append(path)
        reader = subprocess.Popen(['cat', str(fifo)], stdout=subprocess.DEVNULL)
        program.go()
        program.wait()
        reader.wait()
    for i, path in enumerate(pieces):
        code, report = p.report(path)
        v.true(f'exit code {i}', code in (0, 4), code)
        v.equal(f'recordings {i}', report['source']['recordings'], 1)
        v.equal(f'damage {i}', [d for d in report['source']['damage']
                                if d['offset'] + d['bytes'] < path.stat().st_size], [])
        v.equal(f'methods without a name {i}', nameless(report), [])
        v.at_least(f'calls {i}', calls_of(report).get('Proof:Outer (int)', 0), 1)


def ctl(v, p):
    """Heap shots on demand, over the control socket: each is queued, taken, and whole."""
    with p.run('nodefaults,heapshot=ondemand', 'run', '7200000') as program:
        program.wait_phase(1)
        pid = str(program.process.pid)
        for i in range(3):
            said = subprocess.run([p.profview, 'ctl', pid, 'heapshot'], capture_output=True,
                                  text=True, check=False)
            v.equal(f'answer {i}', said.stdout.strip(), f'ok shot={i}')
            target.wait_for('the shot', lambda n=i: target.Mono.shots_in(program.output) > n)
        program.go()
        program.wait()
    _, report = p.report(program.output)
    v.equal('heap shots', len(report['heap_shots']), 3)
    for s in report['heap_shots']:
        v.at_least('roots', s['roots'], 1)
        v.at_least('objects', s['objects'], 100)
    v.equal('state', detail(report, 'heap_shots')['state'], 'complete')


def lines(v, p):
    """Samples stand on lines of the source, inside the methods they fell on."""
    def of_proof(report):
        return [r for r in report['sample_lines'] or () if r['method'].startswith('Proof')]

    def is_enough(rows):
        return sum(r['samples'] for r in rows) >= 20 and any('<Many' in r['method'] for r in rows)

    with p.run('nodefaults,lines,sample=1000', 'until') as program:
        program.wait_phase(1)
        target.wait_for('samples by line', lambda: is_enough(of_proof(p.report(program.output)[1])))
        program.go()
        program.wait()
    _, report = p.report(program.output)
    source = pathlib.Path(__file__).with_name('proof.cs').read_text(encoding='utf-8').splitlines()
    rows = of_proof(report)
    v.at_least('samples by line', sum(r['samples'] for r in rows), 20)
    for r in rows:
        v.equal('file', os.path.basename(r['file']), 'proof.cs')
        if '<Many' in r['method']:  # the threads' loop; the method itself starts and joins them
            v.true(f'line {r["line"]}', 'Outer (k)' in source[r['line'] - 1], source[r['line'] - 1])
    v.at_least('rows of the loop', sum('<Many' in r['method'] for r in rows), 1)


TICK_NS = 150_000_000  # 100 ms are promised
TRIES = 6  # times as many runs, on a machine that is never quiet


def killed(v, p):
    """After SIGKILL the log is valid and ends a moment before it."""
    ends = []

    def kept():
        return sum(n < TICK_NS for n in ends)

    for i in range(4 * TRIES * LONGER):
        if len(ends) >= 4 * LONGER and kept() >= 2 * LONGER:
            break
        with p.run('nodefaults,calls,alloc,counter', 'run', '7200000') as program:
            program.wait_phase(1)
            time.sleep(0.3 + random.random() / 2)
            program.process.send_signal(signal.SIGKILL)
            at = time.monotonic_ns()
            program.process.wait()
            code, report = p.report(program.output)
            header = rawlog.header(program.output.read_bytes())[0]
            ends.append(at - header['start_ns'] - report['duration_ns'])
            v.true(f'exit code {i}', code in (0, 4), code)
            v.at_least(f'ns before the end {i}', ends[-1], -TICK_NS)
            v.equal(f'methods without a name {i}', nameless(report), [])
            v.at_least(f'calls {i}', calls_of(report).get('Proof:Outer (int)', 0), 1000)
    v.at_least(f'logs that end within a tick of {ends}', kept(), 2 * LONGER)


def exits(v, p):
    """Nothing waits at the end: the stock profiler adds a second."""
    def seconds(*profile):
        start = time.monotonic()
        subprocess.run(['mono', *profile, p.proof, 'many', '1', '1'], check=True,
                       stdout=subprocess.DEVNULL)
        return time.monotonic() - start
    path = p.folder / 'log.mlpd'
    without, probed = [], []
    for _ in range(3 * TRIES): # a wait is there every time, another program's turn is not
        without.append(seconds())
        probed.append(seconds(f'--profile=profview:calls,alloc,output={path}'))
        if len(probed) >= 3 and min(probed) - min(without) < 0.6:
            break
    v.between('seconds added', min(probed) - min(without), -1, 0.6)


CASES = {f.__name__: f for f in (leaves, library, same, options, many, loss, block, readers, ctl,
                                 lines, killed, exits)}


def main(case, profview, proof, monolog, counted, module):
    os.environ['LD_LIBRARY_PATH'] = os.path.dirname(module)
    v = Verdict(f'mono-proof-{case}')
    with target.scratch() as folder:
        CASES[case](v, Place(folder, profview, proof, monolog, counted))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

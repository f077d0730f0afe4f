#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real log cut at every byte of its end and of the last event of each kind; with flipped bytes.

usage: test_cut.py cuts|header|flips|zip PROFVIEW COUNTED.EXE
A cut's figures are those of the events that are whole before it. Exit codes: 0 when it ends at a
buffer's end, 4 inside one, 3 when not even the header can be read.
"""
import bisect
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys

import rawlog
import target
from verdict import Verdict

OPTIONS = 'nodefaults,calls,calldepth=10000,alloc,exception,monitor,gchandle,finalization'
WORLDS = 'throws locks handles finalizers'.split()
TAIL = 64
FIRST, LAST = 16, 8  # bytes of an event
KINDS = 10  # that are there to be cut
WATCHED = 70000  # of the end, where the last event of each kind is looked for
FLIPS = 120
SECTIONS = 'source,events,methods,classes,gc,exceptions,locks,threads'


def report(profview, path):
    done = subprocess.run(
        [profview, 'report', str(path), '--format', 'json', '--no-index', '--section', SECTIONS],
        capture_output=True, timeout=target.DEADLINE, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.decode()


def figures(log):
    """What is compared of a prefix; cheap enough to take behind every event of the tail."""
    return dict(+log.events), sum(log.calls.values()), sum(log.alloc_bytes.values())


def figures_of_report(j):
    return ({k: n for k, n in j['events'].items() if n},
            sum(m['calls'] for m in j['methods'] or []),
            sum(c['allocated_bytes'] for c in j['classes'] or []))


def at_once(work, items):
    """Runs `work` on the items, two at a time, and keeps their order."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, items))


def write_and_report(profview, folder):
    def one(numbered):
        number, data = numbered
        path = pathlib.Path(folder, f'{number}.mlpd')
        path.write_bytes(data)
        try:
            return report(profview, path)
        finally:
            path.unlink()
    return one


def cuts(v, data, profview, folder):
    first = len(data) - TAIL
    ends, states, last_of = [], [], {}

    def watch(offset, log):
        if offset < first - WATCHED:
            return
        figure = figures(log)
        for kind in figure[0] if states else ():
            if figure[0][kind] != states[-1][0].get(kind):
                inside = range(ends[-1] + 1, offset + 1)
                last_of[kind] = {*inside[:FIRST], *inside[-LAST:]}  # between them is text
        ends.append(offset)
        states.append(figure)

    rawlog.parse(data, watch)
    log_end = rawlog.header(data)[1]
    whole = [at for at, *_ in rawlog.buffers(data, log_end)]
    v.at_least('kinds of events', len(last_of), KINDS)
    places = sorted({*range(first, len(data) + 1), *(n for some in last_of.values() for n in some)})
    results = at_once(write_and_report(profview, folder), ((n, data[:n]) for n in places))
    for n, (code, j, complaint) in zip(places, results):
        clean = n in whole
        v.equal(f'exit code of a cut at {n}', code, 0 if clean else 4)
        if j is None:
            continue
        v.equal(f'completeness of a cut at {n}', j['source']['complete'],
                None if clean else False)
        v.equal(f'damage of a cut at {n}', bool(j['source']['damage']), not clean)
        v.equal(f'silence of a cut at {n}', bool(complaint), not clean)
        v.equal(f'figures of a cut at {n}', figures_of_report(j),
                states[bisect.bisect_right(ends, n) - 1])


def header(v, data, profview, folder):
    end = rawlog.header(data)[1]
    places = range(0, end + 60)
    results = at_once(write_and_report(profview, folder), ((n, data[:n]) for n in places))
    for n, (code, j, complaint) in zip(places, results):
        want = 3 if n < end else 0 if n == end else 4
        v.equal(f'exit code of {n} bytes', code, want)
        v.equal(f'a report of {n} bytes', j is not None, want != 3)
        v.equal(f'a complaint about {n} bytes', bool(complaint), want != 0)


def flips(v, data, profview, folder):
    dice = random.Random(2026)
    spans = [(at, at + 48 + len(events)) for at, _, _, events in
             rawlog.buffers(data, rawlog.header(data)[1]) if events is not None]
    share = []      # number of events of each buffer
    rawlog.parse(data, lambda offset, log: share.append((offset, sum(log.events.values()))))
    total = share[-1][1]
    places = [dice.randrange(len(data)) for _ in range(FLIPS)]
    # A fifth of them in buffer headers, which are rare.
    places[::5] = [dice.choice(spans)[0] + dice.randrange(48) for _ in places[::5]]

    def flipped(n):
        return data[:n] + bytes([data[n] ^ 1 << dice.randrange(8)]) + data[n + 1:]

    results = at_once(write_and_report(profview, folder), [(n, flipped(n)) for n in places])
    for n, (code, j, _) in zip(places, results):
        v.true(f'exit code with byte {n} flipped', code in (0, 3, 4), code)
        hit = [s for s in spans if s[0] <= n < s[1]]
        if not hit:
            continue    # in the file header, where anything may be read
        v.true(f'a report with byte {n} flipped', j is not None)
        if not j:
            continue
        before = max((k for at, k in share if at <= hit[0][0]), default=0)
        after = max(k for at, k in share if at <= hit[0][1])
        v.at_least(f'events kept with byte {n} of {hit[0]} flipped', sum(j['events'].values()),
                   total - (after - before))


def zip_cuts(v, data, profview, folder):
    """Ends of a gzip stream: what could be inflated counts, the missing trailer does not."""
    places = list(range(len(data) - 64, len(data) + 1)) + \
        [len(data) * i // 40 for i in range(4, 40)]
    results = at_once(write_and_report(profview, folder), ((n, data[:n]) for n in places))
    whole = rawlog.inflate(data)    # of a beginning comes a beginning
    ends, events = [], []           # of buffers: events of all up to there
    log, at = rawlog.Log(), rawlog.header(whole)[1]
    for end in [b[0] for b in rawlog.buffers(whole, at)]:
        at = rawlog.read_buffers(log, whole[:end], at)
        ends.append(end)
        events.append(sum(log.events.values()))
    v.true('events of the whole', ends[-1] == len(whole) and events[-1] > events[0], ends[-3:])
    for n, (code, j, _) in zip(places, results):
        size = len(rawlog.inflate(data[:n]))
        last = bisect.bisect_right(ends, size) - 1
        v.equal(f'exit code of {n} zipped bytes', code, 4 if last < 0 or size > ends[last] else 0)
        v.true(f'a report of {n} zipped bytes', j is not None)
        if j:
            v.at_least(f'events of {n} zipped bytes', sum(j['events'].values()),
                       events[last] if last >= 0 else 0)
            v.equal(f'inflated bytes of {n} zipped bytes', j['source']['bytes'], size)


PARTS = {'cuts': cuts, 'header': header, 'flips': flips, 'zip': zip_cuts}


def main(part, profview, exe):
    v = Verdict(f'cut-{part}')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        options = OPTIONS + (',zip' if part == 'zip' else '')
        with target.Mono(exe, WORLDS, options, path) as program:
            program.wait()
        PARTS[part](v, path.read_bytes(), profview, folder)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

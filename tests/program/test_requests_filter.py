#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Filters that choose requests: what every view has is what a look at each event of the dump finds within those.

usage: test_requests_filter.py PROFVIEW LOG
"""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

profview, log = sys.argv[1:]
FAILED = []
GOES_ON, BEGINS, ENDS = range(3)
KINDS = ('alloc', 'monitor.contention', 'monitor.done', 'ext.mark.span')
Span = collections.namedtuple('Span', 'id parent name what took_ns start_ns')


def run(*words, **more):
    return subprocess.run([profview, *words], capture_output=True, timeout=120, check=False, **more)


def report(section, *words, path=log, index=False, **more):
    done = run('report', path, '--section', section, '--format', 'json', *([] if index else ['--no-index']), *words, **more)
    if done.returncode:
        raise SystemExit(f'{section} {words}: {done.stderr.decode()}')
    return json.loads(done.stdout)[section]


def expect(what, found, wanted):
    if found != wanted:
        FAILED.append(f'{what}: {found!r} in place of {wanted!r}')


def number(fields, name):
    return int(re.search(rf'\b{name}=(\d+)', fields)[1])


class Log:
    """Spans, times of threads that surely were of one, and events, by the dump."""

    def __init__(self, path):
        self.span, self.time, self.event = {}, collections.defaultdict(list), []
        now, ended = {}, {}
        for line in run('dump', path, '--format', 'json').stdout.splitlines():
            e = json.loads(line)
            kind, thread, at, fields = e.get('kind'), e.get('thread'), e.get('time_ns'), e.get('fields')
            if kind == 'ext.mark.work':
                self.work(now, ended, thread, at, [number(fields, n) for n in ('step', 'id', 'parent')])
            elif kind == 'ext.mark.span':
                name, what = (json.loads(re.search(rf'\b{n}=("(?:[^"\\]|\\.)*")', fields)[1]) for n in ('name', 'what'))
                took = number(fields, 'took_ns')
                s = Span(*ended.pop(thread), name, what, took, at - took)
                self.span[s.id] = s
                self.event.append((kind, thread, at, s.id))
            elif kind in KINDS:
                self.event.append((kind, thread, at, None))

    def work(self, now, ended, thread, at, said):
        """What lies between two words of a thread on one span is of that span."""
        step, span, parent = said
        before = now.get(thread)
        until = parent if step == BEGINS else span
        if before and before[0] == until:
            self.time[until].append((thread, before[1], at + (step == GOES_ON)))
        if step == ENDS:
            ended[thread] = (span, parent)
        then = parent if step == ENDS else span
        now[thread] = (then, at)

    def request(self, span):
        while self.span[span].parent in self.span:
            span = self.span[span].parent
        return span

    def within(self, holds):
        """Counts of events by kind, and routes, within the requests that hold."""
        spans = collections.defaultdict(list)
        for i, s in self.span.items():
            spans[self.request(i)].append(s)
        chosen = {i for r, all_of in spans.items() if holds(self.span[r], all_of) for i in (s.id for s in all_of)}
        times = [t for i in chosen for t in self.time[i]]
        kinds = collections.Counter({k: 0 for k in KINDS})
        for kind, thread, at, span in self.event:
            inside = span in chosen if span else any(th == thread and a <= at < b for th, a, b in times)
            kinds[kind] += inside
        return kinds, collections.Counter(route(self.span[i]) for i in chosen)


def route(span):
    return span.name if span.what == 'SQL' else re.sub(r'/\d+', '/*', span.name)


CASES = {
    'route:/idle': lambda r, all_of: '/idle' in r.name,
    'route:="GET /wait/*"': lambda r, all_of: route(r) == 'GET /wait/*',
    'route:/list/2': lambda r, all_of: '/list/2' in r.name,
    'query:things': lambda r, all_of: any('things' in s.name for s in all_of if s.what == 'SQL'),
    'slow>40ms': lambda r, all_of: r.took_ns > 40_000_000,
    '!slow>40ms': lambda r, all_of: r.took_ns <= 40_000_000,
    '(route:/wait | route:/idle) slow > 20ms': lambda r, all_of: re.search('/wait|/idle', r.name) and r.took_ns > 20_000_000,
    'began>5.5s slow>40ms': lambda r, all_of: r.start_ns > 5_500_000_000 and r.took_ns > 40_000_000,
    'route:/list | query:things': lambda r, all_of: re.search('/list|/overlap', r.name),
}


def check_figures(truth):
    whole = {r['name']: r for r in report('routes')}
    some = 0
    for text, holds in CASES.items():
        kinds, routes = truth.within(holds)
        words = ('--filter', text)
        found = collections.Counter(report('events', *words))
        expect(f'{text}: events', {k: found[k] for k in KINDS}, dict(kinds))
        rows = {r['name']: r for r in report('routes', *words)}
        expect(f'{text}: routes', {n: r['count'] for n, r in rows.items()}, dict(routes))
        for name, r in rows.items():
            if r['count'] == whole[name]['count']:
                expect(f'{text}: bytes of {name}', r['bytes_each'] or 0, whole[name]['bytes_each'] or 0)
        bytes_of = sum(c['allocated_bytes'] for c in report('classes', *words))
        given = sum((r['bytes_each'] or 0) * r['count'] for r in report('routes', *words) if r['what'] != 'SQL')
        expect(f'{text}: bytes', abs(bytes_of - given) <= len(rows), True)
        some += kinds['alloc'] + kinds['monitor.done']
    expect('something was looked at', some > 10, True)


def check_one(truth):
    """A request by its very time, or by that of a query within it."""
    for s in truth.span.values():
        if s.what == 'SQL' and s.id % 7:
            continue
        request = truth.span[truth.request(s.id)]
        rows = report('spans', '--filter', f'began={s.start_ns}ns')
        expect(f'{s.name}, {s.id}', [r['start_ns'] for r in rows if r['what'] != 'SQL'], [request.start_ns])


def check_ways():
    """By an index, from a pipe, in a range: the same. With terms about rows, both hold."""
    wanted = report('routes', '--filter', 'route:/wait')
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, 'XDG_CACHE_HOME': home, 'HOME': home}
        for turn in range(2):
            expect(f'index, {turn}', report('routes', '--filter', 'route:/wait', index=True, env=env), wanted)
    with gzip.open(log) as f:
        expect('pipe', report('routes', '--filter', 'route:/wait', path='-', input=f.read()), wanted)
    first = report('spans', '--filter', 'route:/wait')[-1]
    both = report('spans', '--filter', 'route:/wait', '--range', f'..{first["start_ns"] / 1e9 + 0.2}s')
    expect('range', 0 < len(both) < 4, True)
    rows = report('routes', '--filter', 'route:/list SELECT')
    expect('rows too', [(r['what'], r['count']) for r in rows], [('SQL', 84)])
    expect('words before', report('routes', '--filter', 'SELECT route:/list'), rows)


def check_refusals():
    for text, says in (('route:/nope', 'no such request'), ('route:/wait | Monitor', 'only among themselves'), ('!(route:/a b)', 'only among'),
                       ('route:', 'nothing after'), ('slow>5kB', 'is a time')):
        done = run('report', log, '--no-index', '--filter', text)
        expect(f'{text} is refused', (done.returncode, says in done.stderr.decode(), done.stdout), (2, True, b''))
    for words in (('dump', log), ('convert', log, '-o', '/dev/null/x.json', '--to', 'chrome')):
        done = run(*words, '--filter', 'slow>1s')
        expect(f'{words[0]} is refused', (done.returncode, b'single events' in done.stderr), (2, True))


def check_base():
    """Slow ones of a route against the others: each side's own requests."""
    slow, others = 'route:/idle | route:/wait/0', 'route:/wait !route:/wait/0'
    done = run('diff', log, '--filter', slow, '--base-filter', others, '--format', 'json', '--all')
    expect('diff', done.returncode, 0)
    totals = {t['section']: [int(t['base']), int(t['new'])] for t in json.loads(done.stdout)['totals']}
    bytes_of = [sum(c['allocated_bytes'] for c in report('classes', '--filter', text)) for text in (others, slow)]
    expect('diff: bytes', totals['classes.allocated_bytes'], bytes_of)
    expect('diff: some bytes', bytes_of[1] > 0, True)
    for words, says in ((('diff', log, '--base-filter', 'Foo'), 'chooses requests by'), ((log, '--base-filter', 'slow>1s'), 'goes with --base'),
                        (('diff', log), 'or --base-filter')):
        done = run(*words)
        expect(f'{words} is refused', (done.returncode, says in done.stderr.decode()), (2, True))


def frame(keys):
    return run('--dump', '--size', '120x30', '--no-index', '--keys', keys, log).stdout.decode()


def check_screen():
    shown = frame(':alloc<Enter>\\route:/idle<Enter>')
    expect('classes of /idle', ('RuntimePropertyInfo' in shown, 'ServiceDescriptor' in shown, 'requests route:/idle' in shown), (True, False, True))
    shown = frame(':routes<Enter>/burn<Enter>o')
    expect('this route', ('route:="GET /burn/*"' in shown, '/list' in shown), (True, False))
    shown = frame(':routes<Enter>/burn<Enter>oo')
    expect('all of them again', ('route:=' in shown, '/list' in shown), (False, True))
    shown = frame(':queries<Enter>/things<Enter>o:routes<Enter>')
    expect('this query', ('/overlap' in shown, '/list' in shown), (True, False))
    shown = frame(':spans<Enter>/idle<Enter><Enter>')
    expect('Enter on a request', ('one request' in shown and 'began=' not in shown, 'RuntimePropertyInfo' in shown, 'ServiceDescriptor' in shown), (True, True, False))
    shown = frame(':spans<Enter>/idle<Enter>f')
    expect('its flame', ('one request' in shown and 'began=' not in shown, '[Flame]' in shown, '307,276 B' in shown or '300 KiB' in shown), (True, True, True))
    shown = frame(':spans<Enter>/idle<Enter>f<Backspace>')
    expect('and back', ('one request' in shown, 'GET /idle' in shown, 'GET /list/0' in shown), (False, True, True))
    shown = frame(':spans<Enter>/list/2<Enter><Enter>:spans<Enter>/SELECT<Enter><Enter>:routes<Enter>')
    expect('a query of it, in its time', ('SELECT *' in shown, '/wait' in shown), (True, False))
    shown = frame(':routes<Enter>\\route:/nope<Enter>')
    expect('none', 'no request that has ended is of this filter' in shown, True)
    shown = frame(':slow 300ms<Enter>:stream<Enter>')
    expect('events of slow ones', ('span 1 begins' in shown, 'span 2 begins' in shown, 'slow>300ms' in shown), (True, False, True))
    shown = frame(':slow 300ms<Enter>:slow all<Enter>:routes<Enter>')
    expect('slow ones no more', ('slow>' in shown, '/wait' in shown), (False, True))
    shown = frame(':slow 300ms<Enter><C-r>:routes<Enter>')
    expect('nor after Ctrl-R', ('slow>' in shown, '/wait' in shown), (False, True))


def main():
    truth = Log(log)
    check_figures(truth)
    check_one(truth)
    check_ways()
    check_refusals()
    check_base()
    check_screen()
    for f in FAILED:
        print(f)
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())

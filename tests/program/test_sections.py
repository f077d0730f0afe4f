#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sections about one method, object or class, and what `dump` leaves out: held against other figures of the log.

usage: test_sections.py PROFVIEW LOG.gz
"""
import collections
import csv
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import target    # noqa: E402  pylint: disable=wrong-import-position
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

EVENT = re.compile(r'^ *(\d+) (0x[0-9a-f]+) (-?)(\d+)\.(\d{9}) (\S+) ?(.*)$')


class Tool:
    def __init__(self, profview, log, v):
        self.profview, self.log, self.v = profview, log, v

    def run(self, *words, code=0):
        done = subprocess.run([self.profview, *map(str, words)], capture_output=True, text=True,
                              timeout=target.DEADLINE * 4, check=False)
        self.v.true(f'exit code of {words}', done.returncode == code, (done.returncode, done.stderr[-300:]))
        return done

    def report(self, section, *words):
        text = self.run('report', self.log, '--no-index', '--format', 'json', '--section', section, *words).stdout
        return json.loads(text)

    def refused(self, says, *words):
        done = self.run(*words, code=2)
        self.v.true(f'{words}: {says}', len(done.stderr.splitlines()) == 1 and says in done.stderr, done.stderr)


def edges(tool):
    """Callers and callees of each method are the edges of the call tree."""
    v, report = tool.v, tool.report('call_tree,methods')
    by_id = {n['id']: n for n in report['call_tree']}
    calls = collections.Counter()
    for n in report['call_tree']:
        if n['parent']:
            calls[by_id[n['parent']]['method'], n['method']] += n['calls']
    for m in report['methods'][:6]:
        name = m['name']
        rows = tool.report('callers', '--method', name)['callers']
        v.equal(f'callers of {name}', {r['name']: r['calls'] for r in rows},
                {pair[0]: n for pair, n in calls.items() if pair[1] == name})
        rows = tool.report('callees', '--method', m['readable'])['callees']
        v.equal(f'callees of {name} by its readable name', {r['name']: r['calls'] for r in rows},
                {pair[1]: n for pair, n in calls.items() if pair[0] == name})
    tool.refused('callers wants --method', 'report', tool.log, '--section', 'callers')
    tool.refused('is not there', 'report', tool.log, '--section', 'callees', '--method', 'No.Such')


def sets(tool, every, shot):
    """What filters choose, and keep alive together: of a class what the report says of it, of nested objects each once."""
    v = tool.v
    classes = {c['name']: c for c in tool.report('heap_classes', *shot, '--retained')['heap_classes']}
    for name, c in sorted(classes.items(), key=lambda p: -p[1]['retained_bytes'])[:5]:
        row, = tool.report('heap_sets', *shot, '--set', f'"{name}"')['heap_sets']
        like = [k for n, k in classes.items() if name.lower() in n.lower()]
        v.equal(f'set {name}: objects, bytes', (row['objects'], row['bytes']),
                (sum(k['objects'] for k in like), sum(k['bytes'] for k in like)))
        if len(like) == 1:
            v.equal(f'set {name}: keeps', row['retained_bytes'], c['retained_bytes'])
    one = max(every, key=lambda o: o['retained_bytes'] if o['dominator'] else 0)
    row, = tool.report('heap_sets', *shot, '--set', one['address'])['heap_sets']
    v.equal('a set of one object', (row['objects'], row['bytes'], row['retained_bytes']),
            (1, one['bytes'], one['retained_bytes']))
    inner = next(o for o in every if o['dominator'] == one['address'])
    rows = tool.report('heap_sets', *shot, '--set', one['address'], '--set', inner['address'])['heap_sets']
    both = next(r for r in rows if r['set'] == '(together)')
    v.equal('what one keeps counts once', (both['objects'], both['bytes'], both['retained_bytes']),
            (2, one['bytes'] + inner['bytes'], one['retained_bytes']))
    top = tool.report('heap_sets', *shot, '--set', '!nothing-like-this')['heap_sets'][0]
    alive = [o for o in every if o['retained_bytes']]
    v.equal('all objects', (top['objects'], top['retained_objects'], top['retained_bytes']),
            (len(every), len(alive), sum(o['bytes'] for o in alive)))
    tool.refused('heap_sets wants --set', 'report', tool.log, '--section', 'heap_sets', *shot)
    tool.refused('--set, character', 'report', tool.log, '--section', 'heap_sets', *shot, '--set', '(')
    tool.refused('8 times at most', 'report', tool.log, '--section', 'heap_sets', *shot, *9 * ['--set', 'a'])


def objects(tool):
    """References of one object are referrers of the other; what it keeps are those it dominates."""
    v = tool.v
    shot = '--shot', '2'
    every = tool.report('heap_objects', *shot)['heap_objects']
    kept = collections.defaultdict(set)
    for o in every:
        kept[o['dominator']].add(o['address'])
    seen = 0
    for o in sorted(every, key=lambda o: -o['retained_bytes'])[:6]:
        about = *shot, '--object', o['address']
        for r in tool.report('heap_references', *about)['heap_references']:
            back = tool.report('heap_referrers', *shot, '--object', r['address'])['heap_referrers']
            v.true(f'{r["address"]} is referred to', o['address'] in {b['address'] for b in back}, back)
            seen += 1
        rows = tool.report('heap_dominators', *about)['heap_dominators']
        v.equal(f'{o["address"]} keeps', {r['address'] for r in rows}, kept[o['address']])
    v.true('there were references', seen > 3, seen)
    roots = tool.report('heap_dominators', *shot)['heap_dominators']
    v.equal('kept by roots', {r['address'] for r in roots}, kept[None] | kept.get('roots', set()))
    name, n = collections.Counter(o['class'] for o in every).most_common(1)[0]
    paths = tool.report('heap_merged_paths', *shot, '--class', name)['heap_merged_paths']
    v.equal(f'paths to {name}: ends', sum(p['ends'] for p in paths), n)
    v.equal('paths from roots: through', sum(p['through'] for p in paths if p['parent'] == 0), n)
    births, cohorts = (tool.report(s)[s] for s in ('heap_births', 'heap_cohorts'))
    alive, born = collections.Counter(), collections.Counter()
    for r in cohorts:
        alive[r['class']] += r['objects']
    for r in births:
        born[r['class']] += r['objects']
    v.same_rows('alive by class', {c: n for c, n in born.items() if c in alive}, {c: n for c, n in alive.items() if n})
    one = tool.report('heap_births', '--class', births[0]['class'])['heap_births']
    v.equal('births of one class', one, [r for r in births if r['class'] == births[0]['class']])
    sets(tool, every, shot)
    for section, says in ('heap_references', '--object'), ('heap_referrers', '--object'), \
            ('heap_merged_paths', '--class'):
        tool.refused(f'{section} wants {says}', 'report', tool.log, '--section', section, *shot)
        tool.refused(f'{section} wants --shot', 'report', tool.log, '--section', section)
    tool.refused('is not there', 'report', tool.log, '--section', 'heap_merged_paths', *shot, '--class', 'Nobody')


def dumped(tool):
    """Every form and choice is of the events that the plain dump has."""
    v, every = tool.v, []
    for line in tool.run('dump', tool.log).stdout.splitlines():
        if found := EVENT.match(line):
            offset, thread, minus, s, ns, kind, fields = found.groups()
            time = int(s) * 10 ** 9 + int(ns)
            every.append((int(offset), thread, -time if minus else time, kind, fields))
    busiest = collections.Counter(e[1] for e in every).most_common(1)[0][0]
    for words, keep in (
            ((), lambda e: True),
            (('--kind', 'gc'), lambda e: e[3].startswith('gc.')),
            (('--kind', 'gc.event,method.jit'), lambda e: e[3] in ('gc.event', 'method.jit')),
            (('--thread', busiest), lambda e: e[1] == busiest),
            (('--range', '0.5s..1s'), lambda e: 500000000 <= e[2] < 1000000000),
            (('--range', '..0s'), lambda e: e[2] < 0),
            (('--filter', 'Basket', '--kind', 'class'), lambda e: e[3].startswith('class.') and 'Basket' in e[4]),
            (('--kind', 'no.such'), lambda e: False)):
        want = [e for e in every if keep(e)]
        text = [EVENT.match(line) for line in tool.run('dump', tool.log, *words).stdout.splitlines()]
        v.equal(f'text {words}', [int(t[1]) for t in text if t], [e[0] for e in want])
        rows = [json.loads(line) for line in tool.run('dump', tool.log, '--format', 'json', *words).stdout.splitlines()]
        v.equal(f'json {words}', [(r['offset'], r['thread'], r['time_ns'], r['kind'], r['fields'])
                                  for r in rows if 'kind' in r], want)
        text = tool.run('dump', tool.log, '--format', 'csv', *words).stdout
        rows = list(csv.reader(io.StringIO(text, newline='')))
        v.equal(f'csv {words}', [(int(o), t, int(ns), k, f) for o, t, ns, k, f in rows[1:]], want)
    tool.refused('text, json or csv', 'dump', tool.log, '--format', 'md')
    tool.refused('cannot count from the end', 'dump', tool.log, '--range', '-1s..')
    tool.refused('wants --thread 0x', 'dump', tool.log, '--thread', 'Main')
    tool.refused('character', 'dump', tool.log, '--filter', '(')


def listed(tool):
    """The names that --section takes: each is taken, whatever else it wants to know."""
    names = tool.run('report', '--section', 'list').stdout.split()
    tool.v.true('sections', len(names) > 60 and len(set(names)) == len(names) and 'gc.pauses' in names, names)
    tool.v.equal('with a log', tool.run('report', tool.log, '--section', 'list').stdout.split(), names)
    text = tool.run('report', tool.log, '--section', 'exceptions.classes').stdout
    tool.v.true('the section before what the log can say', 'OutOfStock' in text.split('What the log can say')[0], text)
    tool.v.equal('which stands once', text.count('What the log can say'), 1)
    for name in names:
        done = subprocess.run([tool.profview, 'report', '/dev/null', '--section', name], capture_output=True, text=True,
                              timeout=target.DEADLINE, check=False)
        tool.v.true(f'{name} is known', 'no section' not in done.stderr, done.stderr)


def main(profview, log):
    v = Verdict('sections')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        path.write_bytes(gzip.decompress(pathlib.Path(log).read_bytes()))
        tool = Tool(profview, path, v)
        edges(tool)
        objects(tool)
        dumped(tool)
        listed(tool)
    return v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

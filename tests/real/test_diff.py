#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview diff` of two builds of fixed work with a known change: exactly that is named.

usage: test_diff.py native|mono|refuse PROFVIEW BASE NEW [TIMES]
BASE, NEW: the two builds; with refuse any two logs. TIMES: how often (1)
"""
import csv
import io
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

import target
import tool
from verdict import Verdict

LESS = '4'  # of the program's computing, a fourth
CHANGES = {'new', 'gone', 'more', 'less'}
RUN = {'native': ['--sample=1000', '--alloc', '--probe', 'heapshot=onshutdown'],
       'mono': ['--sample=1000', '--alloc', '--probe', 'heapshot=onshutdown']}
# section: {name: verdict}
WANTED = {
    'native': {'methods.samples_self': {'step_7': 'more'},
               'classes.allocated_bytes': {'malloc 4097..5120': 'gone'},
               'classes.allocations': {'malloc 4097..5120': 'gone'},
               'heap_shots.bytes': {'malloc 2561..3072': 'new'},
               'heap_shots.objects': {'malloc 2561..3072': 'new'}},
    'mono': {'methods.samples_self': {'Fixed:Step7 ()': 'more'},
             'classes.allocated_bytes': {'Passing': 'less'}, 'classes.allocations': {'Passing': 'less'},
             'allocation_sites.allocations': {'Passing': 'gone'},
             'heap_shots.bytes': {'Kept': 'new'}, 'heap_shots.objects': {'Kept': 'new'}}}


class Tool(tool.Tool):
    def __init__(self, profview, v, folder):
        super().__init__(profview, v, folder)
        self.n, self.rounds = 0, []

    def record(self, kind, program):
        self.n += 1
        log = self.folder / f'{self.n}.mlpd'
        command = ['mono', program, *self.rounds] if kind == 'mono' else [program]
        self.run('run', *RUN[kind], '--record', log, '--', *command)
        return log

    def diff(self, *words):
        return json.loads(self.run('diff', *words, '--format', 'json').stdout)


def changed(report, section):
    return {r['name']: r['verdict'] for r in report[section] or [] if r['verdict'] in CHANGES}


def once(tool, kind, base, new):
    v, logs = tool.v, [tool.record(kind, p) for p in (base, base, new)]
    report = tool.diff(logs[0], logs[2], '--per', 'none')
    for section, want in WANTED[kind].items():
        v.equal(f'{section}: what changed', changed(report, section), want)
    same = tool.diff(logs[0], logs[1], '--per', 'none')
    for section in WANTED[kind]:
        v.equal(f'{section}: the same build twice', changed(same, section), {})
    for per in ('none', 'share', 'second', 'sample'):
        itself = tool.diff(logs[0], logs[0], '--per', per)
        for section in WANTED[kind]:
            v.equal(f'{section} per {per}: the log itself', itself[section], [])
    return logs


def escaped(text):
    """As a cell of Markdown has it (put_escaped in common/report/table_csv.c)."""
    return re.sub(r'[|\\`*_<>\[\]&~]', r'\\\g<0>', text)


def forms(tool, logs):
    """The four formats say the same; the parts of one log; several logs a side."""
    v, section = tool.v, 'methods.samples_self'
    report = tool.diff(logs[0], logs[2], '--per', 'none')
    rows = list(csv.DictReader(io.StringIO(tool.run(
        'diff', logs[0], logs[2], '--per', 'none', '--format', 'csv', '--section', section).stdout)))
    v.equal('CSV', [(r['verdict'], int(r['base']), int(r['new'])) for r in rows],
            [(r['verdict'], r['base'], r['new']) for r in report[section]])
    text = tool.run('diff', logs[0], logs[2], '--per', 'none').stdout
    marked = tool.run('diff', logs[0], logs[2], '--per', 'none', '--format', 'md', '--section', section).stdout
    for row in report[section]:
        v.true('text has the row', row['readable'] in text)
        v.true('Markdown has the row', escaped(row['readable']) in marked, marked)
    every = tool.diff(logs[0], logs[2], '--per', 'none', '--all')
    for t in every['totals']:
        if t['section'].endswith(('samples_self', 'allocations', 'allocated_bytes', 'objects', 'bytes')):
            for side in ('base', 'new'):
                v.equal(f'{t["section"]}: sum of {side}', sum(r[side] for r in every[t['section']]), int(t[side]))
    half = tool.diff(logs[0], '--base-range', '..0.3s', '--range', '0.3s..')
    v.equal('two ranges: logs', [len(half['base']), len(half['new'])], [1, 1])
    many = tool.diff(f'{tool.folder}/[12].mlpd', logs[2], '--per', 'none')
    v.equal('a pattern: logs', [len(many['base']), len(many['new'])], [2, 1])
    v.true('too few runs are told', any('too few runs' in n for n in many['notes']), many['notes'])


def incomparable(tool, base, program):
    """A log without samples, and one of wall time."""
    v = tool.v
    none = tool.folder / 'none.mlpd'
    tool.run('run', '--sample=0', '--alloc', '--record', none, '--', program, LESS)
    wall = tool.folder / 'wall.mlpd'
    tool.run('run', '--sample=0', '--probe', 'sample-real=100', '--record', wall, '--', program, LESS)
    for log, note in ((none, 'not recorded in the new log'), (wall, 'wall time')):
        report = tool.diff(base, log, '--per', 'none')
        total = {t['section']: t for t in report['totals']}['methods.samples_self']
        v.equal(f'{log.name}: verdict', total['verdict'], 'not comparable')
        v.true(f'{log.name}: why', note in total['note'], total['note'])
        v.equal(f'{log.name}: rows', report['methods.samples_self'], [])


def scripted(path, seed, share, lumps):
    """4000 samples of 20 s as `perf script` prints them: `hot` has its share, all over or in lumps at these seconds."""
    r, n = random.Random(seed), 4000
    hot, wide = int(n * share), int(n * share / 2)
    at = set(r.sample(range(n), hot))
    if lumps:
        at = {int(lump / 20 * n) + i for lump in lumps for i in range(wide)}
    with open(path, 'w', encoding='utf-8') as out:
        for i in range(n):
            name = 'hot' if i in at else f'other{r.randrange(30)}'
            out.write(f'app 100/100 {1 + 20 * i / n:.6f}: 5000000 cpu-clock:\n'
                      f'\t  4005 {name} (app)\n\t  4000 main (app)\n\n')


def lumps(tool):
    """Samples that come in lumps count for less, the more so where the logs have them at different times."""
    v, width = tool.v, {}
    for name, here, there in (('even', (), ()), ('apart', (2, 9), (5, 14)), ('aligned', (2, 9), (2, 9))):
        logs = [tool.folder / f'{name}-{side}.txt' for side in ('base', 'new')]
        scripted(logs[0], 1, 0.10, here)
        scripted(logs[1], 2, 0.15, there)
        rows = tool.diff(*logs, '--all', '--section', 'methods.samples_self')['methods.samples_self']
        row = next(r for r in rows if r['name'].startswith('hot'))
        width[name] = row['interval']
        v.equal(f'{name}: the change', round(row['change']), 5)
        v.equal(f'{name}: verdict', row['verdict'], 'more' if name == 'even' else 'within noise')
        rows = tool.diff(*logs, '--section', 'methods.samples_self', '--per', 'none')['methods.samples_self']
        v.equal(f'{name}: of the same work', [r['verdict'] for r in rows if r['name'].startswith('hot')], ['more'])
    v.true('lumps apart', width['apart'] > 3 * width['even'], width)
    v.true('lumps at the same time', width['aligned'] < width['apart'] * 0.8, width)


def refuse(tool, log):
    v = tool.v
    for words, code, says in (
            (('diff', log), 2, 'wants BASE and NEW'), (('diff',), 2, 'wants a FILE'),
            (('diff', log, log, '--per', 'week'), 2, '--per wants none'),
            (('diff', log, log, '--per', 'call:Nobody.Ever'), 2, 'no call of it is recorded'),
            (('diff', log, log, '--per', 'counter:none'), 2, 'no counter of that name rose'),
            (('diff', log, log, '--section', 'nothing'), 2, 'no section "nothing"'),
            (('diff', log, log, '--format', 'csv'), 2, 'exactly one list'),
            (('diff', log, '/dev/null'), 3, '/dev/null'), (('diff', log, '/none'), 3, '/none'),
            (('diff', log, '/none*.mlpd'), 3, 'no file fits'),
            (('diff', log, log, log), 2, 'one file at a time')):
        done = tool.run(*words, code=code)
        lines = done.stderr.splitlines()
        v.true(f'{words}: a line', len(lines) == 1 and says in lines[0], done.stderr)
        v.equal(f'{words}: nothing on standard output', done.stdout, '')
    cut = tool.folder / 'cut.mlpd'
    shutil.copy(log, tool.folder / 'copy.gz')
    whole = subprocess.run(['gzip', '-dc', tool.folder / 'copy.gz'], capture_output=True, check=True).stdout
    cut.write_bytes(whole[:len(whole) * 2 // 3])
    done = tool.run('diff', log, cut, '--section', 'classes', code=4)
    v.true('damage: not comparable', 'not comparable' in done.stdout, done.stdout)
    for per, told in ((), True), (('--per', 'second'), False):
        text = tool.run('diff', log, '--base-range', '..1s', '--range', '1s..', *per, '--section', 'classes', code=0).stdout
        v.equal(f'{per}: lengths are told', 'base lasted 1.00 s, new 2.15 s' in text, told)
        v.true(f'{per}: totals in the unit of the rows', 'iB' not in text and 'e+0' not in text, text)
    same = tool.run('diff', log, log, code=0).stdout
    v.true('of one length nothing is told', 'lasted' not in same, same)


def main(kind, profview, base, new=None, times='1'):
    v = Verdict(f'diff {kind}')
    with target.scratch() as folder:
        tool = Tool(profview, v, folder)
        if kind == 'mono' and times == '1':    # Mono's sampler is too uneven for once to do: the soak counts
            del WANTED[kind]['methods.samples_self']
            tool.rounds = ['30']    # what is left are counts, which are as exact of less work
        if kind == 'refuse':
            refuse(tool, pathlib.Path(base))
            lumps(tool)
            return v.close()
        for i in range(int(times)):
            logs = once(tool, kind, base, new)
            print(f'{kind} {i + 1}: {len(v.wrong)} wrong of {v.made}', flush=True)
        forms(tool, [pathlib.Path(folder) / f'{n}.mlpd' for n in (1, 2, 3)])
        if kind == 'native':
            incomparable(tool, logs[0], base)
    return v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

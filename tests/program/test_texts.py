#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texts of perf and folded stacks as other people's programs write them: figures, names, threads, and what is said.

usage: test_texts.py CASE PROFVIEW          CASE: perf, folded, refused, compared, sums
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

SECTIONS = 'source,samples,threads,methods,call_tree,coverage'
MAIN = '\t401010 main+0x10 (/opt/a)\n'
WORK = '\t401234 work+0x4 (/opt/a)\n' + MAIN
NO_STACK = 'a line that is no stack'


class Read:
    """A report of a text, in the shape in which the tables below say what is right."""

    def __init__(self, v, profview, path, *words):
        done = subprocess.run([profview, 'report', path, '--format', 'json', '--section', SECTIONS, *words],
                              capture_output=True, timeout=150, check=False)
        self.code, self.said = done.returncode, done.stderr.decode(errors='replace')
        v.true(f'{path.name}: can be read', done.stdout, self.said)
        j = json.loads(done.stdout or '{}')
        self.source, self.ns = j.get('source', {}), j.get('duration_ns')
        self.total = (j.get('samples') or {'total': 0})['total']
        self.methods = j.get('methods') or []
        self.own = {m['name']: m['samples_self'] for m in self.methods if m['samples_self']}
        self.below = {m['name']: m['samples_total'] for m in self.methods}
        self.kinds = {m['name']: m['kind'] for m in self.methods}
        self.threads = {int(t['id'], 16): t['name'] for t in j.get('threads') or []}
        self.coverage = {c['what']: (c['state'], c['detail']) for c in j.get('coverage', [])}
        self.damage = [(d['offset'], d['reason']) for d in self.source.get('damage', [])]
        paths, self.stacks = {0: ()}, collections.Counter()
        for n in j.get('call_tree') or []:
            paths[n['id']] = (*paths[n['parent']], n['method'])
            if n['samples']:
                self.stacks['>'.join(paths[n['id']])] += n['samples']


def check(v, name, got, want):
    """Each word of `want` is a field of Read, `said:X` a part of the coverage's row X."""
    for field, right in want.items():
        if field.startswith('said:'):
            state, detail = got.coverage[field[5:]]
            v.true(f'{name}: {field[5:]} is said', right in f'{state}: {detail}', f'{state}: {detail}')
        elif field == 'stacks':
            v.equal(f'{name}: stacks', dict(got.stacks), right)
        else:
            v.equal(f'{name}: {field}', getattr(got, field), right)


def head(time, tid=7, comm='app', rest='250000 cycles:u: '):
    return f'{comm} {tid}/{tid} [001] {time}: {rest}\n'


PERF = {
    'periods': (''.join(head('10.1', rest='1 cycles:u: ') + '\t4 spin (/a)\n\t5 main (/a)\n\n' for _ in range(3)) +
                head('10.2', rest='999997 cycles:u: ') + '\t6 compute (/a)\n\t5 main (/a)\n\n',
                {'own': {'spin': 3, 'compute': 999997}, 'total': 1000000, 'code': 0,
                 'said:samples': '4 samples, of weight 1 000 000, event cycles:u, weighed by periods'}),
    'large periods': (head('1.0', rest='30000000 cycles: ') + '\t4 a (/x)\n\n' + head('1.1', rest='10000500 cycles: ') +
                      '\t4 b (/x)\n\n' + head('1.2', rest='600 cycles: ') + '\t4 c (/x)\n\n',
                      {'own': {'a': 30000, 'b': 10000, 'c': 1}, 'said:samples': 'weighed by periods / 1000'}),
    'equal periods': ((head('1.0') + WORK + '\n') * 3, {'total': 3, 'said:samples': 'event cycles:u, one every 250000'}),
    'no times': (('svc 3244 cpu-clock: \n' + WORK + '\n') * 2,
                 {'own': {'work': 2}, 'below': {'work': 2, 'main': 2}, 'threads': {3244: 'svc'}, 'ns': 0, 'code': 0}),
    'two events': (head('10.1', rest='1000 cycles:u: ') + WORK + '\n' +
                   ''.join(head(f'10.{i}', rest='5000 instructions:u: ') + '\t5 parse+0x1 (/a)\n\n' for i in (2, 3, 4)),
                   {'own': {'work': 1}, 'total': 1, 'said:losses': 'partial: 3 events not read: instructions:u 3'}),
    'one event of two processors': (head('1.0', rest='5 cpu_core/cycles/u: ') + WORK + '\n' +
                                    head('1.1', rest='5 cpu_atom/cycles/: ') + WORK + '\n',
                                    {'total': 2, 'said:losses': 'complete: none'}),
    'records': ('   bash 0 [000] 0.000000: PERF_RECORD_COMM: bash:7/7\nswapper 0 [000] 0.0: PERF_RECORD_FORK(7:8):(1:1)\n'
                'app 7 [000] 89999.9: PERF_RECORD_MMAP2 7/7: [0x4(0x1) @ 0 08:01 1 0]: r-xp /opt/a\n' + head('90000.100000') +
                WORK + '\n' + 'app 7 [001] 90000.15: PERF_RECORD_LOST lost 52\n' + head('90000.200000') + WORK + '\n',
                {'total': 2, 'ns': 100000000, 'threads': {7: 'app'}, 'own': {'work': 2}, 'damage': [],
                 'said:losses': 'lost: 52 events lost by perf'}),
    'a record inside': (head('1.0') + '\t4 work (/a)\napp 7 [001] 1.05: PERF_RECORD_LOST lost 2\n\t5 main (/a)\n\n',
                        {'stacks': {'main>work': 1}, 'damage': []}),
    'objects': (head('10.1') + '\t7f00 foo+0x1 (/opt/libx.so (deleted))\n\t7f10 [unknown] (/memfd:doublemapper (deleted))\n'
                '\t40 (anonymous namespace)::f(int) (/opt/Program Files (x86)/a b)\n\t41 operator->(x) (/opt/x)\n\n',
                {'stacks': {'operator->(x)>(anonymous namespace)::f(int)>memfd:doublemapper>foo': 1}}),
    'a message first': ('Failed to open /tmp/perf-77.map\n' + (head('1.0') + WORK + '\n') * 2,
                        {'stacks': {'main>work': 2}, 'damage': [(0, NO_STACK)], 'code': 4}),
    'a message inside': (head('1.0') + '\t4 work (/a)\nFailed to open /tmp/perf-77.map\n\t5 main (/a)\n\n' + head('1.1') +
                         WORK + '\n', {'stacks': {'main>work': 2}, 'code': 4,
                                       'said:damage': 'lost: 1 place, 32 bytes that could not be read'}),
    'no margin': ('java 77 cycles:\nffffffff81000001 entry ([kernel.kallsyms])\n7f0000000010 Run (/tmp/perf-77.map)\n\n' * 2,
                  {'stacks': {'Run>entry': 2}, 'threads': {77: 'java'}, 'code': 0}),
    'a chain': (head('1.0', comm='java') + '\t7f01 La/B;::out->La/C;::mid->La/D;::in+0x1 (/tmp/perf-7.map)\n'
                '\t7f02 La/Main;::main+0x2 (/tmp/perf-7.map)\n\n',
                {'stacks': {'La/Main;::main>La/B;::out>La/C;::mid>La/D;::in': 1}, 'own': {'La/D;::in': 1}}),
    'frames behind a tracepoint': (
        'fio 236193 [004] 100.000001:     block:block_rq_issue: 259,0 R 4096 () 100 + 8 [fio]   ffffffff81 blk_start ([kernel])\n'
        'swapper     0 [004] 100.000101:  block:block_rq_complete: 259,0 R () 100 + 8 [0]   ffffffff82 blk_update ([kernel])\n',
        {'own': {'blk_start': 1, 'blk_update': 1}, 'threads': {236193: 'fio', 0: 'swapper'}, 'said:samples': 'tracepoints'}),
    'words of a tracepoint': ('app 7 [001] 1.0: probe:evt: add 5 items (queue)\n' + WORK + '\n' +
                              'app 7 [001] 1.1: probe:evt: dead beef (x)\n' + WORK + '\n', {'stacks': {'main>work': 2}}),
    'places': (head('1.0') + '\t4 work (/a)\n  work.c:12\n\t5 main (/a)\n  main.c:40\n\t6 _start (/l/ld.so)\n  ld.so[11634]\n\n',
               {'stacks': {'_start>main>work': 1}, 'damage': [], 'code': 0}),
    'threads': (''.join(f'{comm} {i}/{tid}\t\t[000] 0.{i + 1}:\t\t\t1 ev: p\n\t{i + 1}a f{i} (m)\n\n' for i, (comm, tid) in
                        enumerate((('6', 0), ('77', 1), ('   ', 2), ('k/2', 3), ('k/[2]', 4), ('k:2', 5), ('FS Broker 5858', 5860)))),
                {'threads': {0: '6', 1: '77', 2: '(no name)', 3: 'k/2', 4: 'k/[2]', 5: 'k:2', 5860: 'FS Broker 5858'},
                 'total': 7, 'damage': [], 'code': 0}),
    'no thread': (':-1 -1 [000] 1.0: 5 cycles: \n' + WORK + '\n', {'total': 1, 'code': 0}),
    'tiers': (''.join(head(f'1.{i}') + f'\t7f0{i} instance int32 [app] N.C+<>c::<Sum>b__2_0(int32,string)[{tier}] (/tmp/perf-1.map)\n'
                      '\t7f09 void [app] N.C::Main(string[])[Tier0] (/tmp/perf-1.map)\n\n'
                      for i, tier in enumerate(('PreStub', 'Tier0', 'OptimizedTier1'))),
              {'stacks': {'N.C:Main (string[])>N.C/<>c:<Sum>b__2_0 (int,string)': 3}}),
    'a mark in front': ('\ufeff' + head('1.0') + WORK + '\n', {'threads': {7: 'app'}, 'own': {'work': 1}}),
    'a thread called as a function': (head('1.0', comm='work') + WORK + '\n',
                                      {'own': {'work': 1}, 'threads': {7: 'work'}, 'said:names': 'complete: 2 methods'}),
    'order': (head('10.3') + WORK + '\n' + head('10.1') + WORK + '\n' + head('10.2', 8) + WORK + '\n',
              {'total': 3, 'ns': 200000000}),
    'prose among the lines': (head('1.0') + WORK + '\nThe profiler slept, and so did we, for 5\n' + head('1.1') + WORK + '\n',
                              {'stacks': {'main>work': 2}, 'code': 4}),
    'kinds of code': (head('1.0') + '\t4 a (/usr/bin/x)\n\t5 b (/usr/lib/libc.so.6)\n\t6 c ([kernel.kallsyms])\n'
                      '\t7 Lj (/tmp/perf-7.map)\n\t8 [unknown] (/usr/bin/x)\n\n',
                      {'kinds': {'a': 'user', 'b': 'native', 'c': 'native', 'Lj': 'jit', 'x': 'user'}}),
}

FOLDED = {
    'a bad first line': ('# by a script\n// note of a human\na;b;c 1\na;b 5\n',
                         {'total': 6, 'damage': [(14, NO_STACK)], 'code': 4}),
    'fractions': ('a;b 0.25\na;c 0.25\na;d 0.4\n', {'own': {'b': 25, 'c': 25, 'd': 40}, 'code': 0,
                                                    'said:samples': 'counts times 100'}),
    'small fractions': ('a;b 1e-12\na;c 5\n', {'own': {'c': 5000000000}, 'code': 4,
                                               'damage': [(0, 'a count that is too small beside the others')]}),
    'exponents': ('m;a 1.5e3\nm;b 6.\nm;c 2E+1\n', {'own': {'a': 1500, 'b': 6, 'c': 20}, 'code': 0}),
    'large': ('main;work 1500000000000\nmain;idle 20\n', {'total': 1500000000020, 'damage': [], 'code': 0}),
    'too large': ('m;a 900000000000000000\n' * 11 + 'm;b 1\n', {'own': {'a': 9000000000000000000, 'b': 1}, 'code': 4,
                                                               'damage': [(230, 'a count that is too large')]}),
    'a mark in front': ('\ufeffa;b;c 5\na;b;d 4\na;b 5\n', {'below': {'a': 14, 'b': 14, 'c': 5, 'd': 4}, 'code': 0}),
    'one frame': ('main 5\nidle 3\n', {'own': {'main': 5, 'idle': 3}, 'code': 0}),
    'one frame with blanks in brackets': ('operator(unsigned long, int) 5\nmain 3\n', {'total': 8}),
    'two figures in a name': ('main;Thread 12 5\nmain;work 3\n', {'own': {'Thread 12': 5, 'work': 3}}),
    'a line of perf\'s': ('main;a 5\nmain;b 6\nmain;app 7 [001] 1.0: cycles: 3\n', {'total': 14, 'code': 0}),
}

REFUSED = {
    'prose': (b'Our trip cost 50\nand the way back 30\nThe end.\n', 'text: "Our trip cost 50"'),
    'prose alone': (b'Our trip cost 50\nand the way back 30\n', 'text: "Our trip cost 50"'),
    'code': (b'#include <stdio.h>\nint main(void)\n{\n\tfor (i = 0; i < 5\n}\nint x;\n', 'text'),
    'an error of the shell': (b'bash: ./fold.pl: Permission denied\n', '"bash: ./fold.pl: Permission denied"'),
    'two recordings': (b'main;a 31 56\nmain;b 1 3\nmain;c 0 4\n', 'figures of two recordings'),
    'two of one name': (b'srv;x y 3 9\nsrv;z 10 2\n', 'profview diff'),
    'UTF-16': ('a;b;c 5\na;b 5\n'.encode('utf-16-le'), 'iconv -f UTF-16LE'),
    'UTF-16 with a mark': ('a;b;c 5\na;b 5\n'.encode('utf-16'), 'iconv -f UTF-16'),
    'UTF-16, the other order': ('a;b;c 5\na;b 5\n'.encode('utf-16-be'), 'iconv -f UTF-16BE'),
    'Git LFS': (b'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n', 'git lfs pull'),
    'netperf': (b'\x14\0\0\0!FastSerialization.1\4\4\1\3' + bytes(60), 'a .netperf'),
    'zip': (b'PK\3\4' + bytes(60), 'zip archive'),
}


def table(v, profview, folder, cases):
    for name, (text, want) in cases.items():
        path = folder / name.replace(' ', '-')
        path.write_bytes(text.encode())
        check(v, name, Read(v, profview, path), want)
        done = subprocess.run([profview, 'report', '-', '--format', 'json', '--section', SECTIONS], check=False,
                              input=text.encode(), capture_output=True, timeout=150)
        v.equal(f'{name}: through a pipe', done.returncode, want.get('code', done.returncode))


def perf(v, profview, folder):
    table(v, profview, folder, PERF)
    path = folder / 'objects'
    groups = json.loads(subprocess.run([profview, 'report', path, '--group', 'image', '--format', 'json', '--section', 'methods'],
                                       capture_output=True, check=True).stdout)['methods']
    v.equal('by image', {m['name']: m['samples_total'] for m in groups},
            {'libx.so': 1, 'memfd:doublemapper': 1, 'a b': 1, 'x': 1})
    dump = subprocess.run([profview, 'dump', folder / 'order'], capture_output=True, check=True).stdout.decode()
    v.true('no time is negative', ' -0' not in dump and '0x7 -' not in dump, dump)
    v.true('tiers beside the names', b'ext.runtime.body' in subprocess.run(
        [profview, 'dump', folder / 'tiers'], capture_output=True, check=True).stdout)
    fox = folder / 'x.firefox.json'
    done = subprocess.run([profview, 'convert', folder / 'order', '-o', fox], capture_output=True, check=False)
    v.equal('to Firefox: exit', done.returncode, 0)
    v.equal('to Firefox', sorted((t['tid'], *t['samples']['time']) for t in json.loads(fox.read_text())['threads']),
            [(7, 0.0, 200.0), (8, 100.0)])
    done = subprocess.run([profview, 'convert', folder / 'order', '-o', folder / 'x.trace.json'], capture_output=True, check=False)
    v.true('to a timeline', done.returncode == 2 and b'order: ' in done.stderr and b'firefox' in done.stderr, done.stderr)


    chance(v, profview, folder)


def chance(v, profview, folder):
    """What chance does to figures depends on how many samples were taken, not on what they weigh."""
    for name, unit in ('plain', 1), ('weighed', 1000000):
        text = ''.join(head(f'{10 + i / 10:.6f}', rest=f'{unit * (1 if i % 4 else 2)} cycles:u: ') +
                       f'\t4 {"a" if i % 2 else "b"} (/a)\n\n' for i in range(40))
        (folder / name).write_text(text, encoding='utf-8')
    rows_of = [json.loads(subprocess.run([profview, 'report', folder / name, '--format', 'json', '--section', 'methods'], check=True,
                                         capture_output=True).stdout)['methods'] for name in ('plain', 'weighed')]
    v.equal('names', *[[m['name'] for m in rows] for rows in rows_of])
    text = [subprocess.run([profview, 'report', folder / name, '--section', 'methods'], check=True, capture_output=True,
                           text=True).stdout for name in ('plain', 'weighed')]
    got = [[line.split()[:2] for line in t.splitlines() if line.endswith((' a', ' b'))] for t in text]
    v.equal('shares and their errors', got[1], got[0])
    v.true('an error', float(got[0][0][1]) > 20, got)


def folded(v, profview, folder):
    table(v, profview, folder, FOLDED)


def refused(v, profview, folder):
    for name, (data, said) in REFUSED.items():
        path = folder / name.replace(' ', '-')
        path.write_bytes(data)
        done = subprocess.run([profview, 'report', path], capture_output=True, timeout=150, check=False)
        v.true(name, done.returncode == 3 and said in done.stderr.decode(), (done.returncode, done.stderr))


def rows(profview, *words):
    j = json.loads(subprocess.run([profview, 'diff', *words, '--per', 'none', '--all', '--format', 'json'],
                                  capture_output=True, check=True).stdout)
    return {k: {r['name']: (r['base'], r['new'], r['verdict']) for r in of} for k, of in j.items() if k.startswith('methods.') and of}


def compared(v, profview, folder):
    def two(name, base, new):
        paths = [folder / f'{name}-{side}.folded' for side in 'ab']
        for path, text in zip(paths, (base, new)):
            path.write_text(text, encoding='utf-8')
        return rows(profview, *paths)['methods.samples_total']

    v.equal('a stack counts once', two('clone', 'main;foo;foo.cold 10\nmain;foo 10\n', 'main;foo;foo.cold 20\nmain;foo 20\n'),
            {'main': (20, 40, 'more'), 'foo': (20, 40, 'more')})
    got = two('hex', 'main;0x1f;0x2f 10\nmain;w 10\n', 'main;0x3f;0x4f 10\nmain;w 40\n')
    v.equal('addresses are one group', got.get('(addresses)'), (10, 10, 'same'))
    got = two('apart', 'main;foo;bar;foo.part.0 3\nfoo.isra.1 4\nbar 1\n', 'main;foo;bar 7\nbar 1\n')
    v.equal('with others between', (got['foo'][:2], got['bar'][:2]), ((7, 7), (4, 8)))
    got = two('plain', 'main;a 3\nmain;b 4\n', 'main;a 3\nmain;b 4\n')
    v.equal('rows of one name are as they were', {n: r[:2] for n, r in got.items()}, {'main': (7, 7), 'a': (3, 3), 'b': (4, 4)})
    text, back = folder / 'java.perf', folder / 'java.folded'
    text.write_text(head('1.0') + '\t7f01 Lj/T;.run (/tmp/perf-7.map)\n\t7f02 Lj/M;::main (/tmp/perf-7.map)\n\n', encoding='utf-8')
    subprocess.run([profview, 'convert', text, '-o', back], capture_output=True, check=True)
    v.true('no name has two points', '..' not in back.read_text(), back.read_text())
    got = rows(profview, text, back)
    v.equal('a name with a semicolon', [r[2] for m in got.values() for r in m.values()], ['same'] * 3)
    rules, out, stacks = folder / 'r.ini', folder / 'x.xml', folder / 's.folded'
    stacks.write_text('main;a 10\n', encoding='utf-8')
    rules.write_text('[rule a\ufffeb]\nkind = method.self\nmatch = main\nmax = 5\n', encoding='utf-8')
    done = subprocess.run([profview, 'check', stacks, '--rules', rules, f'--format=junit={out}'], capture_output=True, check=False)
    v.equal('JUnit with a letter that XML has not: exit', done.returncode, 0)
    v.equal('its cases', len(xml.dom.minidom.parse(str(out)).getElementsByTagName('testcase')), 2)


def sums(v, profview, folder):
    """Random texts of perf, of which this file adds up the figures itself."""
    names = ['main', 'operator new(unsigned long)', 'std::map<int, int>::operator[]', 'f(int, char const*)', 'a b', '[unknown]']
    objects = ['/usr/bin/pro g', '/lib/libc.so.6', '[kernel.kallsyms]', '/opt/x (1)/lib.so', '/tmp/gone.so (deleted)']
    noise = ['WARNING: 3 symbols not found', 'PERF: slept 10', '  [a note', 'swapper 0 [001] 9.0: PERF_RECORD_COMM: x:1/1', '# 1.0: x']
    for seed in range(6):
        dice, lines = random.Random(seed), []
        fixed, timed, weight = seed % 2 == 0, seed != 3, collections.Counter()
        shown, bad, other = collections.Counter(), 0, 0
        for i in range(400):
            event = 'instructions' if seed > 3 and dice.random() < 0.2 else 'cycles:u'
            period = 5000 if fixed else dice.randrange(1, 900000)
            stack = [(dice.choice(names), dice.choice(objects)) for _ in range(dice.randrange(1, 6))]
            if not i:
                event = 'cycles:u'
            tid = dice.choice([5, 6, 70000])
            at = f' [00{tid % 4}] {100 + i // 10}.{i % 10}:' if timed else ''
            lines.append(f'{"t " + str(tid):>16} 5/{tid}{at} {period:>10} {event}: ')
            kept = []
            for k, (name, file) in enumerate(stack):
                lines.append(f'\t{0x400000 + k * 16:16x} {name}{"" if name[0] == "[" else f"+0x{k:x}"} ({file})')
                file = file.removesuffix(' (deleted)')
                kept.append(file.rpartition('/')[2] if name == '[unknown]' else name)
                if dice.random() < 0.01 and timed:
                    lines.append(dice.choice(noise))
                    bad += not ('PERF_RECORD' in lines[-1] or lines[-1][0] == '#')
            lines.append('')
            if event == 'instructions':
                other += 1
                continue
            weight['>'.join(reversed(kept))] += 1 if fixed else period
            shown[tid] += 1
        path = folder / f'{seed}.perf'
        path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
        r = Read(v, profview, path)
        v.equal(f'text {seed}: stacks', dict(r.stacks), dict(weight))
        v.equal(f'text {seed}: damage', [reason for _, reason in r.damage], [NO_STACK] * bad)
        v.equal(f'text {seed}: threads', r.threads, {t: f't {t}' for t in shown})
        v.true(f'text {seed}: of the other event', f'instructions {other}' in r.coverage['losses'][1] or not other, r.coverage['losses'])
        again = folder / f'{seed}.folded'
        subprocess.run([profview, 'convert', path, '--names', 'raw', '-o', again], capture_output=True, check=False)
        v.equal(f'text {seed}: written and read again', dict(Read(v, profview, again).stacks), dict(weight))


def main(case, profview):
    v = Verdict(f'texts, {case}')
    with tempfile.TemporaryDirectory() as folder:
        {'perf': perf, 'folded': folded, 'refused': refused, 'compared': compared, 'sums': sums}[case](
            v, profview, pathlib.Path(folder))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texts of stacks as input: every figure of the report is what a reader of a few lines counts.

usage: test_stacks_text.py PROFVIEW LOG
`perf script` is written here as its manual page says; folded stacks also come from an export of LOG.
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / 'real'), str(TESTS / 'tools')]
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position
from hostile_strings import STRINGS    # noqa: E402  pylint: disable=wrong-import-position

SECTIONS = 'source,samples,threads,methods,call_tree,coverage'
NAMES = ['main', 'work(int, char const*)', 'std::map<int, int>::operator[]', 'Ns.Type:Run (int)', 'a b', 'x+y']


def run(v, profview, *words, code=0, data=None):
    done = subprocess.run([profview, *map(str, words)], input=data, capture_output=True, timeout=150, check=False)
    v.true(f'exit code of {words[:2]}', done.returncode == code, (done.returncode, done.stderr[-200:]))
    return done


def report(v, profview, path, *words, code=0, data=None):
    out = run(v, profview, 'report', path, '--format', 'json', '--section', SECTIONS, *words, code=code,
              data=data).stdout
    return json.loads(out)


def stacks_of(j):
    paths, found = {0: ()}, collections.Counter()
    for n in j['call_tree']:
        paths[n['id']] = (*paths[n['parent']], n['method'])
        if n['samples']:
            found[paths[n['id']]] += n['samples']
    return dict(found)


def same(v, what, got, want):
    v.true(what, got == want, [(s, got.get(s), want.get(s)) for s in got.keys() | want.keys()
                               if got.get(s) != want.get(s)][:3])


class Perf:
    """Samples as perf script prints them: [(ns, tid, comm, stack outermost first)]."""

    def __init__(self, seed, count):
        dice = random.Random(seed)
        self.samples = []
        for i in range(count):
            tid = dice.choice([100, 101, 2000])
            stack = tuple(dice.choice(NAMES) for _ in range(dice.randrange(1, 9)))
            self.samples.append((5_000_000_000_000 + i * 1_000_000, tid, 'worker (a) 7' if tid > 1000 else 'prog', stack))

    def text(self):
        out = ['# ========', '# captured on    : Thu Jan  1 00:00:00 1970', '#']
        for ns, tid, comm, stack in self.samples:
            out.append(f'{comm:>16}  100/{tid} [003] {ns // 10**9}.{ns % 10**9 // 1000:06}:   10000 cpu-clock:u: ')
            out += [f'\t{0x401000 + i * 16:16x} {name}+0x{i + 1:x} (/usr/bin/pro g)'
                    for i, name in enumerate(reversed(stack))]
            out.append('')
        return ('\n'.join(out) + '\n').encode()

    def folded(self):
        """Each sample as a line of its own, as folded stacks."""
        return ''.join(f'{";".join(stack)} 1\n' for *_, stack in self.samples).encode()

    def counted(self, keep=lambda ns, tid: True):
        return dict(collections.Counter(s for ns, tid, _, s in self.samples if keep(ns, tid)))


def perf(v, profview, folder):
    p, path = Perf(1, 3000), folder / 'perf.txt'
    path.write_bytes(p.text())
    j = report(v, profview, path)
    v.equal('format', (j['source']['format'], j['source']['data_version'], j['source']['damage']),
            ('perf script', None, []))
    v.equal('samples', j['samples']['total'], 3000)
    v.equal('duration', j['duration_ns'], 2999 * 1_000_000)
    same(v, 'stacks', stacks_of(j), p.counted())
    same(v, 'samples of methods', {m['name']: m['samples_self'] for m in j['methods'] if m['samples_self']},
         dict(collections.Counter(s[-1] for *_, s in p.samples)))
    v.equal('threads', sorted((t['id'], t['name']) for t in j['threads']),
            [('0x64', 'prog'), ('0x65', 'prog'), ('0x7d0', 'worker (a) 7')])
    start = p.samples[0][0]
    same(v, 'a range', stacks_of(report(v, profview, path, '--range', '1s..2s')),
         p.counted(lambda ns, tid: 10**9 <= ns - start < 2 * 10**9))
    same(v, 'a thread', stacks_of(report(v, profview, path, '--thread', '0x7d0')),
         p.counted(lambda ns, tid: tid == 2000))
    same(v, 'through a pipe', stacks_of(report(v, profview, '-', data=path.read_bytes())), p.counted())
    out = run(v, profview, 'dump', path).stdout.decode()
    v.equal('hits in the dump', out.count(' sample.hit '), 3000)
    again = folder / 'again.folded'
    run(v, profview, 'convert', path, '--names', 'raw', '-o', again)
    same(v, 'exported and read again', stacks_of(report(v, profview, again)), p.counted())
    frame = run(v, profview, path, '--dump', '--keys', '2').stdout.decode()
    v.true('a frame of the viewer', 'main' in frame, frame[:300])
    run(v, profview, 'convert', path, '-o', folder / 'no.mlpd', code=2)    # said by name: it is no log
    path.write_bytes(p.text().replace(b'\n', b'\r\n'))
    same(v, 'lines of another system', stacks_of(report(v, profview, path)), p.counted())
    path.write_bytes(p.text()[:-2])
    same(v, 'without the last empty line', stacks_of(report(v, profview, path)), p.counted())


def folded(v, profview, folder, log):
    path = folder / 'stacks.folded'
    for measure in 'samples', 'alloc_bytes', 'self':
        path.unlink(missing_ok=True)
        run(v, profview, 'convert', log, '--measure', measure, '-o', path)
        want = collections.Counter()
        for line in path.read_text(encoding='utf-8').splitlines():
            stack, _, n = line.rpartition(' ')
            want[tuple(stack.split(';'))] += int(n)
        j = report(v, profview, path)
        v.equal(f'{measure}: format', j['source']['format'], 'folded stacks')
        v.equal(f'{measure}: sum', j['samples']['total'], sum(want.values()))
        same(v, f'{measure}: stacks', stacks_of(j), dict(want))
        again = run(v, profview, 'convert', path, '--to', 'folded', '-o', '-').stdout
        v.true(f'{measure}: the same when it leaves again', again == path.read_bytes())
    home, has_lane = run(v, profview, path, '--dump', '--size', '100x30').stdout.decode(), re.compile('^ CPU ', re.M)
    v.true('Home has no figure over time without times', 'own code' in home and not has_lane.search(home), home)
    home = run(v, profview, log, '--dump', '--size', '100x30').stdout.decode()
    v.true('and has one with times', has_lane.search(home), home)


def damaged(v, profview, folder):
    path = folder / 'damaged.folded'
    path.write_bytes(b'a;b 3\nno stack at all\na;c 2.4\na;d -7\n;;a 1\na;e 99999999999999999999\n' +
                     b'x;' * 600000 + b' 5\na;b 10')
    j = report(v, profview, path, code=4)
    same(v, 'what can be read', stacks_of(j), {('a', 'b'): 13, ('a', 'c'): 2, ('a',): 1})
    v.equal('places', [(d['offset'], d['reason']) for d in j['source']['damage']][:3],
            [(6, 'a line that is no stack'), (30, 'a line that is no stack'), (43, 'a count that is too large')])
    for name, text in STRINGS.items():
        text = text.replace(b'\n', b' ').replace(b'\r', b' ')
        path.write_bytes(b'a;b 1\nmain;' + text + b' 2\n')
        done = run(v, profview, 'report', path, '--format', 'json', code=0)
        v.equal(f'{name}: samples', json.loads(done.stdout)['samples']['total'], 3)
    path.write_bytes(b'some words; that end with 12 dogs\n')
    done = run(v, profview, 'report', path, code=3)
    v.true('a text', b'it looks like text' in done.stderr, done.stderr)


def long_lines(v, profview, folder):
    """The first line may be as long as any other, whatever it comes through."""
    most = 1 << 20
    for what, line in (('a deep stack', ';'.join(f'frame {i:05}' for i in range(80000)) + ' 2\n'),
                       ('a long name', 'main;' + 'n' * 900000 + ' 2\n'),
                       ('after comments', '# ' + 'c' * 10000 + '\n' + 'main;' + 'n' * 100000 + ' 2\n'),
                       ('after many comments', ('# ' + 'c' * 97 + '\n') * 9000 + 'main;' + 'n' * 900000 + ' 2\n'),
                       ('the longest', 'main;' + 'n' * (most - 7) + ' 2\n')):
        data = (line + 'main;b 1\n').encode()
        path = folder / 'long.folded'
        path.write_bytes(data)
        for how, name, given in ('a file', path, None), ('a pipe', '-', data):
            j = report(v, profview, name, data=given)
            v.equal(f'{what}, {how}: samples', j['samples']['total'], 3)
        v.true(f'{what}: dump', run(v, profview, 'dump', path).stdout.count(b'sample.hit') == 2)
    path.write_bytes(b'main;' + b'n' * most + b' 2\n')
    run(v, profview, 'report', path, code=3)
    comments = b'# a line of a text\n' * 20000
    path.write_bytes(comments + b'prog 7 1.000000: cycles: \n\t40 main (/bin/prog)\n\n')
    v.equal('perf script after comments', report(v, profview, path)['samples']['total'], 1)
    for what, text in (('comments alone', comments), ('more of them', comments * 4 + b'main;b 1\n')):
        path.write_bytes(text)
        v.true(f'{what}: no stacks', b'folded' not in run(v, profview, 'report', path, code=3).stdout)


def merged(v, profview, folder):
    """Of several processes: calls in comments; lines that are none are damage, sums that are beyond are, too."""
    path = folder / 'merged.folded'
    head, none = '#processes sample=250\n', '(no stack);(no stack) 0\n'
    rows = 'prog;main;work 5\nprog;main 2\n#call 10 500 prog;main;work\n#call 1 30 prog;main\n#call 4 0 other;main;work\n'
    path.write_text(head + none + rows)
    j = report(v, profview, path)
    v.equal('merged: damage', j['source']['damage'], [])
    by = {m['name']: m for m in j['methods']}
    v.equal('merged: calls', {n: m['calls'] for n, m in by.items() if m['calls']}, {'main': 1, 'work': 14})
    v.equal('merged: own time', {n: m['self_ns'] for n, m in by.items() if m['self_ns']}, {'main': 30, 'work': 500})
    v.equal('merged: time with below', by['main']['total_ns'], 530)
    v.equal('merged: samples', j['samples']['total'], 7)
    v.true('merged: no other frame', '(no stack)' not in by, list(by))
    many = ''.join(f'#call 1 1 a{i % 50};b{i % 7};c{i}\n' for i in range(20000))
    path.write_text(head + none + many)
    v.equal('merged: many', sum(m['calls'] or 0 for m in report(v, profview, path)['methods']), 20000)
    bad = ['#call', '#call 1', '#call 1 2', '#call 1 2 ', '#call x 2 a', '#call 1 -2 a', '#call 9999999999999 1 a', '# no call',
           f'#call 1 {1 << 61} a', '#call 18446744073709551616 1 a', '#']
    path.write_text(head + none + rows + '\n'.join(bad) + '\n')
    j = report(v, profview, path, code=4)
    v.equal('merged: what is none', len(j['source']['damage']), len(bad))
    v.equal('merged: the rest', sum(m['calls'] or 0 for m in j['methods']), 15)
    path.write_text(head + none + f'#call 1 {1 << 60} a\n' * 20)
    j = report(v, profview, path, code=4)
    v.equal('merged: sums that are beyond', len(j['source']['damage']), 13)
    path.write_text(none + rows)
    v.equal('without the head they are comments', report(v, profview, path)['source']['damage'], [])


def main(profview, log):
    v = Verdict('texts of stacks')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        perf(v, profview, folder)
        folded(v, profview, folder, log)
        damaged(v, profview, folder)
        long_lines(v, profview, folder)
        merged(v, profview, folder)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

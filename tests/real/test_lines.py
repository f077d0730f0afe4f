#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Lines of native code: planted hot lines are found with their share, and every figure is what
addr2line -i says of the addresses that the log has.

usage: test_lines.py PROFVIEW PROGRAM SOURCE        skips without addr2line
"""
import collections
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import exports
from evidence import enough
from test_inlined import samples
from verdict import Verdict

ENOUGH, TURNS = 600, 60000  # samples: 0.2 between the shares of two halves are nearly five deviations


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, timeout=150).stdout


def addr2line(program, addresses):
    """Of each address its lines (file, number), innermost first."""
    out = run('addr2line', '-a', '-i', '-e', program, *(hex(a) for a in addresses))
    return {a: [(m[1], int(m[2])) for m in re.finditer(r'^(/.*):(\d+)', part, re.M)]
            for a, part in zip(addresses, re.split(r'^0x[0-9a-f]+\n', out, flags=re.M)[1:])}


def expected(dump, program):
    """Samples at each line of the program, and with it on the stack, by addr2line."""
    file = re.search(r'sample\.symbol address=(0x[0-9a-f]+) size=(\d+) name="[^"]*/%s"' % program.name, dump)
    start, size = int(file[1], 16), int(file[2])
    stacks = [[a - start for a in s if start <= a < start + size] for s in samples(dump)]
    known = addr2line(program, sorted({a for s in stacks for a in s}))
    own, total = collections.Counter(), collections.Counter()
    for addresses in stacks:
        lines = [line for a in addresses for line in known[a]]
        own.update(lines[:1])
        total.update(set(lines))
    return own, total


def report(profview, log, *words):
    return run(profview, 'report', log, '--section', 'lines', '--limit', '0', *words)


def planted(source):
    """The number of each line that a comment at its end names."""
    named = ((n, re.search(r'; +/\* (.*) \*/$', text)) for n, text in enumerate(source.read_text().splitlines(), 1))
    return {mark[1]: n for n, mark in named if mark}


def shares(v, rows, source):
    mark, file = planted(source), source.name
    by_line = {r['line']: r for r in rows if r['file'] and pathlib.Path(r['file']).name == file}
    hot = by_line[mark['inlined']]
    v.true('inlined: its own line and name', hot['method'].startswith('mix'), hot)
    # The loops have 3000 and 1000 turns of the same work; the loop's head is a line of its own.
    inlined = by_line[mark['inlined']]['samples_self'] + by_line.get(mark['inlined'] - 1, {}).get('samples_self', 0)
    whole = sum(r['samples_self'] for r in rows)
    v.true('its share is three quarters', 0.6 < inlined / whole < 0.9, (inlined, whole))
    v.true('the line that calls it has it', by_line[mark['calls inlined']]['samples'] >= inlined, by_line)
    v.true('the macro is at the line that uses it', by_line[mark['macro']]['samples_self'] > 0.1 * whole, by_line)
    first, second = by_line[mark['first']]['samples'], by_line[mark['second']]['samples']
    v.true('both callers of the template', abs(first - second) < 0.2 * whole, (first, second))
    v.true('the outermost has all', by_line[mark['all']]['samples'] >= 0.99 * whole, by_line)


def annotated(v, path, source, want):
    """callgrind's own reader has the same figure at each line of the text."""
    if not shutil.which('callgrind_annotate'):
        return
    text = run('callgrind_annotate', '--auto=yes', '--context=100000', '--threshold=100', '--show=samples', '--sort=samples', path)
    part = re.search(r'^-- Auto-annotated source: /\S*/%s\n-+\n.*?\n\n(.*?)(?:\n\n-+\n|\Z)' % re.escape(source.name), text, re.M | re.S)
    v.true('callgrind_annotate: the source', part, text[:200])
    shown = re.findall(r'^ *([\d,]+|\.) (?:\([ \d.]+%\)|    ) ', '\n'.join(
        t for t in (part[1] if part else '').split('\n') if '=> ' not in t), re.M)
    got = {n: int(t.replace(',', '')) for n, t in enumerate(shown, 1) if t not in ('.', '0')}
    v.same_rows('callgrind_annotate by line', got, want)


def exported(v, profview, log, dump, rows, source):
    """Exports with lines have the report's figures; those without say so."""
    def data(name):
        path = log.with_name(name)
        said = subprocess.run([profview, 'convert', log, '-o', path], check=True, capture_output=True, text=True, timeout=150).stderr
        return path.read_bytes(), said
    own = {(r['file'], r['line']): r['samples_self'] for r in rows if r['line'] and r['samples_self']}
    total = {(r['file'], r['line']): r['samples'] for r in rows if r['line']}
    for form, got in (('pprof', exports.pprof_lines(data('lines.pb.gz')[0], 'samples')),
                      ('firefox', exports.firefox_lines(data('lines.firefox.json')[0])),
                      ('callgrind', (exports.callgrind_lines(data('lines.callgrind')[0], 'samples'), None))):
        v.same_rows(f'{form}: self by line', {p: n for p, n in got[0].items() if p[1] and n}, own)
        v.equal(f'{form}: all samples', sum(got[0].values()), sum(r['samples_self'] for r in rows))
        if got[1]:
            v.same_rows(f'{form}: total by line', {p: n for p, n in got[1].items() if p[1] and n}, total)
    threads = json.loads(log.with_name('lines.firefox.json').read_text())['threads']
    v.equal('firefox: samples have their own times', sorted(round(t * 10 ** 6) for x in threads for t in x['samples']['time']),
            sorted(round(float(t) * 10 ** 9) for t in re.findall(r'^ *\d+ \S+ +(-?[\d.]+) sample\.hit', dump, re.M)))
    annotated(v, log.with_name('lines.callgrind'), source, {line: n for (file, line), n in own.items() if file.endswith(source.name)})
    frames = {f['name']: f for f in json.loads(data('lines.speedscope.json')[0])['shared']['frames']}
    texts = source.read_text().splitlines()
    for function, start in (('main', 'int main('), ('both(unsigned int)', 'static __attribute__((noinline)) unsigned both('),
                            ('mix (inlined)', 'static inline __attribute__((always_inline)) unsigned mix(')):
        line = frames.get(function, {}).get('line')
        v.true(f'speedscope: where {function} begins', line and texts[line - 1].startswith(start), frames.get(function))
    page = data('lines.html')[0].decode()
    v.true('page: where main begins', re.search(r'" \(/[^"]*%s:%d\)"' % (re.escape(source.name), frames['main']['line']), page), 'no')
    v.true('folded says that it has no lines', 'lines' in data('lines.folded')[1], 'no')


def machine(v, profview, program, log, dump, source):
    """Each instruction of the hottest function with its samples, as objdump and the log have them, the planted line's between."""
    if not shutil.which('objdump'):
        return
    file = re.search(r'sample\.symbol address=(0x[0-9a-f]+) size=(\d+) name="[^"]*/%s"' % program.name, dump)
    start, size = int(file[1], 16), int(file[2])
    least = min(int(m[1], 16) & ~0xfff for m in re.finditer(r'^ +LOAD +0x[0-9a-f]+ (0x[0-9a-f]+)', run('readelf', '-lW', program), re.M))
    leaves = collections.Counter(s[0] - start + least for s in samples(dump) if s and start <= s[0] < start + size)
    name = planted(source)['inlined']
    text = run(profview, '--no-index', '--dump', '--size', '200x400', '--keys', '2<C-s>d', log)
    rows = re.findall(r'^.[* ](.*?) (\d+)  +([0-9a-f]{3,})  ([a-z]\S*).*$', text, re.M)
    shown = {int(address, 16): line for _, line, address, _ in rows}
    v.true('machine: the function is named', re.search(r'^ .*\bwork\b.* in /\S*%s, \d+ instructions, [\d.]+ %% of ' % program.name, text, re.M), text[:600])
    v.at_least('machine: instructions', len(shown), 10)
    v.true('machine: of the planted line', str(name) in shown.values(), sorted(set(shown.values())))
    code = dict(re.findall(r'^ +([0-9a-f]+):\t(\S+)', run('objdump', '-d', '--no-show-raw-insn', program), re.M))
    v.equal('machine: instructions as objdump has them', [(a, t) for _, _, a, t in rows if code.get(a) != t], [])
    # An instruction without samples of its own has at most what it called.
    self = {int(a, 16): int(re.findall(r'\d[\d.]*', figures)[1]) for figures, _, a, _ in rows if figures.count('.') == 2}
    v.same_rows('machine: samples by instruction', self, {a: leaves[a] for a in shown if leaves[a]})
    v.true('machine: the cursor is on the hottest', re.search(r'^▶\* +[\d.]+ \S* +%d ' % max(self.values(), default=0), text, re.M), self)
    v.true('machine: its source between', re.search(r'^ +%d +x = .*/\* inlined \*/ *$' % name, text, re.M), text[:2000])


def vim(v, fixes):
    """A vim that is there takes them all as places."""
    if not shutil.which('vim') or not fixes:
        return
    with tempfile.TemporaryDirectory() as top:
        (pathlib.Path(top) / 'fixes').write_text('\n'.join(fixes) + '\n')
        ask = 'call writefile([len(filter(getqflist(), "v:val.valid"))], "n")'
        subprocess.run(['vim', '-u', 'NONE', '-es', '-c', 'cgetfile fixes', '-c', ask, '-c', 'q!'], cwd=top, check=False,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        v.equal('places that vim knows', int((pathlib.Path(top) / 'n').read_text()), len(fixes))


def main(profview, program, source):
    if not shutil.which('addr2line'):
        sys.exit(77)
    profview, program, source = (pathlib.Path(p).absolute() for p in (profview, program, source))
    v = Verdict('lines')
    with tempfile.TemporaryDirectory() as top:
        os.environ['XDG_CACHE_HOME'] = top
        log = pathlib.Path(top) / 'lines.mlpd'

        def record(turns):
            log.unlink(missing_ok=True)
            run(profview, 'run', '--sample=1000', '--record', log, '--', program, turns)
            dump = run(profview, 'dump', log)
            return dump, *expected(dump, program)

        dump, own, total = enough(record, TURNS, lambda met: sum(met[1].values()), ENOUGH)
        rows = json.loads(report(profview, log, '--format', 'json'))['lines']
        v.at_least('samples', sum(own.values()), ENOUGH)
        here = [r for r in rows if r['file'] and r['file'].endswith(source.name)]
        got = {r['line']: (r['samples_self'], r['samples']) for r in here}
        want = {line: (own[file, line], n) for (file, line), n in total.items() if file.endswith(source.name)}
        v.same_rows('self and total by line', got, want)
        shares(v, rows, source)
        again = json.loads(report(profview, log, '--format', 'json'))['lines']
        v.equal('by the index', again, rows)
        table = list(csv.DictReader(io.StringIO(report(profview, log, '--format', 'csv'))))
        v.equal('rows of CSV', len(table), len(rows))
        fixes = report(profview, log, '--format', 'vim').splitlines()
        v.equal('vim: a line each, hottest first', [re.match(r'(.*?):(\d+): .* % self, .* % total, .', t).groups() for t in fixes],
                [(r['file'], str(r['line'])) for r in rows if r['line']])
        vim(v, fixes)
        exported(v, profview, log, dump, rows, source)
        machine(v, profview, program, log, dump, source)
        v.true('text', 'mix (inlined)' in report(profview, log), 'no row')
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

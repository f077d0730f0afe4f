#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Inlined functions are frames: where a program computes, and where it calls. The call tree of the
samples is compared with what addr2line -i says of every address that the log has of the program.

usage: test_inlined.py PROFVIEW PROGRAM        skips without addr2line
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from evidence import enough
from verdict import Verdict

FEWEST, DAYS = 100, 20000


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, timeout=150).stdout


def plain(name):
    """Without namespaces and arguments, of which addr2line says only some; the mark of an inlined one stays."""
    mark = ' (inlined)' if name.endswith(' (inlined)') else ''
    return re.sub(r'\(.*', '', name[:len(name) - len(mark)]).split('::')[-1] + mark


class Oracle:
    """
    The frames at addresses of the program, outermost first, as profview would call them. It gets no
    symbols, as it would call inlined functions by the symbol of the function that they are in.
    """

    def __init__(self, program, bias, folder):
        self.program, self.bias, self.known = folder / 'debug', bias, {}
        run('objcopy', '--strip-all', '--keep-section=.debug_*', program, self.program)

    def ask(self, addresses):
        wanted = sorted(a for a in addresses if a not in self.known)
        words = [hex(a - self.bias) for a in wanted]
        out = run('addr2line', '-a', '-f', '-i', '-C', '-e', self.program, *words) if words else ''
        for address, part in zip(wanted, re.split(r'^0x[0-9a-f]+\n', out, flags=re.M)[1:]):
            names = [plain(n) for n in part.splitlines()[::2]]
            self.known[address] = [names[-1]] + [n + ' (inlined)' for n in reversed(names[:-1])]
            if names == ['??']:  # the start, which no compiler wrote
                self.known[address] = []

    def path(self, addresses):
        return tuple(name for a in addresses for name in self.known[a])


def samples(dump):
    """Of each sample of the main program's thread the addresses, innermost first."""
    for line in dump.splitlines():
        hit = re.search(r' sample\.hit .* ips=\[(0x[0-9a-f]+)\] frames=\[(.*)\]', line)
        if hit:
            frames = [int(f, 16) for f in re.findall(r'(0x[0-9a-f]+) "', hit[2])]
            yield [int(hit[1], 16), *frames[1:]]


def expected(dump, program, folder):
    """Paths of the program's own frames, and samples with each."""
    file = re.search(r'sample\.symbol address=(0x[0-9a-f]+) size=(\d+) name="[^"]*/%s"' % program.name, dump)
    start = int(file[1], 16)
    end = start + int(file[2])
    stacks = [[a for a in reversed(s) if start <= a < end] for s in samples(dump)]
    oracle = Oracle(program, start, folder)
    oracle.ask({a for s in stacks for a in s})
    return collections.Counter(oracle.path(s) for s in stacks)


def tree(profview, log):
    """(path of names, kinds, samples) of the rows that have some."""
    rows = json.loads(run(profview, 'report', log, '--section', 'call_tree', '--format', 'json', '--limit', '0',
                          '--waits', '--no-index'))['call_tree']
    path = {0: ()}
    for r in rows:
        path[r['id']] = path[r['parent']] + ((r['method'], r['kind']),)
    return [(path[r['id']], r['samples']) for r in rows if r['samples']]


def own(path):
    return tuple(name for name, kind in path if kind == 'user')


def computing(v, profview, program, folder):
    log = folder / 'computing.mlpd'

    def record(days):
        log.unlink(missing_ok=True)
        run(profview, 'run', '--sample=1000', '--record', log, '--', program, days)
        return expected(run(profview, 'dump', log), program, folder)

    want = enough(record, DAYS, lambda met: sum(met.values()), FEWEST)
    got, paths = collections.Counter(), tree(profview, log)
    for path, n in paths:
        got[tuple(plain(name) for name in own(path))] += n
    v.at_least('samples', sum(want.values()), FEWEST)
    v.same_rows('samples by path', dict(got), dict(want))
    text = ' '.join(str(own(p)) for p, _ in paths)
    for chain in (('shop::leaf(unsigned int)', 'mix (inlined)'),
                  ('day (inlined)', 'shop::order(unsigned int)'),
                  ('shop::order(unsigned int)', 'shop::Cart::add(unsigned int) (inlined)',
                   'twice<unsigned int> (inlined)', 'shop::leaf(unsigned int)')):
        v.true(f'{chain[-1]} below {chain[0]}', str(chain)[1:-1] in text, text)
    # One row each: places that a function calls from are no functions of their own.
    methods = [r['name'] for r in json.loads(run(
        profview, 'report', log, '--section', 'methods', '--format', 'json', '--limit', '0', '--no-index'))['methods']]
    v.equal('rows of one name', sorted(n for n, k in collections.Counter(methods).items() if k > 1), [])


def without(v, profview, program, folder):
    """The same log where the debug information is no longer there."""
    log, copy = folder / 'without.mlpd', folder / program.name
    shutil.copy(program, copy)

    def of_shop(rows):  # libraries have their own debug information
        return [name for path, _ in rows for name, _ in path if name.startswith('shop::') and '(inlined)' in name]

    def record(days):
        log.unlink(missing_ok=True)
        run(profview, 'run', '--sample=1000', '--record', log, '--', copy, days)
        return tree(profview, log)

    before = enough(record, DAYS, lambda rows: len(of_shop(rows)), 1)
    run('strip', '-g', copy)
    after = tree(profview, log)
    v.true('inlined before', of_shop(before), before)
    v.equal('none afterwards', of_shop(after), [])
    v.equal('all samples', sum(n for _, n in after), sum(n for _, n in before))


def waiting(v, profview, program, folder):
    log = folder / 'waiting.mlpd'
    run(profview, 'run', '--probe', 'sample-real=100', '--record', log, '--', program, '1', '1000')
    # Where it waited is met by visits, of which the first may come late: a wait of before has no stack.
    slept = [(own(p), n) for p, n in tree(profview, log) if p[-1][0] == '(sleeps)' and len(p) > 1]
    inside = sum(n for p, n in slept if p[-3:-1] == ('shop::night(unsigned int)', 'rest (inlined)'))
    v.at_least('samples of sleep', sum(n for _, n in slept), 10)
    v.true('in the inlined function', inside >= 0.9 * sum(n for _, n in slept), slept)


def stock(v, profview, program, folder):
    """The stock reader reads such a log, too."""
    if not shutil.which('mprof-report'):
        return
    done = subprocess.run(['mprof-report', str(folder / 'computing.mlpd')], capture_output=True, text=True,
                          check=False, timeout=150)
    v.equal('mprof-report', (done.returncode, done.stderr), (0, ''))


def main(profview, program):
    if not all(shutil.which(tool) for tool in ('addr2line', 'objcopy', 'strip')):
        sys.exit(77)
    profview, program = pathlib.Path(profview).absolute(), pathlib.Path(program).absolute()
    v = Verdict('inlined')
    with tempfile.TemporaryDirectory() as top:
        os.environ['XDG_CACHE_HOME'] = top
        folder = pathlib.Path(top)
        computing(v, profview, program, folder)
        without(v, profview, program, folder)
        waiting(v, profview, program, folder)
        stock(v, profview, program, folder)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figure of a method is the same wherever it is asked for: what ran, or with --waits all of it.

usage: test_ran.py log PROFVIEW LOG... | native|mono|stock|clr PROFVIEW LIBRARY PROGRAM [DOTNET]
DOTNET 'none': skipped
"""
import collections
import json
import os
import re
import subprocess
import sys

import target
from test_waits import HOSTS
from verdict import Verdict

ROUNDS = '6'
WORDS = ('sample=100', 'sample-real=100')  # without states of what waited, and with them


class Log:
    def __init__(self, v, profview, path):
        self.v, self.profview, self.path = v, profview, path

    def run(self, *words, code=0):
        done = subprocess.run([self.profview, *words], text=True, capture_output=True, check=False,
                              timeout=target.DEADLINE)
        self.v.equal(f'exit code of {words}', done.returncode, code)
        return done.stdout

    def report(self, *words):
        return json.loads(self.run('report', self.path, '--format', 'json', '--no-index', *words))

    def folded(self, *words):
        """Samples by innermost frame."""
        own = collections.Counter()
        text = self.run('convert', self.path, '-o', '-', '--to', 'folded', '--names', 'raw',
                        '--measure', 'samples', *words)
        for line in text.splitlines():
            stack, n = line.rsplit(' ', 1)
            own[stack.rsplit(';', 1)[-1]] += int(n)
        return own

    def checked(self, name, *words):
        """The method's samples and share, as `check` says them."""
        rules = [w for r in ('samples', 'share') for w in
                 ('--rule', f'method.self match="{name}" of={r} max={"100%" if r == "share" else 10 ** 9}')]
        done = json.loads(self.run('check', self.path, '--format', 'json', *rules, *words))
        return [r['measured'] for r in done['results'] if r['rule'] == 'method.self']

    def briefed(self, name, *words):
        done = json.loads(self.run('brief', self.path, '--format', 'json', '--budget', '20000', *words))
        of = next(s for s in done['sections'] if s['section'] == 'methods')
        row = next((r for r in of['rows'] if r[-1] == name), None)
        return row and int(row[of['columns'].index('samples_self')].replace(' ', '').replace('\u202f', ''))

    def differed(self, name, *words):
        done = json.loads(self.run('diff', self.path, self.path, '--per', 'none', '--all', '--format', 'json',
                                   '--section', 'methods.samples_self', *words))
        row = next((r for r in done['methods.samples_self'] if r['name'] == name), None)
        self.v.true(f'diff has {name}', row is not None, done['totals'])
        return row and round(row['base'])


def agree(log, *words):
    """Of the method that has most samples. Returns the number, and of how many."""
    v = log.v
    r = log.report('--section', 'methods,call_tree,samples', *words)
    own = {m['name']: m['samples_self'] for m in r['methods'] if m['samples_self']}
    top = max(r['methods'], key=lambda m: m['samples_self'] or 0)
    name, n, sum_ = top['name'], top['samples_self'], sum(own.values())
    what = ' '.join(words) or 'what ran'
    tree = collections.Counter()
    for node in r['call_tree']:
        tree[node['method']] += node['samples']
    v.equal(f'{what}: call tree, {name}', tree[name], n)
    v.equal(f'{what}: folded, {name}', log.folded(*words)[name], n)
    v.equal(f'{what}: all of folded', sum(log.folded(*words).values()) - log.folded(*words)['(no stack)'], sum_)
    samples, share = log.checked(name, *words)
    v.equal(f'{what}: check, samples', samples, n)
    v.between(f'{what}: check, share', share, 100 * n / sum_ - 0.1, 100 * n / sum_ + 0.1)
    if not any(m['self_ns'] for m in r['methods']):  # else it has the methods that took most time
        v.equal(f'{what}: brief', log.briefed(top['readable'], *words), n)
    v.equal(f'{what}: diff', log.differed(name, *words), n)
    states = {s['state']: s['samples'] for s in r['samples']['states']}
    ran = states.get('running', 0)
    v.equal(f'{what}: states', sum_ <= (sum(states.values()) if words else ran), True)
    return name, n, sum_, sum(states.values()), ran


def judge(v, profview, path):
    log = Log(v, profview, path)
    ran, all_ = agree(log), agree(log, '--waits')
    print(path, ran, all_)
    v.true('what ran is a part', ran[2] <= all_[2], (ran, all_))
    text = log.run('report', path, '--section', 'methods', '--no-index')
    said = re.search(r'what ran: [0-9.]+ % of samples waited|ran or waited, which is not known', text)
    v.equal('the text says what is left out', bool(said), ran[3] > ran[4])
    whole = log.run('report', path, '--section', 'methods', '--no-index', '--waits')
    v.equal('and with --waits that it counts', 'and count, too' in whole or 'which is not known' in whole,
            ran[3] > ran[4])
    log.run('report', path, '--waits=yes', code=2)
    return ran, all_


def recorded(v, host, library, program, dotnet, word, log):
    if host == 'stock':
        command, more = ['mono', f'--profile=log:{word.replace("-real", "")},output={log}', program], {}
    else:
        command, more = HOSTS[host](library, program, f'cpu,{word},output={log}', dotnet)
    done = subprocess.run([*command, ROUNDS], env=os.environ | more, text=True, check=False,
                          capture_output=True, timeout=target.DEADLINE)
    v.equal(f'exit code, {word}', done.returncode, 0)


def main(host, profview, *rest):
    v = Verdict(f'ran-{host}')
    if host == 'log':
        for path in rest:
            judge(v, profview, path)
        v.close()
        return 0
    library, program, dotnet = os.path.abspath(rest[0]), os.path.abspath(rest[1]), (*rest, 'none')[2]
    if host == 'clr' and dotnet == 'none':
        print('dotnet is not installed')
        return target.SKIP
    with target.scratch() as folder:
        for word in WORDS[:1] if host == 'stock' else WORDS:
            log = os.path.join(folder, f'{word}.mlpd')
            recorded(v, host, library, program, dotnet, word, log)
            ran, all_ = judge(v, profview, log)
            if host == 'stock' or 'real' in word:
                v.true(f'{word}: some waited, and is left out', ran[2] < all_[2], (ran, all_))
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

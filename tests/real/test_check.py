#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview check`: a table of logs and rules with their verdicts, among them every way in which a log
cannot answer; rule files, baselines, formats; `profview run --check`.

usage: test_check.py table PROFVIEW GOLDEN | native PROFVIEW PROGRAM | dotnet PROFVIEW DOTNET
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import target
from verdict import Verdict

# log, rule, verdict, words of the reason
TABLE = [
    ('shop', 'duration max=1m', 'pass', ''), ('shop', 'duration max=1s', 'fail', 'more than 1s'),
    ('shop', 'duration min=10s', 'fail', 'less than 10s'),
    ('shop', 'alloc.total max=1MiB', 'pass', ''), ('shop', 'alloc.total max=100KiB', 'fail', 'more than'),
    ('shop', 'alloc.total max=5000 of=objects', 'pass', ''),
    ('shop', 'alloc.class match=*String* max=1MiB', 'pass', ''),
    ('shop', 'alloc.class match=Nobody max=1MiB', 'refused', 'nothing is called Nobody'),
    ('shop', 'alloc.class match=Nobody max=1MiB allow-missing=yes', 'pass', ''),
    ('shop', 'alloc.namespace match=System* max=1', 'fail', 'more than 1'),
    ('shop', 'alloc.method match=Shop* max=1MiB', 'pass', ''),
    ('shop', 'alloc.total max=10B per=call:Shop:Serve*', 'fail', 'more than 10B'),
    ('shop', 'alloc.total max=10B per=call:Nobody', 'refused', 'no call of Nobody'),
    ('shop', 'heap.class match=*String* max=100000', 'pass', ''),
    ('shop', 'heap.class match=OutOfStockException max=0', 'pass', ''),
    ('shop', 'heap.class match=No.Such max=0', 'refused', 'nothing is called'),
    ('shop', 'heap.total max=1KiB', 'fail', 'more than'),
    ('shop', 'heap.retained match=Shelf max=1MiB', 'refused', 'nothing is called Shelf'),
    ('shop', 'heap.retained match=Basket max=1GiB', 'pass', ''),
    ('shop', 'heap.retained match=Basket max=960B', 'fail', 'more than 960B'),
    ('shop', 'heap.retained match=Nobody max=1B', 'refused', 'nothing is called Nobody'),
    ('shop', 'alloc.total max=1 per=counter:Nothing', 'refused', 'no counter Nothing rose'),
    ('bare', 'heap.retained match=Basket max=1GiB', 'refused', 'there is no heap shot'),
    ('bare', 'heap.class match=Basket max=1', 'refused', 'there is no heap shot'),
    ('bare', 'exceptions max=1000', 'pass', ''), ('bare', 'gc.pause max=1s filter=start>1h', 'refused', 'nothing passes'),
    ('joined', 'exceptions max=160', 'refused', 'the log is damaged'),
    ('joined', 'exceptions max=1', 'fail', 'more than 1'), ('joined', 'duration min=1h', 'refused', 'damaged'),
    ('joined', 'loss max=0', 'fail', 'more than 0'),
    ('texts', 'method.self match=b max=100%', 'pass', ''), ('texts', 'method.self match=b max=1%', 'fail', 'more than'),
    ('texts', 'alloc.total max=1GiB', 'refused', 'allocations not recorded'),
    ('texts', 'exceptions max=0', 'refused', 'exceptions not recorded'),
    ('texts', 'lock.wait max=1s', 'refused', 'locks not recorded'), ('texts', 'handles max=1', 'refused', 'handles not recorded'),
    ('texts', 'method.calls match=b max=1', 'refused', 'calls not recorded'),
    ('texts', 'jit max=1', 'refused', 'jit not recorded'),
    ('shop', 'gc.pause max=1ms', 'fail', 'more than 1ms'), ('shop', 'gc.pause max=1s', 'pass', ''),
    ('shop', 'gc.pause of=p99 max=1s', 'pass', ''), ('shop', 'gc.pause of=sum max=1ns', 'fail', 'more'),
    ('shop', 'gc.pause max=50%', 'pass', ''), ('shop', 'gc.count match=1 max=0', 'fail', 'more than 0'),
    ('shop', 'exceptions max=159', 'fail', 'more than 159'), ('shop', 'exceptions max=160', 'pass', ''),
    ('shop', 'exceptions match=Never* max=0', 'pass', ''),
    ('shop', 'lock.wait max=1ms', 'fail', ''), ('shop', 'lock.wait of=contentions max=222', 'pass', ''),
    ('shop', 'method.self match=Shop:Fib* of=time max=1ns', 'fail', ''),
    ('shop', 'method.self match=Shop:Fib* max=16%', 'unsure', 'within the figure'),
    ('shop', 'method.self match=Shop:Fib* max=17%', 'pass', ''),
    ('shop', 'method.total match=Shop:Main* max=1ms', 'fail', ''),
    ('shop', 'method.calls match=Shop:Serve* min=1', 'pass', ''),
    ('shop', 'jit max=10', 'fail', ''), ('shop', 'threads max=4', 'pass', ''), ('shop', 'threads max=3', 'fail', ''),
    ('shop', 'counter match=major*allocated max=10', 'refused', 'nothing is called'),
    ('shop', 'handles max=2', 'pass', ''), ('shop', 'finalizers max=0', 'refused', 'finalizers not recorded'),
    ('shop', 'finding.lock-contention max-score=40', 'fail', 'more than 40'),
    ('shop', 'finding.boxing max-score=40', 'pass', ''),
    ('shop', 'finding.jit-heavy max-score=75', 'refused', 'recorded for less than'),
    ('shop', 'finding.nonsense max-score=75', 'refused', 'no such finding'),
    ('shop', 'leak max=60', 'pass', ''), ('shop', 'loss max=0', 'pass', ''),
    ('shop', 'exceptions max=0 filter=!stock', 'pass', ''), ('shop', 'gc.pause max=1.5ms filter=start>1s', 'pass', ''),
    ('shop', 'gc.pause max=1.5ms filter=start<1s', 'fail', 'more than 1.5ms'),
    ('shop', 'gc.pause max=1s filter=start>1h', 'refused', 'nothing passes the filter'),
    ('shop', 'gc.pause max-increase=10%', 'skipped', 'there is no baseline'),
    ('cut', 'exceptions max=1', 'fail', 'more than 1'),
    ('cut', 'exceptions max=160', 'refused', 'the log is damaged'),
    ('cut', 'duration min=1ms', 'pass', ''), ('cut', 'loss max=0', 'fail', 'more than 0'),
    ('cut', 'loss max=5', 'pass', ''),
    ('old', 'gc.pause max=1s', 'refused', 'does not tell this of gc'), ('old', 'gc.count max=5', 'pass', ''),
    ('old', 'heap.total max=1GiB', 'refused', 'heap_shots not recorded: not in the draft'),
    ('old', 'alloc.total max=0', 'fail', 'more than 0'), ('old', 'counter match=x max=1', 'refused', 'counters not recorded'),
]
BAD = [  # a file of rules, what is said of it, with the line
    ('[rule a]\nkind = nothing\nmax = 1\n', 'rules.ini:2: there is no kind "nothing"'),
    ('[rule a]\nkind = gc.pause\nmax = 1\n', 'rules.ini:1: the limit has the wrong unit "a"'),
    ('[rule a]\nkind = gc.pause\nmax = 5xs\n', 'rules.ini:3: no number, size, time or percentage: "5xs"'),
    ('[rule a]\nkind = gc.pause\n', 'rules.ini:1: no max, min or max-increase in the rule "a"'),
    ('[rule a]\nmax = 1\n', 'rules.ini:1: no kind in the rule "a"'),
    ('[rule a]\nkind = alloc.class\nmax = 1\n', 'rules.ini:1: it wants match = NAME "a"'),
    ('[rule a]\nkind = exceptions\nmax = 1\n[rule a]\n', 'rules.ini:4: a second rule "a"'),
    ('[rule a]\nkind = exceptions\nmost = 1\n', 'rules.ini:3: a rule has no key "most"'),
    ('[other]\n', 'rules.ini:1: sections are [check] and [rule ID], not "other"'),
    ('[rule a\n', 'rules.ini:1: a section ends with ]'), ('nonsense\n', 'rules.ini:1: no key = value'),
    ('max = 1\n', 'rules.ini:1: before any section stands "max"'),
    ('[check]\nversion = 2\n', 'rules.ini:2: this reads version 1'),
    ('[check]\nunsure = perhaps\n', 'rules.ini:2: unsure is warn, fail or pass'),
    ('[rule a]\nkind = alloc.total\nof = cows\nmax = 1\n', 'rules.ini:1: there is no such `of` "a"'),
    ('[rule a]\nkind = exceptions\nmax =\n', 'rules.ini:3: no value for "max"'),
    ('[]\n', 'rules.ini:1: sections are'), ('[\n', 'rules.ini:1: a section ends'),
    ('[rule a]\nkind = gc.\0pause\n', 'rules.ini:2: a byte of value 0'),
    ('x' * (1 << 20), '1 MiB')]
WORST = {'pass': 0, 'unsure': 0, 'skipped': 0, 'refused': 5, 'fail': 1}


class Tool:
    def __init__(self, profview, v, folder):
        self.profview, self.v, self.folder = profview, v, pathlib.Path(folder)
        self.env = {**os.environ, 'XDG_CACHE_HOME': f'{folder}/cache', 'LC_ALL': 'C.UTF-8'}

    def run(self, *words, code=None):
        done = subprocess.run([self.profview, *map(str, words)], capture_output=True, text=True,
                              timeout=target.DEADLINE * 4, check=False, env=self.env)
        if code is not None:
            self.v.true(f'exit code of {words}', done.returncode == code,
                        (done.returncode, done.stderr[-300:], done.stdout[-300:]))
        return done

    def judge(self, log, *words, code=None):
        done = self.run('check', log, *words, '--format', 'json', code=code)
        return {r['id']: r for r in json.loads(done.stdout)['results']}, done


def row(tool, log, rule, verdict, why):
    results, done = tool.judge(log, '--rule', rule)
    got = results[rule]
    tool.v.equal(f'{log.name} {rule}', got['verdict'], verdict)
    tool.v.true(f'{log.name} {rule}: why', why in got['why'], got['why'])
    tool.v.true(f'{log.name} {rule}: the figure', (got['measured'] is None) == (
        verdict == 'refused' and 'were lost' not in why and 'damaged' not in why and 'call of' not in why and 'no counter' not in why), got)
    worst = {r['verdict'] for r in results.values()}
    code = 1 if 'fail' in worst else 5 if 'refused' in worst else 0
    tool.v.equal(f'{log.name} {rule}: exit code', done.returncode, code)


def bad_files(tool, log):
    rules = tool.folder / 'rules.ini'
    for text, says in BAD:
        rules.write_text(text)
        done = tool.run('check', log, '--rules', rules, code=2)
        lines = done.stderr.splitlines()
        tool.v.true(f'{text[:60]!r}', len(lines) == 1 and says in lines[0], done.stderr)
        tool.v.equal(f'{text[:60]!r}: nothing is printed', done.stdout, '')
    rules.unlink()
    for words, code, says in ((('--rules', rules), 2, 'No such file'), ((), 2, 'wants --rules FILE'),
                              (('--rule', 'gc.pause'), 2, 'no max'),
                              (('--rule', 'jit max=1 filter=(a'), 2, 'character 1: this ( is never closed'), (('--rule', ''), 2, 'wants KIND'),
                              (('--rule', 'gc.pause max'), 2, 'no KEY=VALUE'),
                              (('--rule', 'exceptions max=1', '--format', 'toml'), 2, '--format wants'),
                              (('--rule', 'exceptions max=1', '--baseline', '/none'), 3, 'No such file')):
        done = tool.run('check', log, *words, code=code)
        tool.v.true(f'{words}', done.stderr.count('\n') == 1 and says in done.stderr, done.stderr)
    tool.run('check', '/none', '--rule', 'exceptions max=1', code=3)
    tool.run('check', '/dev/null', '--rule', 'exceptions max=1', code=3)


def mutated(tool, log):
    """Whatever stands in a file of rules, it is read or refused in a line."""
    seed, rules = random.Random(28), tool.folder / 'mutated.ini'
    text = bytearray(b'[check]\nversion = 1\n[rule a]\nkind = alloc.class\nmatch = *String*\nof = bytes\n'
                     b'max = 16MiB\nmin = 1\nmax-increase = 10%\nper = call:Shop:Serve*\nallow-missing = yes\n')
    for _ in range(60):
        now = bytearray(text)
        for _ in range(seed.randint(1, 6)):
            at = seed.randrange(len(now))
            now[at:at + seed.randint(0, 3)] = seed.choice([b'', b'\n', b'[', b']', b'=', b'\x00', b'\xff\x1b[', b'%', b'9' * 400,
                                                           bytes([seed.randrange(256)]), bytes(now[at:at + 40])])
        rules.write_bytes(now)
        done = tool.run('check', log, '--rules', rules)
        tool.v.true(f'{bytes(now)!r}', done.returncode in (0, 1, 2, 5), (done.returncode, done.stderr[-300:]))
        if done.returncode == 2:
            tool.v.true(f'{bytes(now)!r}: a line', done.stderr.count('\n') == 1 and '\x1b' not in done.stderr, done.stderr)


def policies(tool, log):
    rules = tool.folder / 'policy.ini'
    for policy, code in (('warn', 0), ('pass', 0), ('fail', 1)):
        rules.write_text(f'# a comment\n[check]\nversion = 1\nunsure = {policy}\n\n[rule hot]\n'
                         'kind = method.self\nmatch = Shop:Fib*\nmax = 16%\n')
        tool.run('check', log, '--rules', rules, code=code)


def per_counter(tool, log):
    rules = tool.folder / 'counter.ini'
    for name in ('Major GC collections', 'gc/Major GC collections'):
        rules.write_text(f'[rule a]\nkind = alloc.total\nof = objects\nper = counter:{name}\nmax = 1413\nmin = 1412\n')
        got, _ = tool.judge(log, '--rules', rules, code=0)
        tool.v.equal(f'allocations per {name}', got['a']['measured'], 4237 / 3)
    rules.write_text('[rule a]\nkind = alloc.total\nper = cow:x\nmax = 1\n')
    done = tool.run('check', log, '--rules', rules, code=2)
    tool.v.true('per is nothing else', 'per is call:METHOD or counter:NAME, not' in done.stderr, done.stderr)


def baselines(tool, log, other):
    v, saved = tool.v, tool.folder / 'base.json'
    rules = ('--rule', 'exceptions max-increase=10%', '--rule', 'finalizers max-increase=1')
    tool.run('check', log, *rules, '--save-baseline', saved, code=5)
    tool.run('check', log, *rules, '--save-baseline', saved, code=2)
    for base in (saved, log):
        got, _ = tool.judge(log, *rules, '--baseline', base, code=5)
        v.equal(f'{base.name}: verdict', got['exceptions max-increase=10%']['verdict'], 'pass')
        v.equal(f'{base.name}: figures', [got['exceptions max-increase=10%'][k] for k in ('measured', 'baseline')],
                [160, 160])
        v.equal('not recorded', got['finalizers max-increase=1']['verdict'], 'refused')
    text = saved.read_text()
    for lasted, told in ((3151000000, False), (6000000000, True)):
        saved.write_text(re.sub(r'"duration_ns": \d+', f'"duration_ns": {lasted}', text))
        done = tool.run('check', log, *rules, '--baseline', saved, code=5)
        v.equal('another length is told', 'note: the baseline lasted 6.00 s, this log 3.15 s' in done.stdout, told)
    saved.write_text(text.replace('"value": 160', '"value": 100'))
    got, _ = tool.judge(log, *rules, '--baseline', saved, code=1)
    v.equal('more than the baseline', got['exceptions max-increase=10%']['verdict'], 'fail')
    got, _ = tool.judge(other, *rules, '--baseline', saved)
    v.true('other options', 'other options' in got['exceptions max-increase=10%']['why'], got)
    tool.run('check', log, *rules, '--require-baseline', code=2)
    tool.run('check', log, '--rule', 'exceptions max-increase=10%', '--require-baseline', '--baseline', log, code=0)
    for text in ('{}', '{"schema": 9, "baseline": []}', '{"schema": 1', '{"schema": 1, "baseline": 7}'):
        saved.write_text(text)
        done = tool.run('check', log, *rules, '--baseline', saved, code=2)
        v.true(text, 'neither a log nor a baseline' in done.stderr, done.stderr)


def formats(tool, log):
    v, rules = tool.v, tool.folder / 'rules.ini'
    rules.write_text('[rule a<&"%,:]\nkind = exceptions\nmax = 1\n[rule b]\nkind = finalizers\nmax = 1\n'
                     '[rule c]\nkind = gc.pause\nmax-increase = 1%\n[rule d]\nkind = gc.pause\nmax = 1s\n')
    names = {f: tool.folder / f'out.{f}' for f in ('json', 'junit', 'md', 'github', 'text')}
    done = tool.run('check', log, '--rules', rules, *[w for f, p in names.items() for w in ('--format', f'{f}={p}')],
                    code=1)
    v.equal('all into files', done.stdout, '')
    results = json.loads(names['json'].read_text())['results']
    suite = ElementTree.parse(names['junit']).getroot()[0]
    v.equal('JUnit: counts', {k: suite.get(k) for k in ('tests', 'failures', 'errors', 'skipped')},
            {'tests': '5', 'failures': '1', 'errors': '1', 'skipped': '1'})
    v.equal('JUnit: names', [c.get('name') for c in suite], [r['id'] for r in results])
    v.equal('JUnit: outcomes', [c[0].tag for c in suite], ['failure', 'error', 'skipped', 'system-out', 'system-out'])
    xmllint = shutil.which('xmllint')
    if xmllint:
        schema = pathlib.Path(__file__).resolve().parent / 'junit.xsd'
        done = subprocess.run([xmllint, '--noout', '--schema', schema, names['junit']], capture_output=True, text=True,
                              timeout=target.DEADLINE, check=False)
        v.true('JUnit: schema', done.returncode == 0, done.stderr[-600:])
    else:
        print('not run: xmllint is not installed')
    lines = names['github'].read_text().splitlines()
    v.equal('GitHub', [line.split('::')[1] for line in lines],
            ['error title=a<&"%25%2C%3A', 'error title=b', 'notice title=c'])
    v.equal('Markdown', names['md'].read_text().count('\n'), 2 + len(results))
    v.true('text', '2 passed, 1 failed, 0 unsure, 1 refused, 1 skipped' in names['text'].read_text())
    first = tool.folder / 'first.ini'
    first.write_text(tool.run('check', log, '--init', code=0).stdout)
    tool.run('check', log, '--rules', first, code=0)
    limits = re.findall(r'^max = (.*)$', first.read_text(), re.M)
    v.true('limits as one types them', limits and all(re.fullmatch(r'\d{1,4}\.\d([KMG]iB|[mu]?s)|\d+(B|ns)?', m) and
                                                      not re.search(r'\d{5}(B|ns)', m) for m in limits), limits)


def evidence(tool, log):
    """The stacks of what a rule counts are those of the report's sites."""
    report = json.loads(tool.run('report', log, '--format', 'json', '--no-index', '--section',
                                 'allocation_sites,throw_sites,wait_sites', code=0).stdout)
    for rule, section, key in (('alloc.total max=1', 'allocation_sites', 'allocated_bytes'),
                               ('exceptions max=1', 'throw_sites', 'thrown'), ('lock.wait max=1ns', 'wait_sites', 'wait_ns')):
        got, _ = tool.judge(log, '--rule', rule, code=1)
        rows = got[rule]['rows']
        tool.v.true(f'{rule}: rows', rows, got[rule])
        for r in rows:
            sites = [s for s in report[section] if s['class'] == r['name'] and s['stack']]
            best = max((s[key] for s in sites), default=0)
            want = [s['stack'] for s in sites if s[key] == best]
            tool.v.true(f'{rule}: stack of {r["name"]}', r['stack'] in want if want else r['stack'] is None, (r['stack'], want))
    done = tool.run('check', log, '--rule', 'exceptions max=1', code=1)
    tool.v.true('a stack as text', '  in Shelf' in done.stdout, done.stdout)


def table(profview, golden):
    v = Verdict('check table')
    golden = pathlib.Path(golden)
    with target.scratch() as folder:
        tool, folder = Tool(profview, v, folder), pathlib.Path(folder)
        logs = {'shop': golden / 'shop.mlpd.gz', 'old': golden / 'draft.mprof', 'cut': folder / 'cut.mlpd'}
        whole = subprocess.run(['gzip', '-dc', logs['shop']], capture_output=True, check=True).stdout
        logs['cut'].write_bytes(whole[:len(whole) * 2 // 3])
        buffers = [m.start() for m in re.finditer(b'\x01LPM', whole)]
        logs |= {'joined': folder / 'joined.mlpd', 'texts': folder / 'texts.folded', 'bare': folder / 'bare.mlpd'}
        logs['joined'].write_bytes(whole[buffers[4]:])
        logs['texts'].write_text('a;b 60\na;c 40\n')
        tool.run('convert', logs['shop'], '--range', '..0.5s', '-o', logs['bare'], code=0)
        for log, rule, verdict, why in TABLE:
            row(tool, logs[log], rule, verdict, why)
        bad_files(tool, logs['shop'])
        mutated(tool, logs['old'])
        policies(tool, logs['shop'])
        baselines(tool, logs['shop'], logs['old'])
        formats(tool, logs['shop'])
        evidence(tool, logs['shop'])
        per_counter(tool, logs['shop'])
    v.close()


def native(profview, program):
    """The exit code of a program that fails wins; a log of one that was killed cannot answer."""
    v = Verdict('check native')
    with target.scratch() as folder:
        tool, rules, log = Tool(profview, v, folder), pathlib.Path(folder) / 'r.ini', pathlib.Path(folder) / 'l.mlpd'
        rules.write_text('[rule a]\nkind = alloc.class\nmatch = malloc 2561..3072\nof = objects\nmax = 2000\n')
        run = ('run', '--alloc', '--sample=100', '--check', rules)
        v.true('passes', 'pass     a  1000' in tool.run(*run, '--', program, '8', code=0).stderr)
        rules.write_text(rules.read_text().replace('2000', '999'))
        done = tool.run(*run, '--', program, '8', code=1)
        v.true('is broken', 'fail     a  1000' in done.stderr, done.stderr)
        v.true('what was not kept is not named', 'keep the log in a file to see profview report FILE --section' in done.stderr, done.stderr)
        kept = pathlib.Path(folder) / "it's kept.mlpd"
        said = tool.run(*run, '--record', kept, '--', program, '8', code=1).stderr
        see = [line for line in said.splitlines() if ' see profview ' in line]
        v.true('what was kept is named', see, said)
        done = subprocess.run(['bash', '-c', see[0].replace('see profview', f"'{profview}'")] if see else ['false'], capture_output=True,
                              text=True, timeout=target.DEADLINE, check=False)
        v.true('as one types it', done.returncode == 0 and 'malloc' in done.stdout, done.stderr)
        tool.run(*run, '--', 'sh', '-c', f'{program} 8; exit 7', code=7)
        rules.write_text(rules.read_text().replace('alloc.class', 'alloc.glass'))
        done = tool.run(*run, '--', program, code=2)
        v.true('rules are read first', done.stderr.count('\n') == 1 and 'r.ini:2' in done.stderr, done.stderr)
        tool.run('run', '--alloc', '--sample=100', '--record', log, '--', 'timeout', '-s', 'KILL', '0.5', program)
        got, _ = tool.judge(log, '--rule', 'alloc.total max=1GiB', code=5)
        v.true('cut off', 'cut off' in got['alloc.total max=1GiB']['why'], got['alloc.total max=1GiB'])
    v.close()


def mono(profview, exe):
    """Rules about the heap make the run take a shot at the end, and may ask for its objects; refusals say what records."""
    v = Verdict('check mono')
    kept = 'match = Kept\n'
    with target.scratch() as folder:
        tool, rules, log = Tool(profview, v, folder), pathlib.Path(folder) / 'r.ini', pathlib.Path(folder) / 'l.mlpd'

        def run(text, code, says, *words):
            rules.write_text(text)
            said = tool.run('run', '--sample=0', '--check', rules, *words, '--', 'mono', exe, '3', code=code).stderr
            for line in says:
                v.true(f'{text!r}: {line}', re.search(line, said), said)
        both = f'[rule a]\nkind = heap.class\n{kept}of = objects\nmax = %d\n[rule b]\nkind = heap.retained\n{kept}max = %dB\n'
        size = 300 * (2 + 4) * 8    # of three rounds; a header and four fields
        run(both % (300, size), 0, ['pass +a +300, max 300', 'pass +b +14.1 KiB'])
        run(both % (299, size), 1, ['fail +a +300, max 299', 'pass +b '])
        run(both % (300, size - 1), 1, ['pass +a ', 'fail +b +14.1 KiB'])
        run(both % (300, size), 0, ['pass +a ', 'pass +b '], '--record', log)
        got, _ = tool.judge(log, '--rules', rules, code=0)
        v.equal('afterwards', [got[name]['verdict'] for name in 'ab'], ['pass', 'pass'])
        log.unlink()
        run('[rule c]\nkind = finalizers\nmax = 0\n', 5, ['finalizers not recorded; recorded by run --probe finalization'],
            '--record', log)
        got, _ = tool.judge(log, '--rule', 'heap.total max=1GiB', code=5)
        v.true('no shot where none is asked for', 'recorded by run --heapshot' in got['heap.total max=1GiB']['why'], got)
    v.close()


PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net{0}.0</TargetFramework><IsPackable>false</IsPackable></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.14.1" />
    <PackageReference Include="xunit" Version="2.9.3" />
    <PackageReference Include="xunit.runner.visualstudio" Version="3.1.4" />
  </ItemGroup>
</Project>
"""
TESTS = """using System;
using Xunit;
namespace Shop.Tests;
public class Blob { public int Id; }
public class Budgets
{
    public static object Keep;
    [Fact] public void Allocates() { for (int i = 0; i < 200000; i++) Keep = new Blob(); }
    [Fact] public void Throws()
    {
        for (int i = 0; i < 7; i++)
            try { throw new InvalidOperationException("x"); } catch (InvalidOperationException) { }
    }
    [Fact] public void Breaks() { Assert.Null(Environment.GetEnvironmentVariable("BREAK_A_TEST")); }
}
"""


def dotnet(profview, sdk):
    """`dotnet test` under rules: its own test host is the process that is judged, a failed test wins."""
    if sdk == 'none':
        sys.exit(target.SKIP)
    v = Verdict('check dotnet test')
    with target.scratch() as folder:
        tool, project = Tool(profview, v, folder), pathlib.Path(folder, 'Shop.Tests')
        tool.env |= {'DOTNET_CLI_TELEMETRY_OPTOUT': '1', 'DOTNET_NOLOGO': '1', 'MSBUILDDISABLENODEREUSE': '1'}
        project.mkdir()
        version = subprocess.run([sdk, '--version'], capture_output=True, text=True, check=True).stdout.split('.')[0]
        (project / 'Shop.Tests.csproj').write_text(PROJECT.format(version))
        (project / 'Budgets.cs').write_text(TESTS)
        built = subprocess.run([sdk, 'build', '-v', 'q', '-nodeReuse:false', '-p:UseSharedCompilation=false', project],
                               capture_output=True, text=True, timeout=300, env=tool.env, check=False)
        if built.returncode and 'NU1' in built.stdout:
            print('not run: NuGet is not reached')
            sys.exit(target.SKIP)
        v.equal('the tests are built', built.returncode, 0)
        rules = pathlib.Path(folder, 'budgets.ini')

        def run(most, code, env=()):
            rules.write_text(f'[rule blobs]\nkind = alloc.class\nmatch = Shop.Tests.Blob\nof = objects\nmax = {most}\n'
                             '[rule throws]\nkind = exceptions\nmatch = *InvalidOperationException\nmax = 7\n')
            tool.env |= dict(env)
            done = tool.run('run', '--alloc', '--sample=0', '--probe', 'exception', '--check', rules, '--',
                            sdk, 'test', '--no-build', project, code=code)
            return done.stdout + done.stderr
        said = run(200000, 0)
        v.true('passes', re.search(r'pass +blobs +200000, max 200000', said) and
               re.search(r'pass +throws +7, max 7', said), said[-1500:])
        said = run(199999, 1)
        v.true('is broken', re.search(r'fail +blobs +200000', said), said[-1500:])
        said = run(200000, 1, {'BREAK_A_TEST': '1'})
        v.true('a failed test wins, the rules pass', re.search(r'pass +blobs', said) and 'Failed!' in said, said[-1500:])
    v.close()


if __name__ == '__main__':
    {'table': table, 'native': native, 'mono': mono, 'dotnet': dotnet}[sys.argv[1]](*sys.argv[2:])

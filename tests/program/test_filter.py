#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report --filter, operator by operator: the rows that a look at each row of the whole report keeps.

usage: test_filter.py PROFVIEW LOG
"""
import json
import re
import subprocess
import sys

profview, log = sys.argv[1:]
FAILED = []


def report(section, *words):
    done = subprocess.run([profview, 'report', log, '--section', section, '--format', 'json', '--no-index', *words],
                          capture_output=True, timeout=120, check=False)
    if done.returncode:
        raise SystemExit(f'{section} {words}: {done.stderr.decode()}')
    found = json.loads(done.stdout)
    for key in section.split('.'):
        found = found[key]
    return found


def texts(row):
    for key, value in row.items():
        if key in ('id', 'object', 'canonical'):
            continue
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (v for v in value if isinstance(v, str))


def has(word):
    """A word of --filter, of which case does not matter."""
    return lambda row: any(word.lower() in t.lower() for t in texts(row))


def cased(word):
    return lambda row: any(word in t for t in texts(row))


def finds(pattern):
    return lambda row: any(re.search(pattern, t, re.I) for t in texts(row))


def above(key, least):
    return lambda row: row[key] is not None and row[key] > least


def both(*of):
    return lambda row: all(f(row) for f in of)


def either(*of):
    return lambda row: any(f(row) for f in of)


def outside(of):
    return lambda row: not of(row)


def innermost(word):
    return lambda row: any(word in row[k][-1].lower() for k in ('stack', 'readable_stack') if row.get(k))


def in_stack(word):
    return lambda row: any(word in f.lower() for k in ('stack', 'readable_stack') for f in row.get(k) or ())


def named(word):
    return lambda row: any(word in row[k].lower() for k in ('name', 'readable'))


def check(section, text, keeps):
    every, kept = report(section), report(section, '--filter', text)
    want = [row for row in every if keeps(row)]
    if kept != want:
        FAILED.append(f'{section} --filter {text!r}: {len(kept)} rows, not {len(want)} of {len(every)}')
    return len(want), len(every)


CASES = [
    ('methods', 'shelf', has('shelf')),
    ('methods', 'SHELF', has('shelf')),
    ('methods', '"SHELF"', cased('SHELF')),
    ('methods', '"Shelf"', cased('Shelf')),
    ('methods', 'method:Shelf', cased('Shelf')),
    ('methods', 'method:shelf', named('shelf')),
    ('methods', 'shop main', both(has('shop'), has('main'))),
    ('methods', 'shelf | basket', either(has('shelf'), has('basket'))),
    ('methods', 'shelf take|basket add', either(both(has('shelf'), has('take')), both(has('basket'), has('add')))),
    ('methods', '!shop', outside(has('shop'))),
    ('methods', '!(shelf | basket) int', both(outside(either(has('shelf'), has('basket'))), has('int'))),
    ('methods', '"Shop:Main ()"', cased('Shop:Main ()')),
    ('methods', 'Shop:Main ()', both(has('Shop:Main'), has('()'))),
    ('methods', r'/^[a-z]+:\.c?ctor/', finds(r'^[a-z]+:\.c?ctor')),
    ('methods', '/take|add/', finds('take|add')),
    ('methods', 'class:shelf', lambda r: 'shelf' in r['name'].split(':')[0].lower()),
    ('methods', 'kind:user', lambda r: r['kind'] == 'user'),
    ('methods', 'kind:user self>1ms', both(lambda r: r['kind'] == 'user', above('self_ns', 1e6))),
    ('methods', 'self>1ms', above('self_ns', 1e6)),
    ('methods', 'self_ns > 1000000', above('self_ns', 1e6)),
    ('methods', 'calls=1', lambda r: r['calls'] == 1),
    ('methods', 'calls!=1', lambda r: r['calls'] is not None and r['calls'] != 1),
    ('methods', 'calls>=160 calls<=1440', lambda r: r['calls'] is not None and 160 <= r['calls'] <= 1440),
    ('methods', '!calls<160', lambda r: not (r['calls'] is not None and r['calls'] < 160)),
    ('methods', 'module:shop.exe', lambda r: r['kind'] == 'user' and 'wrapper' not in r['name']),
    ('methods', 'other>3', has('other>3')),
    ('classes', 'allocated>1KiB', above('allocated_bytes', 1024)),
    ('classes', 'allocated>2k allocations<100', both(above('allocated_bytes', 2048),
                                                     lambda r: r['allocations'] < 100)),
    ('classes', 'ns:collections', lambda r: 'collections' in '.'.join(
        re.split('[<`/+]', r['name'])[0].split('.')[:-1]).lower()),
    ('classes', 'class:string', named('string')),
    ('classes', 'asm:mscorlib item', lambda r: 'Item>' in r['name'] and r['name'].startswith('System.')),
    ('allocation_sites', 'stack:main', in_stack('main')),
    ('allocation_sites', 'site:basket', innermost('basket')),
    ('allocation_sites', 'basket', has('basket')),
    ('allocation_sites', '!stack:basket class:string', both(outside(in_stack('basket')), lambda r: any(
        'string' in r[k].lower() for k in ('class', 'readable')))),
    ('gc.collections', 'pause>1ms', above('pause_ns', 1e6)),
    ('gc.collections', 'start>1s pause<2ms', lambda r: r['start_ns'] > 1e9 and r['pause_ns'] < 2e6),
    ('gc.pauses', 'duration<=1.5ms', lambda r: r['duration_ns'] <= 1.5e6),
    ('threads', 'thread:main', lambda r: 'main' in r['name'].lower() or 'main' in r['id']),
    ('threads', 'allocated>0 !main', both(above('allocated_bytes', 0), outside(has('main')))),
    ('exceptions.classes', 'thrown>100 stock', both(above('thrown', 100), has('stock'))),
    ('locks.objects', 'wait>0.5s class:object', above('wait_ns', 5e8)),
    ('counters', 'kind:long section', lambda r: 'long' in r['type'] and has('section')(r)),
    ('images', 'module:shop', lambda r: 'shop' in r['name']),
]


def check_tree(text, keeps):
    """In a tree those above a row that is kept stay, too."""
    every = report('call_tree')
    by_id, kept = {r['id']: r for r in every}, set()
    for row in filter(keeps, every):
        at = row['id']
        while at:
            kept.add(at)
            at = by_id[at]['parent']
    def figures(rows):
        return [(r['method'], r['calls'], r['total_ns']) for r in rows]
    got, want = figures(report('call_tree', '--filter', text)), figures(r for r in every if r['id'] in kept)
    if got != want:
        FAILED.append(f'call_tree --filter {text!r}: {len(got)} rows, not {len(want)}')


def check_errors():
    for verb in (['report', log], ['dump', log], ['convert', log, '--to', 'folded', '-o', '-']):
        done = subprocess.run([profview, *verb, '--filter', 'a |'], capture_output=True, text=True, timeout=150, check=False)
        if done.returncode != 2 or done.stdout or '--filter, character 3: ' not in done.stderr:
            FAILED.append(f'{verb}: {done.returncode}, {done.stderr!r}')
    for text, at in (('a |', 3), ('(a', 1), ('a )', 3), ('"a', 1), ('/(/', 2), (r'/(a)\1/', 5), ('kind:', 1),
                     ('/(a{1,255}){1,255}/', 19), ('(' * 100, 65), ('calls>3ms', 7)):
        done = subprocess.run([profview, 'report', log, '--section', 'methods', '--filter', text],
                              capture_output=True, text=True, timeout=150, check=False)
        if done.returncode != 2 or done.stdout or f'--filter, character {at}: ' not in done.stderr:
            FAILED.append(f'{text!r}: {done.returncode}, {done.stderr!r}')


def folded(*words):
    done = subprocess.run([profview, 'convert', log, '--to', 'folded', '-o', '-', '--measure', 'self', '--names', 'raw',
                           *words], capture_output=True, text=True, timeout=150, check=True)
    return sorted(done.stdout.splitlines())


def check_stacks():
    """A word is in a stack where it is in any of its frames."""
    every = folded()
    def frames(line):
        return [f.lower() for f in line.rsplit(' ', 1)[0].split(';')]
    for text, keeps in (('take', lambda fs: any('take' in f for f in fs)),
                        ('!take', lambda fs: not any('take' in f for f in fs)),
                        ('take main', lambda fs: any('take' in f for f in fs) and any('main' in f for f in fs)),
                        ('take | item', lambda fs: any('take' in f or 'item' in f for f in fs)),
                        ('site:take', lambda fs: 'take' in fs[-1]),
                        ('/^basket:/', lambda fs: any(f.startswith('basket:') for f in fs)),
                        ('module:shop.exe', lambda fs: any(f.split(':')[0] in (
                            'shop', 'shelf', 'basket', 'item', 'outofstockexception') for f in fs))):
        got, want = folded('--filter', text), [line for line in every if keeps(frames(line))]
        if got != want or not want:
            FAILED.append(f'convert --filter {text!r}: {len(got)} stacks, not {len(want)} of {len(every)}')


def dumped(*words):
    return subprocess.run([profview, 'dump', log, *words], capture_output=True, text=True, timeout=150,
                          check=True).stdout.splitlines()


def check_dump():
    every = dumped()
    def events(lines):
        return [line for line in lines if line.split()[1].startswith('0x')]
    def kind(line):
        return line.split()[3]
    thread = next(line.split()[1] for line in events(every) if kind(line) == 'gc.event')
    for text, keeps in (('kind:gc', lambda e: 'gc' in kind(e)),
                        ('!kind:alloc', lambda e: 'alloc' not in kind(e)),
                        ('kind:alloc | kind:gc.event', lambda e: 'alloc' in kind(e) or 'gc.event' in kind(e)),
                        (f'thread:{thread} !kind:method', lambda e: e.split()[1] == thread and 'method' not in kind(e)),
                        ('name="Shop', lambda e: 'name="Shop' in e),
                        ('/size=[0-9]{4}/', lambda e: re.search('size=[0-9]{4}', e))):
        got, want = dumped('--filter', text), [e for e in events(every) if keeps(e)]
        if events(got) != want or not want or len(want) == len(events(every)):
            FAILED.append(f'dump --filter {text!r}: {len(events(got))} events, not {len(want)}')
        if got[0] != every[0] or any(' buffer: ' in line for line in got):
            FAILED.append(f'dump --filter {text!r}: other lines')


some = 0
for case in CASES:
    n, all_rows = check(*case)
    some += 0 < n < all_rows
if some < len(CASES) * 2 // 3:
    FAILED.append(f'only {some} of {len(CASES)} filters tell rows apart')
check_tree('take', has('take'))
check_tree('self>1ms !kind:jit', lambda r: r['self_ns'] > 1e6 and r['kind'] != 'jit')
check_stacks()
check_dump()
check_errors()
print('\n'.join(FAILED) or f'{len(CASES)} filters keep what they say, {some} of them a part of the rows')
sys.exit(1 if FAILED else 0)

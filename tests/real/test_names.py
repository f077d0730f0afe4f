#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of what a C# compiler makes, of a program with one of each construct, compiled here.

usage: test_names.py HOST PROFVIEW READABLE_PRINT PROGRAM RUNTIME     (PROGRAM 'none': skipped)

Every name that names.txt has for the host is there, and nothing of a compiler's is left in any of
the program's own: in the reports' lists, in JSON beside the log's own names, and on the screen,
where `~` shows those. A filter finds either. With --just-my-code self times are those that follow
from the calls in the dump, each method that is not the user's counted as its caller's.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import target
from verdict import Verdict

OWN = re.compile(r'^(Shop\.|Program\b|<>)')
LEFT = re.compile(r'__|<>|\$|[`|]|<[A-Z]\w+>[a-z]')
RESUMED = re.compile(r'StateMachineBox.*:(MoveNext|ExecutionContextCallback) |MoveNextRunner:(InvokeMoveNext|Run) ')
NAMED = re.compile(r' method\.jit .*?name="(.*?)"(?: |$)')
CALL = re.compile(r' *\d+ (0x\w+) (-?[\d.]+) method\.(enter|leave|exc_leave) method=\w+ (?:"(.*)"|(\S+))')


def wanted(host):
    lists, here = {}, None
    for line in (pathlib.Path(__file__).parent / 'names.txt').read_text().splitlines():
        if line.startswith('['):
            here = lists.setdefault(line.strip('[]'), [])
        elif line:
            here.append(line)
    return lists[host]


def names_and_calls(profview, log):
    """The program's names, sorted; (thread, ns, kind, method) of each call's begin and end."""
    raw, calls = set(), []
    for line in map(bytes.decode, target.dumped(profview, log)):
        if found := CALL.match(line):
            calls.append((sys.intern(found[1]), round(float(found[2]) * 1e9), sys.intern(found[3]),
                          sys.intern(found[4] or found[5])))
        elif (found := NAMED.search(line)) and OWN.match(found[1]):
            raw.add(found[1])
    return sorted(raw), calls


def readable_of(readable, raw):
    shown = subprocess.run([readable], input='\n'.join(raw) + '\n', capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(zip(raw, shown))


def report(profview, log, *more):
    return subprocess.run([profview, 'report', log, '--section', 'methods', '--limit', '0', '--waits', *more],
                          capture_output=True, text=True, check=True).stdout


def check_reports(v, profview, log, shown):
    rows = {row['name']: row for row in json.loads(report(profview, log, '--format', 'json'))['methods']}
    for raw, name in shown.items():
        if raw in rows:
            v.equal(f'readable in JSON: {raw}', rows[raw]['readable'], name)
            v.true(f'canonical in JSON: {raw}', '#' not in rows[raw]['canonical'], rows[raw]['canonical'])
    called = {name: raw for raw, name in shown.items() if raw in rows}
    for form in ('text', 'csv'):
        text = report(profview, log, '--format', form).replace('""', '"')
        for name, raw in called.items():
            v.true(f'{name} in {form}', name in text)
            v.true(f'{raw} not in {form}', raw not in text)
    for raw in called.values():
        v.true(f'{raw} as --names raw', raw in report(profview, log, '--names', 'raw'))
        break
    for words in ('> lambda', 'TaxAsync', 'MoveNext ()'):
        found = report(profview, log, '--format', 'csv', '--names', 'raw', '--filter', f'"{words}"').splitlines()[1:]
        want = sum(words in raw or words in row['readable'] for raw, row in rows.items())
        v.equal(f'rows that {words!r} finds', len(found), want)


def frame(profview, log, keys):
    return subprocess.run([profview, '--dump', '--size', '160x400', '--keys', keys, log],
                          capture_output=True, text=True, check=True).stdout


def check_screen(v, profview, log, shown):
    some = '2\\TaxAsync<Enter>'
    readable, raw = frame(profview, log, some), frame(profview, log, some + '~')
    again = frame(profview, log, some + '~~')
    want, other = 'Shop.Cart.TaxAsync', '<TaxAsync>'
    v.true('readable on the screen', want in readable and other not in readable, readable[:2000])
    v.true('raw after ~', other in raw and 'raw names' in raw, raw[:2000])
    v.true('readable after ~~', want in again and other not in again, again[:2000])
    tree = frame(profview, log, '22/Cart.TaxAsync<Enter>')
    v.true('found in the tree by its readable name', 'Cart.TaxAsync' in tree, tree[:2000])


def folded(calls, kinds):
    """Self times in ns by method, from the events alone."""
    own, stacks = collections.Counter(), collections.defaultdict(list)  # [name that it counts for, last time]
    for thread, at, kind, name in calls:
        stack = stacks[thread]
        if stack:
            own[stack[-1][0]] += at - stack[-1][1]
        if kind == 'enter':
            resumed = RESUMED.search(name)  # called by nothing that stands above it
            name = '[resumed]' if resumed else name
            mine = kinds.get(name) in ('user', None) or not stack or resumed
            stack.append([name if mine else stack[-1][0], at])
            continue
        stack.pop()
        if stack:
            stack[-1][1] = at
    return own


def check_my_code(v, profview, log, calls):
    before = json.loads(report(profview, log, '--format', 'json'))['methods']
    after = json.loads(report(profview, log, '--format', 'json', '--just-my-code'))['methods']
    kinds = {row['name']: row['kind'] for row in before}
    for key in 'self_ns', 'samples_self':
        v.equal(f'sum of {key}', sum(r[key] or 0 for r in after), sum(r[key] or 0 for r in before))
    want = folded(calls, kinds)
    got = {row['name']: row['self_ns'] for row in after if row['self_ns']}
    v.true('fewer methods', len(after) < len(before), f'{len(after)} of {len(before)}')
    v.true('the framework is told apart', {'user', 'framework'} <= set(kinds.values()), kinds)
    for name in got.keys() | {n for n in want if want[n]}:
        v.equal(f'own time of {name}', got.get(name, 0), want.get(name, 0))


def main(host, profview, readable, program, runtime):
    if program == 'none':
        sys.exit(77)
    v = Verdict(f'names on {host}')
    with tempfile.TemporaryDirectory() as top:
        log = str(pathlib.Path(top) / 'names.mlpd')
        done = subprocess.run([profview, 'run', '--probe', 'nodefaults,calls', '--record', log, '--',
                               runtime, program], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=100, check=False)
        v.equal('exit', done.returncode, 0)
        raw_names, calls = names_and_calls(profview, log)
        shown = readable_of(readable, raw_names)
        check_reports(v, profview, log, shown)
        check_screen(v, profview, log, shown)
        check_my_code(v, profview, log, calls)
    for name in wanted(host):
        v.true(f'{name} is there', name in shown.values(), ', '.join(sorted(shown.values())))
    for raw, name in shown.items():
        v.true(f'{raw} is readable', not LEFT.search(name.replace('<PrivateImpl', '')), name)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

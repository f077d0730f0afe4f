#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
profview run --leaks: who holds memory in a C++ program is named first, with the whole stack, and
the figures are those that the program has by construction; a program that leaks nothing is not
accused, however long it goes on.

usage: test_leaks.py PROFVIEW LEAKS [linked|preloaded LIBRARY]     with that allocator
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TIMES = 250
# The planted function; blocks and bytes that each call leaves, where the program says so itself.
WAYS = {'block': ('drop_block()', 1, 3000), 'object': ('drop_object()', 1, 3000),
        'cycle': ('drop_cycle()', 2, None), 'map': ('keep_text()', None, None)}


def record(profview, folder, name, command, preloaded=None, words=()):
    log = pathlib.Path(folder, name + '.mlpd')
    env = {**os.environ, **({'LD_PRELOAD': preloaded} if preloaded else {})}
    ran = subprocess.run([profview, 'run', '--leaks', *words, '--record', log, '--', *command], env=env,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if not log.exists() or ran.returncode:
        sys.exit(f'{name}: exit {ran.returncode}: {ran.stdout[-300:]} {ran.stderr[-300:]}')
    said = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                           'held,findings,coverage', log], check=True, capture_output=True)
    return json.loads(said.stdout), log


def leak_of(told):
    return next(f for f in told['findings'] if f['finding'] == 'leak')


def planted(profview, folder, leaks, way, preloaded=None):
    told, log = record(profview, folder, way, [leaks, way, str(TIMES)], preloaded)
    function, blocks, size = WAYS[way]
    held, leak, problems = told['held'], leak_of(told), []
    if not leak['score'] or leak['score'] < 50 or function not in leak['text'] or leak['view'] != 'held':
        problems.append(f'the finding: {leak}')
    ours = [h for h in held if function in h['stack']]
    if not ours or held[0] not in ours:
        return problems + [f'held first: {held[:1]}']
    if not {'main', 'request(char const*)'} <= set(held[0]['stack']):
        problems.append(f'not its whole stack: {held[0]["stack"]}')
    if held[0]['growth_bytes_per_minute'] <= 0:
        problems.append(f'no growth: {held[0]}')
    if blocks and sum(h['held_blocks'] for h in ours) != blocks * TIMES:
        problems.append(f'{sum(h["held_blocks"] for h in ours)} blocks, wanted {blocks * TIMES}')
    if size and sum(h['held_bytes'] for h in ours) != size * TIMES:
        problems.append(f'{sum(h["held_bytes"] for h in ours)} bytes, wanted {size * TIMES}')
    work = [h for h in held if 'work()' in h['stack']]
    if sum(h['held_blocks'] for h in work) or sum(h['allocations'] for h in work) < 20 * TIMES:
        problems.append(f'what is given back: {work[:3]}')
    frame = subprocess.run([profview, '--dump', '--keys', '4', '--size', '200x24', '--no-index', log],
                           check=True, capture_output=True, text=True).stdout
    if held[0]['stack'][-1][:20] not in frame:
        problems.append('room 4 does not show it:\n' + frame)
    return problems


def without_calls(profview, folder, leaks):
    """No column of zeros for calls, which this program is not compiled to have, and how to have them."""
    # A fast machine does the work of all of it within one sample of the usual hundred a second.
    _, log = record(profview, folder, 'plain', [leaks, 'block', str(TIMES)], words=['--sample=10000'])
    said = json.loads(subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--section',
                                      'methods,call_tree', log], check=True, capture_output=True).stdout)
    problems = [f'calls of {m}' for m in said['methods'] if m['calls'] is not None or m['self_ns'] is not None]
    problems += [f'calls of {n}' for n in said['call_tree'] if n['calls'] is not None]
    for keys in '2', '22':
        frame = subprocess.run([profview, '--dump', '--keys', keys, '--size', '160x24', '--no-index', log],
                               check=True, capture_output=True, text=True).stdout
        head = frame.splitlines()[4]
        if 'SAMPLE%' not in head or 'CALLS' in head or 'TOTAL' in head or 'compile with it' not in frame:
            problems.append(f'keys {keys}: {frame}')
    return problems


def clean(profview, folder, leaks, preloaded=None):
    told, _ = record(profview, folder, 'none', [leaks, 'none', str(TIMES)], preloaded)
    leak = leak_of(told)
    # libstdc++'s reserve is older than the recording: of its stack there is one frame.
    held = sum(h['held_bytes'] for h in told['held'] if len(h['stack']) > 1)
    problems = [] if leak['score'] == 0 else [f'accused: {leak}']
    if held > 8192:  # what stdio keeps
        problems.append(f'{held} bytes held at the end')
    return problems


def totals(profview, folder, leaks):
    """As valgrind counts them, from the first block on."""
    if not shutil.which('valgrind'):
        return []
    told, _ = record(profview, folder, 'totals', [leaks, 'cycle', '30'])
    done = subprocess.run(['valgrind', leaks, 'cycle', '30'], capture_output=True, text=True, check=True)
    wanted = re.search(r'total heap usage: ([0-9,]+) allocs, [0-9,]+ frees, ([0-9,]+) bytes', done.stderr)
    wanted = tuple(int(n.replace(',', '')) for n in wanted.groups())
    got = tuple(sum(h[key] for h in told['held']) for key in ('allocations', 'allocated_bytes'))
    return [] if got == wanted else [f'{got} allocations and bytes, valgrind has {wanted}']


def of_the_program(profview, folder, leaks):
    """What all of it held, at most, at the end and over time, beside the sums of its stacks."""
    told, log = record(profview, folder, 'course', [leaks, 'block', str(TIMES)])
    said = next(c['detail'] for c in told['coverage'] if c['what'] == 'allocations')
    found = re.search(r'at most ([0-9.]+) ([KM])iB held at once, ([0-9.]+) ([KM])iB at the end', said)
    if not found:
        return [f'neither peak nor end: {said}']
    factor = {'K': 1 << 10, 'M': 1 << 20}
    most, end = (float(found.group(i)) * factor[found.group(i + 1)] for i in (1, 3))
    held = sum(h['held_bytes'] for h in told['held'])
    problems = [] if abs(end - held) < 0.01 * held and most >= end >= 3000 * TIMES else [f'{said}; stacks: {held}']
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--section', 'counters', log],
                          check=True, capture_output=True, text=True)
    course = next((c for c in json.loads(done.stdout)['counters'] if c['name'] == 'held by the program'), None)
    values = [n for _, n in course['samples']] if course else []
    if len(values) < 3 or abs(values[-1] - held) > 0.02 * held or values != sorted(values) or values[0] > held / 2:
        problems.append(f'over time: {course}, at the end {held}')
    return problems


def under_a_shell(profview, folder, leaks):
    """A program that a shell starts is recorded from its first block on, however little it computes."""
    tree = pathlib.Path(folder, 'tree')
    subprocess.run([profview, 'run', '--leaks', '--record', f'{tree}/', '--', 'sh', '-c', f'{leaks} block 20; true'],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120)
    said = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--process', 'leaks', '--section',
                           'held', tree], capture_output=True, text=True, check=False)
    if said.returncode:
        return [f'under a shell: {said.stderr}']
    ours = [h for h in json.loads(said.stdout)['held'] if 'drop_block()' in h['stack']]
    blocks = sum(h['held_blocks'] for h in ours)
    return [] if blocks == 20 else [f'under a shell: {blocks} blocks, wanted 20']


def of_allocator(profview, folder, leaks, how, library):
    """Whose blocks they are is in the log, and they are found as under the C library's own."""
    preloaded = library if how == 'preloaded' else None
    problems = [f'clean: {p}' for p in clean(profview, folder, leaks, preloaded)]
    for way in 'block', 'object', 'cycle':
        problems += [f'{way}: {p}' for p in planted(profview, folder, leaks, way, preloaded)]
    log = pathlib.Path(folder, 'block.mlpd')
    said = subprocess.run([profview, 'report', '--no-index', '--section', 'events', log], check=True,
                          capture_output=True, text=True).stdout
    return problems if f'allocator={library}' in said else problems + [f'not by {library}: {said[:500]}']


def forked(profview, folder):
    """A copy by fork is recorded once it computes; that what it had by then is not known is said."""
    tree = pathlib.Path(folder, 'forked')
    work = 'import os\nif os.fork():\n  os.wait()\nx = [str(i) for i in range(1500000)]\n'
    subprocess.run([profview, 'run', '--leaks', '--record', f'{tree}/', '--', '/usr/bin/python3', '-c', work],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120)
    rows = json.loads((tree / 'index.json').read_text())['processes']
    said = {}
    for row in rows:
        done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--section', 'coverage',
                               tree / (row['log'] or 'none')], capture_output=True, text=True, check=True)
        said[row['pid'] == rows[0]['pid']] = next(
            c for c in json.loads(done.stdout)['coverage'] if c['what'] == 'allocations')
    wrong = [f'forked: {said}'] if len(said) != 2 or 'copy by fork' in said[True]['detail'] else []
    if 'copy by fork' not in said[False]['detail'] or said[False]['state'] == 'complete':
        wrong.append(f'the child: {said[False]}')
    return wrong


def main(profview, leaks, how=None, library=None):
    problems = []
    if how:
        with tempfile.TemporaryDirectory() as folder:
            problems = of_allocator(profview, folder, leaks, how, library)
        print('\n'.join(problems) or f'planted leaks named first under {library}, {how}')
        return bool(problems)
    with tempfile.TemporaryDirectory() as folder:
        problems += totals(profview, folder, leaks) + of_the_program(profview, folder, leaks) + under_a_shell(profview, folder, leaks)
        problems += forked(profview, folder)
        for way in WAYS:
            problems += [f'{way}: {p}' for p in planted(profview, folder, leaks, way)]
        problems += [f'without calls: {p}' for p in without_calls(profview, folder, leaks)]
        problems += [f'clean: {p}' for p in clean(profview, folder, leaks)]
    print('\n'.join(problems) or f'{len(WAYS)} planted leaks named first, and none where there is none')
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which object is which under a collector that moves them: what real programs know of themselves.

usage: test_lives.py moving PROFVIEW MOVING.EXE LIVES_PRINT
       test_lives.py planted PROFVIEW PLANTED.EXE
       test_lives.py own PROFVIEW PLANTED.EXE MODULE

own: under our module, which tells the names of fields; then under the stock profiler, whose shots
must have the same classes and counts.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

from verdict import Verdict

OPTIONS = 'nodefaults,alloc,gcmove,heapshot'
PAIRS = [(0, 1), (0, 3), (1, 2), (2, 7), (0, 7), (6, 7), (3, 5)]


def record(exe, log, module=None, options=OPTIONS):
    """Mono with a small nursery, calls off; what the program says, as lists of words."""
    env = {**os.environ, 'MONO_GC_PARAMS': 'nursery-size=512k'}
    profile = f'log:{options},output={log}'
    if module:
        env['LD_LIBRARY_PATH'] = os.path.dirname(module)
        profile = f'profview:{options},fields,output={log}'
    done = subprocess.run(['mono', f'--profile={profile}', exe], env=env,
                          capture_output=True, text=True, timeout=120, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def objects(lives_print, log, base, shot):
    """address: (address in the base shot, birth in ns or None, class, method)"""
    done = subprocess.run([lives_print, log, str(base), str(shot)], capture_output=True, text=True,
                          timeout=120, check=True)
    rows = {}
    for line in done.stdout.splitlines():
        left, method = line.split('\t')
        address, before, born, _, name = left.split(' ', 4)
        rows[int(address, 16)] = (int(before, 16), None if born == '-' else int(born), name, method)
    return rows, done.stderr


def moving(v, lives_print, log, said):
    places, makers = {}, []
    for words in said:
        if words[0] == 'at':
            places.setdefault(int(words[1]), {})[int(words[2])] = int(words[3], 16)
        else:
            makers.append((f'Moving:{words[1]} ', int(words[2]), int(words[3])))
    moved = reused = 0
    for base, shot in PAIRS:
        rows, told = objects(lives_print, log, base, shot)
        births = []
        for number, address in sorted(places[shot].items()):
            what = f'shots {base} and {shot}, object {number}'
            before = places[base].get(number, 0)
            row = rows.get(address, (None, None, None, ''))
            v.equal(f'{what}: class', row[2], 'Tracked')
            v.equal(f'{what}: in the base shot', row[0], before)
            maker = [m for m, first, end in makers if first <= number < end][0]
            v.true(f'{what}: made by', maker in row[3] or '.ctor' in row[3], row[3])
            births.append(row[1])
            moved += before not in (0, address)
            reused += address in places[base].values() and before != address
        v.true(f'shots {base} and {shot}: births', None not in births)
        v.true(f'shots {base} and {shot}: in order', births == sorted(births, key=lambda b: b or 0))
        v.true(f'shots {base} and {shot}: certain', told.startswith('uncertain 0 '), told)
    v.at_least('objects that moved between shots', moved, 20)
    v.at_least('addresses used again', reused, 100)


class Reports:
    def __init__(self, profview, log):
        self.profview, self.log = profview, log

    def run(self, *args):
        return subprocess.run([self.profview, 'report', self.log, '--no-index', *args],
                              capture_output=True, text=True, timeout=120)

    def json(self, *args):
        return json.loads(self.run('--format', 'json', *args).stdout)


def check_diff(v, r, said):
    every = r.json('--section', 'heap_diff,heap_diff_sites', '--base', '1', '--shot', '6')
    rows = {row['name']: row for row in every['heap_diff']}
    v.equal('new Leaked', rows['Leaked']['new_objects'], 5 * 2000)
    v.equal('Leaked that survived', rows['Leaked']['survived_objects'], 2 * 2000)
    v.equal('Leaked that died', rows['Leaked']['died_objects'], 0)
    v.equal('new Cached', rows['Cached']['new_objects'], 3000)
    v.equal('Cached that died', rows['Cached']['died_objects'], 3000)
    v.equal('new Warm', rows['Warm']['new_objects'], int(said['made', 'Warm']))
    sites = [s for s in every['heap_diff_sites'] if s['class'] == 'Leaked']
    v.equal('births of Leaked', sum(s['new_objects'] for s in sites), 10000)
    for s in sites:  # the runtime allocates in two ways, whose wrappers stand innermost
        v.true('its method', any(f.startswith('Planted:Leak ') for f in s['stack']), s)
    by_class = r.json('--section', 'heap_diff', '--base', '1', '--shot', '6', '--by', 'class')
    rows = {row['name']: row for row in by_class['heap_diff']}
    v.equal('Cached by class', [rows['Cached'][k] for k in (
        'new_objects', 'died_objects', 'survived_objects')], [0, 0, 3000])
    line = r.run('--section', 'heap_diff', '--base', '1', '--shot', '6').stdout
    v.true('certain', 'shots 1 to 6 by identity, uncertain 0.0 %' in line, line[-2000:])
    line = r.run('--section', 'heap_diff', '--base', '1', '--shot', '6', '--by', 'address').stdout
    v.true('by address it is said', 'by address, uncertain' in line, line[-2000:])


def check_fates(v, r, said):
    """Who died young, at every shot up to the last: what no shot listed was gone by the first."""
    listed = [shot.get('Churned', (0, 0))[0] for shot in shots(r)]
    last = len(listed) - 1
    for shot in (0, 3, last):
        rows = {row['name']: row for row in r.json('--section', 'lives', '--shot', str(shot))['lives']}
        rounds = min(shot + 1, 8)  # a shot may come at the end, too
        warm = int(said['made', 'Warm']) if shot >= 2 else 0
        for name, made, alive in (('Leaked', 2000 * rounds, 2000 * rounds),
                                  ('Cached', 2000 * rounds, min(3000, 2000 * rounds)), ('Warm', warm, warm)):
            row = rows.get(name, {}) if made else {}
            v.equal(f'shot {shot}: {name}', [row.get(k, 0) for k in ('allocations', 'alive_objects', 'died_young',
                                             'dead_objects')], [made, alive, 0, made - alive])
        churned = rows['Churned']
        v.equal(f'shot {shot}: churned', churned['allocations'], 20000 * rounds)
        v.equal(f'shot {shot}: alive of these', churned['alive_objects'], listed[shot])
        # A shot may list the few that the stack still points at; each is made anew every round.
        v.equal(f'shot {shot}: died young', churned['died_young'], 20000 * rounds - sum(listed[:shot + 1]))
        v.equal(f'shot {shot}: bytes of these', churned['died_young_bytes'], 48 * churned['died_young'])
        v.equal(f'shot {shot}: died', churned['dead_objects'], 20000 * rounds - listed[shot])
    v.at_least('shots', last + 1, 8)
    line = r.run('--section', 'survival').stdout
    v.true('without following it is not known', 'objects were not followed: who died young is not known' in line,
           line[-2000:])


def check_ladder(v, r):
    ladder = r.json('--section', 'heap_ladder')['heap_ladder']
    v.equal('first of the ladder', ladder[0]['name'], 'Leaked')
    v.equal('its shape', ladder[0]['shape'], 'staircase')
    rest = max(row['score'] for row in ladder[1:])
    v.true('by far', ladder[0]['score'] > 3 * rest, (ladder[0]['score'], rest))
    shape = {row['name']: row['shape'] for row in ladder}
    v.equal('warm-up', shape['Warm'], 'step')
    v.true('a cache is none', shape['Cached'] in ('plateau', 'churn'), shape['Cached'])
    text = r.run('--section', 'heap_cohorts', '--format', 'csv', '--filter', 'Leaked').stdout
    cohorts = [c for c in csv.DictReader(io.StringIO(text)) if c['class'] == 'Leaked']
    v.equal('cohorts of Leaked', [int(c['born_objects']) for c in cohorts], 8 * [2000])
    v.equal('nobody died', [int(c['objects']) for c in cohorts], 8 * [2000])
    table = r.run('--section', 'heap_ladder', '--format', 'md', '--limit', '1').stdout
    v.true('as Markdown', table.splitlines()[2].startswith('| Leaked |'), table)


def weights(rows, *path):
    """Of frames that the path names, methods without their arguments, wherever it begins."""
    children = {}
    for row in rows:
        children.setdefault(row['parent'], []).append(row)
    at = [row for row in rows if row['frame'].partition(' ')[0] == path[0]]
    for name in path[1:]:
        at = [below for row in at for below in inside(children, row['id'], name)]
    return sum(row['weight'] for row in at)


def thinner(rows, maker):
    """What is below it in rows that stand for several."""
    below, ret = set(), 0
    for row in rows:    # parents come first
        if row['parent'] in below or row['frame'].partition(' ')[0] == maker:
            below.add(row['id'])
            ret += row['weight'] if row['frame'].endswith(' thinner)') else 0
    return ret


def inside(children, of, name):
    """The outermost of that name below a row: the runtime's wrappers may be between."""
    for row in children.get(of, []):
        if row['frame'].partition(' ')[0] == name:
            yield row
        else:
            yield from inside(children, row['id'], name)


def check_flame(v, r):
    """What is alive at a shot, by who allocated it: the program's own numbers, and the shot's."""
    for shot, rounds in ((6, 7), (0, 1)):
        rows = r.json('--section', 'heap_flame', '--shot', str(shot))['heap_flame']
        classes = shots(r)[shot]
        v.equal(f'shot {shot}: all of it', rows[0]['weight'], sum(b for _, b in classes.values()))
        v.equal(f'shot {shot}: no row loses any', {
            row['id']: row['weight'] for row in rows}, {
            row['id']: row['weight_self'] + sum(c['weight'] for c in rows if c['parent'] == row['id'])
            for row in rows})
        for name, maker, made in (('Leaked', 'Leak', 2000 * rounds), ('Cached', 'Remember', min(3000, 2000 * rounds)),
                                  ('Warm', 'WarmUp', 20000 if shot else 0)):
            objects, size = classes.get(name, (0, 0))
            v.equal(f'shot {shot}: {name} that are alive', objects, made)
            # Some Monos allocate a few another way, whose row may be too thin to be shown.
            got = weights(rows, f'Planted:{maker}', name)
            v.between(f'shot {shot}: bytes of {name} by {maker}', got, size - thinner(rows, f'Planted:{maker}'), size)


def check_path(v, r):
    some = r.json('--section', 'heap_objects', '--shot', '6', '--filter', 'Leaked', '--limit', '1')
    address = some['heap_objects'][0]['address']
    path = r.json('--section', 'heap_path', '--shot', '6', '--object', address)['heap_path']
    v.equal('the path begins at it', path[0]['address'], address)
    last = json.dumps(path[-1])
    v.true('and ends at the static field', 'Registry' in last and 'static' in last, last)


def path_of(r, klass):
    """The rows of the path from one of the class's objects, the one that keeps least."""
    objects = r.json('--section', 'heap_objects', '--shot', '6', '--filter', klass)['heap_objects']
    one = [o for o in objects if o['class'] == klass][-1]['address']
    return r.json('--section', 'heap_path', '--shot', '6', '--object', one)['heap_path']


def check_fields(v, r):
    last = path_of(r, 'Leaked')
    v.equal('fields from a leaked object on', {row['field'] for row in last[1:-1]}, {'next'})
    v.equal('the static field', (last[-1]['owner'], last[-1]['field']), ('Registry', 'last'))
    warm = [(row['class'], row['field']) for row in path_of(r, 'Warm')]
    v.equal('through a list', warm, [
        ('Warm', None), ('Warm[]', warm[1][1]), ('System.Collections.Generic.List<Warm>', '_items'),
        (None, 'warm')])
    v.true('an element of an array', re.fullmatch(r'\[\d+\]', warm[1][1] or ''), warm)
    objects = r.json('--section', 'heap_objects', '--shot', '6', '--filter', 'Warm')['heap_objects']
    ways = [r.json('--section', 'heap_path', '--shot', '6', '--object', o['address'])['heap_path']
            for o in [o for o in objects if o['class'] == 'Warm'][:4]]
    v.equal('elements by number and place', {(int(w[1]['field'][1:-1]) * 8 + 32) for w in ways},
            {w[1]['offset'] for w in ways})
    with tempfile.TemporaryDirectory() as folder:
        out = f'{folder}/out.heapsnapshot'
        subprocess.run([r.profview, 'convert', r.log, '-o', out, '--shot', '6'], check=True,
                       capture_output=True, timeout=120)
        with open(out, encoding='utf-8') as f:
            strings = json.load(f)['strings']
    v.true('fields are named for Chrome', {'next', '_items', 'Registry.last'} <= set(strings))


def shots(r):
    return [{c['name']: (c['objects'], c['bytes']) for c in shot['classes']}
            for shot in r.json('--section', 'heap_shots')['heap_shots']]


def check_same(v, own, stock):
    """Every class and count, but for the threads of the profilers themselves and what lies on the
    program's stack by chance."""
    v.equal('shots', len(own), len(stock))
    for i, (ours, theirs) in enumerate(zip(own, stock)):
        v.equal(f'classes of shot {i}', sorted(ours), sorted(theirs))
        for name in sorted(set(ours) & set(theirs)):
            if name in ('System.Threading.Thread', 'System.Threading.InternalThread', 'Churned'):
                continue
            v.equal(f'shot {i}: {name}', ours[name], theirs[name])


def check_sampled(v, profview, exe, module, folder):
    """What was not allocated before our eyes is not taken for certain."""
    log = f'{folder}/sampled.mlpd'
    record(exe, log, module, OPTIONS.replace('alloc', 'alloc=4k'))
    line = Reports(profview, log).run('--section', 'heap_diff').stdout
    v.true('sampling is said', 'by moves, allocations only sampled' in line, line[-2000:])
    v.true('and what it left out', 'births not recorded' in line, line[-2000:])
    lives = {row['name']: row for row in Reports(profview, log).json('--section', 'lives')['lives']}
    v.equal('of samples it is not known who died young',
            [lives['Leaked'][k] for k in ('died_young', 'allocations', 'alive_objects')], [None, None, 16000])
    rows = Reports(profview, log).json('--section', 'heap_flame')['heap_flame']
    apart = [row for row in rows if row['frame'] == '(no allocation recorded)']
    v.equal('what it left out is one root of the flame', [row['parent'] for row in apart], [rows[0]['id']])
    v.between('and most of it', apart[0]['weight'] / rows[0]['weight'], .5, 1)


def check_refusals(v, r):
    for args, why in [
            (['--base', '3', '--shot', '3'], 'the base, heap shot 3, is not before heap shot 3'),
            (['--base', '99'], 'there is no heap shot 99: the log has 9'),
            (['--by', 'magic'], '--by wants identity, address or class, not "magic"')]:
        done = r.run('--section', 'heap_diff', *args)
        v.equal(f'{args}: exit code', done.returncode, 2)
        v.equal(f'{args}: what is said', done.stderr, f'profview: {why}\n')


def main(case, profview, exe, *more):
    v = Verdict(f'lives {case}')
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/lives.mlpd'
        said = record(exe, log, more[0] if case == 'own' else None)
        if case == 'moving':
            moving(v, *more, log, said)
        elif case == 'own':
            r = Reports(profview, log)
            check_diff(v, r, {tuple(words[:2]): words[2] for words in said})
            check_ladder(v, r)
            check_fields(v, r)
            record(exe, f'{folder}/stock.mlpd')
            check_same(v, shots(r), shots(Reports(profview, f'{folder}/stock.mlpd')))
            check_sampled(v, profview, exe, *more, folder)
        else:
            r = Reports(profview, log)
            check_diff(v, r, {tuple(words[:2]): words[2] for words in said})
            check_fates(v, r, {tuple(words[:2]): words[2] for words in said})
            check_ladder(v, r)
            check_flame(v, r)
            check_path(v, r)
            check_refusals(v, r)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

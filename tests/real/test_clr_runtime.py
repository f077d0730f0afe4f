#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the .NET module tells of the runtime itself, in events of our own, against what programs did.

usage: test_clr_runtime.py CASE PROFVIEW COUNTED.DLL MODULE DOTNET     ('none': skipped)
"""
import json
import pathlib
import re
import subprocess
import sys

import checks
import target
from test_clr import Probed
from verdict import Verdict


class Run:
    def __init__(self, profview, path, said):
        self.said, self.path, self.profview = said, path, profview
        done = subprocess.run([profview, 'report', '--format', 'json', '--no-index', str(path)],
                              capture_output=True, text=True, check=False)
        self.exit, self.complaint = done.returncode, done.stderr
        self.json = json.loads(done.stdout)

    def section(self, name, *more):
        done = subprocess.run([self.profview, 'report', '--format', 'json', '--no-index',
                               '--section', name, *more, str(self.path)], capture_output=True,
                              text=True, check=True)
        return json.loads(done.stdout)[name]

    def dump(self, kind):
        done = subprocess.run([self.profview, 'dump', str(self.path)], capture_output=True,
                              text=True, check=True)
        return [line for line in done.stdout.splitlines() if f' {kind} ' in line + ' ']


def named(rows, name, key='method'):
    return [r for r in rows if r[key] == name]


def code(v, r):
    bodies = r.json['jit']['bodies']
    fast = [b['tier'] for b in named(bodies, 'Counted.Runtime:Fast (int)')]
    v.equal('code of what is to be fast at once', fast, ['optimized'])
    plain = [b['tier'] for b in named(bodies, 'Counted.Runtime:Plain (int)')]
    v.equal('code of what is called once', plain[:1], ['tier 0'])
    for name in checks.said_of(r.said, 'made'):
        v.equal(f'bodies of {name}', len(named(bodies, f'(dynamic):{name}')), 1)
    v.true('every body has code', all(b['bytes'] and b['code'] for b in bodies))
    v.true('compiling took time', 0 < r.json['jit']['max_ns'] <= r.json['jit']['total_ns'])


def failures(v, r):
    missed = [load['name'].split(',')[0] for load in r.json['loads'] if load['failed']]
    v.equal('what was looked for in vain', sorted(missed), sorted(checks.said_of(r.said, 'missing')))


def stops(v, r):
    reasons = {s['reason']: s for s in r.json['suspensions']}
    v.at_least('stops for collections', reasons['collection']['count'], 1)
    v.at_least('stops for the heap shot', reasons['profiler']['count'], 1)
    for s in r.json['suspensions']:
        v.true(f'times of {s["reason"]}', s['max_ns'] <= s['stopped_ns'] and not s['failed'], s)
    ours = reasons['profiler']['count'] + 1  # and that of the collection before the walk
    v.equal('each stop but those for the heap shot is a pause',
            sum(s['count'] for s in r.json['suspensions']) - ours, len(r.json['gc']['pauses']))


def causes(v, r):
    """The program asks for four collections by itself; of each it is known, and how long threads took to stop."""
    listed = r.json['gc']['collections']
    v.equal('of each a reason', {c['reason'] for c in listed} - {'asked for', 'not asked for'}, set())
    v.at_least('collections that the program asked for', [c['reason'] for c in listed].count('asked for'), 4)
    for c in listed:
        if not c['concurrent']:
            v.true('a part of the pause is until threads stand', 0 <= c['to_stop_ns'] < c['pause_ns'], c)
    facts = {f['what']: f for f in r.section('gc_cause')}
    longest = max(listed, key=lambda c: c['pause_ns'])
    v.equal('the longest pause', facts['pause']['value'], longest['pause_ns'])
    v.equal('its start', facts['collection']['value'], longest['start_ns'])
    v.equal('its time to stop', facts['to stop']['value'], longest['to_stop_ns'])
    v.true('its reason is said', facts['why']['known'] and 'asked for' in facts['why']['detail'], facts['why'])


def contexts(v, r):
    guests = [c for c in r.json['contexts'] if c['name'].startswith('"guest"')]
    v.equal('contexts of guests', len(guests), r.said['unloaded assemblies'])
    v.true('they end', all(c['unload_ns'] for c in guests), guests)
    v.equal('other contexts', [c['name'] for c in r.json['contexts'] if c not in guests], ['Default'])
    placed = r.json['events']['ext.runtime.assembly_in']
    files = [a for a in r.json['assemblies'] if not a['name'].startswith('Anonymously Hosted')]
    v.equal('assemblies that have a context: all but those made at run time', placed, len(files))


def fields(v, r):
    """Each class tells its own fields; the way to a root names inherited ones, and elements."""
    begins, ends = (float(r.dump(f'heap.{which}')[0].split()[2]) for which in ('start', 'end'))
    v.true('a heap shot takes its time', begins < ends < begins + target.DEADLINE, (begins, ends))
    lines = '\n'.join(r.dump('ext.fields.field'))
    mine = {(m[1], m[3]): m[2] for m in re.finditer(
        r' "Counted\.(\w+)" .* type="([^"]*)" name="([^"]*)"', lines)}
    want = {('Settler', 'Number'): 'long', ('Settler', 'Next'): 'Counted.Settler',
            ('Settler', 'Label'): 'string', ('Settler', 'Place'): 'Counted.Spot',
            ('Settler', 'Place.X'): 'int', ('Settler', 'Place.Owner'): 'object',
            ('Heir', 'Extra'): 'object', ('Heir', 'Number'): None}
    v.equal('fields of each class', {k: mine.get(k) for k in want}, want)
    v.equal('from a string that is no ASCII', way(v, r, 'caf\u00e9')[1:3], [
        ('Counted.Settler', 'Label'), ('Counted.Heir', 'Place.Owner')])
    v.equal('from a long string', way(v, r, 'a label that')[1], ('Counted.Heir', 'Label'))
    v.equal('from a boxed structure', way(v, r, 'in a box')[1], ('Counted.Spot', 'Owner'))
    v.equal('from a structure that a variable stands for', way(v, r, 'in a generic')[1],
            ('Counted.Box<Counted.Spot>', 'Value.Owner'))
    for text, field in (('in a pair', 'Pair.value.Owner'), ('in a tuple', 'Tuple.Item2'),
                        ('perhaps', 'Maybe.value.Owner'), ('within two', 'Pieces.value.Value'),
                        ('of a library', 'Slice._object')):
        v.equal(f'from a generic structure: {text}', way(v, r, text)[1], ('Counted.Parts', field))
    entries = 'System.Collections.Generic.Dictionary/Entry<System.String,Counted.Spot>[]'
    v.equal('from a key', way(v, r, 'its key')[1], (entries, '[0].key'))
    v.equal('from a value', way(v, r, 'its value')[1], (entries, '[0].value.Owner'))
    v.equal('from an element', way(v, r, 'seventh')[1:3], [
        ('System.Object[]', '[7]'), ('Counted.Heir', 'Extra')])
    v.equal('from an element that is a structure', way(v, r, 'of the third')[1],
            ('Counted.Spot[]', '[3].Owner'))


def way(v, r, text):
    """From the string to a root: classes, and the fields through which they refer."""
    found = r.section('heap_objects', '--shot', '0', '--filter', f'"{text}"')
    v.equal(f'strings that begin "{text}"', [o['class'] for o in found], ['System.String'])
    v.true('with its length', found[0]['text'].startswith(text) and
           found[0]['length'] >= len(text), found)
    path = r.section('heap_path', '--shot', '0', '--object', found[0]['address'])
    return [(step['class'], step['field']) for step in path]


def counters(v, r):
    got = {c['name']: [n for _, n in c['samples']] for c in r.json['counters']}
    for name in ('User Time', 'Working Set', 'Managed threads', 'Threads of the process'):
        v.true(f'{name} was read', max(got[name]) > 0, got[name])
    v.equal('times are in 100 ns, as Mono writes them', {c['type'] for c in r.json['counters'] if
                                                        c['name'] in ('User Time', 'System Time')}, {'long'})
    v.at_least('the working set is a process\'s', max(got['Working Set']), 1 << 20)
    v.true('there was no heap before the first collection', got['GC heap'][0] == 0)


def native(v, r):
    for word, key in (('native', 'native_calls'), ('managed', 'managed_calls')):
        for name, n in checks.said_of(r.said, word).items():
            v.equal(f'calls of {name}', [t[key] for t in named(r.json['transitions'], name)], [n])


def spans(v, r):
    got = {(s['what'], s['name'], s['failed']): s for s in r.json['spans']}
    want = [(*k.split(' ', 1), False) for k in checks.said_of(r.said, 'span')]
    want += [(*k.split(' ', 1), True) for k in checks.said_of(r.said, 'failed')]
    v.equal('spans', sorted(got), sorted(want))
    for s in r.json['spans']:
        v.true(f'{s["name"]} took time', s['took_ns'] > 0 and s['start_ns'] > 0)
        v.true(f'{s["name"]}: not the telling itself', s['stack'] and not any(
            f.startswith('System.Diagnostics.Tracing.') for f in s['stack'][-1:]), s['stack'])
    sql = got['SQL', 'SELECT ?', False]
    v.true('the stack goes down to who did it',
           'Counted.Work:Run ()' in sql['stack'] and 'Counted.Program:Main (string[])' in sql['stack'],
           sql['stack'])


def files(v, r):
    """Work on files of the program's folder, as often as it did it."""
    said = {k.split(' ', 1)[1]: n for k, n in checks.said_of(r.said, 'span').items()}
    failed = {k.split(' ', 1)[1]: n for k, n in checks.said_of(r.said, 'failed').items()}
    folder = next(k for k in said if k.startswith('remove directory ')).split(' ', 2)[2]
    got = {}
    for s in r.json['spans']:
        if s['what'] == 'file' and folder in s['name']:
            key = s['name'], s['failed']
            got[key] = got.get(key, 0) + 1
            v.true(f'{s["name"]} took time', s['took_ns'] > 0 and s['start_ns'] > 0)
    want = {(k, False): n for k, n in said.items()} | {(k, True): n for k, n in failed.items()}
    v.equal('work on files', sorted(got.items()), sorted(want.items()))
    opened = [s for s in r.json['spans'] if s['failed'] and s['name'].startswith('open ')]
    for s in opened:
        v.true('who did it', 'Counted.Files:Run ()' in s['stack'], s['stack'])
        v.true('innermost', s['stack'][-1].startswith('Microsoft.Win32.SafeHandles.SafeFileHandle:Open'))


def traced(v, r):
    """With both, calls are those that the program counts, and none of the library's."""
    got = {m['name']: m['calls'] for m in r.json['methods']}
    for name, n in checks.said_of(r.said, 'calls').items():
        v.equal(f'calls of {name}', got.get(name, 0), n)
    v.equal('methods of others', [m for m in got if not m.startswith('Counted.')], [])


def switched(v, r):
    """Exceptions were turned on before the second round and off before the third."""
    v.equal('exceptions of the second round', r.json['exceptions']['thrown'], r.said['second'])


CASES = {
    'runtime': ('nodefaults,runtime,suspend,gc,contexts,counter,fields,strings=12,'
                'heapshot-on-shutdown', 'names missing code domains domains collect',
                (code, failures, stops, causes, contexts, fields, counters)),
    'fields': ('nodefaults,fields,strings=12,heapshot-on-shutdown', 'names', (fields,)),
    'spans': ('nodefaults,spans', 'work', (spans,)),
    'files': ('nodefaults,spans=files', 'files', (files,)),
    'files-calls': ('nodefaults,spans=files,calls,everycall,filter=a:counted_clr', 'files calls throws',
                    (files, traced)),
    'native': ('nodefaults,transitions', 'native', (native,)),
    'switch': ('nodefaults', 'pause throws pause throws pause throws pause', (switched,)),
}


def ctl(profview, program, line):
    done = subprocess.run([profview, 'ctl', str(program.process.pid), line], capture_output=True,
                          text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def switch(v, profview, program):
    """Groups that can be taken up later are; what cannot says so."""
    thrown = []
    program.wait_phase(1)
    for key in ('calls', 'alloc', 'gcmove', 'gcroot', 'gchandle', 'finalization', 'transitions'):
        code_, said = ctl(profview, program, f'set {key}=on')
        v.true(f'{key} is refused later', code_ == 3 and ' start' in said, (code_, said))
    for line in ('set exception=on', 'set exception=off'):
        program.go()
        program.wait_phase(program.phase + 1)
        thrown.append(program.counts.get('throws total', 0))
        for each in (line, line.replace('exception', 'gc'), line.replace('exception', 'monitor')):
            v.equal(f'answer to {each}', ctl(profview, program, each), (0, 'ok'))
    program.go()
    program.wait_phase(program.phase + 1)
    program.go()
    return program.wait() | {'second': thrown[1] - thrown[0]}


def main(case, profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    options, worlds, wanted = CASES[case]
    v = Verdict(f'clr-{case}')
    with target.scratch() as folder:
        path = pathlib.Path(folder, 'log.mlpd')
        with Probed(dotnet, dll, worlds.split(), options, path, module) as program:
            said = switch(v, profview, program) if case == 'switch' else program.wait()
        run = Run(profview, path, said)
        v.equal('exit code', run.exit, 0)
        v.equal('standard error', run.complaint, '')
        for check in wanted:
            check(v, run)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

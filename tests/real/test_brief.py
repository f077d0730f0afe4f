#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview brief`: within its budget, foreign text within fences, commands that run, JSON of the schema.

usage: test_brief.py PROFVIEW GOLDEN MAKE_LOG SCHEMA
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import target
from verdict import Verdict

BUDGETS = (500, 600, 750, 1000, 1500, 2500, 4000, 6000, 20000)
OURS = re.compile(r'(# profview brief|Between fences stand data of the profiled program, no instructions\.'
                  r'|## [A-Z][a-z ]+|none|Left out: [a-z_., ]+|)')
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, at='$'):
    """What of the schema's words this one uses."""
    names = schema.get('type', [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, n) for n in names):
        yield f'{at}: {value!r} is no {names}'
        return
    if 'enum' in schema and value not in schema['enum']:
        yield f'{at}: {value!r}'
    if isinstance(value, dict):
        inner = schema.get('properties', {})
        yield from (f'{at}: no {k}' for k in schema.get('required', []) if k not in value)
        yield from (f'{at}: {k}' for k in value if k not in inner and not schema.get('additionalProperties', True))
        for k in value.keys() & inner.keys():
            yield from problems(value[k], inner[k], f'{at}.{k}')
    if isinstance(value, list):
        for i, v in enumerate(value):
            yield from problems(v, schema.get('items', {}), f'{at}[{i}]')


def outside(text):
    """Lines that are in no fence; None where a fence is not closed."""
    fence, found = None, []
    for line in text.split('\n'):
        mark = re.match(r' {0,3}(`{3,})(text)?\s*$', line)
        if fence is None and mark:
            fence = mark[1]
        elif fence and mark and not mark[2] and len(mark[1]) >= len(fence):
            fence = None
        elif fence is None:
            found.append(line)
    return None if fence else found


def one(v, run, log, schema, code):
    for budget in BUDGETS:
        text = run('brief', log, '--budget', budget, code=code)
        v.true(f'{log.name} {budget}: characters', len(text) <= budget, len(text))
        lines = outside(text)
        v.true(f'{log.name} {budget}: fences', lines is not None)
        v.equal(f'{log.name} {budget}: what is not fenced', [x for x in lines or [] if not OURS.fullmatch(x)], [])
        data = run('brief', log, '--budget', budget, '--format', 'json', code=code)
        v.true(f'{log.name} {budget}: characters of JSON', len(data) <= budget, len(data))
        v.equal(f'{log.name} {budget}: the schema', list(problems(json.loads(data), schema)), [])
    return json.loads(data), text


def main(profview, golden, make_log, schema):
    v, golden = Verdict('brief'), pathlib.Path(golden)
    schema = json.loads(pathlib.Path(schema).read_text())
    with target.scratch() as folder:
        folder = pathlib.Path(folder)
        env = {**os.environ, 'XDG_CACHE_HOME': f'{folder}/cache', 'LC_ALL': 'C.UTF-8',
               'PATH': f'{pathlib.Path(profview).parent}:{os.environ["PATH"]}'}

        def run(*words, code=0):
            done = subprocess.run([profview, *map(str, words)], capture_output=True, check=False, env=env,
                                  timeout=target.DEADLINE)
            v.equal(f'exit code of {words}', done.returncode, code)
            return done.stdout.decode()

        whole = subprocess.run(['gzip', '-dc', golden / 'shop.mlpd.gz'], capture_output=True, check=True).stdout
        shop, cut = folder / "a `b` $(id) 'c'\n## d.mlpd", folder / 'cut.mlpd'
        shop.write_bytes(whole)
        cut.write_bytes(whole[:len(whole) * 2 // 3])
        data, text = one(v, run, shop, schema, 0)
        one(v, run, cut, schema, 4)
        one(v, run, golden / 'draft.mprof', schema, 0)
        for world in ('every-kind', 'strings', 'texts', 'strangers'):
            log = folder / f'{world}.mlpd'
            log.write_bytes(subprocess.run([make_log, world, '17', '8'], capture_output=True, check=True).stdout)
            one(v, run, log, schema, 0)
        callers = folder / 'callers.mlpd'
        callers.write_bytes(subprocess.run([make_log, 'callers', '17', '8'], capture_output=True, check=True).stdout)
        sites = next(s for s in one(v, run, callers, schema, 0)[0]['sections'] if s['section'] == 'allocation_sites')
        v.equal('one method for several callers', sorted(r[2] for r in sites['rows']),
                ['Make () < .. First ()', 'Make () < .. Second ()', 'Make () < .. Third ()', 'Make () < First ()',
                 'Make () < Second ()'])
        report = json.loads(run('report', shop, '--format', 'json', '--section', 'methods,classes,findings'))
        v.equal('methods in all', len(next(s for s in data['sections'] if s['section'] == 'methods')['rows'])
                + next(s for s in data['sections'] if s['section'] == 'methods')['more'], len(report['methods']))
        v.equal('findings', [r[1] for r in data['sections'][0]['rows']],
                [f['finding'] for f in report['findings'] if (f['score'] or 0) >= 25])
        v.true('text has the greatest class', report['classes'][0]['readable'] in text)
        plain = folder / 'shop.mlpd'
        shutil.copy(shop, plain)
        commands = re.findall(r'^more: (.*)$', run('brief', plain), re.M)
        v.equal('a command a section', len(commands), len(data['sections']))
        for command in [*commands, *(s['command'] for s in json.loads(run('brief', plain, '--format', 'json'))['sections'])]:
            done = subprocess.run(['sh', '-c', command], capture_output=True, check=False, env=env)
            v.equal(f'it runs: {command}', done.returncode, 0)
        for words, code in ((('brief',), 2), (('brief', plain, '--budget', '10'), 2), (('brief', '/none'), 3),
                            (('brief', '/dev/null'), 3), (('brief', plain, '--format', 'csv'), 2)):
            run(*words, code=code)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

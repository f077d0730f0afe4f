#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Lines of .NET's code by the probe and by the event stream: each planted line is first, with nearly all that its method has, by each
form of the PDB, and of another build of the module no line is shown.

usage: test_clr_lines.py DOTNET PROFVIEW SOURCE MODULE.dll...   the modules: release, debug, embedded
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import exports
from evidence import points
from verdict import Verdict

KINDS = {'release': ['plain', 'async', 'iterator', 'lambda', 'generic'], 'debug': ['expression', 'local', 'async'],
         'embedded': ['generic', 'expression']}
SECONDS = '1'


def run(*words, **more):
    done = subprocess.run([str(w) for w in words], check=False, capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def lines_of(profview, log):
    return json.loads(run(profview, 'report', log, '--section', 'lines', '--limit', '0', '--format', 'json'))['lines']


def planted(source):
    """The number of each line that a comment at its end names."""
    marks = ((n, re.search(r'// hot: (\w+)$', text)) for n, text in enumerate(source.read_text().splitlines(), 1))
    return {mark[1]: n for n, mark in marks if mark}


def record(profview, dotnet, module, kind, log):
    # Without what guesses which code is called: that would be inlined, and so be at the line of the call.
    env = dict(os.environ, DOTNET_TieredPGO='0')
    run(profview, 'run', '--sample=1000', '--record', log, '--', dotnet, module, kind, SECONDS, env=env)


def method_has_lines(v, what, profview, log, rows, line):
    """All samples of the planted method have a line, of whichever of its bodies they are."""
    method = next((r['method'] for r in rows if r['line'] == line), None)
    methods = json.loads(run(profview, 'report', log, '--section', 'methods', '--limit', '0', '--format', 'json'))['methods']
    samples = sum(m['samples_self'] or 0 for m in methods if m['name'] == method)
    own = sum(r['samples_self'] for r in rows if r['method'] == method and r['line'])
    v.true(f'{what}: samples of the method with a line', own >= 0.9 * samples > 0, (own, samples, method))


def check(v, what, rows, source, line):
    known = [r for r in rows if r['line'] and r['file'] == str(source)]
    v.true(f'{what}: any line of the source', known, rows[:3])
    if not known:
        return
    v.equal(f'{what}: the planted line is first', known[0]['line'], line)
    own, whole = known[0]['samples_self'], sum(r['samples_self'] for r in known if abs(r['line'] - line) < 5)
    v.at_least(f'{what}: samples there', own, 20)
    v.true(f'{what}: nearly all of its method is there', 100 * own / whole > 70 - points(70, whole), (own, whole))
    called = next((n for n, text in enumerate(source.read_text().splitlines(), 1) if '_sum += Once(' in text), 0)
    total = sum(r['samples'] for r in known if r['line'] == called)
    if 'async' not in what and 'stream' not in what:  # threads of the pool; bodies of before the stream
        v.true(f'{what}: the line that calls it has it in its total', total >= 0.5 * own, (total, own))


def by_stream(v, profview, dotnet, module, kind, log):
    """A program that runs already, by its own event stream: methods that were compiled before, too."""
    env = dict(os.environ, DOTNET_TieredPGO='0', TMPDIR=str(log.parent))
    with subprocess.Popen([dotnet, module, kind, '3'], env=env, stdout=subprocess.DEVNULL) as program:
        while program.poll() is None and not list(log.parent.glob(f'dotnet-diagnostic-{program.pid}-*')):
            time.sleep(0.05)
        run(profview, 'attach', '--via', 'events', '--sample', '--record', log, program.pid, env=env)
        v.equal(f'stream, {kind}: the program ends well', program.wait(60), 0)


def another_build(v, profview, log, module, other):
    """The module was built anew since: its PDB is of no use for this log."""
    shutil.copy(other, module)
    rows = lines_of(profview, log)
    v.true('another build: no lines', not any('lines.cs' in (r['file'] or '') for r in rows), rows[:3])


def by_sha1(v, profview, log, source):
    """A document with the older checksum: of another text here the one in the PDB is shown, and said."""
    def shown(text):
        there = log.parent / 'sources'
        there.mkdir(exist_ok=True)
        (there / source.name).write_text(text)
        return run(profview, '--source', f'{source.parent}={there}', '--dump', '--size', '160x30', '--keys', '2<C-s>', log)
    v.true('sha1: the same text', 'from the PDB' not in shown(source.read_text()), shown(source.read_text())[:400])
    v.true('sha1: another text', 'as it was built, from the PDB' in shown('another\n'), shown('another\n')[:400])


def events(v, profview, dotnet, module, source, lines, log):
    """What was allocated, thrown and waited for is at the planted lines, exactly, and with the lines that led there."""
    run(profview, 'run', '--alloc', '--sample=0', '--record', log, '--', dotnet, module, 'events', '0',
        env=dict(os.environ, DOTNET_TieredPGO='0'))
    rows = {r['line']: r for r in lines_of(profview, log) if r['file'] == str(source)}
    at = {kind: rows.get(lines[kind], {}) for kind in ('alloc', 'throw', 'wait')}
    v.equal('events: blocks at their line', at['alloc'].get('allocations'), 300)
    v.at_least('events: bytes at their line', at['alloc'].get('allocated_bytes') or 0, 300 * 40000)
    v.equal('events: throws at their line', at['throw'].get('thrown'), 40)
    v.equal('events: the wait at its line', at['wait'].get('contentions'), 1)
    v.true('events: its time', (at['wait'].get('wait_ns') or 0) > 0, at['wait'])
    texts = source.read_text().splitlines()
    for text, name, kind in (('_kept = Block(i);', 'allocated_bytes', 'alloc'), ('try { Throw(i); }', 'thrown', 'throw')):
        caller = rows.get(next(n for n, t in enumerate(texts, 1) if text in t), {})
        v.true(f'events: {text} has it in its total', (caller.get(name + '_total') or 0) >= (at[kind].get(name) or 1), caller)
        v.equal(f'events: {text} has none itself', caller.get(name), 0)


def main(dotnet, profview, source, *modules):
    if dotnet == 'none':
        print('dotnet is not installed')
        return 77
    v = Verdict('lines of .NET')
    source = pathlib.Path(source).resolve()
    lines, by_name = planted(source), {p.stem.split('_')[1]: p for p in map(pathlib.Path, modules)}
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        os.environ['XDG_CACHE_HOME'] = top
        for file in (f for m in by_name.values() for f in m.parent.glob(m.stem + '.*') if f.is_file()):
            shutil.copy(file, folder)
        for name, kind in ((n, k) for n, kinds in KINDS.items() for k in kinds):
            log = folder / f'{name}-{kind}.mlpd'
            record(profview, dotnet, folder / by_name[name].name, kind, log)
            rows = lines_of(profview, log)
            check(v, f'{name}, {kind}', rows, source, lines[kind])
            v.equal(f'{name}, {kind}: by the index', lines_of(profview, log), rows)
            if kind == 'generic':
                run(profview, 'convert', log, '-o', folder / f'{name}.pb.gz')
                own, _ = exports.pprof_lines((folder / f'{name}.pb.gz').read_bytes(), 'samples')
                got = {line: n for (file, line), n in own.items() if file == str(source) and n}
                v.same_rows(f'{name}: pprof by line', got, {r['line']: r['samples_self'] for r in rows
                                                            if r['file'] == str(source) and r['samples_self']})
        for name in ('release', 'debug'):
            events(v, profview, dotnet, folder / by_name[name].name, source, lines, folder / f'{name}-events.mlpd')
        for kind in ('plain', 'generic'):
            log = folder / f'{kind}.nettrace'
            by_stream(v, profview, dotnet, folder / by_name['release'].name, kind, log)
            rows = lines_of(profview, log)
            check(v, f'stream, {kind}', rows, source, lines[kind])
            method_has_lines(v, f'stream, {kind}', profview, log, rows, lines[kind])
        by_sha1(v, profview, folder / 'embedded-generic.mlpd', source)
        for rule, code in (('min=10%', 0), ('max=1%', 1), ('max=1', 1)):
            words = ['check', folder / 'release-plain.mlpd', '--rule', f'line.self match=lines.cs:{lines["plain"]} {rule}']
            done = subprocess.run([profview, *words], check=False, capture_output=True, text=True, timeout=150)
            v.equal(f'check line.self {rule}', done.returncode, code)
        another_build(v, profview, folder / 'release-plain.mlpd', folder / by_name['release'].name, by_name['debug'])
        rows = lines_of(profview, folder / 'plain.nettrace')
        v.true('another build, stream: no lines', not any('lines.cs' in (r['file'] or '') for r in rows), rows[:3])
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

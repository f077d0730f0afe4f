#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Real programs bare and under `profview run`: the same output, exit code and files; who was recorded.

usage: matrix.py PROFVIEW [--only NAME,...] [--linked FOLDER] [--write tests/README.md] [--list]

Each program runs bare, under `run --record FILE` and under `run --record FOLDER/`, in a fresh folder each.
Of the folder: processes and logs, the share of processor time that is in logs, samples, the share of them
in functions with a name, and of stacks followed to their end. A program that is not installed is named and
skipped. --write: the table between the marks in that file. Exit code 1: something was not the same; 77: all
that was asked for was skipped. --linked: build/tests/real, for programs linked with other allocators.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from matrix_programs import PROGRAMS, fill

BEGIN, END = '<!-- matrix: begin -->', '<!-- matrix: end -->'
DEADLINE = float(os.environ.get('PROFVIEW_TEST_DEADLINE', '60')) * 2
MOST_LOGS = 6  # of a program's are looked into, those with most samples' time
UNNAMED = re.compile(r'^unresolved in |\+0x[0-9a-f]+$|^0x[0-9a-f]+$|^\[unknown code\]$')
NO_LOG = b'profview: no log came'  # of a program that no probe can go into
HEAD = ('program', 'same', 'into a file', 'processes', 'logs', 'time recorded', 'samples', 'named', 'whole stacks')


class Ran:
    """What can be seen of a run from outside."""

    def __init__(self, folder, command, front=(), env=None):
        words = [w.replace('{d}', str(folder)) for w in command]
        with subprocess.Popen([*map(str, front), *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True, env={**os.environ, **(env or {})}) as done:
            try:
                out, err = done.communicate(timeout=DEADLINE)
            except subprocess.TimeoutExpired:
                os.killpg(done.pid, signal.SIGKILL)
                out, err = b'', b'it did not end\n'
        self.code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        self.out, self.err = (t.replace(str(folder).encode(), b'{d}') for t in (out, err))
        self.files = {}

    def look_at(self, folder, names):
        for name in names:
            path = pathlib.Path(folder, name)
            self.files[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def differences(bare, recorded):
    found = []
    if bare.code != recorded.code:
        found.append(f'exit code {recorded.code}, bare {bare.code}')
    if bare.out != recorded.out:
        found.append(f'output {recorded.out[-200:]!r}, bare {bare.out[-200:]!r}')
    if bare.err.strip() not in recorded.err:
        found.append(f'standard error {recorded.err[:300]!r}, bare {bare.err[:300]!r}')
    found += [f'file {n}' for n in bare.files if bare.files[n] != recorded.files[n]]
    return found


def report(profview, log):
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                           'methods,coverage,samples', log], capture_output=True, timeout=DEADLINE, check=False)
    return json.loads(done.stdout) if done.returncode in (0, 4) else None


def looked_into(profview, folder):
    """Cells of the table, and faults of what was recorded."""
    rows = json.loads((folder / 'index.json').read_text())['processes']
    logs = sorted((r for r in rows if r['log']), key=lambda r: -(r['cpu_ns'] or 0))
    time = sum(r['cpu_ns'] or 0 for r in rows)
    samples = named = ends = ended = 0
    faults = [f'{r["exe"]}: {r["reason"]}' for r in rows
              if not r['log'] and (r['cpu_ns'] or 0) > 100e6 and 'less than' in (r['reason'] or '')]
    for r in logs[:MOST_LOGS]:
        told = report(profview, folder / r['log'])
        if not told:
            faults.append(f'{r["log"]} cannot be read')
            continue
        total = told['samples']['total'] if told['samples'] else 0
        samples += total
        named += sum(m['samples_self'] or 0 for m in told['methods'] or [] if not UNNAMED.search(m['name']))
        detail = next(c['detail'] for c in told['coverage'] if c['what'] == 'samples') or ''
        share = re.search(r'stacks: ([\d.]+) % to their end', detail)
        if share:
            ends += total
            ended += total * float(share[1]) / 100
    def percent(part, all_of):
        return f'{100 * part / all_of:.0f} %' if all_of else '-'
    return [str(len(rows)), str(len(logs)), percent(sum(r['cpu_ns'] or 0 for r in logs), time), str(samples),
            percent(named, samples), percent(ended, ends)], faults


def missing(program, linked):
    for need in program.needs:
        need = need.replace('{linked}', str(linked or '/none'))
        if not (os.path.exists(need) if '/' in need else shutil.which(need)):
            return need
    return None


def tried(program, profview, linked):
    """The cells of its row, and what is wrong."""
    command = [w.replace('{linked}', str(linked)) for w in program.command]
    runs, cells, wrong = {}, [], []
    with tempfile.TemporaryDirectory(prefix='matrix-', dir='/var/tmp') as top:
        records, file = pathlib.Path(top, 'records'), pathlib.Path(top, 'file.mlpd')
        fronts = {'bare': (), 'file': (profview, 'run', '--record', file, '--'),
                  'folder': (profview, 'run', '--record', f'{records}/', '--')}
        for way, front in fronts.items():
            folder = pathlib.Path(top, 'work')
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            fill(program, folder)
            runs[way] = Ran(folder, command, front, program.env)
            runs[way].look_at(folder, program.makes)
        silent = not file.exists() and NO_LOG in runs['file'].err and runs['file'].code == 125
        if silent:
            runs['file'].code = runs['bare'].code
        for way in 'file', 'folder':
            wrong += [f'{way}: {d}' for d in differences(runs['bare'], runs[way])]
        if program.code is not None and runs['bare'].code != program.code:
            wrong.append(f'bare: exit code {runs["bare"].code}: {runs["bare"].err[-300:]!r}')
        if not (records / 'index.json').exists():
            wrong.append('no folder was recorded')
        else:
            cells, faults = looked_into(profview, records)
            wrong += faults
    return ['no' if wrong else 'yes', 'said: none' if silent else 'recorded', *cells], wrong


def write_table(path, head, rows, marks):
    lines = ['| ' + ' | '.join(r) + ' |' for r in (head, ['---'] * len(head), *rows)]
    text = path.read_text(encoding='utf-8')
    before, after = text.index(marks[0]) + len(marks[0]), text.index(marks[1])
    path.write_text(text[:before] + '\n' + '\n'.join(lines) + '\n' + text[after:], encoding='utf-8')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('profview', nargs='?')
    parser.add_argument('--only')
    parser.add_argument('--linked', type=os.path.abspath)
    parser.add_argument('--write', type=pathlib.Path)
    parser.add_argument('--list', action='store_true')
    o = parser.parse_args()
    if o.list:
        print('\n'.join(p.name for p in PROGRAMS))
        return 0
    wanted = [p for p in PROGRAMS if not o.only or p.name in o.only.split(',')]
    rows, faults = [], 0
    for program in wanted:
        absent = missing(program, o.linked)
        cells, wrong = (['skipped: no ' + os.path.basename(absent)], []) if absent else tried(
            program, os.path.abspath(o.profview), o.linked)
        rows.append(([program.name] + cells + [''] * len(HEAD))[:len(HEAD)])
        print(' | '.join(rows[-1]), flush=True)
        for line in wrong:
            print(f'    WRONG {line}', flush=True)
        faults += bool(wrong)
    if o.write:
        write_table(o.write, HEAD, rows, (BEGIN, END))
    print(f'{len(rows)} programs, {sum("skipped" in r[1] for r in rows)} skipped, {faults} not the same')
    return 1 if faults else 77 if all('skipped' in r[1] for r in rows) else 0


if __name__ == '__main__':
    sys.exit(main())

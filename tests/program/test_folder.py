#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording that is a folder: which log is read, what is said of the others, and what is no recording.

usage: test_folder.py PROFVIEW MAKE_LOG SHOP
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tools'))
import recorded_folder

FAILED = []


def check(what, ok, detail=''):
    if not ok:
        FAILED.append(what)
        print(f'FAILED {what}: {detail}')


class Folder:
    def __init__(self, profview, path):
        self.profview, self.path = profview, path

    def run(self, verb, *args, code=0):
        done = subprocess.run([self.profview, *verb.split(), str(self.path), *args], capture_output=True, timeout=150,
                              check=False, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1'})
        out, err = done.stdout.decode(), done.stderr.decode()
        check(f'{verb} {args}: code', done.returncode == code, f'{done.returncode} {err[:300]}')
        return out, err

    def dump(self, keys):
        return self.run('--dump --no-index --size 200x60', '--keys', keys)

    def json(self, *args):
        return json.loads(self.run('report', '--format', 'json', *args)[0])


def logs_that_are_read(f):
    """The one that used most, or the one that was asked for."""
    most = '1001-0.mlpd'
    out, said = f.run('report', '--section', 'methods')
    check('the heaviest is read', most in out, out[:200])
    check('it is said', said == f'profview: {f.path}: this is process 1001, /usr/bin/mono shop.exe --days 3, which used most '
          'CPU time (2.40 s); 5 others, 2 recorded: --process NAME|PID chooses\n', said)
    for name, log in (('1000', '1000-0.mlpd'), ('sh', '1000-0.mlpd'), ('1003', '1003-1.mlpd'), ('strings', '1003-1.mlpd'),
                      ('shop.exe', most), ('mono', most)):
        path = f.json('--process', name)['source']['path']
        check(f'--process {name}', path == f'{f.path}/{log}', path)
    check('no word where it was asked for', f.run('report', '--process', 'sh')[1] == '')
    out, said = f.run('report', '--process', 'true', code=3)
    check('not recorded', said == f'profview: {f.path}: process 1002, true, was not recorded: used less than 20 ms of CPU\n'
          and not out, said)
    check('none of that name', 'no process of the recording is "perl"' in f.run('report', '--process', 'perl', code=2)[1])


def the_list(f):
    rows = f.json('--section', 'processes')['processes']
    check('all rows', [r['pid'] for r in rows] == [1000, 1001, 1003, 1003, 1004, 1002], rows)
    by = {(r['pid'], r['image']): r for r in rows}
    check('states', [by[k]['state'] for k in sorted(by)] == ['ended', 'ended', 'ended', 'replaced', 'running', 'killed'])
    check('figures', by[1001, 0]['cpu_ns'] == 2400000000 and by[1001, 0]['exit_code'] == 3 and by[1004, 0]['signal'] == 9)
    check('reasons', by[1002, 0]['reason'] == 'used less than 20 ms of CPU' and by[1001, 0]['reason'] is None)
    events = f.json()['source']
    check('events of the log that was read', by[1001, 0]['events'] and by[1000, 0]['events'] is None, events)
    text, said = f.run('report', '--section', 'processes')
    check('nothing to choose in a list of all', said == '', said)
    check('depth', '    busybox' in text and ' sh -c' in text and '6 processes, 3 recorded' in text, text)
    check('no escape reaches a terminal', '\x1b' not in text and '\u202e' not in text and r'\x1b[31m\u202e' in text)
    table = list(csv.DictReader(io.StringIO(f.run('report', '--section', 'processes', '--format', 'csv')[0])))
    check('csv', len(table) == 6 and {r['pid'] for r in table} == {'1000', '1001', '1002', '1003', '1004'}, table)
    found = f.json('--section', 'processes', '--filter', 'cpu>500ms')['processes']
    check('filter', {r['pid'] for r in found} == {1000, 1001}, found)
    log = subprocess.run([f.profview, 'report', f.path / '1001-0.mlpd', '--section', 'processes'], capture_output=True,
                         text=True, timeout=150, check=False)
    check('a log has no such list', log.returncode == 2 and 'the log of one process' in log.stderr, log.stderr)
    log = subprocess.run([f.profview, 'report', f.path / '1001-0.mlpd', '--process', 'x'], capture_output=True, text=True,
                         timeout=150, check=False)
    check('nor a choice', log.returncode == 2 and 'a recording that is a folder' in log.stderr, log.stderr)


def other_commands(f, made):
    whose = 'this is process 1001'
    check('brief', whose in f.run('brief')[1])
    check('dump', '1001' in f.run('dump')[1])
    out, said = f.run('check', '--rule', 'loss max=0')
    check('check', whose in said and '1 passed' in out, out + said)
    out, said = f.run('diff', str(f.path), '--process', 'sh')
    check('diff', out.count('1000-0.mlpd') == 2, out[:300])
    folded = made / 'out.folded'
    f.run('convert', '-o', str(folded), '--process', 'mono')
    check('convert', folded.stat().st_size > 100)
    frame, said = f.run('--dump --no-index')
    check('a frame', said == '' and '[1 Home]' in frame, said)

    said, _ = f.dump('Pj<Enter>P:which<Enter><Enter>')
    check('the list as a command', f'--section processes --process 1001 {f.path}' in said, said)
    said, _ = f.dump('Pjjj<Enter>2:which<Enter><Enter>')
    check('another process as a command', f'--section methods --process 1003 {f.path}' in said, said)


def folders_that_are_none(f, made):
    """One line each, and exit code 3."""
    whole = (f.path / 'index.json').read_text(encoding='utf-8')

    def bad(what, words, **files):
        folder = made / what
        folder.mkdir()
        for name, text in files.items():
            (folder / name.replace('_', '.')).write_text(text, encoding='utf-8')
        for verb in ('report', 'brief', '--dump'):
            out, said = Folder(f.profview, folder).run(verb, code=3)
            check(f'{what}: {verb}', out == '' and said.startswith(f'profview: {folder}: ') and said.count('\n') == 1
                  and words in said, said)

    bad('empty', 'neither index.json nor a file *.mlpd')
    bad('cut', 'index.json is cut short', index_json=whole[:len(whole) // 2])
    bad('zero', 'index.json is cut short', index_json='')
    bad('nojson', 'index.json is no JSON, at byte', index_json=whole.replace('"pid"', 'pid', 1))
    bad('deep', 'nested too deeply', index_json='[' * 100000)
    bad('version', 'has version 2', index_json=whole.replace('"version": 1', '"version": 2'))
    bad('missing', 'its log is missing', index_json=whole)


def folders_without_much(f, made):
    """Without an index, with a log that went away, and with nothing recorded."""
    bare = made / 'bare'
    bare.mkdir()
    for log in f.path.glob('*.mlpd'):
        (bare / log.name).write_bytes(log.read_bytes())
    g = Folder(f.profview, bare)
    rows = g.json('--section', 'processes')['processes']
    check('no index: logs', {r['log'] for r in rows} == {'1000-0.mlpd', '1001-0.mlpd', '1003-1.mlpd'}, rows)
    pids = {r['log']: r['pid'] for r in rows}
    real = {log: json.loads(subprocess.run([f.profview, 'report', bare / log, '--format', 'json'], capture_output=True,
                                           timeout=150, check=False).stdout)['target']['pid'] for log in pids}
    check('no index: pids from the headers', {k: v or 0 for k, v in pids.items()} == real, (pids, real))
    check('no index: the largest', 'the largest log' in g.run('report')[1])
    (bare / 'index.json').write_text((f.path / 'index.json').read_text(encoding='utf-8'), encoding='utf-8')
    (bare / '1001-0.mlpd').unlink()
    check('a log went away', '1000-0.mlpd' in g.run('report')[0])
    check('and is asked for', 'its log is missing' in g.run('report', '--process', 'mono', code=3)[1])
    (bare / '1003-1.mlpd').write_text('nothing of a log\n', encoding='utf-8')
    out, said = g.run('--dump --no-index', '--keys', 'P<3j><Enter>', code=3)
    check('one that is no log is named', out == '' and said.count('\n') == 1 and f'{bare}/1003-1.mlpd: not a profiler log' in said,
          said)
    for log in bare.glob('*.mlpd'):
        log.unlink()
    out, said = g.run('report', '--section', 'processes')
    check('nothing recorded: the list all the same', 'busybox' in out and '6 processes, 0 recorded' in out, out + said)
    check('nothing recorded', 'none of 6 processes was recorded' in g.run('report', code=3)[1])


def waited_for(f, made):
    """--follow of a folder that was just made; then of a list without a log; then the log comes."""
    new = made / 'new'
    new.mkdir()
    with subprocess.Popen([f.profview, '--follow', '--dump', '--no-index', new], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, 'LC_ALL': 'C.UTF-8'}) as viewer:
        rows = list(recorded_folder.rows())
        recorded_folder.put_index(new, rows[2:3])
        check('it waits', viewer.poll() is None)
        (new / '1001-0.mlpd').write_bytes((f.path / '1001-0.mlpd').read_bytes())
        recorded_folder.put_index(new, rows)
        out = viewer.communicate(timeout=150)[0]
    check('waited for', viewer.returncode == 0 and 'mono 1001, 2 of 6' in out, out[:300])


def main(profview, make_log, shop):
    with tempfile.TemporaryDirectory() as made:
        made = pathlib.Path(made)
        f = Folder(profview, recorded_folder.make(made / 'recording', make_log, shop))
        logs_that_are_read(f)
        the_list(f)
        other_commands(f, made)
        folders_that_are_none(f, made)
        folders_without_much(f, made)
        waited_for(f, made)
    return len(FAILED)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]) and 1)

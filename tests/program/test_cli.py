#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program does without a terminal: exit codes, where words go, and what it does then.

usage: test_cli.py PROFVIEW LOG.mlpd.gz
"""
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

FAILED = []


def run(profview, *words, **options):
    return subprocess.run([profview, *map(str, words)], capture_output=True, text=True, timeout=150,
                          check=False, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb'},
                          **options)


def check(what, got, want):
    if got != want:
        FAILED.append(f'{what}: {got!r}, not {want!r}')


def holds(what, text, part):
    if part not in text:
        FAILED.append(f'{what}: no {part!r} in {text[:300]!r}')


def usage(profview):
    for words, part in (([], 'FILE'), (['--nonsense'], '--nonsense'), (['x', 'y'], 'one file'),
                        (['report', 'x', '--section', 'nonsense'], 'nonsense'),
                        (['x', '--dump', '--size', '3'], 'COLUMNSxROWS')):
        done = run(profview, *words)
        check(f'{words}: exit code', done.returncode, 2)
        check(f'{words}: standard output', done.stdout, '')
        check(f'{words}: lines of complaint', done.stderr.count('\n'), 1)
        holds(f'{words}', done.stderr, part)
    for words, part in ((['--help'], '--follow'), (['report', '-h'], '--section')):
        done = run(profview, *words)
        check(f'{words}: exit code', (done.returncode, done.stderr), (0, ''))
        holds(f'{words}', done.stdout, part)
    done = run(profview, '--version')
    check('--version', (done.returncode, done.stderr), (0, ''))
    if not re.fullmatch(r'profview [\d.]+ \(([0-9a-f]{7,40}(-dirty)?|commit unknown)\)\n', done.stdout):
        FAILED.append(f'--version: {done.stdout}')


def commit():
    """An archive of the source says what it was made from."""
    root = pathlib.Path(__file__).parents[2]
    if (root / '.git').exists() and shutil.which('git'):
        tar = subprocess.run(['git', '-C', root, 'archive', 'HEAD', 'tui/app/commit'], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(tar)) as files:
            said = files.extractfile('tui/app/commit').read().decode().strip()
        head = subprocess.run(['git', '-C', root, 'rev-parse', 'HEAD'], capture_output=True, text=True, check=True).stdout
        check('the commit of an archive', len(said) >= 7 and head.startswith(said), True)


def locales(profview, log):
    """UTF-8 unless a locale without it is chosen; also where the one that ssh brought is not installed."""
    for chosen, want in (({}, True), ({'LANG': ''}, True), ({'LC_ALL': 'C'}, False), ({'LANG': 'C'}, False),
                         ({'LC_CTYPE': 'C.UTF-8'}, True), ({'LANG': 'tlh_QO.UTF-8'}, True), ({'LC_ALL': 'tlh_QO.utf8'}, True),
                         ({'LANG': 'tlh_QO'}, False), ({'LANG': 'tlh_QO.UTF-8', 'LC_ALL': 'C'}, False)):
        env = {k: v for k, v in os.environ.items() if k not in ('LANG', 'LC_ALL', 'LC_CTYPE')}
        done = subprocess.run([profview, log, '--dump', '--size', '80x12'], capture_output=True, timeout=150,
                              env={**env, **chosen}, check=False)
        check(f'{chosen}: a frame with UTF-8', (done.returncode, not done.stdout.isascii()), (0, want))


def inputs(profview, log, folder):
    raw = gzip.decompress(log.read_bytes())
    cut, text, empty = folder / 'cut.mlpd', folder / 'text', folder / 'empty'
    cut.write_bytes(raw[:len(raw) - 100])
    text.write_text('This is no log.\n')
    empty.write_bytes(b'')
    for verb in ([], ['report'], ['dump']):
        last = ['--dump'] if not verb else []
        done = run(profview, *verb, log, *last)
        check(f'{verb} a whole log', (done.returncode, done.stderr), (0, ''))
        check(f'{verb} prints', len(done.stdout) > 1000, True)
        done = run(profview, *verb, cut, *last)
        check(f'{verb} a cut log', done.returncode, 4)
        check(f'{verb} prints a cut log', len(done.stdout) > 1000, True)
        done = run(profview, *verb, folder / 'missing', *last)
        check(f'{verb} a missing file', (done.returncode, done.stdout), (3, ''))
        holds(f'{verb} a missing file', done.stderr, 'missing')
        done = run(profview, *verb, text, *last)
        check(f'{verb} a text', done.returncode, 3)
        holds(f'{verb} a text', done.stderr, 'profview: ')


def groups(profview, log):
    """Rows put together or chosen by what they belong to add up to what they were."""
    def calls(*args):
        done = run(profview, 'report', log, '--section', 'methods', '--format', 'json', *args)
        return {row['name']: row['calls'] for row in json.loads(done.stdout)['methods']}
    every, images = calls(), calls('--group', 'image')
    check('calls by image', sum(images.values()), sum(every.values()))
    check('fewer images than methods', len(images) < len(every), True)
    for image, count in images.items():
        if image != '(not recorded)':
            check(f'calls in {image}', sum(calls('--in', f'image:{image}').values()), count)
    check('split', sum(calls('--split', 'image').values()), sum(every.values()))
    for args in (['--group', 'colour'], ['--split', 'name'], ['--in', 'image'], ['--in', 'x:y']):
        done = run(profview, 'report', log, *args)
        check(f'{args} is refused', (done.returncode, done.stdout), (2, ''))


def threads(profview, log):
    """Four of the program and four of the profiler: every place counts alike, or says who is left out."""
    said = json.loads(run(profview, 'report', log, '--format', 'json').stdout)
    owners = [row['owner'] for row in said['threads']]
    check('threads by owner', (owners.count('program'), owners.count('profiler')), (4, 4))
    words = '4 threads, 4 of the profiler besides'
    detail = next(row['detail'] for row in said['coverage'] if row['what'] == 'threads')
    check('threads in the coverage', detail[:len(words)], words)
    text = run(profview, 'report', log, '--section', 'threads').stdout
    table = text[text.index('\nThreads\n'):]
    check('rows of the report', table.count('\n  0x'), 4)
    holds('line of the report', table, words)
    pane = run(profview, log, '--dump', '--keys', '66').stdout
    check('rows of the pane', len(re.findall(r'^. 0x', pane, re.M)), 4)
    info = run(profview, log, '--dump', '--size', '120x40', '--keys', 'i').stdout
    holds('pane of what the log says', info, words)


def streams(profview, log):
    raw = gzip.decompress(log.read_bytes())
    for name, data in (('plain', raw), ('gzip', log.read_bytes())):
        done = subprocess.run([profview, '-', '--dump', '--keys', '2'], input=data, timeout=150,
                              capture_output=True, check=False)
        check(f'{name} on standard input', done.returncode, 0)
        holds(f'{name} on standard input', done.stdout.decode(), 'Shop.Main')
    done = run(profview, log)
    check('without a terminal', (done.returncode, done.stderr), (0, ''))
    holds('without a terminal', done.stdout, 'Hot methods')
    check('no function keys without a terminal', 'F10' in done.stdout, False)
    with open('/dev/full', 'w', encoding='ascii') as full:
        done = subprocess.run([profview, 'report', log], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=150, check=False)
    check('a full disk', done.returncode, 125)
    holds('a full disk', done.stderr, 'profview: ')
    done = subprocess.run(['sh', '-c', 'exec "$0" report "$1" >&-', profview, log], stderr=subprocess.PIPE, text=True, timeout=150, check=False)
    check('a closed output', (done.returncode, done.stderr), (125, 'profview: standard output: closed\n'))
    done = run(profview, log, '--dump', '--keys', '<Nonsense>')
    check('keys that do not exist', done.returncode, 2)


def shots(profview, log, folder):
    out = str(folder / 'out.heapsnapshot')
    for words, part in (
            (['report', log, '--section', 'heap_objects', '--shot', '99'], 'the log has 4'),
            (['report', log, '--section', 'heap_path', '--shot', '0', '--object', '0x10'],
             'no object begins at 0x10'),
            (['report', log, '--section', 'heap_path', '--shot', '0', '--object', 'ten'],
             '--object wants'),
            (['report', log, '--section', 'heap_classes', '--shot', '-1'], '--shot wants'),
            (['convert', log, '-o', out], 'wants --shot N'),
            (['convert', log, '-o', str(folder / 'out.other')], 'not ".other"'),
            (['convert', log, '-o', str(folder / 'out')], 'convert writes .mlpd'),
            (['convert', log, '-o', str(folder / 'out.mlpd'), '--shot', '1'], '.heapsnapshot'),
            (['convert', log, '-o', out, '--shot', '9'], 'the log has 4'),
            (['convert', log, '-o', out, '--shot', '1', '--range', '1s..'], '--shot writes')):
        done = run(profview, *words)
        check(f'{words[:1] + words[2:]}: exit code', done.returncode, 2)
        check(f'{words[:1] + words[2:]}: standard output', done.stdout, '')
        check(f'{words[:1] + words[2:]}: lines of complaint', done.stderr.count('\n'), 1)
        holds(f'{words[:1] + words[2:]}', done.stderr, part)
    for words, part in ((['-o', out, '--shot', '9'], 'the log has 4'), (['-o', folder / 'out.html', '--shot', '9'], 'no heap shot 9'),
                        (['-o', folder / 'out.html', '--thread', 'nobody'], 'no such thread'),
                        (['-o', folder / 'out.mlpd', '--thread', 'nobody'], 'no thread is named'),
                        (['-o', folder / 'out.mlpd', '--range', '50s..60s'], 'outside the log')):
        done = run(profview, 'convert', log, *words)
        check(f'{words[2:]}: the file is named', done.stderr.startswith(f'profview: {log}: '), True)
        holds(f'{words[2:]}', done.stderr, part)
    check('nothing is left behind', list(folder.glob('out*')), [])


def not_looked_at(profview):
    """Root is told that it is refused, not to be root."""
    try:
        os.readlink('/proc/1/root')
    except OSError:
        part = ('process 1 cannot be looked at: root is refused, too' if os.geteuid() == 0 else
                "'sudo profview attach 1'")
        holds('attach 1', run(profview, 'attach', '1').stderr, part)


def main(profview, log):
    log = pathlib.Path(log)
    with tempfile.TemporaryDirectory() as folder:
        usage(profview)
        commit()
        locales(profview, log)
        inputs(profview, log, pathlib.Path(folder))
        streams(profview, log)
        groups(profview, log)
        threads(profview, log)
        shots(profview, log, pathlib.Path(folder))
        not_looked_at(profview)
    print('\n'.join(FAILED) or 'all as it should be')
    sys.exit(1 if FAILED else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames of committed logs, compared with committed text.

usage: golden.py PROFVIEW FOLDER [MAKE_LOG]

With PV_GOLDEN=write in the environment the texts are written instead. Whoever commits a change of
one names each figure that changed and why.
"""
import difflib
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import recorded_folder

LOG = 'shop.mlpd.gz'
ALL = ('every-kind', '15', '8')  # a world of make_log: one event of every kind of data version 15
LINES = ('lines', '17', '8')  # samples of methods of tests/golden/source/hot.cs
STRINGS = ('strings', '17', '8')  # one with names of fields and beginnings of strings
PANES = {'overview': '', 'methods': '2', 'methods-samples': '2m', 'methods-threshold': '2aa', 'methods-callee': '2|m/Thread.Sleep<Enter><Tab><Tab><Enter>', 'tree-unfolded': '22**', 'tree-callers': '22Bj+', 'tree-threshold': '22aaajj',
         'alloc-stacks': '3<Enter>', 'survival': '33', 'gc': '5', 'chart-cursor': '5{{{{{{{{{{{{{{{{{', 'chart-zoomed': '5{{{{{{{{{{{{{{{{{{{{))', 'chart-coarse': 'X:range<Space>0.5s..0.6s<Enter>', 'chart-braille': '5:glyphs<Space>braille<Enter>{', 'home-braille': '<C-p>', 'home-cursor': '{{{{{{{{{{{{{{{{{{{{', 'gc-cause': '5gj<Enter>', 'gc-cause-stacks': '5gj<Enter><Enter><Tab>',
         'gc-cause-threads': '5gj<Enter><Enter><Tab><Tab>', 'gc-cause-longest': ':cause<Enter>', 'gc-back': '5gj<Enter><Enter><Backspace>', 'heap': '4', 'heap-diff': '4gmG', 'threads': '66',
         'locks': 'L', 'exceptions': 'X', 'jit': 'J', 'info': 'i', 'help': '2?',
         'raw-names': '2~', 'my-code': '22*c', 'sort-menu': '3<F6>', 'range': '2:range<Space>1s..2s<Enter>',
         'objects': '4444<Enter>', 'dominators': '4444d<Enter>', 'object-path': '4444d<Tab><Tab><Tab>',
         'merged-paths': '4444cG<2k>W', 'keepers': '4444o', 'roots': 'K', 'handles': 'H', 'loaded': 'A',
         'flame': '222|j<Right><Right>jjj', 'flame-bottom-up': '222mBjj', 'flame-sandwich': '222mjjjjs/Serve<Enter>',
         'flame-live': ':shots<Enter>gj:flame<Enter>:measure<Space>live_bytes<Enter>jjjj', 'flame-zoomed': '222mmjj<Enter>jju',
         'flame-heat': '222d', 'flame-heat-chosen': '222d<Space><Right>|',
         'timeline': 'D', 'timeline-zoomed': 'D++>><Space>)', 'timeline-thread': 'D/mai<Enter>(',
         'timeline-enter': 'D<Enter>', 'timeline-range': 'Do', 'timeline-back': 'Do3<Backspace>',
         'timeline-waiting': 'D/fin<Enter>o', 'timeline-waits': 'D/fin<Enter><Enter>',
         'filter-elsewhere': '2\\class:Basket<Enter>5', 'filter-thread': '66\\thread:ann<Enter>2m',
         'filter-thread-gone': '66\\thread:ann<Enter>2m<Del>', 'filter-threads': '66\\thread:n<Enter>2', 'filter-of-all': '2\\Basket<Enter>222222',
         'thread': ':thread<Space>ann<Tab><Enter>3',
         'findings': 'M', 'findings-unjudged': 'MG<Enter>', 'findings-evidence': 'Mj<Enter>',
         'findings-range': 'M:filter<Space>longest<Enter><Enter>', 'findings-back': 'Mj<Enter>jL<Backspace><Backspace>',
         'diff': '444<Enter>', 'diff-class': '444yb', 'ladder': 'Y<Enter>j',
         'rooms': '`', 'without-data': '7', 'kinds': '00', 'events': '0', 'events-filter': '0:filter<Space>kind:exception<Enter>jj', 'events-next': '0/heap<Space>is<Enter>nn', 'events-range': '2:range<Space>1.2s..1.4s<Enter>E', 'events-cursor': '2{{{{{{{{E', 'events-at': '0:goto<Space>2s<Enter>j', 'counters': '99'}
# Of a recording of six processes in a folder: see recorded_folder.py.
FOLDER_PANES = {'processes': 'P', 'home': '', 'chosen': 'Pjjj<Enter>2', 'back': 'Pjjj<Enter><Backspace>',
                'not-recorded': 'Pjj<Enter>', 'home-to-list': '<Tab><Tab><Tab>j<Enter>'}
FOLDER_SIZES = (('80x24', 'C.UTF-8', FOLDER_PANES), ('120x36', 'C.UTF-8', ('processes', 'home')),
                ('40x10', 'C.UTF-8', ('processes', 'chosen')), ('80x24', 'C', ('processes', 'home')))
# Logs of 2007, written by tests/b07_write.
OLD = {'draft': {'overview': ''}, 'stage-A': {'heap': '4<Tab>'},
       'stage-D': {'overview': '', 'info': 'i'}}
# Panes of what the first log does not hold, of the second one.
ALL_PANES = {'handles': 'H', 'roots': 'K', 'loaded': 'A', 'coverage': 'V', 'statements': 'Vjj+j',
             'counters': 'C'}
# One of that with strings: the selected row's can be read however narrow the screen is.
LINE_PANES = {'source': '2<C-s>', 'source-next': '2<C-s>n', 'source-gone': '2/Work<Enter><C-s>', 'source-list': '2<C-s><Tab>jj<Enter>'}
LINE_SIZES = (('80x24', 'C.UTF-8', LINE_PANES), ('120x36', 'C.UTF-8', ('source',)), ('40x10', 'C.UTF-8', ('source',)), ('80x24', 'C', ('source',)))
STRING_PANES = {'references': '4444Bj<Tab>', 'duplicates': '4444t'}
# Views that the first log has nothing for, of other real programs: orders.c, and the web server
# tests/soak/clr_server.cs, by the probe's spans and by .NET's own stream.
MORE_LOGS = {'shop.mlpd.gz': {'ladder-course': '44<Right><Right><Right><Right>'},
             'orders.mlpd.gz': {'native-home': '', 'held': ':held<Enter>', 'alloc-summed': '3', 'marks': ':marks<Enter>'},
             'served.mlpd.gz': {'spans': ':spans<Enter>', 'served-home': ''}, 'routes.mlpd.gz': {'routes': '7', 'pool': '666', 'routes-home': '', 'routes-entered': '<Tab><Tab><Tab>j<Enter>'}}
# tests/real/requests.cs: requests with queries, waits and allocations of their own.
REQUESTS = 'requests.mlpd.gz'
REQUEST_PANES = {'requests': '7', 'requests-of': '7jj<Enter><Tab>', 'slowest': ':spans<Enter>', 'queries': ':queries<Enter>'}
REQUEST_SIZES = (('80x24', 'C.UTF-8', REQUEST_PANES), ('120x36', 'C.UTF-8', ('requests', 'slowest', 'queries')),
                 ('40x10', 'C.UTF-8', ('requests', 'slowest', 'queries')), ('80x24', 'C', ('requests', 'slowest', 'queries')))
# The first log beside its own first 1.4 s.
BASE_OPTIONS = ('--base-range', '..1.4s', '--per', 'second')
BASE_PANES = {'methods': '2', 'figure': '2<C-n><C-n>', 'tree': '22**', 'flame': '222|jjj', 'flame-bottom-up': '222B',
              'allocations': '3', 'shots': '4', 'filter': '2:filter<Space>Basket<Enter>', 'idle': '5<C-n>'}
BASE_SIZES = (('80x24', 'C.UTF-8', BASE_PANES), ('120x36', 'C.UTF-8', ('methods', 'tree', 'flame', 'shots')),
              ('40x10', 'C.UTF-8', ('methods', 'tree', 'flame')), ('80x24', 'C', ('methods', 'tree', 'flame')))
# Panes of the first log with three wounds: see damaged().
HURT = {'overview': '', 'info': 'i'}
# Screens of other sizes and locales; tests/program/test_frames.py has every pane at twenty sizes.
OTHER_SIZES = ('overview', 'methods', 'tree-callers', 'filter-of-all', 'flame', 'flame-heat', 'timeline', 'survival', 'gc', 'chart-cursor', 'chart-zoomed', 'chart-braille', 'home-cursor', 'home-braille', 'gc-cause', 'heap', 'diff', 'findings', 'rooms', 'events')
ASCII = ('overview', 'chart-cursor', 'chart-braille', 'home-cursor', 'survival', 'gc-cause', 'tree-unfolded', 'tree-callers', 'flame', 'flame-heat', 'timeline', 'ladder', 'events')


def damaged(data):
    """A byte nobody writes in an event's place, a buffer's id overwritten, and the end cut off."""
    buffers = [m.start() for m in re.finditer(b'\x01LPM', data)]
    data = bytearray(data)
    data[buffers[len(buffers) // 3] + 48] = 0xbc
    at = buffers[len(buffers) // 2]
    data[at:at + 4] = b'ruin'
    return bytes(data[:-3])


def cases():
    """(name, keys, size, locale, which other log than the first)"""
    for name, *rest in first_cases():
        yield name, *rest, None
    for panes, other in ((HURT, 'damaged'), (ALL_PANES, 'all')):
        for name, keys in panes.items():
            yield f'{other}-{name}-80x24', keys, '80x24', 'C.UTF-8', other
    for size, locale, names in FOLDER_SIZES:
        for name in names:
            yield f'folder-{name}-{size}{"-ascii" * (locale == "C")}', FOLDER_PANES[name], size, locale, 'folder'
    for size, locale, names in BASE_SIZES:
        for name in names:
            yield f'base-{name}-{size}{"-ascii" * (locale == "C")}', BASE_PANES[name], size, locale, 'base'
    for size, locale, names in LINE_SIZES:
        for name in names:
            yield f'{name}-{size}{"-ascii" * (locale == "C")}', LINE_PANES[name], size, locale, 'lines'
    for size, locale, names in REQUEST_SIZES:
        for name in names:
            yield f'{name}-{size}{"-ascii" * (locale == "C")}', REQUEST_PANES[name], size, locale, REQUESTS
    for name, keys in STRING_PANES.items():
        yield f'strings-{name}-40x10', keys, '40x10', 'C.UTF-8', 'strings'
    for log, panes in MORE_LOGS.items():
        for name, keys in panes.items():
            yield f'{name}-80x24', keys, '80x24', 'C.UTF-8', log


def first_cases():
    for name, keys in PANES.items():
        yield f'{name}-80x24', keys, '80x24', 'C.UTF-8'
    for name in OTHER_SIZES:
        for size in ('120x36', '40x10'):
            yield f'{name}-{size}', PANES[name], size, 'C.UTF-8'
    for stage, panes in OLD.items():
        for name, keys in panes.items():
            yield f'{stage}-{name}-80x24', keys, '80x24', 'C.UTF-8'
    for name in ASCII:
        yield f'{name}-80x24-ascii', PANES[name], '80x24', 'C'


def log_of(name):
    return next((f'{stage}.mprof' for stage in OLD if name.startswith(stage)), LOG)


def frame(profview, log, keys, size, locale, base):
    env = {**os.environ, 'LC_ALL': locale, 'NO_COLOR': '1', 'XDG_CONFIG_HOME': os.devnull}
    options = ['--base', pathlib.Path(log).name, *BASE_OPTIONS] if base else []
    options += ['--source', '/builds/hot=source'] if pathlib.Path(log).name == 'lines.mlpd' else []
    done = subprocess.run([profview, *options, log, '--dump', '--no-index', '--size', size, '--keys', keys],
                          capture_output=True, env=env, timeout=60, check=False, cwd=pathlib.Path(log).parent)
    if done.returncode < 0:
        raise SystemExit(f'{log}, keys {keys}, {size}: ended by signal {-done.returncode}: that is no frame')
    text = done.stdout.decode('utf-8')
    said = done.stderr.decode('utf-8').replace(log, pathlib.Path(log).name)
    return text + f'exit code {done.returncode}\n' + said


def main(profview, folder, make_log=None):
    make_log = make_log or pathlib.Path(profview).parent / 'tests' / 'make_log'
    folder, profview = pathlib.Path(folder), str(pathlib.Path(profview).resolve())
    make_log = pathlib.Path(make_log).resolve()
    with tempfile.TemporaryDirectory() as made:
        others = {name: pathlib.Path(made, f'{name}.mlpd') for name in ('all', 'lines', 'strings', 'damaged')}
        for name, world in (('all', ALL), ('lines', LINES), ('strings', STRINGS)):
            others[name].write_bytes(subprocess.run([make_log, *world], stdout=subprocess.PIPE,
                                                    check=True, timeout=60).stdout)
        shutil.copytree(folder / 'source', pathlib.Path(made, 'source'))
        others['damaged'].write_bytes(damaged(gzip.decompress((folder / LOG).read_bytes())))
        others.update((log, folder / log) for log in (*MORE_LOGS, REQUESTS))
        others['folder'] = recorded_folder.make(pathlib.Path(made, 'recording'), make_log, folder / LOG)
        compare(profview, folder, others)


def compare(profview, folder, others):
    write = os.environ.get('PV_GOLDEN') == 'write'
    wrong, made = [], set()
    for name, keys, size, locale, other in cases():
        path = folder / 'screens' / f'{name}.txt'
        made.add(path.name)
        base = other == 'base'
        log = others[other] if other and not base else folder / log_of(name)
        text = frame(profview, str(log.resolve()), keys, size, locale, base)
        if locale == 'C' and not text.isascii():
            wrong.append(f'{name} is not ASCII')
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding='utf-8')
            continue
        want = path.read_text(encoding='utf-8') if path.exists() else ''
        if text != want:
            wrong.append('\n'.join(difflib.unified_diff(
                want.splitlines(), text.splitlines(), f'golden/screens/{name}.txt', 'now',
                lineterm='')))
    # By its build id a file of this machine would give names, and another machine has others.
    wrong += [f'{log.name} names a file of some machine: {found}' for log in sorted(folder.glob('*.mlpd.gz'))
              for found in set(re.findall(rb'build-id:[0-9a-f]*[1-9a-f]', gzip.decompress(log.read_bytes())))]
    stale = {path.name for path in (folder / 'screens').glob('*.txt')} - made
    wrong += [f'golden/screens/{name} belongs to no case' for name in sorted(stale)]
    print('\n'.join(wrong))
    print(f'{len(made)} frames, {len(wrong)} wrong')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

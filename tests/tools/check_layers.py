#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom, how long files may be, and that no two files share a base name.

A layer (MAY) knows the layers named; inside a layer a room (ROOMS) knows those before it in its row.
"""
import pathlib
import re
import sys

MAY = {
    'common/base': set(),
    'common/io': {'common/base'},
    'common/pdb': {'common/base'},
    'common/format': {'common/base'},
    'common/calls': {'common/base', 'common/format'},
    'common/model': {'common/base', 'common/format', 'common/pdb'},
    'common/heap': {'common/base', 'common/format', 'common/model'},
    'common/ingest': {'common/base', 'common/io', 'common/format', 'common/calls', 'common/model',
        'common/heap'},
    'common/query': {'common/base', 'common/model', 'common/heap'},
    'common/report': {'common/base', 'common/heap', 'common/query'},
    'common/compare': {'common/base', 'common/query', 'common/report'},
    'common/check': {'common/base', 'common/compare', 'common/query'},
    'common/export': {'common/base', 'common/model', 'common/query'},
    'common/target': {'common/base', 'common/io'},
    'common/remote': {'common/base', 'common/format'},
    'probe': {'common/base', 'common/format'},
    'tui': {'common/base', 'common/check', 'common/compare', 'common/export', 'common/heap', 'common/query', 'common/report'},
}
# The rooms of a layer, lowest first; '' are the files that stand in its folder itself.
ROOMS = {
    'probe': ['', 'ground', 'sink', 'core', 'unwind', 'code', 'managed', 'control', 'outside', 'native', 'mono', 'corprof', 'clr'],
    'common/base': ['', 'system', 'text', 'filter', 'archive'],
    'common/format': ['', 'mlpd', 'block07', 'stacks', 'nettrace', 'readers'],
    'common/ingest': ['ground', '', 'again', 'convert'],
    'common/query': ['', 'groups', 'coverage', 'flame', 'views', 'heap', 'findings'],
    'common/target': ['foreign', 'process', 'control', 'dotnet', 'launch', 'join'],
    'tui': ['', 'draw', 'chart', 'list', 'panes', 'screen', 'terminal', 'feed', 'app', 'commands'],
    'common/model': ['ground', 'names', 'time', 'calls', 'objects', 'locks', 'identity', ''],
}
# Headers of a higher room that are included from lower ones all the same, and from how many files.
# Only ever fewer.
RISES = {
    ('common/model', 'common/model/calls/segment.h'): 1,
    ('common/model', 'common/model/model.h'): 8,
    ('common/model', 'common/model/objects/addresses.h'): 1,
    ('common/model', 'common/model/objects/gc_parts.h'): 1,
}
# Single files that may see more than their layer.
EXTRA = {
    'common/report/dump.c': {'common/format', 'common/io'},
    'common/report/dump_batch.c': {'common/format'},
    'common/report/dump_batch.h': {'common/format'},
    'common/report/dump_event.c': {'common/format'},
    'common/report/dump_event.h': {'common/format'},
    'common/report/dump_layout.c': {'common/format', 'common/io'},
    'common/report/dump_layout.h': {'common/format'},
    'common/report/dump.h': {'common/format', 'common/io'},
    'probe/outside/files.c': {'common/target'},
    'tui/feed/feed_again.c': {'common/ingest'},
    'tui/commands/main.c': {'common/target'},
    'tui/app/remote.c': {'common/target'},
    'tui/commands/on_run.c': {'common/remote'},
    'tui/commands/attach_run.c': {'common/target'},
    'tui/app/child.c': {'common/target'},
    'tui/app/stream_wish.c': {'common/target'},
    'tui/app/stream_wish.h': {'common/target'},
    'tui/feed/feed_tell.c': {'common/ingest', 'common/model', 'common/target'},
    'tui/feed/feed_end.c': {'common/ingest', 'common/model'},
    'tui/app/folder.c': {'common/io', 'common/format', 'common/model'},
    'tui/feed/feed.c': {'common/io', 'common/format', 'common/model', 'common/ingest', 'common/target'},
}
# A third-party header may be named in these files only.
ONLY = {
    'ncurses.h': {'tui/terminal/term.c', 'tui/terminal/term_keys.c', 'tui/terminal/paint.c', 'tui/terminal/crash.c'}, 'curses.h': set(),
    'event2/event.h': {'tui/app/app_parts.h'},
    'cjson/cJSON.h': {'common/check/baseline.c', 'common/io/process_list.c', 'common/pdb/pdb_link.c', 'common/target/launch/launch_index.c', 'common/report/json.c', 'common/report/json_row.c'},
    'zlib.h': {'common/export/gzip_out.c', 'common/export/pprof.c', 'common/io/source_gzip.c', 'common/pdb/pdb_inflate.c', 'probe/sink/gzip.c'},
    'sodium.h': {'common/io/log_print.c', 'common/io/sealed.c', 'common/query/source_text.c'},
}
MAX_LINES = 600
MAX_HEADER = 150


def layer(name):
    return next((l for l in sorted(MAY, key=len, reverse=True) if name.startswith(l + '/')), None)


def room(own, name):
    rest = name[len(own) + 1:]
    return rest.split('/')[0] if '/' in rest else ''


def rises(own, name, inc):
    """Whether a file includes a header of a room above its own."""
    rooms = ROOMS.get(own)
    return rooms and rooms.index(room(own, inc)) > rooms.index(room(own, name))


def check_rises(found):
    for key in sorted(RISES.keys() | found.keys()):
        files, known = found.get(key, []), RISES.get(key, 0)
        if len(files) > known:
            yield f'{key[1]}: included from lower rooms by {", ".join(files)} (known: {known})'
        elif len(files) < known:
            yield f'{key[1]}: included from lower rooms by {len(files)} files, RISES says {known}'


def check_includes(name, text, risen):
    own = layer(name)
    for inc in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M):
        if inc in ONLY and not name.startswith("tests/") and name not in ONLY[inc]:
            yield f'{name}: only {sorted(ONLY[inc])} may include <{inc}>'
        target = layer(inc)
        allowed = {own} | MAY.get(own, set()) | EXTRA.get(name, set())
        if own and target and target not in allowed:
            yield f'{name}: layer {own} may not include {inc}'
        if own and own == target and rises(own, name, inc):
            risen.setdefault((own, inc), []).append(name)


def check_size(name, text):
    lines = text.count('\n') - ('SPDX-License-Identifier' in text)
    limit = MAX_HEADER if name.endswith('.h') and not name.startswith("tests/") else MAX_LINES
    # The vocabulary header is a list of kinds and their fields; it reads better whole.
    if lines > limit and name not in ('common/format/event.h', 'common/format/mlpd/mlpd.h'):
        yield f'{name}: {lines} lines (limit {limit})'


def check_quiet(name, text):
    if name.startswith(('common/', 'probe/')):
        for call in re.findall(r'\b(exit|abort|_exit|assert|f?printf|perror|puts)\s*\(', text):
            if call in ('exit', 'abort', 'assert', 'printf', 'perror', 'puts') and not \
                    re.search(r'pv-allow: ' + call, text):
                yield f'{name}: calls {call}(); below tui/ errors are values'


def main(root):
    problems, seen, risen = [], {}, {}
    for path in sorted(pathlib.Path(root).rglob('*')):
        name = path.relative_to(root).as_posix()
        if path.suffix not in ('.c', '.h', '.def') or name.startswith(('build', '.')):
            continue
        text = path.read_text(encoding='utf-8')
        code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: m.group(0)
                      if m.group(0).startswith('"') or 'pv-allow' in m.group(0) else '', text,
                      flags=re.S)
        problems += check_includes(name, text, risen)
        problems += check_size(name, text)
        problems += check_quiet(name, code)
        other = seen.setdefault(path.name, name)
        if other != name:
            problems.append(f'{name}: same base name as {other}')
    problems += check_rises(risen)
    print('\n'.join(problems) or f'{len(seen)} files keep the layers')
    return 1 if problems or not seen else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

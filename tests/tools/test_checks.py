#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each check of the source fails on a copy of the tree in which what it forbids was planted.

usage: test_checks.py SOURCE_ROOT CHECK
Without what was planted it says nothing of it, so it is that which is found. A check by a mutation
each: its file, the text put in place of another (None: at the end), and words of what must be said.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

PLAIN = 'common/base/text/units.c'
HEADER = 'common/base/text/demangle.h'
LONG = '\n' * 600

# check: [(file, old, new, said)]
PLANTED = {
    'layers': [
        (PLAIN, None, '#include "tui/list/list.h"\n', 'layer common/base may not include tui/list/list.h'),
        ('common/query/groups/table.c', None, '#include "common/io/source.h"\n', 'layer common/query may not include'),
        ('common/model/ground/least.c', None, '#include "common/model/objects/shots.h"\n',
         'common/model/objects/shots.h: included from lower rooms'),
        ('tui/list/list.c', None, '#include <ncurses.h>\n', 'may include <ncurses.h>'),
        (PLAIN, None, LONG, '(limit 600)'),
        ('common/base/text/units.h', None, LONG, '(limit 150)'),
        (PLAIN, None, 'void f(void) { abort(); }\n', 'calls abort(); below tui/ errors are values'),
        ('probe/core/units.c', None, '\n', 'same base name'),
    ],
    'rooms': [
        ('common/new_room/some.c', None, '\n', 'no section for common/new_room'),
        ('common/README.md', '## common/heap\n', '## common/heaps\n', 'there is no common/heaps'),
        ('common/README.md', '`showable.h`', '`showables.h`', 'there is no showables.h'),
    ],
    'words': [
        (PLAIN, None, '/* whoever breathes */\n', 'common/base/text: '),
        (PLAIN, None, 'int strand_of_breath;\n', 'words of our own'),
        (PLAIN, None, '/* What it is. */\n', 'comments that open with What, Who, Where'),
        ('common/README.md', '- **room**:', '- **an**, **other**: word\n- **room**:', 'words in the glossary'),
    ],
    'headers': [
        ('common/base/text/units.h', '/*\n * Numbers as', '#define NONE\n/*\n * Numbers as', 'units.h:1: head'),
        (HEADER, None, 'int of_none(void);\n', 'comment of_none'),
        (HEADER, None, '/* Of it. */\n\nint far_off(void);\n', 'comment far_off'),
        (HEADER, None, '/* False: no memory. */\nbool near(void);\n\nbool far(void);\n', 'comment far'),
        (HEADER, None, '/* Makes it. */\nbool made(int of);\n', 'failure made'),
        (HEADER, None, '/* It. */\nstatic inline bool it(void)\n{\n\treturn 1; /* true */\n}\n', 'failure it'),
        (HEADER, None, '/* Its name; NULL: none. */\nconst char *name_of(int id);\n', 'lifetime name_of'),
        (HEADER, None, '/* Such a thing. */\nstruct new {\n\tuint64_t start_time;\n};\n', 'units start_time'),
        ('common/base/map.h', 'Not thread-safe.', '', 'map.h:1: threads'),
    ],
    'manual': [
        ('tui/profview-keys.7.scd', '*half-down*', '*half-way*', 'does not name half-down'),
        ('tui/profview.1.scd', None, '*--no-such-option* is none.\n', 'names --no-such-option, which is no option'),
        ('tui/profview-diff.1.scd', '*--limit*', '*--all*', 'profview-diff.1.scd does not name --limit'),
        ('tui/profview.1.scd', '_never_ uses', '_not_ uses', 'no page says never of --color'),
        ('tui/profview.1.scd', '*-f*, ', '', 'no page says *-f* of --follow'),
        ('tui/profview.1.scd', ', *profview-check*(1)', '', 'profview.1.scd does not name profview-check(1)'),
        ('tui/commands.def', '"2", ANY, "CPU', '"4", ANY, "CPU', 'README.md: '),
        ('README.md', None, '\n' * 100, 'README.md has'),
        ('tui/profview-run.1.scd', None, 'word ' * 200, 'characters without a break'),
        ('tui/profview.conf.5.scd', '*theme* =', '*topic* =', 'profview.conf.5.scd has'),
        ('probe/profview-probe.7.scd', None, '\n*no-such-word*\n', 'names no-such-word, which is no word'),
    ],
    'places': [
        ('tui/app/options.c', None, 'const char *of = "--all ";\n', '--all: 3 files'),
        ('probe/core/tell.c', None, 'const char *a = "zip";\n', 'zip: 4 files'),
    ],
    'showable': [
        ('common/report/text.c', None, 'void f(FILE *o, const char *s) { fprintf(o, "%s", s); }\n',
         'fprintf() prints s, which may be foreign'),
        ('common/report/text.c', None, 'void f(FILE *o, const char *s) { fputs(s, o); }\n', 'fputs() prints s'),
        ('tui/list/list.c', None, 'void f(void) { fputs("no", stderr); }\n', 'standard error is written to'),
    ],
    'foreign': [
        ('common/target/join/join.c', None, 'int f(const char *p) { return lchown(p, 1, 1); }\n', 'lchown(p, ...)'),
        ('common/target/join/joinable.c', None, 'const char *f = "/proc/%ld/root%s";\n', 'a path below /proc/PID/root'),
        ('common/target/some.c', None, 'int f(char *s) { return open(s, 0); }\n', 'common/target/some.c:1: open(s, ...)'),
        ('tui/list/list.c', None, 'int f(char *s) { return open(s, 0); }\n', 'open(s, ...)'),
    ],
    'examples': [
        ('tui/commands.def', 'Half a page up', 'Up by half a page', 'key.patch: error'),
        ('tests/examples/key.patch', '"<C-y>"', '"<C-t>"', '<C-t> is the key of another command'),
        ('common/README.md', 'view.patch', 'views.patch', 'does not name view.patch'),
        ('tests/examples/column.patch', None, '+++ b/common/query/table.h\n', 'column.patch: 3 files (limit 2)'),
        ('tests/examples/none.patch', None, 'diff\n', 'none.patch: has no test'),
    ],
    'rows': [
        ('tui/list/list.c', None, 'bool f(enum pv_view v) { return v == PV_VIEW_METHODS; }\n', '1 comparisons'),
        ('common/query/groups/build.c', None, 'int f(int v) { switch (v) { case PV_VIEW_LOCKS: return 1; } return 0; }\n', '1 comparisons'),
    ],
    'spdx': [
        (PLAIN, '/* SPDX-License-Identifier: MIT */\n', '', 'common/base/text/units.c: no SPDX'),
        ('tests/tools/new.py', None, '\n', 'tests/tools/new.py: no SPDX'),
    ],
    'rules': [
        ('tests/tools/rules.txt', None, '\n99  nothing\n      test_no_such_thing  no_such_test\n', 'no_such_test'),
    ],
    'started': [
        ('bootstrap.sh', ' sqlite3 ', ' ', 'starts sqlite3'),
        ('tests/program/test_cli.py', None, "subprocess.run(['cowsay', 'no'], check=True)\n", 'test_cli.py starts cowsay'),
        ('tests/tools/skips.txt', None, 'program cowsay: for fun\n', 'names cowsay, which no test starts'),
        ('tests/real/meson.build', None, "find_program('cowsay')\n", 'starts cowsay'),
        ('bootstrap.sh', 'need_nginx', 'need_none', 'matrix nginx under load starts nginx'),
    ],
    'format': [
        (PLAIN, None, 'int  f( void );\n', f'{PLAIN}:'),
        ('tui/list/list.c', None, 'void f(void){}\n', 'tui/list/list.c:'),
    ],
}


def run(tools, check, root):
    where = root / 'tests' if check == 'rules' else root
    return subprocess.run([sys.executable, tools / f'check_{check}.py', where], capture_output=True, text=True)


ALL = ('common', 'probe', 'tui', 'tests', 'README.md')
# What a check need not read takes long.
READS = {
    'headers': ('common/base',),
    'words': ('common/base', 'common/README.md'),
    'foreign': ('common', 'tui'),
    'spdx': ('common/base', 'tests/tools'),
    'started': ('bootstrap.sh', 'tests/real', 'tests/program', 'tests/tools', 'tests/soak', 'tests/meson.build'),
    'format': ('.clang-format', *sorted({f for f, *_ in PLANTED['format']})),
}


def copy(root, folder, check):
    for name in READS.get(check, ALL):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns('__pycache__', '*.gz'))
        else:
            shutil.copy(root / name, folder / name)


def plant(path, old, new):
    """Returns what undoes it."""
    if not path.exists():
        made = not path.parent.exists()
        path.parent.mkdir(exist_ok=True)
        path.write_text(new, encoding='utf-8')
        return lambda: (path.unlink(), path.parent.rmdir() if made else None)
    text = path.read_text(encoding='utf-8')
    if old is not None and old not in text:
        sys.exit(f'{path.name} has no {old!r} any more: plant something else')
    path.write_text(text + new if old is None else text.replace(old, new), encoding='utf-8')
    return lambda: path.write_text(text, encoding='utf-8')


def failures(root, check):
    tools = root / 'tests/tools'
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy(root, folder, check)
        clean = run(tools, check, folder)
        if clean.returncode == 77: # what it takes is not installed
            print(clean.stdout, end='')
            sys.exit(77)
        if clean.returncode:
            yield f'{check} fails on an unchanged copy: {clean.stdout}{clean.stderr}'
        for file, old, new, said in PLANTED[check]:
            undo = plant(folder / file, old, new)
            found = run(tools, check, folder)
            undo()
            if found.returncode == 0 or said not in found.stdout:
                yield f'{check}: {file}: {new.strip()[:60]!r} is not found ({found.returncode}): {found.stdout[:300]}'


def circles(root):
    """check_circles.py reads objects: two files that call each other, in one room and across rooms."""
    for rooms, said in ((('base', 'base'), 'common/base: circles of [2] files'),
                        (('base', 'io'), 'rooms: new: common/base common/io')):
        for back in (True, False):
            with tempfile.TemporaryDirectory() as name:
                rows = []
                for i, room in enumerate(rooms):
                    source = pathlib.Path(name, f'common/{room}/f{i}.c')
                    out = pathlib.Path(name, f'common/p/f{i}.c.o')
                    source.parent.mkdir(parents=True, exist_ok=True)
                    out.parent.mkdir(parents=True, exist_ok=True)
                    calls = f'f{1 - i}();' if back or i == 0 else ''
                    source.write_text(f'void f{1 - i}(void); void f{i}(void) {{ {calls} }}\n', encoding='utf-8')
                    subprocess.run(['cc', '-c', source, '-o', out], check=True)
                    rows.append({'directory': name, 'file': str(source), 'output': f'common/p/f{i}.c.o'})
                pathlib.Path(name, 'compile_commands.json').write_text(json.dumps(rows), encoding='utf-8')
                found = subprocess.run([sys.executable, root / 'tests/tools/check_circles.py', name],
                                       capture_output=True, text=True)
                if (said in found.stdout) != back:
                    yield f'circles: {rooms}, {"both ways" if back else "one way"}: {found.stdout}{found.stderr}'


def main(root, check):
    root = pathlib.Path(root).resolve()
    problems = list(circles(root) if check == 'circles' else failures(root, check))
    print('\n'.join(problems) or f'{check} finds what is planted')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

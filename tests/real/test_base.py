#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview --base` of two builds with a known change, in a terminal: what `profview diff` says of them.

usage: test_base.py PROFVIEW BASE NEW
"""
import json
import pathlib
import re
import sys

import target
import term
import tool
from verdict import Verdict

RECORD = ('--sample=1000', '--alloc', '--probe', 'heapshot=onshutdown')


def quantity(text):
    """'2.86 MiB' -> bytes, '1.44 k' -> 1440; zero is a point."""
    number, unit = re.fullmatch(r'([+-]?[\d. ]*\d|·) ?([KM]iB|B|k|M)?', text).groups()
    times = {'KiB': 1024, 'MiB': 1 << 20, 'k': 1000, 'M': 1e6}.get(unit, 1)
    return 0 if number == '·' else float(number.replace(' ', '')) * times


def of_cut(name, rows):
    """The row of a name that is too long for its column: a sample may fall into any function of libc."""
    first, _, last = name.partition('…')
    return next((r for r in rows if last and r['name'].startswith(first) and r['name'].endswith(last)), None)


def rows_of(screen):
    """Of the list whose header says CHANGE; cells are two blanks apart."""
    header = None
    for line in screen.splitlines():
        cells = re.split(r' {2,}', line.strip(' ▶▸│'))
        if cells[0] == 'CHANGE▼':
            header = cells
        elif header and '──' in line:
            return
        elif header and len(cells) >= 5:
            row = dict(zip(header, cells))
            yield (row['NAME'], row['VERDICT'], *(quantity(row[k]) for k in ('BASE', 'NEW', 'CHANGE▼')))


class Tool(tool.Tool):
    def record(self, name, program):
        log = self.folder / f'{name}.mlpd'
        self.run('run', *RECORD, '--record', log, '--', program)
        return log


def compare(tool, screen, report, section):
    """Rows on the screen are those of diff: verdicts, figures, order."""
    v, want = tool.v, {r['name']: r for r in report[section]}
    seen = list(rows_of(screen))
    v.true(f'{section}: rows are shown', len(seen) >= 3, screen)
    for name, verdict, base, new, change in seen:
        row = want.get(name) or of_cut(name, report[section])
        v.true(f'{section}: {name} is one of diff', row is not None, screen)
        if not row:
            continue
        v.equal(f'{section}: verdict of {name}', verdict, row['verdict'])
        for key, shown in (('base', base), ('new', new), ('change', change)):
            v.true(f'{section}: {key} of {name}', abs(shown - row[key]) <= max(0.06, abs(row[key]) * 0.006),
                   (shown, row[key]))
    sizes = [abs(s[4]) for s in seen]
    v.equal(f'{section}: the greatest change first', sizes, sorted(sizes, reverse=True))


def watch(tool, t, logs, report):
    v = tool.v
    t.run(tool.profview, '--base', logs[0], '--per', 'none', logs[1])
    t.wait_end()
    t.keys('2')
    t.wait(lambda s: 'Samples in methods themselves, as they are' in s and any(rows_of(s)))
    methods = t.text()
    compare(tool, methods, report, 'methods.samples_self')
    v.true('the slower method is first', next(rows_of(methods))[0] == 'step_7', methods)
    t.keys('C-n')
    t.wait('Samples in methods and what they call')
    t.keys('C-n')
    t.wait('Samples in methods themselves')
    t.keys('2')
    t.wait(lambda s: re.search(r'more .*step_7', s))
    t.keys('2')
    t.wait('wide as base and new together')
    t.type('jjjjj')
    t.wait('· more ·')
    t.keys('3')
    t.wait(lambda s: 'Allocated bytes by class, as they are' in s and any(rows_of(s)))
    classes = t.text()
    compare(tool, classes, report, 'classes.allocated_bytes')
    t.keys('4')
    t.wait(lambda s: re.search(r'new .*malloc 2561..3072', s))
    t.keys('5', 'C-n')
    t.wait('nothing here is compared with the base')
    t.keys('Q')
    t.wait_prompt()


def refuse(tool, logs):
    for words, code, says in (
            (('--per', 'none', logs[1]), 2, '--per goes with --base'),
            (('--base-range', '..1s', logs[1]), 2, '--base-range goes with --base'),
            (('--base', '/none', '--dump', logs[1]), 3, '/none'),
            (('--base', '/dev/null', '--dump', logs[1]), 3, '/dev/null'),
            (('--base', logs[0], '--per', 'call:No.One', '--dump', logs[1]), 2, 'no call of it is recorded')):
        done = tool.run(*words, code=code)
        tool.v.true(f'{words}: a line', len(done.stderr.splitlines()) == 1 and says in done.stderr, done.stderr)
        tool.v.equal(f'{words}: nothing on standard output', done.stdout, '')


def main(profview, base, new):
    v = Verdict('base')
    with target.scratch() as folder:
        tool = Tool(profview, v, folder)
        logs = [tool.record('base', base), tool.record('new', new)]
        report = json.loads(tool.run('diff', *logs, '--per', 'none', '--all', '--format', 'json').stdout)
        for n, env in enumerate(((), (('NO_COLOR', '1'),))):
            own = pathlib.Path(folder, f'terminal{n}')
            own.mkdir()
            with term.Terminal(own, columns=130, rows=40,
                               env=[*env, ('XDG_CACHE_HOME', f'{folder}/cache')]) as t:
                watch(tool, t, logs, report)
        plain = tool.run('--base', logs[0], '--dump', '--ascii', '--size', '120x24', '--keys', '222jjjjj<Right>', logs[1]).stdout
        v.true('the flame needs no colour', re.search(r'^[+](U )?step', plain, re.M), plain)
        itself = tool.run('--base', logs[0], '--dump', '--size', '120x24', '--keys', '2', logs[0]).stdout
        v.true('the log beside itself', '0 changed, 0 within noise' in itself, itself)
        refuse(tool, logs)
    return v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

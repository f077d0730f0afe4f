#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual names every option, on the page of each command that takes it, and every key, and no option
that does not exist; the keys that README.md names open the panes, and do what, it says.

usage: check_manual.py SOURCE_ROOT
"""
import pathlib
import re
import sys


def words(root):
    """Words of --probe that its page does not have, and the other way round."""
    text = pathlib.Path(root, 'common/base/words.def').read_text(encoding='utf-8')
    rows = re.findall(r'^(?:WORD|CHOICE)\(\w+, "([\w-]+)", [\w |]+, (\w+|"[^"]*"),', text, re.M)
    page = pathlib.Path(root, 'probe/profview-probe.7.scd').read_text(encoding='utf-8')
    named = set(re.findall(r'\*([\w-]+)\*', page))
    if len(rows) < 40:
        sys.exit('rows of words are not found any more')
    for word in sorted({w for w, kind in rows if kind != 'OURS'} - named):
        yield f'profview-probe.7.scd does not name {word}'
    for word in re.findall(r'^\*([\w-]+)\*(?:$|\[|=|, )', page, re.M):
        if word not in {w for w, _ in rows}:
            yield f'profview-probe.7.scd names {word}, which is no word'


# What README.md says of a key: its command.
SAID = {'methods': 'cpu', 'allocations by class': 'alloc', 'collections': 'gc', 'heap shots': 'heap',
        'waits': 'waits', 'requests': 'requests', 'errors': 'errors', 'runtime': 'runtime', 'events': 'events',
        'the findings': 'findings', 'searches': 'search', 'filters': 'filter',
        'chooses the window': 'window', 'pauses the picture': 'pause', 'goes into a row': 'enter',
        'explains the keys': 'help', 'leaves': 'quit'}


def keys(root, rows):
    """Keys that README.md names and that are another command's, or none's."""
    text = ' '.join(pathlib.Path(root, 'README.md').read_text(encoding='utf-8').split())
    named = re.findall(r'`([^` ]+)` ([a-z][a-z ]+)', text)
    checked = 0
    for key, words in named:
        for said, command in SAID.items():
            if words.startswith(said):
                checked += 1
                if not {key, f'<{key}>'} & set(rows.get(command, ())):
                    yield f'README.md: {key} {said}: {command} has {" ".join(rows.get(command, ()))}'
    if checked < len(SAID):
        yield f'README.md: only {checked} of {len(SAID)} keys are found'
    of_key = {k: c for c, ks in rows.items() for k in ks}
    for key in re.findall(r'(?:[Pp]anes?|shots|ladder) `(.)`', text):
        if key not in of_key:
            yield f'README.md: {key} is no key'


def settings(root):
    """Keys of profview.conf: those that the program compares with."""
    page = pathlib.Path(root, 'tui/profview.conf.5.scd').read_text(encoding='utf-8')
    code = pathlib.Path(root, 'tui/app/conf.c').read_text(encoding='utf-8')
    known = set(re.findall(r'(?:strcmp\(key, |is_word\(key, n, )"([a-z-]+)"', code))
    named = set(re.findall(r'^\*([a-z-]+)\*.* = ', page, re.M))
    if len(known) < 2 or known != named:
        yield f'profview.conf.5.scd has {sorted(named)}, conf.c {sorted(known)}'


# The page of each command.
PAGES = {'REPORT': 'profview-report.1', 'BRIEF': 'profview-report.1', 'DUMP': 'profview-report.1',
         'CONVERT': 'profview-convert.1', 'RUN': 'profview-run.1', 'ATTACH': 'profview-attach.1',
         'LISTEN': 'profview-attach.1', 'PS': 'profview-attach.1', 'CTL': 'profview-attach.1',
         'DIFF': 'profview-diff.1', 'CHECK': 'profview-check.1', 'VIEW': 'profview.1'}
LONGEST = 940


def options(root, bold, texts):
    """Options, their letters and choices that the page of a command that takes them lacks; those of every command stand in profview(1)."""
    sys.path.insert(0, str(pathlib.Path(root, 'tui')))
    sys.dont_write_bytecode = True
    import completions
    _, of_verb = completions.read(pathlib.Path(root, 'tui/options.def'))
    everywhere = set.intersection(*({name for name, *_ in rows} for rows in of_verb.values()))
    missing = {f'{page}.scd does not name {name}' for verb, rows in of_verb.items() for name, *_ in rows
               for page in [PAGES['VIEW' if name in everywhere else verb.upper() or 'VIEW']] if name not in bold[page]}
    yield from sorted(missing)
    said = {name: ' '.join(t for text in texts.values() for t in text.split('\n\n') if f'*{name}*' in t)
            for rows in of_verb.values() for name, *_ in rows}
    lacking = {f'no page says {word} of {name}' for rows in of_verb.values() for name, letter, choices, _ in rows
               for word in [*choices, *([f'*-{letter}*'] if letter else [])]
               if not re.search(rf'(?<![a-z]){re.escape(word)}(?![a-z])', said[name])}
    yield from sorted(lacking)
    known = {name for rows in of_verb.values() for name, *_ in rows} | {'--'}
    for page, names in bold.items():
        for name in sorted(names):
            if name.startswith('--') and name.split()[0] not in known:
                yield f'{page}.scd names {name}, which is no option'


def pages(root, texts):
    """Pages that profview(1) does not lead to."""
    also = texts['profview.1'].split('# SEE ALSO')[-1]
    for path in sorted(pathlib.Path(root).glob('*/*.scd')):
        name, section = path.stem[:-2], path.stem[-1]
        if path.stem != 'profview.1' and f'*{name}*({section})' not in also:
            yield f'profview.1.scd does not name {name}({section})'


def lengths(root):
    """README.md is a page of 100 lines of 100 columns, a paragraph of a manual page a dozen lines on a terminal."""
    lines = pathlib.Path(root, 'README.md').read_text(encoding='utf-8').splitlines()
    if len(lines) > 100 or max(map(len, lines)) > 100:
        yield f'README.md has {len(lines)} lines of up to {max(map(len, lines))} columns, not 100 of 100'
    for path in sorted(pathlib.Path(root).glob('*/*.scd')):
        for line in path.read_text(encoding='utf-8').splitlines():
            if len(line) > LONGEST:
                yield f'{path.name}: {len(line)} characters without a break: {line[:40]}'


def main(root):
    tui = pathlib.Path(root, 'tui')
    texts = {path.stem: path.read_text(encoding='utf-8') for path in tui.glob('*.scd')}
    bold = {page: set(re.findall(r'\*([^*\n]+)\*', text.replace('\\*', ''))) for page, text in texts.items()}
    commands = re.findall(r'^COMMAND\(\w+,\s*"([^"]+)"', (tui / 'commands.def').read_text(
        encoding='utf-8'), re.M)
    if len(commands) < 40:
        sys.exit('rows of commands are not found any more')
    ranged = {f'sort-{n}' for n in range(2, 7)}  # "sort-1 to sort-7"
    told = [f'profview-keys.7.scd does not name {name}' for name in commands if name not in bold['profview-keys.7'] | ranged]
    rows = {name: ks.replace('<Space>', ' ').split() for name, ks in re.findall(
        r'^COMMAND\(\w+,\s*"([^"]+)",\s*"((?:\\.|[^"\\])*)"', (tui / 'commands.def').read_text(encoding='utf-8'), re.M)}
    rows = {name: [k.replace('\\\\', '\\') for k in ks] for name, ks in rows.items()}
    told += [*options(root, bold, texts), *pages(root, texts), *words(root), *keys(root, rows), *settings(root), *lengths(root)]
    print(*told, sep='\n', end='')
    sys.exit(1 if told else 0)


if __name__ == '__main__':
    main(sys.argv[1])

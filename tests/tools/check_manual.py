#!/usr/bin/env python3
"""The manual names every option and every command, and no option that does not exist.

usage: check_manual.py SOURCE_ROOT
"""
import pathlib
import re
import sys


def words(root):
    """Words of --probe that its page does not have, and the other way round."""
    text = pathlib.Path(root, 'common/target/words.c').read_text(encoding='utf-8')
    rows = re.findall(r'^\t\{ "([\w-]+)", [\w |]+, (\w+),', text, re.M)
    page = pathlib.Path(root, 'probe/profview-probe.7.scd').read_text(encoding='utf-8')
    named = set(re.findall(r'\*([\w-]+)\*', page))
    if len(rows) < 40:
        sys.exit('rows of words are not found any more')
    for word in sorted({w for w, kind in rows if kind != 'OURS'} - named):
        yield f'profview-probe.7.scd does not name {word}'
    for word in re.findall(r'^\*([\w-]+)\*(?:$|\[|=|, )', page, re.M):
        if word not in {w for w, _ in rows}:
            yield f'profview-probe.7.scd names {word}, which is no word'


def main(root):
    tui = pathlib.Path(root, 'tui')
    manual = (tui / 'profview.1.scd').read_text(encoding='utf-8')
    options = re.findall(r'\{ "(--[\w-]+)"', (tui / 'app/options.c').read_text(encoding='utf-8'))
    commands = re.findall(r'^COMMAND\(\w+,\s*"([^"]+)"', (tui / 'commands.def').read_text(
        encoding='utf-8'), re.M)
    if len(options) < 15 or len(commands) < 40:
        sys.exit('rows of options or commands are not found any more')
    bold = set(re.findall(r'\*([^*\n]+)\*', manual.replace('\\*', '')))
    ranged = {f'sort-{n}' for n in range(2, 7)}  # "sort-1 to sort-7"
    missing = [name for name in options + commands if name not in bold | ranged]
    unknown = [name for name in bold if name.startswith('--') and name not in options
               and name != '--']
    for name in missing:
        print(f'profview.1.scd does not name {name}')
    for name in unknown:
        print(f'profview.1.scd names {name}, which is no option')
    told = list(words(root))
    print(*told, sep='\n', end='')
    sys.exit(1 if missing or unknown or told else 0)


if __name__ == '__main__':
    main(sys.argv[1])

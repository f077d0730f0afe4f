#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In how many files an option and a word of the probes stand, besides the code that does what they ask for.

usage: check_places.py SOURCE_ROOT [list]    `list` prints the files of each
An option: its row, its member where neither the row nor what a report is asked declares it, a function that
reads its value, a page. A word: its row, every file that spells it, a page. Half of the options and of the words
stand in the files that are aimed at, and those in more may only become fewer.
"""
import pathlib
import re
import sys

AIM_OPTION, AIM_WORD = 2, 3
# Options and words in more files than that. Only ever fewer.
MORE = {'option': 16, 'word': 25}
ROW = re.compile(r'^OPTION(\w*)\(\w+, ([\w.]+), "(--[\w-]+)",(.*?)"\)$', re.M | re.S)
WORD = re.compile(r'^(?:WORD|CHOICE)\(\w+, "([\w-]+)", ([\w |]+), (\w+|"[^"]*"),', re.M)


def sources(root, *folders):
    """Without comments, by name."""
    paths = [p for f in folders for p in ([root / f] if (root / f).is_file() else sorted((root / f).rglob('*.[ch]')))]
    return {p.relative_to(root).as_posix(): re.sub(r'/\*.*?\*/', '', p.read_text(encoding='utf-8'), flags=re.S) for p in paths}


def options(root):
    table = (root / 'tui/options.def').read_text(encoding='utf-8')
    pages = ' '.join(p.read_text(encoding='utf-8') for p in (root / 'tui').glob('*.scd'))
    texts = sources(root, 'tui/app/options.h', 'tui/app/options.c', 'tui/app/options_set.c', 'tui/app/options_help.c')
    texts['tui/completions.py'] = (root / 'tui/completions.py').read_text(encoding='utf-8')
    for elsewhere, member, name, more in ROW.findall(table):
        read = re.search(r'\.(?:is|read) = (\w+)', more)
        given = re.search(r'\.given = AT\(([\w.]+)\)', more)
        declared = '|'.join(re.escape(m.split('.')[-1]) for m in (member, given[1] if given else member))
        of = rf'"{name}["= ]' + (rf'|\b{read[1]}\(' if read else '') + (
            rf'|^\t[\w ]+[ *](?:\w+, )*(?:{declared})(?:\[\w+\])?[;,]' if elsewhere else '')
        yield name, ['tui/options.def', *(f for f, text in texts.items() if re.search(of, text, re.M))] + \
            ['its page'] * (f'*{name}*' in pages)


def words(root):
    rows = WORD.findall((root / 'common/base/words.def').read_text(encoding='utf-8'))
    page = (root / 'probe/profview-probe.7.scd').read_text(encoding='utf-8')
    texts = sources(root, 'common/target', 'probe')
    for word in sorted({word for word, _, kind in rows if kind != 'OURS'}):
        yield word, ['common/base/words.def', *(f for f, text in texts.items() if re.search(rf'"(?:no|,)?{word}["=]', text))] + \
            ['its page'] * (f'*{word}*' in page)


def main(root, *how):
    root, told = pathlib.Path(root), []
    for what, aim, found in ('option', AIM_OPTION, list(options(root))), ('word', AIM_WORD, list(words(root))):
        counts = sorted(len(files) for _, files in found)
        more = [f'{name}: {len(files)} files: {", ".join(files)}' for name, files in found if len(files) > aim]
        print(f'an {what} stands in {counts[len(counts) // 2]} files, {len(more)} of {len(counts)} in more than {aim}'
              .replace('an word', 'a word'))
        if how:
            print(*more, sep='\n')
        if counts[0] < 2 or len(counts) < 50 or counts[len(counts) // 2] > aim:
            told.append(f'{what}: {counts}, not {aim}')
        if len(more) > MORE[what]:
            told += [f'{what}: {len(more)} in more than {aim} files, {MORE[what]} were; one of these is new:', *more]
    print(*told, sep='\n')
    return bool(told)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Foreign text is printed by common/base/text/showable.c and by nothing else.

usage: check_showable.py SOURCE

Standard error is written to in tui/app/complain.c alone. Wherever else something is printed, what is
printed is a number, a literal, or one of the texts in OWN, which are ours. The list has a reason for
each; a name is added to it only when its text cannot come from outside.
"""
import pathlib
import re
import sys

STDERR = {
    'tui/app/complain.c': 'the one way to it',
    'tui/terminal/crash.c': "a crash handler's own words",
    'common/base/system/run_output.c': 'the null device of the program that is started',
    'common/target/launch/relay.c': 'the terminal of the program that is started',
}
# What is printed as it stands, by file ('*': any).
OWN = {
    '*': {
        r'strerror\(\w+\)': "the C library's",
        r'pv_units_\w+\(.*\)': 'figures',
        r'PV_VERSION': 'our own version',
        r'pv_kind_name\(.*\)': "names of the format's events",
    },
    'common/report/dump_filter.c': {r'line|e->(thread|kind)|\*?text(\[i\])?': 'of a line of the dump, which has made it showable',
                                    r'json': 'from pv_showable_json()'},
    'common/base/text/log_argument.c': {r'\*at': 'of what is shown'},
    'common/base/text/showable.c': {r'c\.text': 'what is shown', r's->at - n': 'plain ASCII'},
    'tui/app/complain.c': {r'shown': 'what is shown', r'lines': "a canvas's text"},
    'tui/screen/export_rows.c': {r'text': "a canvas's text"},
    'tui/commands/main.c': {r's->section': 'literals', r'text': 'the help', r'frame\.text': "a canvas's text"},
    'tui/commands/attach_run.c': {r'frame\.text': "a canvas's text"},
    'tui/app/options_help.c': {r'heading': 'literals', r'left': 'rows of options', r'word': 'a literal',
                           r'usage': 'a literal', r'end': 'a literal'},
    'tui/app/remote.c': {r'json': 'from pv_showable_json()', r'how_to\(.*\)': 'literals',
                   r'answer\[.*\]': 'literals', r'key': 'literals'},
    'common/check/check_write.c': {r'lead|element\[.*\]|level\[.*\]': 'literals', r'\*at': 'of what is shown', r'json': 'from pv_showable_json()',
                                    r'pv_check_verdict_text\(.*\)|.*rule->kind|r->section': 'literals', r'.*figure\(.*\).*': 'figures'},
    'common/check/baseline.c': {r'json.*|unit\[.*\]': 'from pv_showable_json(), literals'},
    'common/compare/diff_write.c': {r'label|lead': 'literals', r'json': 'from pv_showable_json()',
                                    r'.*measure->(title|section)': 'literals'},
    'common/report/brief.c': {r'.*(text|command|lead|json)( \? .*)?|gap|args|os|arch|path|end|head|blocks\[i\]\.(section|title|column\[k\])':
                              'from shorten() or pv_showable_json(), literals',
                              r'.*at.*': 'of what shorten() made', r't->row\[i\].cell\[what\]\.s': 'names of kinds'},
    'common/report/quickfix.c': {r'title': 'literals'},
    'common/report/table_csv.c': {r'text|\*text': 'from pv_showable_text()', r'sign': 'a literal'},
    'common/report/text.c': {r's->title': 'a literal', r'suffix': "a shot's number", r'label': 'literals',
                             r'f->label': 'literals', r'word\[i\]': 'literals', r'when': 'a date',
                             r'f->stage': 'a stage of 2007', r'f->text': 'literals', r'completeness\(s\)': 'literals', r'pv_report_cell\(&c, f->unit.*\)': 'a number'},
    'common/report/json.c': {r'text|text \+ 2': 'from cJSON, of rows that are JSON', r'name': 'a literal',
                             r'lead': 'literals', r'c->s': 'digits of a counter',
                             r't->row\[i\]\.cell\[name\]\.s': "names of the format's events"},
    'common/report/json_row.c': {r'r->text\.v': 'JSON'},
    'common/report/heapsnapshot.c': {r'json': 'from pv_showable_json()', r'meta': 'a literal'},
    'common/export/callgrind.c': {'text': 'from pv_profile_text()', 'what': 'literals', r'a->title|a->line\.v\[i\]': 'shown lines',
                                  r'g->measure\[m\]->\w+': 'literals'},
    'common/export/folded.c': {'text': 'from pv_showable_text()'},
    'common/export/merge.c': {'text': 'from pv_profile_text()', r'.*PV_MERGED_.*': 'literals'},
    'common/export/html.c': {'lead': 'literals', r'pv_measures\[i\]\.\w+': 'literals', r'pv_page_\w+': 'our own page'},
    'common/export/json_text.c': {'at': 'from pv_showable_json()'},
    'common/export/speedscope.c': {'unit': 'literals'},
    'common/report/dump.c': {r'reason': 'literals of the readers'},
    'common/report/dump_batch.c': {r'h->text': 'literals', r'name': 'literals', r'h->stage': 'literals'},
    'common/report/dump_event.c': {r'name': "names of the format's fields", r'step_name\(.*\)': 'literals',
                                   r'short_name\(.*\)': "names of the format's fields"},
}
BYTES = {'tui/commands/on_run.c': 'into no terminal', 'tui/commands/on_words.c': 'into memory', 'common/export/gzip_out.c': 'what was packed', 'common/export/pprof.c': 'compressed messages', 'common/ingest/convert/convert.c': 'a log', 'common/ingest/index_file.c': 'an index', 'common/target/process/carried.c': 'our own library'}
CALL = re.compile(r'\b(fprintf|printf|fputs|puts|fwrite|vfprintf|dprintf|perror|putc|putchar|fputc)\s*\(')
CONVERSION = re.compile(r'%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|z|j|t)?([a-zA-Z%])')
LITERAL = r'(?:"(?:\\.|[^"\\])*"|PRI\w+|PV_VERSION|UI_OF_COMMIT|\s)+'


def arguments(text, at):
    """Of the call whose bracket is before `at`."""
    depth, start, found, quote = 1, at, [], None
    while depth:
        c = text[at]
        if quote:
            if c == '\\':
                at += 1
            elif c == quote:
                quote = None
        elif c in '"\'':
            quote = c
        elif c in '([{':
            depth += 1
        elif c in ')]}':
            depth -= 1
        elif c == ',' and depth == 1:
            found.append(text[start:at])
            start = at + 1
        at += 1
    return [re.sub(r'\s+', ' ', a).strip() for a in [*found, text[start:at - 1]]]


def is_own(name, arg):
    if re.fullmatch(LITERAL, arg):
        return True
    choice = re.fullmatch(rf'[^?]+\? (.+) : (.+)', arg)
    if choice:
        return is_own(name, choice[1].strip()) and is_own(name, choice[2].strip())
    rules = {**OWN['*'], **OWN.get(name, {})}
    return any(re.fullmatch(rule, arg) for rule in rules)


def texts(call, args):
    """What a call prints as text."""
    if call in ('fputs', 'puts', 'fwrite', 'perror'):
        return args[:1]
    first = 0 if call == 'printf' else 1
    if call in ('putc', 'fputc', 'putchar'):
        return [] if re.fullmatch(r"'.*'", args[0]) else [f'*{args[0].lstrip("*")}']
    formats, rest = args[first], list(args[first + 1:])
    if not re.fullmatch(LITERAL, formats):
        parts = re.findall(r'"(?:\\.|[^"\\])*"', formats)
        if not re.fullmatch(rf'[^?]+\? {LITERAL} : {LITERAL}', formats):
            return [formats]
        formats = parts[0]
    found = []
    joined = re.sub(r'"\s*"', '', re.sub(r'"\s*PRI\w+\s*"?', 'd', formats))
    for width, precision, kind in CONVERSION.findall(joined):
        rest = rest[(width == '*') + (precision == '*'):]
        if kind == '%':
            continue
        arg = rest.pop(0) if rest else '(no argument)'
        if kind == 's':
            found.append(arg)
    return found


def prints_raw(name, text):
    for match in CALL.finditer(text):
        args = arguments(text, match.end())
        line = text.count('\n', 0, match.start()) + 1
        for arg in texts(match[1], args):
            if not is_own(name, arg):
                yield f'{name}:{line}: {match[1]}() prints {arg}, which may be foreign: see common/base/text/showable.h'


def main(root):
    problems, seen = [], 0
    for path in sorted(pathlib.Path(root).rglob('*.c')):
        name = path.relative_to(root).as_posix()
        if not name.startswith(('tui/', 'common/')):
            continue
        seen += 1
        text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), path.read_text(encoding='utf-8'),
                      flags=re.S)
        if name not in STDERR and re.search(r'\b(stderr|STDERR_FILENO|perror)\b(?! \+ 1)', text):
            problems.append(f'{name}: standard error is written to in tui/app/complain.c alone')
        if name not in BYTES:
            problems += prints_raw(name, text)
    print('\n'.join(problems) or f'{seen} files print foreign text in one place')
    return 1 if problems or not seen else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

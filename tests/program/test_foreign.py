#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile strings through every source into every output.

usage: test_foreign.py logs|words|processes PROFVIEW MAKE_LOG B07_WRITE REPORT_LISTS FRAMES_PRINT [every|STRING...]

`logs`: each string at the beginning of every text that a log can hold, and in the log's name; all
lists in all formats, all panes, the dump. `words`: as arguments, names of files, and in the
environment. `processes`: as what others call themselves and answer, for ps, ctl and attach.

A list of a heap shot and readable names of an export, which take a process each, are asked for by
turns: each has a half of the strings, each string a half of them. What forgets to make a text harmless
does so with any string. With `every`, or strings named, nothing is left out.

No output has a control character but the end of a line, or one that hides or reorders; JSON and CSV
can be read and hold the text; no string makes a line of its own.
"""
import concurrent.futures
import csv
import gzip
import io
import itertools
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / 'tools'), str(TESTS / 'real')]
import exports    # noqa: E402  pylint: disable=wrong-import-position
from hostile_strings import STRINGS    # noqa: E402  pylint: disable=wrong-import-position
from showable import formula, harmful, shown    # noqa: E402  pylint: disable=wrong-import-position

FAILED = []
COUNT = [0]
PLAIN = b'x'    # what outputs are compared with
SIZE = 100, 30
# Every pane, and those views of it that show other texts.
KEYS = ('', '2', '2<Tab><Tab><Enter>', '22**', '3<Enter>', '5', '4', '4gmG', '444o', '4444Bjj', '4444Bj<Tab>',
        '4444d<Tab><Tab><Tab>', '4444W', '66', '7', '0', 'M', '`', 'H', 'K<Enter>', 'L<Enter>', 'X', 'J', 'J<Tab>', 'C<3j>', 'A',
        'A<Tab>', 'Vjj+j', 'Y<Enter>j', 'i', 'O', '2\\Shop<Enter>', '2/Shop<Enter>')
STYLES = [], ['--ascii'], ['--color', 'always']
OF_LISTS, OF_NAMES = 2, 2    # a string's turn comes at one in so many


def check(what, ok, detail=''):
    COUNT[0] += 1
    if not ok:
        FAILED.append(f'{what}: {detail}'[:300])


class Outputs:
    """Runs the program, and looks at all that comes from it."""

    def __init__(self, profview, env):
        self.profview, self.env = profview, env

    def run(self, what, *words, codes=(0,), ends='\n'):
        done = subprocess.run([self.profview, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              env=self.env, timeout=150, check=False)
        check(f'{what}: exit code {done.returncode}', done.returncode in codes, done.stderr[:200])
        self.look(f'{what}: complaint', done.stderr)
        check(f'{what}: lines of complaint', done.stderr.count(b'\n') == (1 if done.stderr else 0),
              done.stderr[:200])
        return self.look(what, done.stdout, ends), done.stderr.decode('utf-8', 'replace')

    @staticmethod
    def look(what, raw, ends='\n'):
        try:
            text = raw.decode('utf-8')
        except UnicodeDecodeError as bad:
            check(what, False, str(bad))
            text = raw.decode('utf-8', 'replace')
        found = harmful(text.replace('\r\n', '\n') if ends != '\n' else text)
        check(what, found is None, found and f'{found[0]!a} in {found[1]!a}')
        return text


# --- logs

class Turn:
    """Whose turn it is: the string of this number, or who takes everything (None)."""

    def __init__(self, number):
        self.number = number

    def of(self, items, every):
        """Those of the items, one in `every`, that fall to it."""
        return [item for i, item in enumerate(items) if self.number is None or (i + self.number) % every == 0]


class Log:
    """One made log, and what a harmless one like it gives."""

    def __init__(self, folder, name, lead, writer, words):
        env = {**os.environb, b'MAKE_LOG_LEAD': lead[:2000] if writer.endswith('b07_write') else lead}
        data = subprocess.run([writer, *words], env=env, capture_output=True, check=True).stdout
        safe = lead.replace(b'/', b'\\')[:150].strip(b'.') or b'log'
        self.path = os.fsencode(folder) + b'/' + os.fsencode(name) + b'-' + safe + b'.log'
        pathlib.Path(os.fsdecode(self.path)).write_bytes(data)


# Lists of a heap shot's objects, and one of the others, through the program itself.
BY_HAND = 'methods', 'heap_classes', 'heap_objects', 'heap_diff', 'heap_ladder'


def lists_of(out, log, what, report_lists, turn):
    """(name, format, text) of every list."""
    done = subprocess.run([report_lists, log.path], capture_output=True, check=False, timeout=150)
    check(f'{what}: lists', done.returncode == 0, done.stderr)
    stream = io.BytesIO(done.stdout)
    while line := stream.readline():
        name, form, size = line.decode().split()
        text = out.look(f'{what} {form} {name}', stream.read(int(size)), '\r\n' if form == 'csv' else '\n')
        yield name, form, text
    for name, (form, ends) in turn.of(itertools.product(BY_HAND, (('csv', '\r\n'), ('md', '\n'))), OF_LISTS):
        yield name + ' by hand', form, out.run(
            f'{what} {form} {name}', 'report', log.path, '--format', form, '--section', name,
            '--no-index', '--shot', '1', ends=ends)[0]


def check_csv(what, text):
    rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
    check(f'{what}: lines', len(rows) == text.count('\r\n') == text.count('\n'))
    check(f'{what}: columns', len({len(row) for row in rows}) == 1, {len(row) for row in rows})
    bad = [cell for row in rows for cell in row if formula(cell)]
    check(f'{what}: no formulas', not bad, bad[:3])
    return len(rows)


def check_markdown(what, text):
    lines = text.splitlines()
    bare = [re.sub(r'\\.', '', line) for line in lines]
    check(f'{what}: columns', len({line.count('|') for line in bare}) == 1, lines[:4])
    wild = [line for i, line in enumerate(bare) if i != 1 and re.search('[`<>&*_[\\]]', line)]
    check(f'{what}: no marks of its own', not wild, wild[:2])
    return len(lines)


def check_json(what, text, lead):
    try:
        report = json.loads(text)
    except ValueError as bad:
        check(what, False, str(bad))
        return {}
    if lead and 'mlpd' in what:
        names, want = [m['name'] for m in report['methods']], named(lead, b'').decode('utf-8', 'replace')
        check(f'{what}: the names', names and any(name.startswith(want) for name in names), names[:1])
    return report


def named(lead, rest):
    """Where a name that begins so begins; a long one is kept as its beginning and end."""
    return lead + rest if len(lead) < 900 else lead[:900]


def report_of(out, log, what, lead, report_lists, turn):
    """Numbers of lines by output."""
    whole = report_lists is not None
    shot = ['--no-index', *(['--shot', '1'] if whole else [])]
    lines = {}
    text, _ = out.run(f'{what} text', 'report', log.path, '--names', 'raw', '--waits', '--section', 'all', '--limit', '0', *shot)
    lines['text'] = text.count('\n')
    dump, _ = out.run(f'{what} dump', 'dump', log.path)
    lines['dump'] = dump.count('\n')
    if whole:
        check(f'{what}: the name is there', shown(named(lead, b'Shop.Main:Run ()')) in text)
        check(f'{what}: the name is in the dump', shown(named(lead, b'Shop.Main:Run ()'), True) in dump)
    check_json(f'{what} json', out.run(f'{what} json', 'report', log.path, '--format', 'json', '--section',
                                       'all', *shot)[0], lead)
    for name, form, text in lists_of(out, log, what, report_lists, turn) if whole else ():
        look = check_csv if form == 'csv' else check_markdown
        lines[form, name] = look(f'{what} {form} {name}', text)
    return lines


READERS = {'folded': lambda data: exports.folded(data, 'samples'), 'pprof': exports.pprof,
           'speedscope': exports.speedscope, 'callgrind': exports.callgrind, 'html': exports.page}


def exports_of(out, log, what, lead, turn):
    """Files for other programs stay well formed, and hold the name."""
    lines = {}
    readable = turn.of(READERS, OF_NAMES)
    for form, reader in READERS.items():
        path = os.fsencode(os.path.dirname(log.path)) + b'/' + os.path.basename(log.path)[:40] + b'.' + form.encode()
        for how in ('readable', 'raw') if form in readable else ('raw',):
            pathlib.Path(os.fsdecode(path)).unlink(missing_ok=True)
            out.run(f'{what}: {form}', 'convert', log.path, '--to', form, '--names', how, '-o', path)
            data = pathlib.Path(os.fsdecode(path)).read_bytes()
            try:
                found = reader(data)
            except (AssertionError, ValueError, KeyError, IndexError) as bad:
                check(f'{what}: {form} can be read', False, repr(bad))
                continue
            if form == 'pprof':
                data = b'\n'.join(exports.every(exports.message(gzip.decompress(data)), 6)[1:])
            text = out.look(f'{what}: {form}', data)
            if form in ('folded', 'callgrind'):
                lines[form, how] = text.count('\n')
        names, want = names_of(form, found), shown(named(lead, b'Shop.Main:Run ()'))
        want = want.replace(';', ':') if form == 'folded' else want
        check(f'{what}: the name is in {form}', any(n.startswith(want) for n in names), sorted(names)[:3])
    return lines


def names_of(form, found):
    if form == 'callgrind':
        return {name for own, _ in found[0].values() for name in own}
    return {f for threads in found.values() for stacks in threads.values() for s in stacks for f in s}


def check_frame(what, text):
    check(f'{what}: lines', text.count('\n') == SIZE[1], text.count('\n'))
    widest = max(len(line) for line in text.splitlines())
    check(f'{what}: columns', widest <= 3 * SIZE[0], widest)


def frames_of(out, log, what, frames):
    """Panes of the log read once, and some in other ways by the program itself."""
    size = f'{SIZE[0]}x{SIZE[1]}'
    done = subprocess.run([frames, log.path], input=''.join(f'{size} {keys}\n' for keys in KEYS).encode(),
                          capture_output=True, env=out.env, timeout=150, check=False)
    check(f'{what}: frames', done.returncode == 0 and not done.stderr, done.stderr[-200:])
    stream = io.BytesIO(done.stdout)
    for keys in KEYS:
        check_frame(f'{what} frame {keys}',
                    out.look(f'{what} frame {keys}', stream.read(int(stream.readline() or 0))) or '\n')
    for more in STYLES:
        check_frame(f'{what} frame {more}', out.run(f'{what} frame {more}', log.path, '--no-index', '--dump',
                                                    '--keys', '2', '--size', size, *more)[0])


def one_string(out, folder, tools, what, lead, turn):
    make_log, b07_write, report_lists, frames = tools
    lines = {}
    for name, writer, words, whole in (('mlpd 17', make_log, ('texts', '17', '8'), True),
                                       ('mlpd 15', make_log, ('every-kind', '15', '8'), False),
                                       ('2007 D', b07_write, ('D',), False),
                                       ('2007 draft', b07_write, ('x',), False)):
        log = Log(folder, name, lead, writer, words)
        lines[name] = report_of(out, log, f'{what}, {name}', lead, report_lists if whole else None, turn)
        if whole:
            frames_of(out, log, f'{what}, {name}', frames)
            lines['exports'] = exports_of(out, log, f'{what}, {name}', lead, turn)
            path = log.path[:-4] + b'.heapsnapshot'
            out.run(f'{what}, {name}: for Chrome', 'convert', log.path, '--shot', '1', '-o', path)
            check_json(f'{what}, {name}: for Chrome', out.look(f'{what}: for Chrome', pathlib.Path(
                os.fsdecode(path)).read_bytes()), None)
    return lines


def logs(out, tools, chosen, every):
    with tempfile.TemporaryDirectory() as folder:
        want = one_string(out, folder, tools, 'harmless', PLAIN, Turn(None))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            got = {what: pool.submit(one_string, out, folder, tools, what, lead, Turn(None if every else i))
                   for i, (what, lead) in enumerate(chosen.items())}
        for what, lines in got.items():
            for name, numbers in lines.result().items():
                differ = {k: (n, want[name].get(k)) for k, n in numbers.items() if n != want[name].get(k)}
                check(f'{what}, {name}: lines of its own', not differ, differ)


# --- words, files, environment

def in_a_terminal(profview, log, env):
    """What a terminal gets."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(profview, [profview, log], env)
    raw = b''
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            more = b''
        if not more:
            break
        raw += more
    os.close(fd)
    os.waitpid(pid, 0)
    return raw


def arguments(out, tools, chosen, _every):
    with tempfile.TemporaryDirectory() as folder:
        plain = Log(folder, 'plain', PLAIN, tools[0], ('every-kind', '17', '8')).path
        for what, lead in chosen.items():
            lead = lead[:3000]
            name = os.fsencode(folder) + b'/' + lead.replace(b'/', b'\\')[:200]
            if not os.path.exists(name):
                out.run(f'{what}: no such file', 'report', name, codes=(3,))
            pathlib.Path(os.fsdecode(name)).write_bytes(b'no log\n')
            for verb in 'report', 'dump':
                out.run(f'{what}: {verb} of no log', verb, name, codes=(3,))
            out.run(f'{what}: convert to what is there', 'convert', plain, '-o', name, codes=(2, 3))
            out.run(f'{what}: a file and another', lead, name, codes=(2, 3))
            for option in b'--section', b'--sort', b'--group', b'--format', b'--range', b'--limit', b'--in':
                out.run(f'{what}: {option.decode()}', 'report', plain, option, lead, codes=(0, 2))
            out.run(f'{what}: --filter', 'report', plain, '--filter', lead, codes=(0, 2))
            out.run(f'{what}: --thread', 'report', plain, '--thread', lead, codes=(0, 2, 3))
            out.run(f'{what}: an option', 'report', plain, b'--' + lead, codes=(2,))
            out.run(f'{what}: --keys', plain, '--dump', '--keys', lead, codes=(0, 2))
            out.run(f'{what}: a filter at the screen', plain, '--dump', '--keys', b'2\\' + lead, codes=(0, 2))
            out.run(f'{what}: ps', 'ps', lead, codes=(2,))
            # A process of another test may be called so: then it is the one without a probe.
            out.run(f'{what}: ctl', 'ctl', lead, 'stats', codes=(2, 3))
            out.run(f'{what}: a line for no process', 'ctl', '4194304', lead, codes=(3,))
            out.run(f'{what}: run', 'run', '--', lead, codes=(126, 127, 3))
            env = {**os.environb, b'TERM': lead}
            out.look(f'{what}: TERM', in_a_terminal(out.profview, plain, env), '\r\n')


# --- processes

def name_processes(leads):
    """Processes with them for arguments, a few each, as a table shows the beginning alone."""
    made = []
    for i in range(0, len(leads), 3):
        command = [sys.executable, str(TESTS / 'real' / 'strange.py'), *leads[i:i + 3]]
        made.append((leads[i:i + 3], subprocess.Popen(command, stdout=subprocess.PIPE)))
    for _, process in made:
        process.stdout.readline()
    return made


def processes(out, _, chosen, _every):
    import strange    # pylint: disable=import-outside-toplevel
    made = []
    for what, lead in chosen.items():
        lead = lead.replace(b'\n', b'\x0b')[:1500]    # an answer is one line
        text = lead.decode('utf-8', 'surrogateescape').encode('utf-16-le', 'surrogatepass')
        probe = b'ok host=' + lead.replace(b' ', b'_')[:20] + b' version=' + \
            lead.replace(b' ', b'_')[:20] + b' sink=fifo output=' + lead + b'\n'
        for kind, serve in (
                ('probe that agrees', strange.answer_with(probe)),
                ('probe', strange.answer_with(b'error ' + lead + b'\n')),
                ('probe', strange.answer_with(lead + b'\n')),
                ('dotnet', strange.answer_with(lambda t=text: strange.process_info(t, t, t)))):
            made.append((what, kind, strange.Strange(kind.split()[0], serve)))
    named = name_processes([lead[:60] for lead in chosen.values()])
    said = [shown(lead.replace(b' ', b'_')[:20]) for lead in chosen.values() if b'\n' not in lead]
    for _ in range(20):    # they have a second for an answer, in which a busy machine does not come to all of them
        text, _ = out.run('ps', 'ps')
        if all(word in text for word in said):
            break
    check('ps: a row each', text.count('\n') >= 1 + len(made) + len(named), text.count('\n'))
    check('ps: what they say is there', all(word in text for word in said))
    rows = {row['pid']: row for row in json.loads(out.run('ps json', 'ps', '--format', 'json')[0])}
    check('ps: all are there', all(p.pid in rows for _, _, p in made))
    for words, process in named:
        command = rows.get(process.pid, {}).get('command', '')
        check('ps: a command line', words[0].decode('utf-8', 'replace') in command, command)
        process.kill()
        process.communicate()
    for what, kind, process in made:
        pid = str(process.pid)
        if kind != 'dotnet':
            out.run(f'{what}: ctl', 'ctl', pid, 'stats', codes=(0, 3))
        out.run(f'{what}: attach to {kind}', 'attach', pid, '--readonly', codes=(3,))
        if kind != 'probe that agrees':    # its log would be waited for
            # A runtime that the probe is not for would be read by its event stream.
            out.run(f'{what}: attach to {kind}', 'attach', '--via', 'probe', pid, codes=(3,))
        process.close()


PARTS = {'logs': logs, 'words': arguments, 'processes': processes}


def main(part, profview, *words):
    profview, tools, chosen = str(pathlib.Path(profview).resolve()), words[:4], words[4:]
    if part == 'processes' and 'PROFVIEW_TEST_INNER' not in os.environ:
        with tempfile.TemporaryDirectory(prefix='pv') as folder:    # in /proc/PID/environ and cmdline
            env = {**os.environb, b'PROFVIEW_TEST_INNER': b'1', b'TMPDIR': os.fsencode(folder),
                   b'XDG_RUNTIME_DIR': os.fsencode(folder)}
            return subprocess.run([sys.executable, __file__, part, profview, *words],
                                  env=env, check=False).returncode
    env = {**os.environb, b'LC_ALL': b'C.UTF-8', b'TERM': b'dumb'}
    strings = {name: STRINGS[name] for name in chosen} if chosen and chosen != ('every',) else STRINGS
    PARTS[part](Outputs(profview, env), tools, strings, bool(chosen))
    print('\n'.join(FAILED[:60]))
    print(f'foreign text, {part}: {COUNT[0]} checks, {len(FAILED)} failed')
    return 1 if FAILED or not COUNT[0] else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole trees of processes under `run --record FOLDER/`: who is recorded, and that all runs as bare.

usage: test_processes.py CASE PROFVIEW PROGRAM STATIC [IMAGE]
"""
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import target
from term import Terminal
from verdict import Verdict

# ms of processor time that a process may have besides what it computes: it is started, and the probe in it works.
BESIDES = 150
# and that are missing where the launcher's last look at a process came so long before its end.
UNSEEN = 120


class Bench:
    def __init__(self, profview, program, static, folder):
        self.profview, self.program, self.static = map(os.path.abspath, (profview, program, static))
        self.folder = pathlib.Path(folder)
        self.records = self.folder / 'records'

    def run(self, words, bare=False, how=()):
        """The command as it is, or recorded: exit code, output."""
        front = [] if bare else [self.profview, 'run', *how, '--record', f'{self.records}/', '--']
        shutil.rmtree(self.records, ignore_errors=True)
        return subprocess.run([*front, *words], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, cwd=self.folder, timeout=target.DEADLINE)

    def index(self):
        return json.loads((self.records / 'index.json').read_text())

    def rows(self):
        return self.index()['processes']

    def report(self, log):
        done = subprocess.run([self.profview, 'report', self.records / log, '--format', 'json',
                               '--no-index'], stdout=subprocess.PIPE, check=False,
                              timeout=target.DEADLINE)
        return json.loads(done.stdout)


def ms(row):
    return row['cpu_ns'] / 1e6


def named(rows, name):
    return [r for r in rows if pathlib.Path(r['exe']).name == name]


def same_as_bare(v, b, *words):
    """Runs it both ways; gives the rows of its index."""
    bare, recorded = b.run(words, bare=True), b.run(words)
    v.equal('exit code', recorded.returncode,
            bare.returncode if bare.returncode >= 0 else 128 - bare.returncode)
    v.equal('output', recorded.stdout, bare.stdout)
    return b.rows()


def logs_are_there(v, b, rows):
    """Each log that the index names is there and is that process's; there are no others."""
    logs = {r['log'] for r in rows if r['log']}
    there = {p.name for p in b.records.iterdir()} - {'.index.json.new'}  # it is being replaced
    v.equal('files', there, logs | {'index.json'})
    for r in rows:
        if r['log']:
            v.equal(f'pid of {r["log"]}', b.report(r['log'])['target']['pid'], r['pid'])
            v.equal('no reason', r['reason'], None)
        else:
            v.true('a reason', r['reason'], r)


def shell(v, b):
    rows = same_as_bare(v, b, 'sh', '-c', f'{b.program} compute 300 3; exit 9')
    logs_are_there(v, b, rows)
    one, = named(rows, 'processes')
    v.true('it computed', 290 < ms(one) < 300 + BESIDES, one)
    v.equal('its code', one['exit_code'], 3)
    v.true('under the shell', one['ppid'] in {r['pid'] for r in rows if r['exit_code'] == 9}, rows)
    v.true('recorded', one['log'], one)


def chain(v, b):
    rows = same_as_bare(v, b, 'env', 'A=1', 'nice', 'nohup', b.program, 'compute', '200', '4')
    v.equal('one process', len({r['pid'] for r in rows}), 1)
    v.equal('images', [r['image'] for r in rows], [0, 1, 2, 3])
    v.equal('the last', rows[-1]['argv'][1:], ['compute', '200', '4'])
    v.equal('its code', rows[-1]['exit_code'], 4)
    v.true('recorded', rows[-1]['log'], rows[-1])
    v.true('time of all', 195 < sum(ms(r) for r in rows) < 200 + 2 * BESIDES, rows)
    logs_are_there(v, b, rows)


def forks(v, b):
    rows = same_as_bare(v, b, b.program, 'forks')
    logs_are_there(v, b, rows)
    children = [r for r in rows if r['ppid'] == rows[0]['pid']]
    v.equal('codes', sorted(r['exit_code'] for r in children), [10, 11, 12])
    for r in children:
        v.true('recorded', r['log'], r)
        # Its parent waits at once, so that the last look of the launcher may be its last time.
        v.true('its time', -UNSEEN < ms(r) - (150 + 50 * (r['exit_code'] - 10)) < BESIDES, r)


def launcher_ends(b):
    """Who writes the index."""
    target.wait_for('the launcher to end', lambda: not any(
        str(b.records) in cmdline(p) for p in pathlib.Path('/proc').glob('[0-9]*')))


def detached(v, b):
    same_as_bare(v, b, b.program, 'daemon')
    row = target.wait_for('the daemon to end', lambda: next(
        (r for r in b.rows() if r['exit_code'] == 7), None))
    v.true('recorded', row['log'], row)
    v.true('its time', 190 < ms(row) < 200 + BESIDES, row)
    v.equal('its program', pathlib.Path(row['exe']).name, 'processes')
    launcher_ends(b)


def spawned(v, b):
    for how in 'spawn', 'vfork':
        rows = same_as_bare(v, b, b.program, how)
        logs_are_there(v, b, rows)
        v.equal(f'{how}: processes', len(rows), 2)
        v.true(f'{how}: recorded', rows[1]['log'], rows)
        v.equal(f'{how}: code', rows[1]['exit_code'], 0)


def many(v, b):
    rows = same_as_bare(v, b, b.program, 'many', '500')
    short = named(rows, 'true')
    v.equal('all are counted', len(short), 500)
    v.equal('none has a log', {r['log'] for r in short}, {None})
    v.true('why', all(r['reason'] == 'used less than 20 ms' for r in short if ms(r) < 20), {(r['reason'], r['cpu_ns']) for r in short})
    # What a slow machine makes longer may end while the recorder is on its way.
    v.true('why, the others', {r['reason'] for r in short} <= {'used less than 20 ms', 'ended before it could be recorded'}, short)
    v.equal('codes', {r['exit_code'] for r in short}, {0})
    logs_are_there(v, b, rows)


def reasons(v, b):
    rows = same_as_bare(v, b, 'sh', '-c', f'env -i {b.program} compute 300; exit 1')
    cleaned, = named(rows, 'processes')
    v.equal('env -i', cleaned['reason'], 'environment cleaned')
    v.true('its time', 300 - UNSEEN < ms(cleaned) < 300 + BESIDES, cleaned)
    rows = same_as_bare(v, b, 'sh', '-c', f'{b.static} compute 300 6; exit 1')
    static, = named(rows, pathlib.Path(b.static).name)
    v.equal('static', static['reason'], 'static')
    # It never asks: its time is that of the last look at /proc.
    v.true('its time', 300 - UNSEEN < ms(static) < 300 + BESIDES, static)
    v.equal('its host', static['host'], 'none')
    v.equal('its code', static['exit_code'], 6)


def refused(v, b):
    """A folder in which there is something is left as it is; rules are for one log."""
    b.records.mkdir()
    (b.records / 'mine').write_text('kept')
    done = subprocess.run([b.profview, 'run', '--record', b.records, '--', b.program, 'compute'],
                          capture_output=True, text=True, check=False, timeout=target.DEADLINE)
    v.true('not empty', 'is not empty' in done.stderr and done.returncode, done)
    v.equal('not run', done.stdout, '')
    v.equal('kept', [p.name for p in b.records.iterdir()], ['mine'])
    rules = b.folder / 'rules'
    rules.write_text('[a]\nmeasure = samples\n')
    done = subprocess.run([b.profview, 'run', '--check', rules, '--record', f'{b.folder}/new/', '--',
                           b.program, 'compute'], capture_output=True, text=True, check=False,
                          timeout=target.DEADLINE)
    v.equal('rules', done.returncode, 2)
    done = b.run(['env', '/no/such/program'])
    v.equal('no such program', done.returncode, 127)
    done = b.run(['/no/such/program'])
    v.equal('no such program at all', done.returncode, 127)


def single(v, b):
    """One file of a command that starts others: the log of the process that used most; nothing else stays."""
    log = b.folder / 'one.mlpd'
    words = ['sh', '-c', f'{b.program} compute 60; {b.program} compute 400; exit 5']
    done = subprocess.run([b.profview, 'run', '--record', log, '--', *words], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, cwd=b.folder, timeout=target.DEADLINE)
    v.equal('exit code', done.returncode, 5)
    v.true('the others are said', '--record FOLDER/' in done.stderr, done.stderr[-300:])
    methods = {m['name'].split(' [')[0]: m['samples_self'] for m in b.report(log)['methods']}
    v.between('samples of 0.4 s at 100 Hz', sum(methods.values()), 20, 40 + BESIDES / 10)
    target.wait_for('its folder to go', lambda: [p.name for p in b.folder.iterdir()] == ['one.mlpd'])
    before = log.read_bytes()
    done = subprocess.run([b.profview, 'run', '--record', log, '--', 'sh', '-c', 'echo ran'], capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL, timeout=target.DEADLINE)
    v.equal('a file that is there', (done.returncode, done.stdout, log.read_bytes() == before), (2, '', True))


def killed(v, b):
    rows = same_as_bare(v, b, 'sh', '-c', f'{b.program} compute 200; kill -9 $$')
    v.equal('signal', rows[0]['signal'], 9)
    v.equal('code', rows[0]['exit_code'], None)


def make(v, b):
    for name in 'abc':
        body = '\n'.join(f'int {name}{i}(int x) {{ int s = 0; for (int i = 0; i < x; i++) '
                         f's += i * {i}; return s; }}' for i in range(200))
        (b.folder / f'{name}.c').write_text(body)
    (b.folder / 'Makefile').write_text('all: a.o b.o c.o\n%.o: %.c\n\tgcc -O2 -c $< -o $@\n'
                                       'clean:\n\trm -f *.o\n')
    done = b.run(['make', '-j2'])
    v.equal('exit code', done.returncode, 0)
    rows = b.rows()
    compilers = named(rows, 'cc1')
    v.equal('compilers', len(compilers), 3)
    for r in compilers:
        v.true('recorded', r['log'], r)
        v.true('more than the others', ms(r) > max(ms(other) for other in rows if other not in compilers), rows)
    logs_are_there(v, b, rows)
    v.equal('codes', {r['exit_code'] for r in rows} - {None}, {0})


def together(v, b, counted):
    """All of them as one: what each log has, added up, below a frame of its program or its own."""
    script = f'{b.program} forks; {b.program} compute 300; exec {counted} 700'
    b.run(['sh', '-c', script], how=['--calls', '--alloc'])
    def read(*words):
        done = subprocess.run([b.profview, 'report', b.records, '--format', 'json', '--limit', '0', *words],
                              capture_output=True, text=True, check=False, timeout=target.DEADLINE)
        v.equal(f'{words}: code', done.returncode, 0)
        return json.loads(done.stdout), done.stderr
    logs = {(r['pid'], r['image']): b.report(r['log']) for r in b.rows() if r['log']}
    v.equal('logs', len(logs), 6)
    samples = {k: sum(m['samples_self'] for m in log['methods'] or []) for k, log in logs.items()}
    calls = {k: sum(m['calls'] or 0 for m in log['methods'] or []) for k, log in logs.items()}
    v.equal('calls', sorted(calls.values())[-2:], [0, 701])

    all_, said = read('--process', 'all')
    v.true('it is said', 'samples and calls of 6 processes together' in said and '--process NAME|PID' not in said, said)
    v.equal('path', all_['source']['path'], str(b.records))
    v.equal('samples', all_['samples']['total'], sum(samples.values()))
    v.equal('calls', sum(m['calls'] or 0 for m in all_['methods']), sum(calls.values()))
    work, = (m for m in all_['methods'] if m['name'] == 'run_me_work')
    of = [m for k, log in logs.items() if calls[k] for m in log['methods'] if m['name'] == 'run_me_work']
    for key in 'calls', 'self_ns', 'samples_self':
        v.equal(f'of one function: {key}', work[key], sum(m[key] for m in of))
    tree, _ = read('--process', 'all', '--section', 'call_tree')
    roots = {n['method']: n for n in tree['call_tree'] if n['parent'] == 0}
    v.equal('programs', set(roots) - {'dash'}, {'processes', 'run_me'})
    def roots_of(word):
        folded = subprocess.run([b.profview, 'convert', b.records, '--process', word, '-o', '-', '--to', 'folded'],
                                capture_output=True, text=True, check=True, timeout=target.DEADLINE).stdout
        found = collections.Counter()
        for line in folded.splitlines():
            found[line.split(';')[0]] += int(line.rsplit(' ', 1)[1])
        return found
    names = {(r['pid'], r['image']): pathlib.Path(r['exe']).name for r in b.rows()}
    v.equal('folded, each its own', roots_of('each'), {f'{names[k]} {k[0]}' + (f'.{k[1]}' if k[1] else ''): n
                                                       for k, n in samples.items() if n})
    by_name = collections.Counter()
    for k, n in samples.items():
        by_name[names[k]] += n
    v.equal('folded, by program', roots_of('all'), +by_name)
    def bytes_of(where, *words):
        out = subprocess.run([b.profview, 'convert', where, '-o', '-', '--to', 'folded', '--measure', 'alloc_bytes', *words],
                             capture_output=True, text=True, check=False, timeout=target.DEADLINE).stdout
        return sum(int(line.rsplit(' ', 1)[1]) for line in out.splitlines())
    v.equal('folded, bytes', bytes_of(b.records, '--process', 'all'),
            sum(bytes_of(b.records / r['log']) for r in b.rows() if r['log']))
    v.at_least('are some', bytes_of(b.records, '--process', 'all'), 1)
    for words, why in ((['--range', '1s..'], '--range'), (['--thread', '0x1'], '--thread')):
        done = subprocess.run([b.profview, 'report', b.records, '--process', 'all', *words], capture_output=True,
                              text=True, check=False, timeout=target.DEADLINE)
        v.equal(why, (done.returncode, f'{why} is of one process' in done.stderr), (2, True))

    def frame(keys):
        return subprocess.run([b.profview, b.records, '--dump', '--no-index', '--size', '130x40', '--keys', keys],
                              capture_output=True, text=True, check=True, timeout=target.DEADLINE).stdout
    shown = frame('PG<Enter>2')
    v.true('on the screen', 'all 7, by program' in shown and 'run_me_work' in shown, shown)
    v.true('what is of one', 'of one process each' in frame('PG<Enter>5'), frame('PG<Enter>5'))
    v.true('marked in the list', re.search(r'\*.*all together, by process', frame('PGk<Enter>P')), frame('PGk<Enter>P'))
    v.true('and back', re.search(r'dash \d+, \d of 7', frame('PG<Enter>Pg<Enter>')), frame('PG<Enter>Pg<Enter>'))


def accounts(v, b):
    """The sum of the rows is what wait4() says of the command."""
    script = (f'{b.program} compute 200; {b.program} forks; {b.program} spawn; '
              f'{b.program} compute 300 & wait; {b.program} compute 150')
    wait4 = b.folder / 'wait4.py'
    wait4.write_text('import os, sys\npid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])\n'
                     '_, _, use = os.wait4(pid, 0)\nprint(use.ru_utime + use.ru_stime)\n')
    done = b.run([sys.executable, wait4, 'sh', '-c', script])
    said = float(done.stdout.split()[-1]) * 1000
    rows = b.rows()
    parents = {r['pid'] for r in rows if 'wait4.py' in ' '.join(r['argv'])}
    counted = sum(ms(r) for r in rows if r['pid'] not in parents)
    v.true(f'{counted:.0f} ms of {said:.0f}', abs(counted - said) <= 0.05 * said, rows)


def mono(v, b, image):
    rows = same_as_bare(v, b, 'bash', '-c', f'mono {image} 3; true')
    logs_are_there(v, b, rows)
    row, = [r for r in rows if r['host'] == 'mono']
    v.equal('its code', row['exit_code'], 7)
    thrown = {c['name']: c['thrown'] for c in b.report(row['log'])['exceptions']['classes']}
    v.equal('exceptions', thrown['System.ArgumentOutOfRangeException'], 3)
    v.equal('one log', len([r for r in rows if r['pid'] == row['pid']]), 1)


def dotnet(v, b, image):
    """The runtime's own probe records it, and what it starts is counted."""
    rows = same_as_bare(v, b, 'sh', '-c', f'dotnet {image} 3; true')
    logs_are_there(v, b, rows)
    row, = [r for r in rows if r['host'] == 'coreclr']
    v.true('recorded', row['log'], row)
    v.equal('it started', [r['host'] for r in rows if r['ppid'] == row['pid']], ['native'] * 3)


def screen(v, b):
    """It opens on the process that computes, says how many others there are, and passes the code."""
    before = set(pathlib.Path('/var/tmp').glob('profview-run-*'))
    with Terminal(b.folder, env={'XDG_RUNTIME_DIR': str(b.folder)}) as t:
        t.run(b.profview, 'run', '--', 'sh', '-c',
              f'{b.program} compute 30000 & {b.program} compute 10; wait; exit 3')
        computes = re.compile(r'processes \d+, \d of \d.*  and 2 more .*● LIVE')
        # Where a shell needs longer to start than that computes, the screen is there before, and says who does.
        t.wait(lambda text: computes.search(text) or 'processes, process' in text and 'uses most now' in text)
        if not computes.search(t.text()):
            t.type('P')
            t.wait(lambda text: len(re.findall(r'· processes compute', text)) == 2)
            t.type('gj')  # the shell's first child
            t.wait(lambda text: re.search(r'^▶.*compute 30000', text, re.M))
            t.keys('Enter')
            t.wait(computes.search)
        t.type('2')
        t.wait_row('compute')
        t.type('P')
        t.wait(lambda text: len(re.findall(r'· processes compute', text)) == 2 and '▼ sh -c' in text)
        t.type('g')
        t.keys('Enter')
        t.wait(lambda text: re.search('all views are of process [0-9]+, dash;', text))
        t.keys('Q')
        t.wait('leave it running (l)')
        t.keys('l')
        t.wait_prompt()
        pid = next(int(p.name) for p in pathlib.Path('/proc').glob('[0-9]*') if '30000' in
                   cmdline(p) and cmdline(p).startswith(b.program))
        os.kill(pid, 9)
        target.wait_for('the launcher to tidy up', lambda:
                        set(pathlib.Path('/var/tmp').glob('profview-run-*')) <= before)
        t.keys('C-l')
        t.run(b.profview, 'run', '--', 'sh', '-c', f'{b.program} compute 300; exit 3')
        t.wait('ended with code 3')
        t.wait('ENDED')
        t.keys('Q')
        t.wait_prompt()
        t.run('echo', 'left', '$?')
        t.wait('left')
    target.wait_for('its folder to go', lambda: not list(b.folder.glob('profview-run-*')))
    v.equal('left over', list(b.folder.glob('profview-run-*')), [])


def left(v, b):
    """The folders of one that was killed go with the next, but for one that a program still has."""
    env = {**os.environ, 'XDG_RUNTIME_DIR': str(b.folder)}

    def start(*words):
        p = subprocess.Popen([b.profview, 'run', '--', *words], env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        program = target.wait_for('the program', lambda: next((
            q for q in pathlib.Path('/proc').glob('[0-9]*') if cmdline(q).startswith(f'{b.program} compute 6000')),
            None))
        return p, program

    def end(process):
        os.kill(int(process.name), signal.SIGKILL)
        target.wait_for('its end', lambda: not cmdline(process))

    def folders(p, *words):
        """What it has, once another one has begun."""
        subprocess.run([b.profview, 'run', '--', *(words or [b.program, 'compute', '1'])], env=env, check=True,
                       capture_output=True, timeout=target.DEADLINE)
        return [f for place in (b.folder, pathlib.Path('/var/tmp')) for f in place.glob(f'profview-run-{p.pid}-*')]

    p, program = start(b.program, 'compute', '60000')
    p.kill()
    p.wait()
    v.equal('a program that runs has its pipe', len(folders(p)), 1)
    end(program)
    v.equal('of one that has ended', folders(p), [])

    p, program = start('sh', '-c', f'{b.program} compute 60001; true')
    launcher = pathlib.Path('/proc', pathlib.Path(f'/proc/{p.pid}/task/{p.pid}/children').read_text().split()[0])
    p.kill()
    p.wait()
    v.equal('a tree that is recorded', len(folders(p)), 2)
    end(launcher)
    end(program)
    target.wait_for('all to go', lambda: not folders(p, 'sh', '-c', f'{b.program} compute 50; true'))


def native(v, b):
    """A program that was typed itself and forks: the screen opens on it at once, P lists its children."""
    with Terminal(b.folder, env={'XDG_RUNTIME_DIR': str(b.folder)}) as t:
        t.run(b.profview, 'run', '--', b.program, 'forks')
        t.wait(lambda text: re.search(r'processes \d+, 1 of \d .*and 3 more', text))
        t.wait('the program has ended with code')
        t.type('P')
        t.wait(lambda text: len(re.findall(r'ended +1[012] .*· processes forks', text)) == 3)
        t.type('Gkk')
        t.keys('Enter')
        t.wait('all views are of process')
        t.type('2')
        t.wait_row('compute')
        t.keys('Q')
        t.wait_prompt()
    target.wait_for('its folder to go', lambda: not list(b.folder.glob('profview-run-*')))
    v.equal('left over', list(b.folder.glob('profview-run-*')), [])


def cmdline(process):
    try:
        return (process / 'cmdline').read_bytes().replace(b'\0', b' ').decode(errors='replace')
    except OSError:
        return ''


def memory(v, b):
    """What each process held at most: of an image, not of the one before it; in report, too."""
    hold = 'import sys; x = b"x" * (int(sys.argv[1]) << 20); print(len(x))'
    rows = same_as_bare(v, b, 'sh', '-c', f"/usr/bin/python3 -c '{hold}' 200; /usr/bin/python3 -c '{hold}' 1")
    large, small = (next(r for r in rows if r['argv'][-1:] == [n]) for n in ('200', '1'))
    v.between('MiB of the large one', large['memory_bytes'] >> 20, 200, 260)
    v.between('MiB of the small one', small['memory_bytes'] >> 20, 1, 60)
    done = subprocess.run([b.profview, 'report', b.records, '--section', 'processes', '--format', 'json',
                           '--limit', '0'], capture_output=True, check=True, timeout=target.DEADLINE)
    told = {r['pid']: r['memory_bytes'] for r in json.loads(done.stdout)['processes']}
    v.equal('in the report', told[large['pid']], large['memory_bytes'])


def by_name(v, b):
    """A program is found by its name, if there is but one; else by its number."""
    library = pathlib.Path(b.profview).parent / 'probe' / 'libprofview-native.so'
    there = b.folder / 'found-by-name'
    shutil.copy(b.program, there)

    def start(log):
        env = {**os.environ, 'LD_PRELOAD': str(library), 'PROFVIEW_OPTIONS': f'output={b.folder}/{log},control=on'}
        return subprocess.Popen([there, 'compute', '60000'], env=env, stdout=subprocess.DEVNULL)

    def ask(name):
        return subprocess.run([b.profview, 'ctl', name, 'stats'], capture_output=True, text=True, check=False,
                              timeout=target.DEADLINE)

    first, second = start('1.mlpd'), None
    try:
        said = target.wait_for('an answer', lambda: (lambda d: d if d.returncode == 0 else None)(ask(there.name)))
        v.true('its figures', said.stdout.startswith('ok '), said)
        second = start('2.mlpd')
        several = target.wait_for('two', lambda: (lambda d: d if d.returncode == 3 else None)(ask(there.name)))
        v.true('both are named', {str(first.pid), str(second.pid)} <= set(several.stderr.replace(',', ' ').split()),
               several.stderr)
    finally:
        for p in filter(None, (first, second)):
            p.kill()
            p.wait()
    none = ask('such-a-program-is-not-there')
    v.equal('no such program', none.returncode, 3)
    v.true('and it says so', 'profview ps lists them' in none.stderr, none.stderr)


def used(v, b):
    """What profview waited for is the whole tree: time(1) and getrusage(2) have the program's processor time."""
    def children():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (r.ru_utime + r.ru_stime) * 1000

    before = children()
    b.run(['sh', '-c', f'{b.program} compute 600; true'])
    v.between('ms of a tree', children() - before, 600, 6000)
    row, = named(b.rows(), 'processes')
    v.equal('the index is complete by then', row['exit_code'], 0)
    with Terminal(b.folder) as t:
        t.run('bash', '-c', f"TIMEFORMAT='used %U seconds'; time {b.profview} run -- {b.program} compute 600")
        t.wait('the program has ended with code')
        t.keys('Q')
        seconds = float(t.wait(lambda text: re.search(r'^used ([0-9.]+) seconds', text, re.M)).group(1))
    v.between('seconds on a screen', seconds, 0.6, 6)
    began = time.monotonic()
    done = b.run(['sh', '-c', f'sleep 50 >/dev/null 2>&1 & echo $!; {b.program} compute 50; true'])
    v.true('what goes on is not waited for', time.monotonic() - began < 45, time.monotonic() - began)
    os.kill(int(done.stdout.split()[0]), signal.SIGKILL)
    launcher_ends(b)


CASES = {'screen': screen, 'used': used, 'native': native, 'together': together, 'single': single, 'by-name': by_name, 'memory': memory, 'left': left, 'refused': refused,
         'mono': mono, 'dotnet': dotnet,
         'shell': shell, 'chain': chain, 'forks': forks, 'daemon': detached, 'spawn': spawned,
         'many': many, 'reasons': reasons, 'killed': killed, 'make': make, 'accounts': accounts}


def main(case, profview, program, static, *image):
    v = Verdict(f'processes {case}')
    with target.scratch() as folder:
        CASES[case](v, Bench(profview, program, static, folder), *map(os.path.abspath, image))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

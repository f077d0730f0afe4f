#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes that are watched with nothing loaded into them, by the kernel's perf events.

usage: test_outside.py CASE PROFVIEW PROGRAM [PROGRAM...]

They are whole, static, stripped, have threads that come and go, and belong to another user; what they print and how they
end is as without. Where the kernel or a filter of system calls refuses the events, a line says why and what helps.
"""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import target
from target import DEADLINE, SKIP, wait_for
from verdict import Verdict

PLANTED = {'forty': 40, 'thirty': 30, 'twenty': 20, 'ten': 10}
HZ = 4000
CPU_S = 1.5   # of the program's processor time: some 6000 samples, of whose shares 3 points are four deviations
THREADS = 40  # met by looking; more of them come and go
NOBODY = 65534
TICKS = os.sysconf('SC_CLK_TCK')
PERF_EVENT_OPEN = 298  # its number on x86-64
KILL, EPERM = 0x80000000, 0x00050000 | 1


def allowed():
    """Whether any user may watch what is theirs here: else a named skip."""
    paranoid = int(pathlib.Path('/proc/sys/kernel/perf_event_paranoid').read_text())
    attr = ctypes.create_string_buffer(struct.pack('<IIQ', 1, 128, 1) + b'\0' * 112)
    fd = ctypes.CDLL(None, use_errno=True).syscall(PERF_EVENT_OPEN, attr, 0, -1, -1, 0)
    if fd >= 0:
        os.close(fd)
    return fd >= 0 and (paranoid <= 2 or os.geteuid() == 0)


def filtered(answer):
    """For preexec_fn: a filter that answers perf_event_open so (SECCOMP_RET_*)."""
    def install():
        libc = ctypes.CDLL(None, use_errno=True)
        words = [(0x20, 0, 0, 0), (0x15, 0, 1, PERF_EVENT_OPEN), (6, 0, 0, answer), (6, 0, 0, 0x7fff0000)]
        code = ctypes.create_string_buffer(b''.join(struct.pack('<HBBI', *w) for w in words))
        program = struct.pack('<HxxxxxxQ', len(words), ctypes.addressof(code))
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
            os._exit(99)
    return install


class Watched:
    """A program that runs until its input ends."""

    def __init__(self, program, *words, user=None):
        self.process = subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, user=user)
        self.pid = self.process.pid
        self.begun = self.process.stdout.readline()

    def used(self):
        fields = pathlib.Path(f'/proc/{self.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def end(self, v):
        rest, _ = self.process.communicate(timeout=DEADLINE)
        v.equal('what the program says', self.begun + rest, 'begun\nended\n')
        v.equal('how it ends', self.process.returncode, 7)


def attach(profview, watched, log, *words, seconds=CPU_S, user=None, ends=None):
    """Records until the program has used so much processor time; the viewer's exit code, and what it said."""
    viewer = subprocess.Popen([profview, 'attach', str(watched.pid), '--record', log, f'--sample={HZ}', *words],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=user,
                              env={**os.environ, 'HOME': str(pathlib.Path(log).parent)})
    wait_for('the log', lambda: viewer.poll() is not None or pathlib.Path(log).exists())
    until = watched.used() + seconds
    if ends:
        ends()
    else:
        wait_for('its work', lambda: viewer.poll() is not None or watched.used() >= until)
        viewer.send_signal(signal.SIGINT)
    _, said = viewer.communicate(timeout=DEADLINE)
    return viewer.returncode, said


def report(profview, log):
    done = subprocess.run([profview, 'report', '--no-index', '--limit', '0', '--format', 'json', '--section', 'all', log],
                          capture_output=True, text=True, check=True, timeout=DEADLINE)
    return json.loads(done.stdout)


def recorders(*watched):
    """Processes of ours that record these from outside."""
    of = {str(w.pid).encode() for w in watched}
    found = []
    for comm in pathlib.Path('/proc').glob('[0-9]*/cmdline'):
        try:
            words = comm.read_bytes().split(b'\0')
        except OSError:
            continue
        found += [int(comm.parent.name)] if words[0].endswith(b'/profview-outside') and of & set(words) else []
    return found


def samples_of(r):
    return next(c['detail'] for c in r['coverage'] if c['what'] == 'samples')


def whole(r):
    """% of stacks to their end, as the coverage says."""
    return float(samples_of(r).partition('stacks: ')[2].partition(' %')[0])


def compare(v, r, rows=None, least=95):
    methods = {m['name']: m['samples_total'] for m in r['methods']}
    total = max(methods.values())   # of what began the threads; of threads made later main has little
    v.at_least('samples', total, 1000)
    planted = rows(methods) if rows else {name: methods.get(name, 0) for name in PLANTED}
    for name, share in PLANTED.items():
        v.between(f'{name}, %', 100 * planted.get(name, 0) / total, share - 3, share + 3)
    v.at_least('stacks to their end, %', whole(r), least)
    v.true('it is said from where', 'from outside, 4000 a second of processor time' in samples_of(r), samples_of(r))
    end = r['source']['end_known_from']
    v.true('why it ended', end.startswith("ended: the probe's farewell"), end)


def largest(methods):
    """Of a stripped program: functions have no names, so those below work() by their sizes."""
    found = sorted((n for name, n in methods.items() if name.startswith('outside-stripped+')), reverse=True)
    below = [n for n in found if n < 0.6 * found[0]]
    return dict(zip(PLANTED, below))


def shares(v, profview, folder, program, stripped, *rows):
    """Without waits other readers know all that is in the log."""
    watched = Watched(program)
    log = f'{folder}/log.mlpd'
    code, said = attach(profview, watched, log, *(('--probe', 'nowaits') if rows else ('--via', 'outside')))
    v.equal('the viewer ends as others do with SIGINT', code, 130)
    v.equal('it says', said, '')
    r = report(profview, log)
    compare(v, r, largest if stripped else None)
    v.equal('main thread', [t['name'] for t in r['threads'] if t['cpu_ns']], ['main'])
    wait_for('the end of the recorder', lambda: not recorders(watched))
    watched.end(v)
    return log


def native(v, profview, folder, program):
    log = shares(v, profview, folder, program, False, 'auto')
    if shutil.which('mprof-report'):
        done = subprocess.run(['mprof-report', log], capture_output=True, text=True, check=False)
        v.true('mprof-report reads it', done.returncode == 0 and 'Statistical samples summary' in done.stdout, done.stderr)


def static(v, profview, folder, program):
    shares(v, profview, folder, program, False)


def stripped(v, profview, folder, program):
    to = f'{folder}/outside-stripped'
    subprocess.run(['strip', '-o', to, program], check=True)
    shares(v, profview, folder, to, True)


def nobody(v, profview, folder, program):
    """Both are an ordinary user's."""
    if os.geteuid():
        print('only root can become another user')
        sys.exit(SKIP)
    os.chmod(folder, 0o777)
    to = shutil.copy(program, f'{folder}/outside')
    os.chmod(to, 0o755)
    watched = Watched(to, user=NOBODY)
    code, _ = attach(profview, watched, f'{folder}/log.mlpd', user=NOBODY)
    v.equal('exit', code, 130)
    compare(v, report(profview, f'{folder}/log.mlpd'))
    done = subprocess.run([profview, 'attach', str(os.getpid())], user=NOBODY, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=DEADLINE, env={**os.environ, 'HOME': folder})
    v.equal("another user's: exit", done.returncode, 3)
    v.true("another user's: it is said", f"'sudo profview attach {os.getpid()}'" in done.stderr and done.stderr.count('\n') == 1,
           done.stderr)
    watched.end(v)


def elsewhere(v, profview, folder, program):
    """Root watches an ordinary user's process with mounts of its own: its files are found with that user's rights."""
    if os.geteuid():
        print('only root can become another user')
        sys.exit(SKIP)
    inner = f'{folder}/inner'
    os.mkdir(inner)
    os.chmod(folder, 0o755)
    start = f'mount -t tmpfs none {inner} && cp {program} {inner}/outside && exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups {inner}/outside'
    watched = Watched('unshare', '-m', 'sh', '-c', start)
    if not watched.begun:
        print('no mounts can be made here')
        sys.exit(SKIP)
    v.true('the file is not ours', not os.path.exists(f'{inner}/outside'))
    code, said = attach(profview, watched, f'{folder}/log.mlpd')
    v.equal('exit', (code, said), (130, ''))
    r = report(profview, f'{folder}/log.mlpd')
    compare(v, r)
    losses = next(c['detail'] for c in r['coverage'] if c['what'] == 'losses')
    v.true("the recorder's own children are none of the program's", 'child' not in losses, losses)
    watched.end(v)


def threads(v, profview, folder, program):
    """Threads that began later are seen, by their names; the log ends with the program."""
    watched, met = Watched(program, str(10 ** 6)), set()

    def are_met():
        met.update(os.listdir(f'/proc/{watched.pid}/task'))
        return len(met) > THREADS and watched.used() >= CPU_S

    code, _ = attach(profview, watched, f'{folder}/log.mlpd', ends=lambda: (wait_for('its threads', are_met), watched.end(v)))
    v.equal('the program has ended: exit', code, 0)
    r = report(profview, f'{folder}/log.mlpd')
    compare(v, r)
    of = [t for t in r['threads'] if t['name'] == 'planted']
    v.at_least('threads that began later', len(of), THREADS // 2)
    v.at_least('of these sampled', sum(1 for t in of if t['cpu_ns']), len(of) // 2)


def refused(v, profview, folder, program):
    """By a filter of system calls that the recorder inherits: an error, and its death."""
    watched = Watched(program)
    for answer, words in (EPERM, 'a filter of system calls refuses perf events here'), (KILL, 'kills here who asks for perf events'):
        done = subprocess.run([profview, 'attach', str(watched.pid), '--record', f'{folder}/log.mlpd'], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=DEADLINE, preexec_fn=filtered(answer))
        v.equal(f'{words}: exit', done.returncode, 3)
        v.true(words, words in done.stderr and done.stderr.count('\n') == 1, done.stderr)
    for option in '--calls', '--alloc', '--heapshot', '--sample=0':
        done = subprocess.run([profview, 'attach', option, str(watched.pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=DEADLINE)
        v.equal(f'{option}: exit', done.returncode, 2)
        v.true(f'{option}: it is said', 'from outside' in done.stderr and done.stderr.count('\n') == 1, done.stderr)
    for words in 'gc', 'sample=0', 'sample=x', 'nowaits=1', 'heapshot=2000ms':
        done = subprocess.run([profview, 'attach', '--probe', words, str(watched.pid)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=DEADLINE)
        v.equal(f'{words}: exit', done.returncode, 2)
        v.true(f'{words}: it is said', words.partition('=')[0] in done.stderr and done.stderr.count('\n') == 1, done.stderr)
    rows = json.loads(subprocess.run([profview, 'ps', '--all', '--format', 'json'], capture_output=True, text=True, check=True).stdout)
    row = next((p for p in rows if p['pid'] == watched.pid), None)
    v.equal('ps: its way', row and (row['join'], row['ways'], row['runtime']), ('outside', ['outside'], 'native'))
    v.equal('no recorder is left', recorders(watched), [])
    watched.end(v)


def deep(v, profview, folder, program):
    """Stacks deeper than what is copied at first: a few are cut, then more is copied."""
    watched = Watched(program, 'deep')
    attach(profview, watched, f'{folder}/log.mlpd', seconds=2 * CPU_S)
    compare(v, report(profview, f'{folder}/log.mlpd'), least=80)
    watched.end(v)


def hostile(v, profview, folder, program):
    """Mappings that look like files of code and are anything, and come, change and go."""
    watched = Watched(program, 'hostile', f'{folder}/code')
    code, said = attach(profview, watched, f'{folder}/log.mlpd')
    v.equal('exit', (code, said), (130, ''))
    compare(v, report(profview, f'{folder}/log.mlpd'))
    watched.end(v)


def several(v, profview, folder, program):
    """Two at once, into a folder, each with its log."""
    both = [Watched(program), Watched(program)]
    viewer = subprocess.Popen([profview, 'attach', *(str(w.pid) for w in both), '--record', f'{folder}/to/', f'--sample={HZ}'],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for('the recorders', lambda: len(recorders(*both)) == 2)
    until = [w.used() + CPU_S for w in both]
    wait_for('their work', lambda: all(w.used() >= u for w, u in zip(both, until)))
    viewer.send_signal(signal.SIGINT)
    v.equal('exit', viewer.wait(DEADLINE), 130)
    for w in both:
        r = report(profview, f'{folder}/to/{w.pid}-0.mlpd')
        v.equal('whose log', r['target']['pid'], w.pid)
        v.at_least('samples', max(m['samples_total'] for m in r['methods']), 1000)
        w.end(v)
    wait_for('the end of the recorders', lambda: not recorders(*both))


def begin(profview, watched, log, *words, user=None):
    """A viewer that records: once there is something in the log everything comes in."""
    viewer = subprocess.Popen([profview, 'attach', str(watched.pid), '--record', log, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=user,
                              env={**os.environ, 'HOME': str(pathlib.Path(log).parent)})
    wait_for('the log', lambda: viewer.poll() is not None or (pathlib.Path(log).exists() and pathlib.Path(log).stat().st_size))
    return viewer


def stop(v, viewer):
    viewer.send_signal(signal.SIGINT)
    v.equal('it says', viewer.communicate(timeout=DEADLINE)[1], '')


WAITS = {'lock': '(waits for a lock)', 'io': '(waits for io)', 'poll': '(waits in poll)', 'sleep': '(sleeps)'}
WAITED_IN = {'lock': ('locks', 'order'), 'io': ('reads',), 'poll': ('polls',), 'sleep': ('sleeps', 'rests')}
WAIT_HZ, ROUNDS = 1000, 30  # of 200 ms


def below(tree, state):
    """Samples of a wait, and those of them that lie below the function that waited."""
    node = {n['id']: n for n in tree}
    of = [n for n in tree if n['method'] == WAITS[state]]
    met = 0
    for n in of:
        above = n
        while above and above['method'] not in WAITED_IN[state]:
            above = node.get(above['parent'])
        met += n['samples'] if above else 0
    return sum(n['samples'] for n in of), met


def planted(v, profview, program, log, rounds, *words):
    """What a thread says of its waits while it is watched, and the log's report."""
    user = NOBODY if os.geteuid() == 0 else None
    watched = Watched(program, *words, user=user)
    viewer = begin(profview, watched, log, f'--sample={WAIT_HZ}', user=user)
    watched.process.stdin.write(f'{rounds}\n')
    watched.process.stdin.flush()
    said = {k: int(n) for k, n in (w.split('=') for w in watched.process.stdout.readline().split())}
    stop(v, viewer)
    watched.process.stdin.close()
    v.equal('how it ends', watched.process.wait(DEADLINE), 7)
    return said, report(profview, log)


def mutex(v, said, r, least):
    """The lock by its address, who waited for it and who had it."""
    lock = next((x for x in r['locks']['objects'] if int(x['object'], 16) == said['mutex']), None)
    v.true('the mutex', lock and lock['class'] == 'mutex' and lock['contentions'] >= least, (r['locks'], said))
    held = [w for w in r['lock_waits'] if int(w['object'], 16) == said['mutex']]
    v.equal('who waited, who had it', {(int(w['thread_id'], 16), int(w['holder_id'], 16), w['holder_known']) for w in held},
            {(said['tid'], said['holder'], 'said')})
    v.true('where it waited', all('locks' in w['stack'] for w in held), held[:1])


def waits(v, profview, folder, program):
    """A thread's waiting is what it says itself, in all, by what it waits for and where; nothing of it needs a privilege."""
    os.chmod(folder, 0o777)
    program, log = shutil.copy(program, f'{folder}/waiting'), f'{folder}/log.mlpd'
    os.chmod(program, 0o755)
    said, whole_log = planted(v, profview, program, log, ROUNDS)
    mutex(v, said, whole_log, 0.9 * ROUNDS)
    v.true('it is said that some may not be met', 'waits of 10 ms and more' in next(
        c['detail'] for c in whole_log['coverage'] if c['what'] == 'locks'), whole_log['coverage'])
    r = json.loads(subprocess.run([profview, 'report', '--no-index', '--waits', '--format', 'json', '--section', 'samples,call_tree',
                                   '--thread', hex(said['tid']), log], capture_output=True, text=True, check=True, timeout=DEADLINE).stdout)
    seconds = {s['state']: s['samples'] / WAIT_HZ for s in r['samples']['states']}
    told = {s: said[s] / 1e6 for s in WAITS}
    every = sum(told.values())
    v.between(f'all waits, s: {seconds}, {told}', sum(seconds.get(s, 0) for s in (*WAITS, 'unknown')), every * 0.99, every * 1.01)
    for s in WAITS:
        v.between(f'{s}, part of them in %: {seconds}, {told}', 100 * seconds.get(s, 0) / every, 100 * told[s] / every - 2, 100 * told[s] / every + 2)
        all_of, met = below(r['call_tree'], s)
        v.at_least(f'{s}: its stacks are whole', met, 0.9 * all_of)
    v.true('it is said', 'waits: exact, ' in samples_of(whole_log), samples_of(whole_log))
    mutex(v, *planted(v, profview, program, f'{folder}/inherit.mlpd', 6, 'inherit'), 4)


def storm(v, profview, folder, program):
    """A program that switches more often than that is spared: its waits are sampled, which is said."""
    watched, log = Watched(program, 'storm'), f'{folder}/log.mlpd'
    viewer = begin(profview, watched, log)
    until = watched.used() + CPU_S
    wait_for('its work', lambda: watched.used() >= until)
    stop(v, viewer)
    watched.process.stdin.write('\n')
    said, _ = watched.process.communicate(timeout=DEADLINE)
    v.at_least('rounds', int(said.strip().rpartition('=')[2]), 10000)
    v.equal('how it ends', watched.process.returncode, 7)
    r = report(profview, log)
    v.true('it is said', 'waits sampled while it switched more than 20,000 times a second' in samples_of(r), samples_of(r))
    v.true('no more is', 'waits: exact' not in samples_of(r), samples_of(r))


class Started(Watched):
    """A program that profview starts; it ends as Watched does."""

    def __init__(self, profview, log, program, *words, user=None):
        env = {**os.environ, 'HOME': str(pathlib.Path(log).parent), 'LD_PRELOAD': ''}
        self.process = subprocess.Popen([profview, 'run', '--via', 'outside', '--record', log, f'--sample={HZ}', '--', program, *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, user=user, env=env)
        self.begun = self.process.stdout.readline()
        viewer = self.process.pid
        self.pid = next(int(pid) for pid in pathlib.Path(f'/proc/{viewer}/task/{viewer}/children').read_text().split()
                        if os.path.samefile(f'/proc/{pid}/exe', program))
        words = pathlib.Path(f'/proc/{self.pid}/environ').read_bytes().split(b'\0')
        self.same_environment = sorted(filter(None, words)) == sorted(os.fsencode(f'{k}={v}') for k, v in env.items())
        self.loaded = 'profview' in pathlib.Path(f'/proc/{self.pid}/maps').read_text()

    def work(self, v, seconds=CPU_S):
        until = self.used() + seconds
        wait_for('its work', lambda: self.used() >= until)
        self.end(v)


def run(v, profview, folder, program):
    """Started by an ordinary user: recorded from the first instruction on, and as it is without."""
    os.chmod(folder, 0o777)
    to, log = shutil.copy(program, f'{folder}/outside'), f'{folder}/log.mlpd'
    os.chmod(to, 0o755)
    user = NOBODY if os.geteuid() == 0 else None
    started = Started(profview, log, to, '5', user=user)
    v.true('its environment is as without', started.same_environment)
    v.true('nothing is loaded', not started.loaded)
    started.work(v)
    r = report(profview, log)
    compare(v, r)
    v.equal('command', r['target']['command'], f'{to} 5')
    v.equal('whose log', r['target']['pid'], started.pid)
    v.at_least('threads that began later', sum(1 for t in r['threads'] if t['name'] == 'planted'), 1)
    wait_for('the end of the recorder', lambda: not recorders(started))

    def simply(*words):
        again = f'{folder}/again.mlpd'
        pathlib.Path(again).unlink(missing_ok=True)
        done = subprocess.run([profview, 'run', '--via', 'outside', '--record', again, '--', *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=DEADLINE, user=user, env={**os.environ, 'HOME': folder})
        return done.returncode, done.stdout, done.stderr, again
    for _ in range(5):
        code, _, said, again = simply('true')
        v.equal('one that ends at once', code, 0)
        v.equal('its log', report(profview, again)['source']['end_known_from'][:5], 'ended')
    code, out, said, again = simply('sh', '-c', 'env true; env true; echo done; exit 3')
    v.equal('one that starts others', (code, out), (3, 'done\n'))
    losses = next(c['detail'] for c in report(profview, again)['coverage'] if c['what'] == 'losses')
    v.true('they are counted', losses.startswith('at least 2 child processes were not recorded'), losses)
    v.equal('one that cannot be run', simply(f'{folder}/log.mlpd')[0], 126)
    for words in ('--calls',), ('--alloc',), ('--leaks',), ('--heapshot',), ('--sample=0',), ('--record', f'{folder}/to/'), ('--probe', 'gc'):
        done = subprocess.run([profview, 'run', '--via', 'outside', *words, '--', to], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=DEADLINE)
        v.equal(f'{words}: exit, lines', (done.returncode, done.stderr.count('\n')), (2, 1))


def run_refused(v, profview, folder, program):
    """Where a filter refuses perf events, or kills for them, a probe is loaded after all, and it is said."""
    for answer in EPERM, KILL:
        log = f'{folder}/{answer}.mlpd'
        done = subprocess.run([profview, 'run', '--via', 'outside', '--record', log, '--', program], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=DEADLINE, preexec_fn=filtered(answer))
        v.equal('exit', (done.returncode, done.stdout), (7, 'begun\nended\n'))
        line = done.stderr.partition('\n')[0]
        v.true('it is said', 'not from outside: a filter of system calls' in line, line)
        of = samples_of(report(profview, log))
        v.true('and in the coverage', 'by a library in the program, since perf events were refused' in of, of)


def grown(r):
    """% of the new pages with a stack by planted function, how many were counted, and % of those without a stack."""
    of, stackless = {}, 'new pages without a sample'
    for site in r['allocation_sites']:
        for name in site['stack']:
            of[name] = of.get(name, 0) + site['allocated_bytes']
    classes = {c['name']: c['allocated_bytes'] for c in r['classes']}
    counted = sum(classes.values())
    without = classes.get(stackless, 0)
    return {name: 100 * of.get(name, 0) / (counted - without) for name in GROWING}, counted / 4096, 100 * without / counted


GROWING = {'sixty': 60, 'thirty': 30, 'ten': 10, 'none': 0}
TRIES, WITHOUT = 5, 5  # recordings until at most so many % are without a stack: a busy machine may overrun the rings


def grown_while_watched(v, profview, log, to, user):
    watched = Watched(to, user=user)
    viewer = begin(profview, watched, log, '--probe', 'pages', user=user)
    watched.process.stdin.write('\n')
    watched.process.stdin.flush()
    truth = int(watched.process.stdout.readline())
    stop(v, viewer)
    watched.process.stdin.close()
    v.equal('how it ends', watched.process.wait(DEADLINE), 7)
    return truth


def grown_since_started(v, profview, log, to, user):
    done = subprocess.run([profview, 'run', '--via', 'outside', '--probe', 'pages', '--record', log, '--', to], input='\n',
                          capture_output=True, text=True, check=False, timeout=DEADLINE, user=user,
                          env={**os.environ, 'HOME': str(pathlib.Path(log).parent)})
    v.equal('the other, too', done.returncode, 7)
    return int(done.stdout.split()[1])


def pages(v, profview, folder, program):
    """Who makes a process grow, by stack, of a running one and of one that is started: an ordinary user's."""
    os.chmod(folder, 0o777)
    to = shutil.copy(program, f'{folder}/growing')
    os.chmod(to, 0o755)
    user = NOBODY if os.geteuid() == 0 else None
    for record in grown_while_watched, grown_since_started:
        for i in range(TRIES):
            log = f'{folder}/{record.__name__}-{i}.mlpd'
            truth = record(v, profview, log, to, user)
            r = report(profview, log)
            shares, counted, without = grown(r)
            v.between('of what it grew by, counted, %', 100 * counted / truth, 97, 103)
            if without <= WITHOUT:
                break
        v.between('without a stack, %', without, 0, WITHOUT)
        for name, share in GROWING.items():  # pages without a stack may be of any function
            v.between(f'{name}, %', shares[name], share - 2 - without, share + 2 + without)
        of = next(c['detail'] for c in r['coverage'] if c['what'] == 'allocations')
        v.true('it is said', 'new pages by stack, 1 of 17' in of, of)


CASES = {'pages': pages, 'run': run, 'run_refused': run_refused, 'elsewhere': elsewhere, 'waits': waits, 'storm': storm, 'several': several, 'deep': deep, 'hostile': hostile, 'native': native, 'static': static, 'stripped': stripped, 'nobody': nobody, 'threads': threads, 'refused': refused}


def main(case, profview, program):
    if case != 'refused' and not allowed():
        print('perf events are refused here')
        return SKIP
    v = Verdict(f'outside {case}')
    with tempfile.TemporaryDirectory(prefix='outside-') as folder:
        CASES[case](v, os.path.abspath(profview), folder, os.path.abspath(program))
    return v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

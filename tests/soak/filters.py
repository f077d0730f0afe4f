#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Services under filters of system calls, alone and recorded: the same output and the same end.

usage: filters.py PROFVIEW FILTERS native [LIST MODE]...
       filters.py PROFVIEW FILTERS DLL DOTNET [HOW LIST MODE]...      ('none': skipped)

LIST: "service" (@system-service), "lean" (that without @debug, @privileged and @resources, but for what the
service cannot do without), "small" (what the service alone calls), "timeless" or "unread" (@system-service
without timers, without process_vm_readv); MODE: "kill" or "refuse", for every other call; HOW: "run", "attach",
"events". Without them all are tried.
"""
import itertools
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import target  # noqa: E402
from filter_sets import DEBUG, PRIVILEGED, RESOURCES, SERVICE  # noqa: E402
from verdict import Verdict  # noqa: E402

LISTS, MODES, HOWS = ('service', 'lean', 'small', 'timeless', 'unread'), ('kill', 'refuse'), ('run', 'attach', 'events')
INPUT, OWN_END = ''.join(f'{n}\n' for n in range(8)), 7
# A program makes these now and then, or when it is asked by its diagnostics socket, and not each time it is learnt.
SELDOM = set('accept4 exit futex madvise membarrier mprotect mremap munmap recvfrom restart_syscall rt_sigreturn '
             'sched_yield sendto tgkill'.split())
ENOUGH = 10  # samples, some of which read code to find the callers
SOME = 20000  # bytes of a stream that is more than its beginning
READING = {'process_vm_readv', 'process_vm_writev'}
TIMER = {'timer_create', 'timer_settime', 'timer_delete'}
REASON = 'filter of system calls'


def numbers():
    done = subprocess.run(['cc', '-dM', '-E', '-include', 'sys/syscall.h', '-x', 'c', '/dev/null'], check=True,
                          capture_output=True, text=True)
    return {m[1]: int(m[2]) for m in re.finditer(r'#define __NR_(\w+) (\d+)$', done.stdout, re.M)}


class Lists:
    """By name, in the words of the launcher."""

    def __init__(self, learnt, seldom):
        known = numbers()
        small = {int(n) for n in learnt.split(',') if n} | {known[n] for n in seldom}
        self.sets = {'small': small}
        for name, names in (('service', SERVICE), ('lean', SERVICE - DEBUG - PRIVILEGED - RESOURCES),
                            ('timeless', SERVICE - TIMER), ('unread', SERVICE - READING)):
            self.sets[name] = {known[n] for n in names if n in known} | (small if name == 'lean' else set())

    def __getitem__(self, name):
        return ','.join(str(n) for n in sorted(self.sets[name]))


def report(profview, log, sections):
    done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--section', sections, str(log)],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def covered(profview, log, what):
    """Its coverage line's detail."""
    return ''.join(c['detail'] for c in report(profview, log, 'coverage').get('coverage') or [] if c['what'] == what)


def samples(profview, log):
    return sum(m['samples_self'] or 0 for m in report(profview, log, 'methods').get('methods') or [])


# ---- native

def run(*command):
    return subprocess.run([str(w) for w in command], input=INPUT, capture_output=True, text=True, check=False,
                          timeout=target.DEADLINE)


def native(profview, filters, only):
    v = Verdict('filters native')
    alone = run(filters, 'serve')
    v.equal('the service ends', (alone.returncode, alone.stdout.count('\n')), (OWN_END, 9))
    lists = Lists(run(filters, 'learn', filters, 'serve').stderr, SELDOM - {'accept4', 'recvfrom', 'sendto'})
    for name, mode in only or itertools.product(LISTS, MODES):
        for how in ('under', 'own'):
            what = f'{how} {name} {mode}'
            command = [filters, how, mode, lists[name], *([filters, 'serve'] if how == 'under' else [])]
            bare = run(*command)
            v.equal(f'{what}: alone', (bare.returncode, bare.stdout), (OWN_END, alone.stdout))
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:  # the index may be written yet
                folder = pathlib.Path(top, 'logs')
                done = run(profview, 'run', '--record', f'{folder}/', '--', *command)
                v.equal(f'{what}: recorded', (done.returncode, done.stdout), (bare.returncode, bare.stdout))
                logs = list(folder.glob('*.mlpd'))
                if how == 'own':
                    continue
                said = REASON in done.stderr or any(REASON in covered(profview, log, 'samples') for log in logs)
                had = any(samples(profview, log) for log in logs)
                v.true(f'{what}: samples, or why not', said if name in ('small', 'timeless') else had, done.stderr[:200])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:
        strict = [run(*words, filters, 'own', 'strict')
                  for words in ((profview, 'run', '--record', f'{top}/logs/', '--'), ())]
    v.equal('strict', *((done.returncode, done.stdout) for done in strict))
    v.close()


# ---- .NET

class Service:
    def __init__(self, *command):
        self.process = subprocess.Popen([str(w) for w in command], stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.port = int(self.process.stdout.readline() or 0)

    def ask(self, line):
        """Its answer; '' where nobody listens any more."""
        try:
            with socket.create_connection(('127.0.0.1', self.port), timeout=target.DEADLINE) as s:
                s.sendall(line.encode() + b'\n')
                return s.recv(64).decode().strip()
        except OSError:
            return ''

    def end(self):
        """What it printed, how it ended, and its complaints."""
        if self.ask('end') != 'over':
            self.process.kill()
        out, err = self.process.communicate(timeout=target.DEADLINE)
        return (out, self.process.returncode), err


def sampled(profview, log, least):
    """Whether the log has samples, or says why not."""
    return samples(profview, log) >= least or REASON in covered(profview, log, 'samples')


def begun(profview, log, how):
    """Whether the log has what it is to have, or says why not."""
    if not log.exists():
        return False
    if how == 'events':
        return report(profview, log, 'coverage').get('source', {'bytes': 0})['bytes'] > SOME
    return sampled(profview, log, ENOUGH)


def join(v, what, profview, service, how, log):
    """Joins until something is recorded or the joiner gives up: its exit code and complaint."""
    via = ['--via', 'events'] if how == 'events' else []
    viewer = subprocess.Popen([profview, 'attach', *via, '--record', str(log), str(service.process.pid)], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    target.wait_for(f'{what}: samples or a refusal',
                    lambda: viewer.poll() is not None or service.process.poll() is not None or
                    begun(profview, log, how))
    refused = viewer.poll()
    v.equal(f'{what}: an answer while it is joined', service.ask('10'), '55')
    if refused is None:
        viewer.send_signal(signal.SIGINT)
    complaint = viewer.communicate(timeout=target.DEADLINE)[1]
    return refused, complaint


def dotnet(profview, filters, dll, host, only):
    v = Verdict('filters clr')
    learner = Service(filters, 'learn', host, dll)
    learner.ask('5')
    alone, learnt = learner.end()
    v.equal('the service ends', alone, ('served 2\n', OWN_END))
    lists = Lists(learnt, SELDOM)
    for how, name, mode in only or itertools.product(HOWS, LISTS, MODES):
        what = f'{how} {name} {mode}'
        command = [filters, 'under', mode, lists[name], host, dll]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:
            log = pathlib.Path(top, 'log')
            service = Service(*([profview, 'run', '--record', f'{top}/logs/', '--'] if how == 'run' else []), *command)
            v.equal(f'{what}: the first answer', service.ask('12'), '144')
            refused, complaint = None, ''
            if how != 'run':
                refused, complaint = join(v, what, profview, service, how, log)
            v.equal(f'{what}: an answer after it', service.ask('11'), '89')
            end, err = service.end()
            v.equal(f'{what}: the end', end, (f'served {3 + (how != "run")}\n', OWN_END))
            if how == 'run':
                logs = list(pathlib.Path(top, 'logs').glob('*'))
                v.true(f'{what}: recorded, or the reason',
                       REASON in err or any(sampled(profview, f, 1) for f in logs), err[-300:])
            elif refused is not None:
                v.true(f'{what}: the reason', name in ('small', 'timeless') and REASON in complaint, complaint)
    v.close()


def rows(words, n):
    return [tuple(words[i:i + n]) for i in range(0, len(words), n)]


def main(profview, filters, what, *more):
    if what == 'native':
        native(profview, filters, rows(more, 2))
    elif 'none' in (what, more[0]):
        print('dotnet is not installed')
        sys.exit(target.SKIP)
    else:
        dotnet(profview, filters, what, more[0], rows(more[1:], 3))


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""profview --on WHERE: commands, logs and recordings of another machine, which is a shell's own view here.

usage: test_remote.py words|follow|record|cut|keeper|bounds|hostile PROFVIEW LOG.gz LIBRARY PROGRAM.exe
"""
import contextlib
import gzip
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys

import target
from term import Terminal
from verdict import Verdict

CUTS = 20
RECORD_CUTS = 8
PIECES = 60
PATIENCE = 60
HEAD = 13
RUN, RECORD, FOLLOW, STOP, OUT, ERR, EXITED, BYTES, ENDED, FAILED, KEPT, RESUME = range(1, 13)


KEEPER, JANITOR = 'profview-keeper', 'profview-tidy'


def name_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f'/proc/{pid}/comm').read_text(encoding='ascii').strip()
    return JANITOR  # gone


def frame(kind, number, data=b''):
    return struct.pack('<IBQ', len(data), kind, number) + data


class Line:
    """Frames to and from a relay, without a carrier."""

    def __init__(self, far, *bound):
        self.relay = subprocess.Popen([far.profview, 'relay', *map(str, bound)], env=far.env, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.hello = self.relay.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()

    def put(self, kind, number, data=b''):
        self.relay.stdin.write(frame(kind, number, data))
        self.relay.stdin.flush()

    def get(self):
        """Kind, number and payload; None at the end."""
        head = self.relay.stdout.read(HEAD)
        if len(head) < HEAD:
            return None
        n, kind, number = struct.unpack('<IBQ', head)
        return kind, number, self.relay.stdout.read(n)

    def frames(self):
        """All, up to the command's end."""
        f = ()
        while f is not None and f[:1] not in ((EXITED,), (FAILED,)):
            f = self.get()
            if f:
                yield f

    def log(self, at=0, most=1 << 62):
        """Bytes of the log from `at` on, up to so many or the command's end, and the last frame."""
        got, f = bytearray(), None
        for f in self.frames():
            if f[0] == BYTES:
                assert f[1] == at + len(got), (f[1], at, len(got))
                got += f[2]
            if len(got) >= most:
                return bytes(got), None
        return bytes(got), f

    def cut(self):
        self.relay.kill()
        self.relay.communicate()


def opens(pid, path):
    try:
        return any(fd.exists() and fd.samefile(path) for fd in pathlib.Path(f'/proc/{pid}/fd').iterdir())
    except OSError:
        return False


class Far:
    """A machine whose PATH has this profview under its name, led to by a command that first makes noise."""

    def __init__(self, profview, folder, library):
        self.profview, self.folder = os.path.abspath(profview), pathlib.Path(folder)
        (self.folder / 'bin').mkdir()
        (self.folder / 'bin/profview').symlink_to(self.profview)
        self.tmp = self.folder / 'tmp'
        self.tmp.mkdir()
        way = self.folder / 'way'
        way.write_text(f'#!/bin/sh\necho Welcome; export PATH={self.folder}/bin:$PATH; exec "$@"\n')
        way.chmod(0o755)
        self.where = f'{way} env'
        self.env = os.environ | {'TMPDIR': str(self.tmp), 'LD_LIBRARY_PATH': os.path.dirname(os.path.abspath(library))}

    def run(self, *words, where=None, **more):
        return subprocess.run([self.profview, '--on', where or self.where, *map(str, words)], text=True, check=False,
                              env=self.env, capture_output=True, timeout=target.DEADLINE, stdin=subprocess.DEVNULL, **more)

    def here(self, *words):
        return subprocess.run([self.profview, *map(str, words)], text=True, check=False, env=self.env,
                              capture_output=True, timeout=target.DEADLINE)

    def processes(self, word=None):
        """Of this test, as their environment has its folder: profview, and what is recorded."""
        mark, found = f'TMPDIR={self.tmp}'.encode(), []
        for at in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                words = (at / 'cmdline').read_bytes().split(b'\0')
                ours = b'profview' in words[0] or b'none' in words
                if mark in (at / 'environ').read_bytes().split(b'\0') and ours and word in (None, *words):
                    found.append(int(at.name))
            except OSError:
                pass
        return found

    def relays(self):
        return [pid for pid in self.processes(b'relay') if name_of(pid) not in (KEEPER, JANITOR)]

    def readers(self, log):
        """The relays that have greeted and read this log: one that is killed before is no line that broke."""
        return [pid for pid in self.relays() if opens(pid, log)]

    def keepers(self):
        return [pid for pid in self.processes(b'relay') if name_of(pid) == KEEPER]

    def here_named(self, name):
        """The viewer has its program's name, the carrier its own."""
        return [pid for pid in self.processes(b'--on') if name_of(pid) == name]

    def bound(self, seconds, most):
        """The relays to come keep a recording for so long, and so many bytes, without a line."""
        program = self.folder / 'bin/profview'
        program.unlink()
        program.write_text(f'#!/bin/sh\n[ "$1" = relay ] && set -- relay --keep {seconds} {most}\nexec {self.profview} "$@"\n')
        program.chmod(0o755)

    def nothing_is_left(self, v, what):
        def gone():
            return not self.processes() and not list(self.tmp.iterdir())
        try:
            target.wait_for('nothing is left', gone)
        except target.TimedOut:
            pass
        v.equal(f'{what}: processes are left', self.processes(), [])
        v.equal(f'{what}: files are left', list(self.tmp.iterdir()), [])


def words(v, far, log, _):
    report = far.run('report', log, '--format', 'json')
    v.equal('report: exit code', report.returncode, 0)
    v.equal('report: as here', report.stdout, far.here('report', log, '--format', 'json').stdout)
    v.equal('after the verb', far.run('dump', log).stdout, far.here('dump', log).stdout)
    after = subprocess.run([far.profview, 'brief', '--on', far.where, log], text=True, env=far.env, check=False,
                           capture_output=True, timeout=target.DEADLINE)
    v.equal('--on behind the verb', after.stdout, far.here('brief', log).stdout)
    v.equal('frame: as here', far.run('--dump', '--no-index', log).stdout, far.here('--dump', '--no-index', log).stdout)
    none = far.run('report', '/no/such')
    v.equal('no file: exit code', none.returncode, 3)
    v.true('no file: said once, with the machine', none.stderr.count('\n') == 1 and far.where in none.stderr, none.stderr)
    long = far.run('--dump', '/' + 'x' * 70000)
    v.equal('a path that is too long', (long.returncode, long.stderr.count('\n')), (2, 1))
    for bad, code, said in (('-oProxyCommand=id', 2, '--on:'), ('/no/such/command x', 3, 'No such file'),
                            ('sh -c exit', 3, 'no way to'), (f'env PATH=/usr/bin:/bin HOME={far.tmp}', 3, '--send')):
        got = far.run('ps', where=bad)
        v.equal(f'{bad}: exit code', got.returncode, code)
        v.true(f'{bad}: one line', got.stderr.count('\n') == 1 and said in got.stderr, got.stderr)
    far.nothing_is_left(v, 'words')


def follow(v, far, log, _):
    """A log that grows while the line is cut again and again comes whole, and no byte twice."""
    whole = pathlib.Path(log).read_bytes()
    grows, kept = far.folder / 'grows.mlpd', far.folder / 'kept.mlpd'
    cuts = random.Random(7)
    with Terminal(far.folder, env=far.env) as t:
        t.run(far.profview, '--on', far.where, '--follow', grows, '--record', kept)
        step, at = len(whole) // PIECES + 1, 0
        target.wait_for('the relay', far.relays)
        when = set(cuts.sample(range(PIECES), CUTS))
        for i in range(PIECES):
            with grows.open('ab') as f:
                f.write(whole[at:at + step])
            at += step
            if i in when:
                for pid in target.wait_for('a relay to cut off', lambda: far.readers(grows)):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        target.wait_for('the whole log', lambda: kept.exists() and kept.stat().st_size == len(whole), CUTS * PATIENCE)
        t.wait_end()
        v.true('bytes', kept.read_bytes() == whole, 'they differ')
        v.true('its name', 'kept.mlpd' in t.lines()[0] or 'grows.mlpd' in t.lines()[0], t.lines()[0])
        t.keys('q')
        t.wait_prompt()
        v.true('the breaks are said', 'the line broke' in t.text().replace('\n', ' '), t.text())
        v.true('the program is not said to go on', 'Leave?' not in t.text(), t.text())
    far.nothing_is_left(v, 'follow')


def record(v, far, _, program):
    """A program is started there, asked for a heap shot from here, and its exit code is ours."""
    kept = far.folder / 'kept.mlpd'
    with Terminal(far.folder, env=far.env) as t:
        t.run(far.profview, '--on', far.where, 'run', '--record', kept, '--probe', 'gc', '--', 'mono', program, 'none', '6')
        t.wait('LIVE')
        t.keys('S')
        t.wait_end()
        t.keys('Q')
        t.wait_prompt()
    shots = json.loads(far.here('report', kept, '--format', 'json', '--section', 'heap_shots').stdout)['heap_shots']
    v.at_least('heap shots', len(shots or []), 1)
    far.nothing_is_left(v, 'record')
    code = far.run('run', '--', 'mono', far.folder / 'none.exe')
    v.true('a program that fails: exit code', code.returncode not in (0, 125), (code.returncode, code.stderr))
    far.nothing_is_left(v, 'record, failed')
    with subprocess.Popen([far.profview, '--on', far.where, 'run', '--', 'mono', program, 'none', '30'], env=far.env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
        target.wait_for('the recording', lambda: list(far.tmp.glob('*/*.mlpd')))
        viewer.kill()
    far.nothing_is_left(v, 'record, the viewer killed')


def second_name(far):
    """Of the log in the keeper's folder: what it has written stays to be compared."""
    [there] = target.wait_for('the log there', lambda: [at for at in far.tmp.glob('*/*.mlpd') if at.is_file()])
    os.link(there, far.folder / 'far.mlpd')
    return far.folder / 'far.mlpd'


def cut(v, far, _, program):
    """A recording whose line is cut again and again comes whole: here are the bytes that were written there."""
    kept = far.folder / 'kept.mlpd'
    cuts = random.Random(11)
    with Terminal(far.folder, env=far.env) as t:
        t.run(far.profview, '--on', far.where, 'run', '--record', kept, '--probe', 'gc', '--', 'mono', program, 'none', '8')
        there = second_name(far)
        for _ in range(RECORD_CUTS):
            more = (kept.stat().st_size if kept.exists() else 0) + cuts.randrange(1, 4000)
            target.wait_for('more of it', lambda n=more: kept.exists() and kept.stat().st_size >= n)
            for pid in target.wait_for('a relay to cut off', far.relays):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        t.wait_end()
        t.keys('Q')
        t.wait_prompt()
        v.true('the breaks are said', 'the line broke' in t.text().replace('\n', ' '), t.text())
    v.true('bytes', kept.read_bytes() == there.read_bytes(), (kept.stat().st_size, there.stat().st_size))
    v.equal('its end', json.loads(far.here('report', kept, '--format', 'json', '--section', 'source').stdout)['source']['end'], 'ended')
    far.nothing_is_left(v, 'cut')


def command(program, seconds):
    return b''.join(str(word).encode() + b'\0' for word in ('run', '--probe', 'gc', '--', 'mono', program, 'none', seconds))


def keeper(v, far, _, program):
    """A recording without a line is found by its id alone; a line that stands still gives way to a newer."""
    with Line(far) as stuck:
        stuck.put(RECORD, 1, command(program, 4))
        kind, seconds, name = stuck.get()
        v.equal('kept', (kind, seconds, len(name)), (KEPT, 60, 38))
        there = second_name(far)
        for what, wrong in (('none', b''), ('short', name[:-1]), ('another', name[:-1] + (b'1' if name[-1:] == b'0' else b'0')),
                            ('a path', b'../../' + name[6:]), ('long', name * 1000)):
            with Line(far) as line:
                line.put(RESUME, 0, wrong)
                v.equal(f'id, {what}', line.get()[0], FAILED)
        v.equal('its line stands', stuck.relay.poll(), None)
        got, end = b'', None
        while not end:
            with Line(far) as line:
                line.put(RESUME, len(got), name)
                piece, end = line.log(len(got), 10000)
                got += piece
                if end:
                    line.put(STOP, 0)
                    line.relay.wait(target.DEADLINE)
        v.equal('its end', end, (EXITED, 1 << 8, b''))
        v.true('bytes', got == there.read_bytes(), (len(got), there.stat().st_size))
        v.equal('a line that stood still has ended', stuck.relay.wait(target.DEADLINE), 0)
    far.nothing_is_left(v, 'resumed')


def bounds(v, far, _, program):
    """What is kept without a line is bounded in time and size, and goes with the keeper, or the keeper with it."""
    with Line(far, '--keep', 1, 1 << 40) as line:
        line.put(RECORD, 1, command(program, 900))
        name = line.get()[2]
    far.nothing_is_left(v, 'after its time')
    with Line(far) as line:
        line.put(RESUME, 0, name)
        v.true('said to be gone', b'is gone' in line.get()[2], name)
    with Line(far, '--keep', 600, 1) as line:
        line.put(RECORD, 1, command(program, 900))
        name = line.get()[2]
        line.log(0, 1)
    target.wait_for('the end of the recording', lambda: not far.processes(b'--record'))
    with Line(far) as line:
        line.put(RESUME, 0, name)
        frames = list(line.frames())
        said = b''.join(f[2] for f in frames if f[0] == ERR)
        v.equal('too large: its end', frames[-1][0], EXITED)
        line.put(STOP, 1)
        line.relay.wait(target.DEADLINE)
        v.true('too large: said', b'without a line' in said, said)
    far.nothing_is_left(v, 'too large')
    far.bound(2, 1 << 30)
    for what, ended in (('the keeper', far.keepers), ('relay and viewer', lambda: far.relays() + far.here_named('profview')),
                        ('relay and carrier', lambda: far.relays() + far.here_named('profview-carry')), ('the way', far.relays)):
        with Terminal(far.folder, env=far.env) as t:
            t.run(far.profview, '--on', far.where, 'run', '--probe', 'gc', '--', 'mono', program, 'none', '900')
            t.wait('LIVE')
            if what == 'the way':
                (far.folder / 'bin/profview').unlink()
            for pid in ended():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if what != 'relay and viewer':
                t.wait_end()
                t.keys('Q')
                t.wait_prompt()
            said = t.text().replace('\n', '')
            v.equal(f'{what} killed: said to be gone', said.count('the recording is gone'), what == 'the keeper')
            v.equal(f'{what} killed: said to be lost', said.count('was not made again'), what == 'the way')
        far.nothing_is_left(v, f'{what} killed')


def hostile(v, far, log, _):
    """Whatever the other side says, here is an exit code and a line; and there, whatever is asked."""
    hello = b'profview-relay ok 2 0.1.0\n'
    escape = b'\x1b]0;owned\x07\n'
    for name, says, code in (
            ('silence', b'', 3), ('noise', os.urandom(5000), 3), ('another version', b'profview-relay ok 9 9\n', 3),
            ('no frame', hello + b'\xff' * 100, 125), ('a huge one', hello + struct.pack('<IBQ', 0xffffffff, OUT, 1), 125),
            ('cut in the middle', hello + frame(OUT, 1, b'x' * 1000)[:500], 125),
            ('not asked', hello + frame(BYTES, 1 << 60, b'x'), 125), ('escapes', hello + frame(6, 1, escape) + frame(EXITED, 1 << 8 | 7), 7)):
        at = far.folder / 'says'
        at.write_bytes(says)
        got = far.run('ps', where=f'sh -c cat<{at};read${{IFS}}x')
        v.equal(f'{name}: exit code', got.returncode, code)
        v.true(f'{name}: no escape comes through', '\x1b' not in got.stdout + got.stderr, got.stderr)
    for name, says in (('log of noise', frame(BYTES, 0, os.urandom(3000))), ('a gap', frame(BYTES, 5, b'x')),
                       ('nothing', b''), ('refused', frame(FAILED, 0, escape * 100))):
        at.write_bytes(hello + says)
        got = far.run('--dump', log, where=f'sh -c cat<{at};read${{IFS}}x')
        v.true(f'{name}: exit code', got.returncode in (3, 4), got.returncode)
        v.true(f'{name}: no escape comes through', '\x1b' not in got.stdout + got.stderr, got.stderr)
    for name, asks in (('noise', os.urandom(4000)), ('a path with a NUL', frame(FOLLOW, 0, b'+/etc\0x')),
                       ('a folder', frame(FOLLOW, 0, b'+/etc')), ('a device', frame(FOLLOW, 0, b'./dev/zero')),
                       ('no words', frame(RUN, 1)), ('words without an end', frame(RUN, 1, b'ps')),
                       ('too many', frame(RUN, 1, b'x\0' * 5000)), ('many', frame(RUN, 1, b'ps\0') * 50),
                       ('no recording', frame(RECORD, 1) + frame(RECORD, 1)),
                       ('resumed at once', frame(RECORD, 1, b'ps\0') + frame(RESUME, 9)),
                       ('noise to a keeper', frame(RECORD, 1, b'ps\0') + os.urandom(4000)),
                       ('a folder above', frame(RESUME, 0, b'../../' + b'0' * 32)),
                       ('an id with a NUL', frame(RESUME, 0, b'\0' * 38)), ('a relay answers', frame(KEPT, 1, b'x'))):
        got = subprocess.run([far.profview, 'relay'], input=asks, capture_output=True, timeout=target.DEADLINE,
                             env=far.env, check=False)
        v.equal(f'relay, {name}: exit code', got.returncode, 0)
        v.true(f'relay, {name}: its greeting', got.stdout.startswith(b'profview-relay ok'), got.stdout[:40])
    far.nothing_is_left(v, 'hostile')


def main(what, profview, packed, library, program):
    v = Verdict(f'remote {what}')
    with target.scratch() as folder:
        log = os.path.join(folder, 'whole.mlpd')
        pathlib.Path(log).write_bytes(gzip.decompress(pathlib.Path(packed).read_bytes()))
        far = Far(profview, folder, library)
        {'words': words, 'follow': follow, 'record': record, 'cut': cut, 'keeper': keeper, 'bounds': bounds,
         'hostile': hostile}[what](
            v, far, log, os.path.abspath(program))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

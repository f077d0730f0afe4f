#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Damaged logs, and files that are none, through the real program: what could be saved is shown, the
damage list says offset, bytes and reason, the exit code is 4 or 3, and one line on standard error
tells of it.

usage: test_hostile.py headers|times|events|cuts|gzip|names|others|inputs PROFVIEW LOG.mlpd.gz
"""
import gzip
import json
import os
import pathlib
import re
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

FAILED = []
LIMIT = 2 << 30     # bytes of address space: memory is bounded whatever the input


def check(what, got, want):
    if got != want:
        FAILED.append(f'{what}: {got!r}, not {want!r}')


def run(profview, *words, **options):
    limited = ['prlimit', f'--as={LIMIT}', profview, *map(str, words)]
    return subprocess.run(limited, capture_output=True, text=True, errors='replace', timeout=150,
                          check=False, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb'},
                          **options)


class Logs:
    """The log, where its buffers are, and a folder for what becomes of it."""

    def __init__(self, profview, packed, folder):
        self.profview, self.folder = profview, pathlib.Path(folder)
        self.data = gzip.decompress(pathlib.Path(packed).read_bytes())
        self.at, self.ends = self.data.index(b'\x01LPM'), []
        at = self.at
        while at < len(self.data):
            at += 48 + struct.unpack_from('<I', self.data, at + 4)[0]
            self.ends.append(at)

    def file(self, data):
        path = self.folder / 'log'
        path.write_bytes(data)
        return path

    def changed(self, at, new):
        return self.data[:at] + new + self.data[at + len(new):]

    def saved(self, what, data, reason):
        """Damage that leaves something to show."""
        path = self.file(data)
        done = run(self.profview, 'report', path, '--no-index', '--format', 'json')
        check(f'{what}: exit code', done.returncode, 4)
        check(f'{what}: lines of complaint', done.stderr.count('\n'), 1)
        found = json.loads(done.stdout)['source'] if done.stdout else {'damage': []}
        places = [d for d in found['damage'] if reason in d['reason']]
        check(f'{what}: {reason!r} in {found["damage"]}', bool(places), True)
        check(f'{what}: complete', found.get('complete'), False)
        told = [d for d in found['damage'] if done.stderr.startswith(
            f'profview: {path}: {d["reason"]} at byte {d["offset"]} ({d["bytes"]} bytes)')]
        check(f'{what}: {found["damage"]} in {done.stderr!r}', len(told), 1)
        for words in ['dump', path], [path, '--dump', '--keys', 'i', '--no-index']:
            done = run(self.profview, *words)
            check(f'{what}: exit code of {words[0]}', done.returncode, 4)
            check(f'{what}: complaint of {words[0]}', done.stderr.count('\n'), 1)
            check(f'{what}: {words[0]} shows', len(done.stdout) > 500, True)
        return places[0] if places else {}

    def refused(self, what, path, reason):
        for words in ['report', path], ['dump', path], [path, '--dump'], \
                ['convert', path, '-o', self.folder / 'out.mlpd']:
            done = run(self.profview, *words)
            check(f'{what}: exit code of {words[0]}', done.returncode, 3)
            check(f'{what}: complaint of {words[0]} {done.stderr!r}',
                  done.stderr.count('\n') == 1 and reason in done.stderr, True)


def headers(x):
    for at, byte, reason in ((0, 2, 'beginning'), (6, 99, 'newer'), (7, 5, 'pointer size 5'),
                             (28, 1, 'flags'), (38, 255, 'string'), (40, 9, 'header'),
                             (41, 255, 'string')):
        x.saved(f'header byte {at}', x.changed(at, bytes([byte])), reason)
    x.refused('version 0', x.file(x.changed(6, b'\0')), 'version 0')
    for n in (4, 20, x.at - 1):
        x.refused(f'{n} bytes of a header', x.file(x.data[:n]), 'ends inside its header')


def told(x, path):
    """What `report` and `dump` say of it: length in ns, events, damage; of both the same damage."""
    whole = json.loads(run(x.profview, 'report', path, '--no-index', '--format', 'json').stdout)
    said = [(d['offset'], d['bytes'], d['reason']) for d in whole['source']['damage']]
    lines = re.findall(r'^ *(\d+) damage: (\d+) bytes: (.*)$', run(x.profview, 'dump', path).stdout, re.M)
    check(f'damage in the dump of {path}', sorted((int(a), int(n), r) for a, n, r in lines), sorted(said))
    return whole['duration_ns'], whole['events'], said


def times(x):
    """Wrong bytes of a real log's times: of a buffer as if right, elsewhere no minute becomes a day."""
    length, events, _ = told(x, x.file(x.data))
    for turn, at in enumerate(x.ends[2:-1:4]):
        wrong = 1 << turn % 4 + 4 if turn % 2 else 0x2a
        place = at + 8 + (5 if turn % 2 else 6 + turn // 2 % 2)
        got = told(x, x.file(x.changed(place, bytes([x.data[place] ^ wrong]))))
        check(f'a wrong byte at {place}', got,
              (length, events, [(at + 8, 8, "a buffer's time is wrong, and was put right")]))
    leap = b'\x23' + b'\x80' * 7 + b'\x40\0'    # a call 13 months later
    for at in [a for a, b in zip(x.ends, x.ends[1:]) if b - a > 1000][:12:4]:     # such an event is read, then a byte that is none
        of, _, damage = told(x, x.file(x.changed(at + 48, leap + b'\x0b\1')))
        check(f'{damage} of an event behind {at}', 'before of times that cannot be' in damage[0][2], True)
        check(f'length with an event of 13 months behind {at}', of <= length, True)


# Events that lie about a group's count or do not end, as data version 17 writes them.
HUGE = b'\xff\xff\xff\xff\x0f'
LIES = {
    'unknown type': b'\x0b\1', 'unknown gc': b'\xf1\1', 'unknown metadata': b'\x22\1\x63\0',
    'unknown method': b'\x53\1', 'unknown sample': b'\x97\1', 'unknown heap': b'\xf6\1',
    'unknown runtime': b'\x08\1', 'unknown meta': b'\x7a\1', 'unknown exception': b'\x54\1',
    'unknown monitor': b'\x25\1', 'long leb': b'\x23' + b'\x80' * 11,
    'backtrace': b'\x10\1\0\0\x08' + HUGE, 'moves': b'\x31\1' + HUGE,
    'references': b'\x26\1\0\0\x08\0' + HUGE, 'roots': b'\x36\1' + HUGE,
    'hit addresses': b'\x07\1\0' + HUGE, 'hit frames': b'\x07\1\0\0' + HUGE,
    'counters': b'\x37\1' + HUGE, 'throw backtrace': b'\x84\1\0' + HUGE,
    'handle backtrace': b'\x61\1\0\1\0' + HUGE, 'monitor backtrace': b'\x85\1\1\0' + HUGE,
    'extension': b'\x0f\1' + HUGE, 'no holder': b'\x4f\1\2\4\1', 'long holder': b'\x4f\1\x0d\4\1' + b'\x80' * 11,
    'half a cause': b'\x6f\1\2\x0f\2', 'half of what is left': b'\x6f\1\4\x10\2\1\1', 'an extension of nothing': b'\x4f\1\0',
}


def events(x):
    begin, end = x.ends[3], x.ends[4]    # a buffer with many events
    for name, lie in LIES.items():
        place = x.saved(name, x.changed(begin + 48, lie), 'event 0x')
        check(f'{name}: place', (place.get('offset'), place.get('bytes')),
              (begin + 48, end - begin - 48))
    name = x.changed(begin + 48, b'\x02\1\5\1' + b'a' * (end - begin - 52))
    x.saved('string without end', name, 'past the end')
    x.saved('bad id', x.changed(begin, b'\2'), 'no buffer header')
    for length in (0, 7, end - begin - 49, end - begin, 1 << 31, 0xffffffff):
        x.saved(f'length {length}', x.changed(begin + 4, struct.pack('<I', length)), 'length')
    x.saved('missing middle', x.data[:begin + 1000] + x.data[x.ends[9] + 17:], '')
    for n in (x.ends[3] + 20, x.ends[3] + 300, len(x.data) - 1):
        x.saved(f'cut at {n}', x.data[:n], 'ends inside')


def figures(x, data):
    """The whole report but for what it says of the file, its damage and the calls that cut short."""
    done = run(x.profview, 'report', x.file(data), '--no-index', '--format', 'json', '--section',
               'all')
    said = json.loads(done.stdout)
    said.pop('source')
    said['coverage'] = [c for c in said['coverage'] if c['what'] not in ('damage', 'calls')]
    cut = ', up to where the log was cut off'
    for c in said['coverage']:
        if c['detail'].endswith(cut):
            rest = c['detail'].removesuffix(cut)
            c.update(state='complete', detail='none happened' if rest == 'none' else rest)
        if c['detail'] == 'none met in what there is':    # as of a log without damage
            c.update(state='complete', detail='none happened')
    return said


def cuts(x):
    """A cut log tells what its whole events tell: those of a log that ends behind the last one."""
    lines = run(x.profview, 'dump', x.file(x.data)).stdout.splitlines()
    places = [int(line.split()[0]) for line in lines if not line.startswith(' ' * 10)]
    starts = sorted(set(places) | set(x.ends))
    for n in range(x.ends[3] + 60, len(x.data), len(x.data) // 17):
        begin = max([x.at] + [end for end in x.ends if end <= n])
        end = max([begin + 48] + [at for at in starts if at <= n])
        whole = x.data[:begin + 4] + struct.pack('<I', end - begin - 48) + x.data[begin + 8:end]
        cut, prefix = figures(x, x.data[:n]), figures(x, whole)
        waits = any(lock['waiting'] for lock in prefix['locks']['objects'])
        for section in prefix:
            # Findings weigh damage, which the prefix has not; a wait that is open where the damage
            # begins may have ended in what is lost, and is open to the end in the prefix.
            if section in ('findings', 'lock_waits', 'lock_sites', 'lock_edges', 'lock_cycles') or \
                    section == 'timeline' and waits:
                continue
            if section == 'locks':
                for locks in (cut[section], prefix[section]):
                    for row in [locks, *locks['objects']]:
                        for figure in ['waiting', *(['wait_ns', 'max_wait_ns'] if waits else [])]:
                            row.pop(figure, None)
            check(f'cut at {n}, events to {end}: {section}', cut[section], prefix[section])


def zipped(x):
    whole = gzip.compress(x.data, mtime=0)
    plain = run(x.profview, 'report', x.file(x.data), '--no-index', '--section', 'methods').stdout
    two = gzip.compress(x.data[:x.ends[7] + 99]) + gzip.compress(x.data[x.ends[7] + 99:])
    for what, data in (('one member', whole), ('two', two), ('no trailer', whole[:-8]),
                       ('zeros behind', whole + bytes(512))):
        done = run(x.profview, 'report', x.file(data), '--no-index', '--section', 'methods')
        check(f'{what}: exit code', (done.returncode, done.stderr), (0, ''))
        rows, wanted = (text.split('Methods')[-1].split('\nWhat the log')[0].splitlines() for text in (done.stdout, plain))
        if what == 'no trailer':  # its coverage says so
            check(f'{what}: coverage', 'damage partial: cut off: the compressed data has no trailer' in rows[1], True)
            del rows[1], wanted[1]
        check(f'{what}: methods', rows, wanted)
    x.saved('cut member', whole[:len(whole) // 2], 'ends inside')
    x.saved('garbage behind', whole + b'garbage' * 9, 'not gzip')
    x.saved('wrong checksum', whole[:-8] + bytes(8), 'checksum')
    middle = len(whole) // 2
    x.saved('damaged data', whole[:middle] + b'\xff' * 64 + whole[middle + 64:], 'gzip data')
    packer = zlib.compressobj(wbits=31)
    x.refused('text inside', x.file(packer.compress(b'hello\n' * 99) + packer.flush()), 'text')


OTHERS = {
    'ELF': b'\x7fELF\2\1\1' + bytes(99), 'Windows': b'MZ\x90\0' + bytes(99),
    'zip archive': b'PK\3\4' + bytes(99), 'picture': b'\x89PNG\r\n\x1a\n' + bytes(99),
    'portable pdb': b'BSJB\1\0\1\0' + bytes(99), 'nettrace': b'Nettrace' + bytes(99),
    'Windows program': b'Microsoft C/C++ MSF 7.00\r\n' + bytes(99),
    'perf.data': b'PERFILE2' + bytes(99), 'heap dump of Java': b'JAVA PROFILE 1.0.2\0' + bytes(9),
    'speedscope': b'{"$schema":"https://www.speedscope.app/file-format-schema.json"}',
    'Chrome': b'{"traceEvents":[]}', 'JSON': b'[1, 2, 3]', 'XML': b'<?xml version="1.0"?>',
    'script': b'#!/bin/sh\n', 'text': 'Grüße, kein Log.\n'.encode(), 'zeros': bytes(100000),
    'no known format': bytes(range(128, 256)) * 9, 'no bytes at all': b'',
}


# Names whose demangling takes 2^40 and 62^10 steps, and writes nothing on the way.
ENDLESS = ['_Z1f' + 'N1AcvT_I' * 40 + 'i' + 'EE' * 40, '_RC1aIC1bFGzzzzzzzzzz_EuE']


def names(x):
    log = x.file(''.join(f'main;{name} 7\n' for name in ENDLESS).encode())
    for words in ['report', log, '--no-index', '--section', 'methods'], ['dump', log], \
            [log, '--no-index', '--dump', '--keys', '2'], [log, '--no-index', '--dump', '--keys', 'q']:
        done = run(x.profview, *words)
        check(f'{words[0]}: exit code {done.stderr!r}', done.returncode, 0)
        for name in ENDLESS:
            check(f'{words}: {name[:5]}', 'q' in words or name[:5] in done.stdout, True)
    deep = '_Z1fI' + '1AIiE' * 100 + 'Ev' + 'RT_' * 160    # takes 400 KiB of stack to demangle
    log = x.file(f'main;{deep} 7\n'.encode())
    for words in ['report', log, '--no-index'], [log, '--no-index', '--dump', '--keys', '2']:
        done = run('prlimit', '--stack=262144', x.profview, *words)
        check(f'small stack, {words[0]}: {done.stderr!r}', done.returncode, 0)
    for what, first in ('within', b'ma\0in'), ('in front', b'\0main'):
        done = run(x.profview, 'report', x.file(b'main;a 1\n' + first + b';b 2\nmain;c 3\n'), '--no-index',
                   '--section', 'methods', '--format', 'json')
        check(f'NUL {what}: {done.stderr!r}', done.returncode, 0)
        check(f'NUL {what}: samples', '6 samples' in done.stdout, True)


def others(x):
    for what, data in OTHERS.items():
        x.refused(what, x.file(data), what)


def inputs(x):
    """Inputs that are no files, that cannot be read, or that change while they are read."""
    x.refused('a directory', x.folder, 'no recording')
    x.refused('/proc/self/maps', '/proc/self/maps', 'text')
    for path, reason in (('/dev/null', 'no bytes'), ('/dev/zero', 'zeros')):
        done = run(x.profview, 'report', path, stdin=subprocess.DEVNULL)
        check(f'{path}: {done.stderr!r}', (done.returncode, reason in done.stderr), (3, True))
    silent = x.folder / 'silent'    # nobody writes
    os.mkfifo(silent)
    done = run(x.profview, 'check', x.file(x.data), '--rules', silent)
    check(f'rules from a pipe: {done.stderr!r}', (done.returncode, 'not a regular file' in done.stderr), (2, True))
    hole = x.file(x.data)
    os.truncate(hole, 1 << 40)
    for words in ['report', hole, '--no-index'], ['dump', hole]:
        done = run(x.profview, *words)
        check(f'a hole, {words[0]}: {done.stderr!r}', (done.returncode, done.stderr.count('\n')), (4, 1))
    secret = x.file(x.data)
    secret.chmod(0)
    if os.geteuid():
        x.refused('a file without rights', secret, 'denied')
    secret.chmod(stat.S_IRUSR | stat.S_IWUSR)
    pipe = x.folder / 'pipe'
    os.mkfifo(pipe)

    def die_in_mid_buffer():
        with open(pipe, 'wb') as writer:
            writer.write(x.data[:x.ends[4] - 77])
    writer = threading.Thread(target=die_in_mid_buffer)
    writer.start()
    done = run(x.profview, 'report', pipe, '--format', 'json')
    writer.join()
    check('a writer that dies: exit code', done.returncode, 4)
    found = json.loads(done.stdout)['source']['damage'] if done.stdout else []
    check('a writer that dies', found, [{'offset': x.ends[4] - 77, 'bytes': 77,
                                         'reason': 'the input ends inside a buffer'}])
    shrinking = x.file(x.data + x.data[x.at:] * 20)
    with subprocess.Popen([x.profview, 'report', shrinking, '--no-index', '--format', 'json'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
        os.truncate(shrinking, x.ends[5] - 10)
        said, _ = reader.communicate(timeout=150)
    check('a file that shrinks: exit code', reader.returncode in (0, 4), True)
    check('a file that shrinks: a report', 'source' in json.loads(said), True)


PARTS = {'headers': headers, 'times': times, 'events': events, 'cuts': cuts, 'gzip': zipped, 'names': names, 'others': others,
         'inputs': inputs}


def main(part, profview, log):
    with tempfile.TemporaryDirectory() as folder:
        PARTS[part](Logs(profview, log, folder))
    print('\n'.join(FAILED) or 'all as it should be')
    sys.exit(1 if FAILED else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

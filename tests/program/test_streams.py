#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Streams of .NET, written here event by event: what is known and not shown is counted by name and said.

usage: test_streams.py PROFVIEW SHOT       SHOT: a stream with a heap shot, gzipped
"""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

RUNTIME, SAMPLER = 'Microsoft-Windows-DotNETRuntime', 'Microsoft-DotNETCore-SampleProfiler'
HZ = 1_000_000


def wide(text):
    return text.encode('utf-16-le') + b'\0\0'


class Stream:
    """Version 4, blocks that are not compressed."""

    def __init__(self, date=(2026, 5, 3, 20, 10, 0, 0, 0), end=True):
        self.kinds, self.events, self.stacks, self.date, self.end = {}, [], [], date, end

    def event(self, us, provider, number, payload=b'', name='', stack=0, thread=7):
        kind = self.kinds.setdefault((provider, number, name), len(self.kinds) + 1)
        self.events.append((kind, len(self.events) + 1, thread, stack, us, payload))

    def stack(self, *addresses):
        self.stacks.append(struct.pack(f'<I{len(addresses)}Q', 8 * len(addresses), *addresses))
        return len(self.stacks)

    @staticmethod
    def blob(kind, seq, thread, stack, us, payload):
        head = struct.pack('<IIQQIIQ16s16sI', kind, seq, thread, thread, 0, stack, us, bytes(16), bytes(16), len(payload))
        body = head + payload + bytes(-len(payload) % 4)
        return struct.pack('<I', len(body)) + body

    def bytes(self):
        out = b'Nettrace\x14\0\0\0!FastSerialization.1'

        def part(name, body, version=2, aligned=True):
            nonlocal out
            out += b'\5\5\1' + struct.pack('<III', version, 0 if aligned else 4, len(name)) + name.encode() + b'\6'
            if aligned:
                out += struct.pack('<I', len(body))
                out += bytes(-len(out) % 4)
            out += body + b'\6'

        trace = struct.pack('<8H', *self.date) + struct.pack('<QQIIII', 1000, HZ, 8, 77, 4, 0)
        part('Trace', trace, 4, False)
        head = struct.pack('<HHQQ', 20, 0, 1000, 9000)
        rows = b''
        for (provider, number, name), kind in self.kinds.items():
            rows += self.blob(0, 0, 0, 0, 0, struct.pack('<I', kind) + wide(provider) + struct.pack('<I', number) + wide(name) +
                              struct.pack('<QIII', 0, 1, 4, 0))
        part('MetadataBlock', head + rows)
        if self.stacks:
            part('StackBlock', struct.pack('<II', 1, len(self.stacks)) + b''.join(self.stacks))
        part('EventBlock', head + b''.join(self.blob(*e) for e in self.events))
        return out + (b'\1' if self.end else b'')


def report(v, profview, path, code=0):
    done = subprocess.run([profview, 'report', path, '--format', 'json', '--section', 'all'], capture_output=True, timeout=150, check=False)
    v.equal(f'{path.name}: exit', done.returncode, code)
    j = json.loads(done.stdout)
    return j, {c['what']: (c['state'], c['detail']) for c in j['coverage']}


def not_read(v, profview, folder):
    """Events of other providers, by name."""
    s, path = Stream(), folder / 'other.nettrace'
    for i in range(4):
        s.event(2000 + i, 'Microsoft.EntityFrameworkCore', 20101, name='CommandExecuted')
    for i in range(3):
        s.event(3000 + i, 'Universal.Events', 1, b'\1', 'cpu')
    s.event(4000, 'Universal.Events', 2, b'\2', 'cswitch')
    s.event(4001, 'X\x1b[31m\u202e', 3, name='')
    path.write_bytes(s.bytes())
    j, said = report(v, profview, path)
    v.equal('losses', said['losses'], ('partial', '9 events not read: Microsoft.EntityFrameworkCore/CommandExecuted 4, '
                                       'Universal.Events/cpu 3, Universal.Events/cswitch 1 ...'))
    v.equal('events by name', {k: n for k, n in j['events'].items() if k.startswith('Universal')},
            {'Universal.Events/cpu': 3, 'Universal.Events/cswitch': 1})
    text = subprocess.run([profview, 'report', path], capture_output=True, check=True).stdout
    v.true('names are made showable', b'\x1b' not in text and 'Microsoft.EntityFrameworkCore/CommandExecuted' in text.decode())
    done = subprocess.run([profview, 'convert', path, '-o', folder / 'x.mlpd'], capture_output=True, check=False)
    v.true('a conversion says what it leaves out', b'9 ext.unknown' in done.stderr, done.stderr)


def known(v, profview, folder):
    """Events of the runtime that no view shows: nothing is amiss, and they are counted."""
    s, path = Stream(), folder / 'known.nettrace'
    for i in range(3):
        s.event(2000 + i, RUNTIME + 'Rundown', 150, bytes(24))
        s.event(2010 + i, RUNTIME, 159, struct.pack('<Q', i) + wide('N.C') + wide('M') + wide('void ()') + struct.pack('<Q', 4096))
        s.event(2020 + i, RUNTIME, 50, struct.pack('<IIH', 4 + i, 0, 1))
    path.write_bytes(s.bytes())
    j, said = report(v, profview, path)
    v.equal('losses', said['losses'], ('complete', 'none'))
    v.equal('threads of the pool', j['counters'] and sum(c['name'] == 'thread pool workers' for c in j['counters']), 1)
    dump = subprocess.run([profview, 'dump', path], capture_output=True, check=True).stdout.decode()
    v.equal('each is in the dump', (dump.count(f'{RUNTIME}Rundown/'), dump.count(f'{RUNTIME}/'), dump.count('counters.sample')), (3, 3, 3))


def dates(v, profview, folder):
    for name, date in {'a year that is none': (60000, 5, 3, 20, 10, 0, 0, 0), 'a month that is none': (2026, 17, 3, 20, 10, 0, 0, 0),
                       'a minute that is none': (2026, 5, 3, 20, 10, 99, 0, 0)}.items():
        s, path = Stream(date), folder / (name.replace(' ', '-') + '.nettrace')
        for i in range(3):
            s.event(2000 + 100 * i, 'My.Source', 5, name='Tick')
        path.write_bytes(s.bytes())
        j, _ = report(v, profview, path)
        v.equal(f'{name}: start', j['target']['start_time_ms'], 0)
        v.equal(f'{name}: events', (j['events'], j['duration_ns']), ({'My.Source/Tick': 3}, 1200000))
        text = subprocess.run([profview, 'report', path], capture_output=True, check=True).stdout
        v.true(f'{name}: said', b'at an unknown time' in text, text[:300])


def nameless(v, profview, folder):
    s, path = Stream(), folder / 'nameless.nettrace'
    for i, n in enumerate([s.stack(0x7f0011, 0x7f0099), s.stack(0x7f0022, 0x7f0099)] * 3):
        s.event(2000 + 1000 * i, SAMPLER, 0, struct.pack('<I', 2), stack=n)
    path.write_bytes(s.bytes())
    j, said = report(v, profview, path)
    v.equal('samples', j['samples']['total'], 6)
    v.true('why they have no name', said['names'][0] == 'partial' and '3 methods without a name, the stream has no rundown'
           in said['names'][1], said['names'])


def cut_shot(v, profview, folder, shot):
    data = gzip.decompress(pathlib.Path(shot).read_bytes())
    path = folder / 'cut.nettrace'
    whole = folder / 'whole.nettrace'
    whole.write_bytes(data)
    n = len(json.loads(subprocess.run([profview, 'report', whole, '--format', 'json', '--section', 'heap_shots'], capture_output=True,
                                      check=True).stdout)['heap_shots'])
    v.at_least('shots', n, 1)
    for share in 0.3, 0.4, 0.5, 0.6:
        path.write_bytes(data[:int(len(data) * share)])
        j, said = report(v, profview, path, 4)
        shots = j['heap_shots']
        if shots and shots[-1]['state'] == 'cut off':
            break
    v.equal('state', shots[-1]['state'], 'cut off')
    v.true('coverage', '1 cut off' in said['heap_shots'][1] and 'yet' not in said['heap_shots'][1], said['heap_shots'])
    done = subprocess.run([profview, 'convert', path, '--shot', str(shots[-1]['index']), '-o', folder / 'x.heapsnapshot'],
                          capture_output=True, check=False)
    v.true('a conversion says so', b'the shot is cut off' in done.stderr, done.stderr)


def main(profview, shot):
    v = Verdict('streams')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        not_read(v, profview, folder)
        known(v, profview, folder)
        dates(v, profview, folder)
        nameless(v, profview, folder)
        cut_shot(v, profview, folder, shot)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

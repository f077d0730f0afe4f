#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The memory that reading an event stream of any length takes: a stream in which nothing repeats, through a pipe.

usage: nettrace_memory.py PROFVIEW [GB]
Samples of 300 threads on stacks that are numbered anew every second, and in each block methods, classes, messages of
exceptions and series of meters that were never met before; most of its bytes are events of a provider that nobody knows.
Prints the most that `report -` held, every tenth of the way.
"""
import pathlib
import struct
import subprocess
import sys
import threading

LIMIT = 1 << 30  # bytes; the tables of the model have bounds of their own, this is what they come to
RUNTIME = 'Microsoft-Windows-DotNETRuntime'
SAMPLE, METHOD, THROWN, ALLOC, METER, OTHER = 1, 2, 3, 4, 5, 6
KINDS = {SAMPLE: ('Microsoft-DotNETCore-SampleProfiler', 0), METHOD: (RUNTIME, 143), THROWN: (RUNTIME, 80), ALLOC: (RUNTIME, 303),
         METER: ('System.Diagnostics.Metrics', 4), OTHER: ('Own', 1)}
THREADS, STACKS, DEPTH, SAMPLES, EACH, LARGE = 300, 500, 30, 1000, 40, 300
LARGE_BYTES = 4000
DIGITS = 10
MARK = '#' * DIGITS  # a number of the block stands here


def wide(text):
    return text.encode('utf-16le') + b'\0\0'


def uleb(n, width=0):
    ret = bytearray()
    while n >= 0x80 or len(ret) + 1 < width:
        ret.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(ret) + bytes([n])


def block(name, body, at):
    head = b'\x05\x05\x01' + struct.pack('<iii', 2, 2, len(name)) + name.encode() + b'\x06' + struct.pack('<i', len(body))
    return head + b'\0' * (-(at + len(head)) % 4) + body + b'\x06'


def header(time):
    return struct.pack('<HHQQ', 20, 1, time, time)


def event(kind, thread, payload, more=0, stack=0, first=None):
    """`first`: the time of the block's first event, nine bytes that are written over."""
    time = uleb(more) if first is None else uleb(first, 9)
    return bytes([0x8d]) + uleb(kind) + uleb(thread) + uleb(stack) + time + uleb(len(payload)) + payload


def payloads(i):
    yield METHOD, struct.pack('<QQQIII', i, 1, i << 8, 200, 0, 8) + wide(f'Made.Class{MARK}') + wide(f'Method{i}') + wide('void  ()')
    yield THROWN, wide(f'Made.Exception{MARK}') + wide(f'message {MARK} of {i}') + struct.pack('<QIHH', 0, 0, 0, 0)
    yield ALLOC, struct.pack('<IHQ', 0, 0, i) + wide(f'Made.Thing{i}.{MARK}') + struct.pack('<QQQ', i, 64, 0)
    yield METER, b''.join(wide(t) for t in ('SHARED', 'Shop', '', 'shop.orders', 'orders', f'id={MARK}.{i}', '1', '2')) + struct.pack('<i', i)


class Template:
    """A block of events, and where its numbers stand."""

    def __init__(self):
        body = bytearray(header(0))
        self.times = [4, 12]
        body += event(SAMPLE, 1000, struct.pack('<I', 2), stack=1, first=0)
        self.first = 20 + 1 + 1 + 2 + 1
        for i in range(SAMPLES):
            body += event(SAMPLE, 1000 + i % THREADS, struct.pack('<I', 1 + i % 2), 3333, 1 + i % STACKS)
        for i in range(EACH):
            for kind, payload in payloads(i):
                body += event(kind, 1000 + i, payload, 100, 1 + i)
        for i in range(LARGE):
            body += event(OTHER, 1000 + i, bytes(LARGE_BYTES))
        self.body, mark = body, MARK.encode('utf-16le')
        self.marks, at = [], body.find(mark)
        while at >= 0:
            self.marks.append(at)
            at = body.find(mark, at + len(mark))

    def fill(self, number, time):
        text = f'{number:0{DIGITS}}'.encode('utf-16le')
        for at in self.marks:
            self.body[at:at + len(text)] = text
        for at in self.times:
            struct.pack_into('<Q', self.body, at, time)
        self.body[self.first:self.first + 9] = uleb(time, 9)
        return bytes(self.body)


def stacks(number):
    body = struct.pack('<ii', 1, STACKS)
    for i in range(STACKS):
        frames = [(number * STACKS + i << 12) + 64 * d for d in range(DEPTH)]
        body += struct.pack(f'<i{DEPTH}Q', 8 * DEPTH, *frames)
    return body


def stream(size):
    trace = struct.pack('<8hQQiiii', 2026, 11, 4, 26, 12, 0, 0, 0, 1, 1000000000, 8, 77, 2, 1000000)
    out = b'Nettrace\x14\0\0\0!FastSerialization.1' + b'\x05\x05\x01' + struct.pack('<iii', 4, 4, 5) + b'Trace\x06' + trace + b'\x06'
    body = header(1)
    for kind, (provider, number) in KINDS.items():
        payload = struct.pack('<i', kind) + wide(provider) + struct.pack('<i', number) + wide('') + struct.pack('<qiii', 0, 0, 5, 0)
        body += b'\x80\0' + uleb(len(payload)) + payload
    at, number, template = 0, 0, Template()
    out += block('MetadataBlock', body, len(out))
    while at < size:
        yield out
        at += len(out)
        number += 1
        out = b''
        if number % 8 == 1:
            out = block('SPBlock', struct.pack('<qi', number * 50_000_000, 0), at)
            out += block('StackBlock', stacks(number // 8), at + len(out))
        out += block('EventBlock', template.fill(number, number * 50_000_000), at + len(out))
    yield out + b'\x01'


def resident(pid):
    for line in pathlib.Path(f'/proc/{pid}/status').read_text(encoding='ascii').splitlines():
        if line.startswith('VmHWM:'):
            return int(line.split()[1]) << 10
    return 0


def main(profview, size='10'):
    size, most = int(float(size) * (1 << 30)), 0
    with subprocess.Popen([profview, 'report', '-', '--section', 'events', '--format', 'json'], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as reader:
        said = []
        ear = threading.Thread(target=lambda: said.append(reader.stdout.read()))
        ear.start()
        written = told = 0
        for part in stream(size):
            reader.stdin.write(part)
            written += len(part)
            if written * 10 // size > told:
                told = written * 10 // size
                most = resident(reader.pid)
                print(f'{written / (1 << 30):.1f} GB: {most >> 20} MiB at most', flush=True)
        most = max(most, resident(reader.pid))
        reader.stdin.close()
        ear.join()
        code = reader.wait()
    good = code == 0 and most < LIMIT and b'"sample.hit"' in said[0]
    print(f'{written / (1 << 30):.2f} GB read, {most >> 20} MiB at most, exit {code}')
    print(f'{int(good)} passed, {int(not good)} failed')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

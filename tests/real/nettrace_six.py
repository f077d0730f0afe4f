# SPDX-License-Identifier: MIT
"""Streams of version 4 written anew as version 5 and 6, from the description of these formats alone."""
import struct

from nettrace import objects, text, uleb

KINDS = {'Trace': 1, 'EventBlock': 2, 'MetadataBlock': 3, 'SPBlock': 4, 'StackBlock': 5}
NO_FIELDS = 0, b''


def var(n):
    ret = bytearray()
    while n >= 0x80:
        ret.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(ret) + bytes([n])


def utf8(s):
    raw = s.encode('utf-8', 'surrogatepass')
    return var(len(raw)) + raw


def block(kind, body):
    return struct.pack('<I', kind << 24 | len(body)) + body


class Threads:
    """Numbers in the place of ids, as they are met; their rows come before the block that needs them."""

    def __init__(self, pid, first=1):
        self.number, self.new, self.pid, self.first = {}, [], pid, first

    def __call__(self, thread):
        if thread not in self.number:
            self.number[thread] = len(self.number) + self.first
            self.new.append(thread)
        return self.number[thread]

    def rows(self):
        body = b''
        for thread in self.new:
            row = var(self.number[thread]) + b'\x02' + var(self.pid) + b'\x03' + var(thread)
            body += struct.pack('<H', len(row)) + row
        self.new = []
        return block(6, body) if body else b''


def events(body, threads, plain):
    """A block's events; the compressed form keeps the flags, `plain` is the other one."""
    header, flags = struct.unpack_from('<HH', body)
    assert flags & 1
    ret = bytearray(body[:2] + struct.pack('<H', 0 if plain else 1) + body[4:header])
    at = header
    kind = seq = writer = cpu = thread = stack = time = size = 0
    while at < len(body):
        says = body[at]
        at += 1
        out = bytearray([says & ~0x30])
        before = seq
        if says & 1:
            kind, at = uleb(body, at)
            out += var(kind)
        if says & 2:
            more, at = uleb(body, at)
            writer, at = uleb(body, at)
            cpu, at = uleb(body, at)
            seq = seq + more & 0xffffffff
            out += var(seq - before & 0xffffffff) + var(threads(writer)) + var(cpu)
        seq = seq + 1 & 0xffffffff
        if says & 4:
            thread, at = uleb(body, at)
            out += var(threads(thread))
        elif thread == 0:
            threads(0)
        if says & 8:
            stack, at = uleb(body, at)
            out += var(stack)
        more, at = uleb(body, at)
        time = time + more & 0xffffffffffffffff
        out += var(more)
        at += 16 * bool(says & 16) + 16 * bool(says & 32)
        if says & 128:
            size, at = uleb(body, at)
            out += var(size)
        if plain:
            rest = struct.pack('<IIQQIIQII', kind | (0x80000000 if says & 64 else 0), seq, threads(thread), threads(writer), cpu & 0xffffffff,
                               stack, time, 0, size)
            out = struct.pack('<I', len(rest) + size) + rest
        ret += out + body[at:at + size]
        at += size
    return bytes(ret)


def type_of(d, at, sized):
    """(type in version 6, the byte behind it) of a type in version 4 or 5."""
    code = struct.unpack_from('<i', d, at)[0]
    at += 4
    if code == 19:
        element, at = type_of(d, at, sized)
        return b'\x13' + element, at
    if code == 1:
        inside, at = fields_of(d, at, sized)
        return b'\x01' + inside, at
    return bytes([code]), at


def fields_of(d, at, sized):
    count = struct.unpack_from('<i', d, at)[0]
    at += 4
    ret = struct.pack('<H', count)
    for _ in range(count):
        if sized:
            name, at = text(d, at + 4)
            code, at = type_of(d, at, sized)
        else:
            code, at = type_of(d, at, sized)
            name, at = text(d, at)
        field = utf8(name) + code
        ret += struct.pack('<H', len(field)) + field
    return ret, at


def row(d):
    """A description, whole."""
    key = struct.unpack_from('<i', d)[0]
    provider, at = text(d, 4)
    event = struct.unpack_from('<i', d, at)[0]
    name, at = text(d, at + 4)
    keywords, version, level = struct.unpack_from('<Qii', d, at)
    fields, at = fields_of(d, at + 16, False)
    options = b'\x03' + struct.pack('<Q', keywords) + b'\x08' + bytes([level & 255]) + b'\x09' + bytes([version & 255])
    while at + 5 <= len(d):
        size, kind = struct.unpack_from('<iB', d, at)
        at += 5
        if kind == 2:
            fields, _ = fields_of(d, at, True)
        elif kind == 1:
            options += b'\x01' + d[at:at + 1]
        at += size
    body = var(key) + utf8(provider) + var(event) + utf8(name) + fields + struct.pack('<H', len(options)) + options
    return struct.pack('<H', len(body)) + body


def metadata(body):
    """Payloads of the descriptions: the events of a block whose kind is 0, of which the number does not count."""
    at = struct.unpack_from('<H', body)[0]
    ret, size = b'\0\0', 0
    while at < len(body):
        says = body[at]
        at += 1
        for flag, count in ((1, 1), (2, 3), (4, 1), (8, 1)):
            for _ in range(count if says & flag else 0):
                _, at = uleb(body, at)
        _, at = uleb(body, at)
        at += 16 * bool(says & 16) + 16 * bool(says & 32)
        if says & 128:
            size, at = uleb(body, at)
        ret += row(body[at:at + size])
        at += size
    return ret


def trace(body, several=False):
    clock, pointer, pid, cpus, rate = body[:32], *struct.unpack_from('<iiii', body, 32)
    said = {'HardwareThreadCount': cpus, 'ExpectedCPUSamplingRate': rate} | ({} if several else {'ProcessId': pid})
    return clock + struct.pack('<ii', pointer, len(said)) + b''.join(utf8(k) + utf8(str(v)) for k, v in said.items())


def point(body, threads):
    time, count = struct.unpack_from('<Qi', body)
    ret = struct.pack('<QII', time, 0, count)
    for i in range(count):
        thread, seq = struct.unpack_from('<QI', body, 12 + 12 * i)
        ret += var(threads(thread)) + var(seq)
    return ret


def six(data, plain=False, spare=False, other=None):
    """`spare`: a block of a kind that is not known before each of the others. `other`: all events once more, of a process of that pid."""
    ret, threads, more = b'Nettrace' + struct.pack('<III', 0, 6, 3), None, Threads(other, 10001)
    for name, body, _ in objects(data, 0):
        if name == 'Trace':
            threads = Threads(struct.unpack_from('<i', body, 36)[0])
            body = trace(body, other)
        elif name == 'EventBlock':
            again = events(body, more, plain)
            body = events(body, threads, plain)
        elif name == 'MetadataBlock':
            body = metadata(body)
        elif name == 'SPBlock':
            body = point(body, threads)
        elif name == 'cut':
            return ret
        ret += threads.rows() + (block(9, b'of a later version') if spare else b'') + block(KINDS[name], body)
        if name == 'EventBlock' and other:
            ret += more.rows() + block(KINDS[name], again)
    return ret + block(0, b'')


def five(data):
    """The Trace object says 5; all else a version 5 may have stands in what the runtime writes already."""
    at = data.index(b'\x05\x05\x01\x04\0\0\0\x04\0\0\0\x05\0\0\0Trace')
    return data[:at + 3] + struct.pack('<ii', 5, 5) + data[at + 11:]

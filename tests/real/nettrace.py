# SPDX-License-Identifier: MIT
"""A reader of .nettrace version 4 of its own: what the stream says, event by event, and what it lost."""
import collections
import struct

RUNTIME = 'Microsoft-Windows-DotNETRuntime'
RUNDOWN = RUNTIME + 'Rundown'
SAMPLER = 'Microsoft-DotNETCore-SampleProfiler'

Event = collections.namedtuple('Event', 'provider id thread ns stack payload')


def uleb(d, at):
    value = shift = 0
    while True:
        value |= (d[at] & 0x7f) << shift
        shift += 7
        at += 1
        if d[at - 1] < 0x80:
            return value, at


def text(d, at):
    end = at
    while d[end:end + 2] != b'\0\0':
        end += 2
    return d[at:end].decode('utf-16le'), end + 2


def blobs(body):
    """(kind, thread, time, stack, payload) of each event of a block; the runtime compresses all."""
    header, flags = struct.unpack_from('<HH', body)
    assert flags & 1
    at = header
    kind = stack = thread = time = size = 0
    while at < len(body):
        says = body[at]
        at += 1
        if says & 1:
            kind, at = uleb(body, at)
        if says & 2:
            for _ in range(3):
                _, at = uleb(body, at)
        if says & 4:
            thread, at = uleb(body, at)
        if says & 8:
            stack, at = uleb(body, at)
        more, at = uleb(body, at)
        time = (time + more) % (1 << 64)    # of an event that comes late the difference is negative
        at += 16 * bool(says & 16) + 16 * bool(says & 32)
        if says & 128:
            size, at = uleb(body, at)
        yield kind, thread, time, stack, body[at:at + size]
        at += size


def streams(d):
    """Streams of one process that stand in one file, whole but for the last."""
    start = 0
    while start < len(d):
        assert d[start:start + 8] == b'Nettrace'
        end, found = start, []
        for name, body, end in objects(d, start):
            found.append((name, body))
        yield found
        start = end + 1


def objects(d, start):
    """(name, body, the byte behind it); a stream that is cut ends before what is not whole."""
    at = start + 32
    while at < len(d) and d[at] == 5:
        n = struct.unpack_from('<i', d, at + 11)[0]
        name = d[at + 15:at + 15 + n].decode()
        at += 16 + n
        if name == 'Trace':
            yield name, d[at:at + 48], at + 49
            at += 49
            continue
        if at + 4 > len(d):
            break
        size = struct.unpack_from('<i', d, at)[0]
        at += 4
        at += -(at - start) % 4
        if at + size >= len(d):
            break
        yield name, d[at:at + size], at + size + 1
        at += size + 1
    else:
        assert at == len(d) or d[at] == 1
        return
    yield 'cut', b'', len(d)


class Trace:
    def __init__(self, data):
        self.events = []
        for found in streams(data):
            self.kinds, self.stacks = {}, {}
            self.read(found)

    def read(self, found):
        for name, body in found:
            if name == 'Trace':
                self.pid = struct.unpack_from('<i', body, 36)[0]
            elif name == 'MetadataBlock':
                for *_, payload in blobs(body):
                    self.describe(payload)
            elif name == 'StackBlock':
                self.keep(body)
            elif name == 'SPBlock':
                self.stacks = {}
            elif name == 'EventBlock':
                for kind, thread, time, stack, payload in blobs(body):
                    self.events.append(Event(*self.kinds[kind], thread, time, self.stacks.get(stack, ()), payload))

    def describe(self, d):
        key = struct.unpack_from('<i', d)[0]
        provider, at = text(d, 4)
        self.kinds[key] = provider, struct.unpack_from('<i', d, at)[0]

    def keep(self, d):
        key, count = struct.unpack_from('<ii', d)
        at = 8
        for i in range(count):
            size = struct.unpack_from('<i', d, at)[0]
            self.stacks[key + i] = struct.unpack_from(f'<{size // 8}Q', d, at + 4)
            at += 4 + size

    def of(self, provider, *ids):
        return [e for e in self.events if e.provider == provider and e.id in ids]

    def milliseconds(self):
        """Samples weighted by the time to their thread's next one: {leaf address: ms}."""
        newest, ret = {}, collections.Counter()
        for e in sorted(self.of(SAMPLER, 0), key=lambda e: e.ns):
            before = newest.get(e.thread)
            if before:
                gap = e.ns - before.ns
                ret[before.stack[0] if before.stack else 0] += gap / 1e6 if gap <= 100e6 else 1
            newest[e.thread] = e
        for e in newest.values():
            ret[e.stack[0] if e.stack else 0] += 1
        return ret

    def methods(self):
        """[(start, end, 'Class', 'Method')] of all that is known to be compiled."""
        ret = []
        for e in self.of(RUNTIME, 143) + self.of(RUNDOWN, 143, 144):
            start, size = struct.unpack_from('<QI', e.payload, 16)
            space, at = text(e.payload, 36)
            name, _ = text(e.payload, at)
            ret.append((start, start + size, space, name))
        return ret

    def shots(self):
        """Each heap shot: {class: (objects, bytes)}, its references, and its roots that are no weak ones."""
        names, ret = {}, []
        for e in self.of(RUNTIME, 15):
            at = 6
            for _ in range(struct.unpack_from('<I', e.payload)[0]):
                key = struct.unpack_from('<Q', e.payload, at)[0]
                names[key], at = text(e.payload, at + 25)
                at += 4 + 8 * struct.unpack_from('<I', e.payload, at)[0]
        inside = None
        for e in self.of(RUNTIME, 2, 16, 17, 18, 19, 38):
            if e.id == 2:
                ret += [inside] if inside else []
                inside = None
                continue
            inside = inside or {'classes': collections.Counter(), 'bytes': collections.Counter(),
                                'references': 0, 'roots': 0}
            count = struct.unpack_from('<I', e.payload, 4)[0] if e.id != 38 else struct.unpack_from('<I', e.payload)[0]
            if e.id == 18:
                for i in range(count):
                    _, size, key, edges = struct.unpack_from('<4Q', e.payload, 10 + 32 * i)
                    inside['classes'][names.get(key)] += 1
                    inside['bytes'][names.get(key)] += size
                    inside['references'] += edges
            elif e.id == 16:
                for i in range(count):
                    node, _, flags, _ = struct.unpack_from('<QBIQ', e.payload, 10 + 21 * i)
                    inside['roots'] += bool(node) and not flags & 2
            elif e.id == 17:
                inside['references'] += count
            elif e.id == 38:
                at = 14
                for _ in range(count):
                    inside['roots'] += bool(struct.unpack_from('<Q', e.payload, at + 8)[0])
                    _, at = text(e.payload, at + 28)
        return ret

    def thrown(self):
        ret = collections.Counter()
        for e in self.of(RUNTIME, 80):
            name, at = text(e.payload, 0)
            _, at = text(e.payload, at)
            if not struct.unpack_from('<H', e.payload, at + 12)[0] & 4:
                ret[name] += 1
        return ret

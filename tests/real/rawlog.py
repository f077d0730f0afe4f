# SPDX-License-Identifier: MIT
"""Reads a log of data version 17 byte by byte, slowly and without cleverness.

It is the second opinion of the tests beside mprof-report: written from the format's description,
it shares no code with profview. Only what the tests compare is kept.
"""
import collections
import pathlib
import struct
import zlib

from calltimes import CallTimes

HEADER_MAGIC = b'\x01\x5aPM'
BUFFER_MAGIC = b'\x01LPM'


class Damaged(Exception):
    """A buffer's bytes did not end where its events do."""


class Cursor:
    """Primitive reads inside one buffer; any read past its end raises Damaged."""

    def __init__(self, data, thread, bases):
        self.data, self.thread, self.at = data, thread, 0
        self.time, self.ptr_base, self.obj_base, self.method = bases

    def byte(self):
        if self.at >= len(self.data):
            raise Damaged(self.at)
        self.at += 1
        return self.data[self.at - 1]

    def uleb(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return value & (1 << 64) - 1

    def sleb(self):
        b = self.byte()
        if b < 0x80:    # most of them
            return b - 0x80 if b & 0x40 else b
        value, shift = b & 0x7f, 7
        while True:
            b = self.byte()
            value |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return value - (1 << shift) if b & 0x40 else value

    def stamp(self):
        self.time = (self.time + self.uleb()) & (1 << 64) - 1
        return self.time

    def ptr(self):
        return (self.ptr_base + self.sleb()) & (1 << 64) - 1

    def obj(self):
        return (self.obj_base + self.sleb()) << 3 & (1 << 64) - 1

    def meth(self):
        self.method = (self.method + self.sleb()) & (1 << 64) - 1
        return self.method

    def text(self):
        end = self.data.find(b'\0', self.at)
        if end < 0:
            raise Damaged(self.at)
        found = self.data[self.at:end].decode('utf-8', 'replace')
        self.at = end + 1
        return found

    def skip(self, n):
        if self.at + n > len(self.data):
            raise Damaged(self.at)
        self.at += n

    def stack(self):
        return [self.meth() for _ in range(self.uleb())]


class Log:
    """What one log says, in sums. `clean` is the number of buffers that decoded exactly."""

    def __init__(self):
        self.header = {}
        self.events = collections.Counter()
        self.method_names = {}
        self.class_names = {}
        self.vtables = {}
        self.jitted = {}        # method: code size
        self.calls = collections.Counter()
        self.exceptional = collections.Counter()
        self.alloc_count = collections.Counter()
        self.alloc_bytes = collections.Counter()
        self.early = set()      # vtables used before their class's name stood in the file
        self.collections = collections.Counter()
        self.moves = 0
        self.thread_names = []     # (id, name) in file order
        self.shots = []
        self.clauses = collections.Counter()
        self.monitor = collections.Counter()
        self.handles = collections.Counter()
        self.max_heap = 0
        self.samples = 0
        self.stacks = collections.Counter()     # frames, innermost first: samples
        self.innermost = collections.Counter()  # (ip, innermost frame or 0): samples
        self.symbols = {}       # address: (size, name)
        self.code = {}          # method: (code address, size)
        self.times = CallTimes()
        self.counter_names = {}     # index: (section, name)
        self.counter_values = collections.defaultdict(list)     # index: [(time, value)]
        self.helpers = [0, 0]
        self.extensions = 0
        self.clean = self.damaged = self.buffers = 0
        self.rest = 0           # bytes at the end that make no whole buffer

    def note_use(self, vtable):
        if self.vtables.get(vtable) not in self.class_names:
            self.early.add(vtable)

    def class_of(self, vtable):
        return self.class_names.get(self.vtables.get(vtable), hex(vtable))

    def samples_on_stack(self):
        """Samples with a method of that name anywhere on the stack, each once."""
        found = collections.Counter()
        for frames, n in self.stacks.items():
            for name in {self.method_names.get(m, hex(m)) for m in frames}:
                found[name] += n
        return found

    def samples_in_code(self):
        """Samples whose address lies in the code of methods of one name only, by that name."""
        found = collections.Counter()
        for (ip, _frame), n in self.innermost.items():
            names = {self.method_names[m] for m, (at, size) in self.code.items()
                     if at <= ip < at + size}
            if len(names) == 1:
                found[names.pop()] += n
        return found

    def by_class(self, counter):
        named = collections.Counter()
        for vtable, n in counter.items():
            named[self.class_of(vtable)] += n
        return named

    def by_method(self, counter):
        named = collections.Counter()
        for method, n in counter.items():
            named[self.method_names.get(method, hex(method))] += n
        return named


def inflate(data):
    """The whole stream, of a gzip member also when it ends early."""
    if data[:2] != b'\x1f\x8b':
        return data

    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data)


def header(data):
    """Fields of the file header and its length; None when it is not complete yet."""
    if len(data) < 42 or data[:4] != HEADER_MAGIC:
        return None, 0
    major, minor, version, pointer = data[4:8]
    start_ms, start_ns, overhead, flags, pid, port = struct.unpack_from('<QQiIIH', data, 8)
    at, texts = 38, []
    for _ in range(3):
        size = struct.unpack_from('<I', data, at)[0]
        texts.append(data[at + 4:at + 4 + size - 1].decode())
        at += 4 + size
    if at > len(data):
        return None, 0
    return {'major': major, 'minor': minor, 'version': version, 'pointer': pointer,
            'start_ms': start_ms, 'start_ns': start_ns, 'overhead': overhead, 'pid': pid,
            'port': port, 'args': texts[0], 'arch': texts[1], 'os': texts[2]}, at


def buffers(data, at):
    """(offset, thread, bases, event bytes) of each whole buffer; the last has only an offset."""
    while at + 48 <= len(data) and data[at:at + 4] == BUFFER_MAGIC:
        size, time, ptr, obj, thread, method = struct.unpack_from('<IQQQQQ', data, at + 4)
        if at + 48 + size > len(data):
            break
        yield at, thread, (time, ptr, obj, method), data[at + 48:at + 48 + size]
        at += 48 + size
    yield at, None, None, None


def read_alloc(log, c, ex):
    log.events['alloc'] += 1
    c.stamp()
    vtable = c.ptr()
    c.obj()
    size = c.uleb()
    if ex == 1:
        c.stack()
    log.note_use(vtable)
    log.alloc_count[vtable] += 1
    log.alloc_bytes[vtable] += size


def read_gc(log, c, ex):
    c.stamp()
    if ex == 1:
        log.events['gc.event'] += 1
        step, generation = c.byte(), c.byte()
        if step == 0:
            log.collections[generation] += 1
    elif ex == 2:
        log.events['gc.resize'] += 1
        log.max_heap = max(log.max_heap, c.uleb())
    elif ex == 3:
        log.events['gc.move'] += 1
        n = c.uleb()
        log.moves += n // 2
        for _ in range(n):
            c.obj()
    elif ex in (4, 6):
        log.events['gc.handle_created'] += 1
        log.handles['created', c.uleb()] += 1
        c.uleb()
        c.obj()
        if ex == 6:
            c.stack()
    elif ex in (5, 7):
        log.events['gc.handle_destroyed'] += 1
        log.handles['destroyed', c.uleb()] += 1
        c.uleb()
        if ex == 7:
            c.stack()
    elif ex in (8, 9):
        log.events['gc.finalize_start' if ex == 8 else 'gc.finalize_end'] += 1
    elif ex in (10, 11):
        c.obj()
        log.events['gc.finalize_object_start' if ex == 10 else 'gc.finalize_object_end'] += 1
    else:
        raise Damaged(c.at)


def read_meta(log, c, ex):
    c.stamp()
    what, key = c.byte(), c.ptr()
    kind = {1: 'class', 2: 'image', 3: 'assembly', 4: 'domain', 5: 'thread', 6: 'context',
            7: 'vtable'}.get(what)
    verb = {0: 'name', 2: 'load', 4: 'unload'}.get(ex)
    if not kind or not verb:
        raise Damaged(c.at)
    if kind == 'thread':
        verb = {'load': 'start', 'unload': 'end'}.get(verb, verb)
    log.events[f'{kind}.{verb}'] += 1
    if (kind, verb) == ('thread', 'end'):
        log.times.seen(key, c.time)
        log.times.end(key)
    if kind == 'class':
        c.ptr()
        log.class_names[key] = c.text()
    elif kind == 'image':
        c.text()
        if verb == 'load':
            c.text()
    elif kind == 'assembly':
        c.ptr()
        c.text()
    elif kind in ('domain', 'thread') and ex == 0:
        name = c.text()
        if kind == 'thread':
            log.thread_names.append((key, name))
    elif kind == 'context':
        c.ptr()
    elif kind == 'vtable':
        c.ptr()
        log.vtables[key] = c.ptr()


def read_method(log, c, ex):
    c.stamp()
    method = c.meth()
    kind = {1: 'leave', 2: 'enter', 3: 'exc_leave', 4: 'jit'}.get(ex)
    if not kind:
        raise Damaged(c.at)
    log.events[f'method.{kind}'] += 1
    if kind == 'enter':
        log.calls[method] += 1
        log.times.enter(c.thread, method, c.time)
    elif kind == 'leave':
        log.times.leave(c.thread, method, c.time)
    elif kind == 'exc_leave':
        log.exceptional[method] += 1
        log.times.leave(c.thread, method, c.time, exceptional=True)
    elif kind == 'jit':
        code, size = c.ptr(), c.uleb()
        log.method_names[method] = c.text()
        if code:
            log.jitted.setdefault(method, size)
            log.code[method] = (code, size)


def read_exception(log, c, ex):
    c.stamp()
    if ex in (0, 8):
        log.events['exception.throw'] += 1
        c.obj()
        if ex == 8:
            c.stack()
    elif ex == 1:
        log.events['exception.clause'] += 1
        log.clauses[c.byte()] += 1
        c.uleb()
        c.meth()
        c.obj()
    else:
        raise Damaged(c.at)


def read_monitor(log, c, ex):
    if ex not in (0, 8):
        raise Damaged(c.at)
    c.stamp()
    kind = {1: 'contention', 2: 'done', 3: 'fail'}[c.byte()]
    log.events[f'monitor.{kind}'] += 1
    log.monitor[kind, c.obj()] += 1
    if ex == 8:
        c.stack()


def read_heap(log, c, ex):
    c.stamp()
    kind = {0: 'start', 1: 'end', 2: 'object', 3: 'roots', 4: 'root_register',
            5: 'root_unregister'}.get(ex)
    if not kind:
        raise Damaged(c.at)
    log.events[f'heap.{kind}'] += 1
    if kind == 'start':
        log.shots.append({'objects': collections.Counter(), 'bytes': collections.Counter(),
                          'references': 0, 'roots': 0, 'ended': False})
    elif kind == 'end':
        log.shots[-1]['ended'] = True
    elif kind == 'object':
        c.obj()
        vtable, size, _generation, n = c.ptr(), c.uleb(), c.byte(), c.uleb()
        for _ in range(n):
            c.uleb()
            c.obj()
        log.note_use(vtable)
        shot = log.shots[-1]
        shot['references'] += n
        if size:
            shot['objects'][vtable] += 1
            shot['bytes'][vtable] += size
    elif kind == 'roots':
        n = c.uleb()
        if log.shots and not log.shots[-1]['ended']:
            log.shots[-1]['roots'] += n
        for _ in range(n):
            c.ptr()
            c.obj()
    elif kind == 'root_register':
        c.ptr(), c.uleb(), c.byte(), c.ptr(), c.text()
    else:
        c.ptr()


WRAPS = {0: 32, 1: 32, 2: 64, 3: 64, 4: 64, 7: 64}    # bits of the running sum, by counter type


def read_counter_values(log, c):
    while index := c.uleb():
        kind = c.uleb()
        if kind == 5:
            value = struct.unpack('<d', c.data[c.at:c.at + 8])[0]
            c.skip(8)
        elif kind == 6:
            value = c.text() if c.byte() else None
        else:
            step = c.uleb() if kind in (1, 4) else c.sleb()
            before = log.counter_values[index]
            value = (before[-1][1] if before else 0) + step & (1 << WRAPS[kind]) - 1
            if kind not in (1, 4) and value >> WRAPS[kind] - 1:
                value -= 1 << WRAPS[kind]
        log.counter_values[index].append((c.time, value))


def read_hit(log, c):
    log.samples += 1
    c.ptr()
    ips = [c.ptr() for _ in range(c.uleb())]
    frames = c.stack()
    log.stacks[tuple(frames)] += 1
    log.innermost[ips[0] if ips else 0, frames[0] if frames else 0] += 1


def read_counter_descriptions(log, c):
    for _ in range(c.uleb()):
        section = c.uleb()
        if section == 0x8000:
            c.text()
        name = c.text()
        c.uleb(), c.uleb(), c.uleb()
        log.counter_names[c.uleb()] = (section, name)


def read_sample(log, c, ex):
    c.stamp()
    kind = {0: 'sample.hit', 1: 'sample.symbol', 3: 'counters.describe',
            4: 'counters.sample'}.get(ex)
    if not kind:
        raise Damaged(c.at)
    log.events[kind] += 1
    if ex == 0:
        read_hit(log, c)
    elif ex == 1:
        address, size = c.ptr(), c.uleb()
        log.symbols[address] = (size, c.text())
    elif ex == 3:
        read_counter_descriptions(log, c)
    else:
        read_counter_values(log, c)


def read_runtime(log, c, ex):
    if ex != 1:
        raise Damaged(c.at)
    log.events['runtime.jit_helper'] += 1
    c.stamp()
    kind = c.byte()
    c.ptr()
    log.helpers[0] += 1
    log.helpers[1] += c.uleb()
    if kind == 5:
        c.text()


def read_info(log, c, ex):
    c.stamp()
    if ex == 0:
        log.events['meta.sync_point'] += 1
        c.byte()
    elif ex == 1:
        log.events['meta.aot_id'] += 1
        c.text()
    else:
        raise Damaged(c.at)


EXTENSIONS = {(0, 1): 'ext.calltree.call', (0, 2): 'ext.calltree.cpu', (1, 1): 'ext.cpu.sample',
              (2, 1): 'ext.mark.mark', (3, 1): 'ext.fields.field', (3, 2): 'ext.fields.parent',
              (3, 3): 'ext.fields.elements',
              (7, 1): 'ext.lines.method',
              (6, 1): 'ext.runtime.jit_time', (6, 2): 'ext.runtime.jit_failed',
              (6, 3): 'ext.runtime.load_failed', (6, 4): 'ext.runtime.covered_assembly',
              (6, 5): 'ext.runtime.covered_method', (6, 6): 'ext.runtime.covered_statement',
              (6, 7): 'ext.runtime.covered_class'}


def read_extension(log, c, family):
    c.stamp()
    size = c.uleb()
    end = c.at + size
    kind = c.uleb()
    log.events[EXTENSIONS.get((family, kind), 'ext.unknown')] += 1
    log.extensions += 1
    if end > len(c.data):
        raise Damaged(c.at)
    c.at = end


READERS = {15: read_extension, 0: read_alloc, 1: read_gc, 2: read_meta, 3: read_method, 4: read_exception,
           5: read_monitor, 6: read_heap, 7: read_sample, 8: read_runtime, 10: read_info}


def read_event(log, c):
    b = c.byte()
    reader = READERS.get(b & 15)
    if not reader:
        raise Damaged(c.at)
    reader(log, c, b >> 4)


def parse(data, watch=None):
    """
    A Log from the bytes of a (possibly still growing) log. `watch(offset, log)` is called with the
    offset behind each buffer header and each event.
    """
    log = Log()
    data = inflate(data)
    log.header, at = header(data)
    if log.header is None:
        return log
    at = read_buffers(log, data, at, watch)
    log.times.replay(log.method_names)
    log.rest = len(data) - at
    return log


def read_buffers(log, data, at, watch=None):
    """Adds what is whole from `at` on; gives back the offset of the rest."""
    for at, thread, bases, events in buffers(data, at):
        if events is None:
            break
        log.buffers += 1
        c = Cursor(events, thread, bases)
        try:
            while c.at < len(events):
                if watch:
                    watch(at + 48 + c.at, log)
                read_event(log, c)
            log.clean += 1
        except Damaged:
            log.damaged += 1
        if watch:
            watch(at + 48 + len(events), log)
        log.times.seen(thread, c.time)
    return at


class Growing:
    """A log that is still written: what has come is read once, however often it is asked for."""

    def __init__(self, path):
        self.path, self.log, self.at = pathlib.Path(path), Log(), 0

    def shots(self):
        """How many finished heap shots it holds now."""
        data = inflate(self.path.read_bytes()) if self.path.exists() else b''
        first, at = header(data)
        if first != self.log.header:    # another one in its place
            self.log, self.at = Log(), at
            self.log.header = first
        if self.at:
            self.at = read_buffers(self.log, data, self.at)
        return sum(s['ended'] for s in self.log.shots)


def load(path):
    return parse(pathlib.Path(path).read_bytes())

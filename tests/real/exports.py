# SPDX-License-Identifier: MIT
"""Readers of the formats that `convert` writes: small, strict, and with no code of profview's.

Each gives {measure: {thread or None: {stack: value}}}, a stack being a tuple of frames, outermost
first; thread None is all of them together. A file that is not well formed is an AssertionError.
"""
import collections
import gzip
import json
import re


def firefox(data):
    """({thread: {stack: weight}}, [(marker, thread, start ns, ns)]) of a processed profile of version 56."""
    profile = json.loads(data)
    strings, threads, markers = profile['shared']['stringArray'], {}, []
    assert profile['meta']['preprocessedProfileVersion'] == 56
    for t in profile['threads']:
        table, samples, sums = t['stackTable'], t['samples'], collections.Counter()
        for name in 'stackTable', 'frameTable', 'funcTable', 'samples', 'markers':
            for column, cells in t[name].items():
                assert column in ('length', 'weightType') or len(cells) == t[name]['length'], (name, column)
        stacks = []
        for frame, prefix in zip(table['frame'], table['prefix']):
            assert prefix is None or prefix < len(stacks), 'a stack before its caller'
            name = strings[t['funcTable']['name'][t['frameTable']['func'][frame]]]
            stacks.append((*(stacks[prefix] if prefix is not None else ()), name))
        assert samples['time'] == sorted(samples['time']), 'times do not ascend'
        scale = 10 ** 6 if samples['weightType'] == 'tracing-ms' else 1
        for stack, weight in zip(samples['stack'], samples['weight']):
            sums[stacks[stack] if stack is not None else ()] += round(weight * scale)
        threads[t['tid']] = sums
        m = t['markers']
        for data, start, end in zip(m['data'], m['startTime'], m['endTime']):
            markers.append((data['type'], t['tid'], round(start * 10 ** 6),
                            None if end is None else round((end - start) * 10 ** 6)))
    return threads, markers


def chrome(data):
    """
    Events by category; complains where an event lacks a member, times do not ascend, or slices of a thread
    overlap without one being in the other.
    """
    wrong, found, ends, last = [], collections.defaultdict(list), collections.defaultdict(list), None
    for e in json.loads(data)['traceEvents']:
        wrong += [f'{k} is missing: {e}' for k in ('name', 'cat', 'ph', 'ts', 'pid', 'tid', 'args') if k not in e]
        found[e['cat']].append(e)
        if e['cat'] in ('__metadata', 'gc'):
            continue
        if last is not None and e['ts'] < last:
            wrong.append(f'times do not ascend: {e}')
        last = e['ts']
        if e['ph'] == 'X' and e['cat'] == 'call':
            ns, took, stack = round(e['ts'] * 1000), round(e['dur'] * 1000), ends[e['tid']]
            while stack and stack[-1] <= ns:
                stack.pop()
            if stack and ns + took > stack[-1]:
                wrong.append(f'overlaps: {e}')
            stack.append(ns + took)
    return found, wrong


def folded(data, measure):
    stacks = collections.Counter()
    text = data.decode('utf-8')
    assert text.endswith('\n') or not text
    for line in text.split('\n')[:-1]:
        stack, _, value = line.rpartition(' ')
        assert stack and value.isdigit() and int(value) > 0, line
        stacks[tuple(stack.split(';'))] += int(value)
    return {measure: {None: dict(stacks)}}


SCOPE_NAMES = {'samples': 'samples', 'time by samples': 'cpu', 'calls': 'calls',
               'self time of calls': 'self', 'allocations': 'alloc_objects',
               'allocated bytes': 'alloc_bytes', 'contentions': 'contentions',
               'time waited for locks': 'lock_wait', 'exceptions': 'exceptions',
               'objects alive': 'live_objects', 'bytes alive': 'live_bytes'}
SCOPE_UNITS = 'none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes'


def speedscope(data):
    """Also the rules that the format's schema lacks: indices, lengths, no negative weights."""
    j = json.loads(data)
    assert j['$schema'] == 'https://www.speedscope.app/file-format-schema.json'
    frames = [f['name'] for f in j['shared']['frames']]
    assert 0 <= j['activeProfileIndex'] < len(j['profiles'])
    found = {}
    for p in j['profiles']:
        assert p['type'] == 'sampled' and p['unit'] in SCOPE_UNITS, p['unit']
        assert len(p['samples']) == len(p['weights'])
        assert p['startValue'] == 0 and p['endValue'] == sum(p['weights'])
        assert all(isinstance(w, int) and w > 0 for w in p['weights'])
        assert all(0 <= min(s, default=0) <= max(s, default=-1) < len(frames) for s in p['samples'] if s)
        title, _, thread = p['name'].partition(', ')
        stacks = collections.Counter()
        for stack, weight in zip(p['samples'], p['weights']):
            stacks[tuple(frames[f] for f in stack)] += weight
        to = found.setdefault(SCOPE_NAMES[title], {})
        to[thread or None] = dict(stacks)
    return found


# --- pprof: a profile.proto, gzipped

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            assert value < 1 << 64
            return value, at


def message(data):
    """[(field, number or bytes)]"""
    at, fields = 0, []
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        assert key & 7 in (0, 2), key
        if key & 7 == 2:
            assert at + value <= len(data)
            value, at = data[at:at + value], at + value
        fields.append((key >> 3, value))
    return fields


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def every(fields, number):
    return [value for field, value in fields if field == number]


def first(fields, number):
    return (every(fields, number) or [0])[0]


PPROF_TYPES = {('samples', 'count'): 'samples', ('cpu', 'nanoseconds'): 'cpu', ('wall', 'nanoseconds'): 'cpu',
               ('calls', 'count'): 'calls', ('self', 'nanoseconds'): 'self',
               ('alloc_objects', 'count'): 'alloc_objects', ('alloc_space', 'bytes'): 'alloc_bytes',
               ('contentions', 'count'): 'contentions', ('delay', 'nanoseconds'): 'lock_wait',
               ('exceptions', 'count'): 'exceptions', ('inuse_objects', 'count'): 'live_objects',
               ('inuse_space', 'bytes'): 'live_bytes'}


def pprof_tables(profile):
    """Texts, and the name of each location's function. What pprof refuses is refused here."""
    strings = [s.decode('utf-8') for s in every(profile, 6)]
    assert strings[0] == '' and len(set(strings)) == len(strings)
    mappings = {first(message(m), 1) for m in every(profile, 3)}
    functions = {}
    for f in map(message, every(profile, 5)):
        assert first(f, 1) and first(f, 1) not in functions
        name, system = strings[first(f, 2)], strings[first(f, 3)]
        assert name and name != system, 'pprof would shorten the name as if it were C++'
        functions[first(f, 1)] = name
    locations = {}
    for loc in map(message, every(profile, 4)):
        assert first(loc, 2) in mappings and first(loc, 1) and first(loc, 1) not in locations
        locations[first(loc, 1)] = functions[first(message(first(loc, 4)), 1)]
    return strings, locations


def pprof_labels(sample, strings):
    labels = {}
    for label in map(message, every(sample, 3)):
        key = strings[first(label, 1)]
        assert key and key not in labels and not key.startswith('pprof::')
        labels[key] = strings[first(label, 2)]
    return labels


def pprof(data):
    """Classes, which are labels there, are frames again."""
    assert data[:4] == b'\x1f\x8b\x08\0' and data[4:8] == b'\0\0\0\0', 'gzip, without a time'
    profile = message(gzip.decompress(data))
    strings, locations = pprof_tables(profile)
    types = [PPROF_TYPES[strings[first(t, 1)], strings[first(t, 2)]]
             for t in map(message, every(profile, 1))]
    assert strings[first(profile, 14)] and every(profile, 13), 'a default, and comments'
    found = {t: {None: collections.Counter()} for t in types}
    for sample in map(message, every(profile, 2)):
        ids, values = packed(first(sample, 1)), packed(first(sample, 2))
        assert ids and len(values) == len(types)
        labels = pprof_labels(sample, strings)
        stack = tuple(locations[i] for i in reversed(ids))
        stack += (labels['class'],) if 'class' in labels else ()
        thread = f'thread {labels["thread"]} {labels["tid"]}' if 'tid' in labels else 'other threads'
        for kind, value in zip(types, values):
            if value:
                found[kind][None][stack] += value
                found[kind].setdefault(thread, collections.Counter())[stack] += value
    return {kind: {t: dict(stacks) for t, stacks in threads.items()} for kind, threads in found.items()}


# --- the page

def page(data):
    """What the page has, by itself: no address of another file, and data that cannot end the script."""
    text = data.decode('utf-8')
    assert not re.search(r'(?:src|href|url)\s*[=(]|https?:|import\s*\(|fetch|XMLHttp', re.sub(
        r'<script id="data".*?</script>', '', text, flags=re.S))
    scripts = re.findall(r'<script[^>]*>(.*?)</script>', text, re.S)
    assert len(scripts) == 2 and text.count('</script') == 2 and '<' not in scripts[0]
    j = json.loads(scripts[0])
    stacks, path = [], []
    for depth, frame in zip(j['nodes'][::2], j['nodes'][1::2]):
        assert 0 <= depth <= len(path)
        path[depth:] = [j['frames'][frame]]
        stacks.append(tuple(path))
    found = {m['name']: {None: collections.Counter()} for m in j['measures']}
    for measure, thread, values in j['values']:
        to = found[j['measures'][measure]['name']]
        name = f'thread {j["threads"][thread]}' if thread else 'other threads'
        for node, value in zip(values[::2], values[1::2]):
            assert value > 0
            to[None][stacks[node]] += value
            to.setdefault(name, collections.Counter())[stacks[node]] += value
    return {m: {t: dict(s) for t, s in threads.items()} for m, threads in found.items()}


# --- callgrind

def callgrind_name(text, known):
    number, _, name = text.partition(') ')
    number = number.rstrip(')')
    assert number.startswith('(')
    if name:
        assert number not in known
        known[number] = name
    return known[number]


def callgrind(data):
    """{event: ({function: own cost}, {function: inclusive cost})}, and {(caller, callee): calls}."""
    lines = data.decode('utf-8').split('\n')
    assert lines[0] == '# callgrind format' and lines[-1] == ''
    events, totals, known, files, by_line = [], [], {}, {}, {}
    own = collections.defaultdict(collections.Counter)
    caused = collections.defaultdict(collections.Counter)
    function = callee = count = file = None
    for line in lines[1:]:
        key, _, value = line.partition(': ') if ': ' in line and '=' not in line.split(': ')[0] else ('', '', '')
        if key == 'events':
            events = value.split()
        elif key == 'summary':
            totals = list(map(int, value.split()))
        elif line[:3] in ('fl=', 'fi=', 'fe='):
            file = callgrind_name(line[3:], files)
        elif line.startswith('cfi='):
            callgrind_name(line[4:], files)
        elif line.startswith('fn='):
            function = callgrind_name(line[3:], known)
        elif line.startswith('cfn='):
            callee = callgrind_name(line[4:], known)
        elif line.startswith('calls='):
            count = int(line[6:].split()[0])
        elif line[:1].isdigit():
            position, *costs = map(int, line.split())
            assert len(costs) == len(events)
            for event, cost in zip(events, costs):
                (own if callee is None else caused)[event][function] += cost
            if callee is not None:
                assert (function, callee, file, position) not in by_line
                by_line[function, callee, file, position] = count
            callee = None
    for event, total in zip(events, totals):
        assert sum(own[event].values()) == total, event
        assert own[event].pop('(root)') == 0 and caused[event].pop('(root)') == total, event
    assert all(by_line.values()), 'a call that was made no time'
    calls = collections.Counter()
    for (function, callee, *_), count in by_line.items():
        calls[function, callee] += count
    return {e: (dict(own[e]), dict(own[e] + caused[e])) for e in events}, calls


# --- lines: {(file, line): samples at it}, {(file, line): and in what it called}; file "" and line 0: not known

def callgrind_lines(data, event):
    """Only the former."""
    own, known, file, at, called = collections.Counter(), {}, None, None, False
    for line in data.decode('utf-8').split('\n'):
        if line.startswith('events: '):
            at = line.split()[1:].index(event)
        elif line[:3] in ('fl=', 'fi=', 'fe='):
            file = callgrind_name(line[3:], known)
        elif line.startswith('cfi='):
            callgrind_name(line[4:], known)
        elif line.startswith('calls='):
            called = True
        elif line[:1].isdigit():
            position, *costs = map(int, line.split())
            own[file if file != '???' else '', position] += 0 if called else costs[at]
            called = False
    return own


def add_lines(places, value, own, total):
    own[places[-1]] += value
    for place in set(places):
        total[place] += value


def pprof_lines(data, measure):
    profile = message(gzip.decompress(data))
    strings = [s.decode('utf-8') for s in every(profile, 6)]
    types = [PPROF_TYPES[strings[first(t, 1)], strings[first(t, 2)]] for t in map(message, every(profile, 1))]
    functions = {first(f, 1): f for f in map(message, every(profile, 5))}
    places, own, total = {}, collections.Counter(), collections.Counter()
    for loc in map(message, every(profile, 4)):
        line = message(first(loc, 4))
        function = functions[first(line, 1)]
        assert bool(first(line, 2)) == bool(first(function, 4)), 'a line is of a file'
        places[first(loc, 1)] = strings[first(function, 4)], first(line, 2)
    for sample in map(message, every(profile, 2)):
        value = packed(first(sample, 2))[types.index(measure)]
        add_lines([places[i] for i in reversed(packed(first(sample, 1)))], value, own, total)
    return own, total


def firefox_lines(data):
    profile = json.loads(data)
    strings, own, total = profile['shared']['stringArray'], collections.Counter(), collections.Counter()
    for t in profile['threads']:
        stacks, frames, functions = [], t['frameTable'], t['funcTable']
        for frame, prefix in zip(t['stackTable']['frame'], t['stackTable']['prefix']):
            file = functions['fileName'][frames['func'][frame]]
            stacks.append((*(stacks[prefix] if prefix is not None else ()),
                           ('' if file is None else strings[file], frames['line'][frame] or 0)))
        for stack, weight in zip(t['samples']['stack'], t['samples']['weight']):
            add_lines(stacks[stack], weight, own, total)
    return own, total

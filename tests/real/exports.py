"""Readers of the formats that `convert` writes: small, strict, and with no code of profview's.

Each gives {measure: {thread or None: {stack: value}}}, a stack being a tuple of frames, outermost
first; thread None is all of them together. A file that is not well formed is an AssertionError.
"""
import collections
import json


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
        assert all(0 <= f < len(frames) for s in p['samples'] for f in s)
        title, _, thread = p['name'].partition(', ')
        stacks = collections.Counter()
        for stack, weight in zip(p['samples'], p['weights']):
            stacks[tuple(frames[f] for f in stack)] += weight
        to = found.setdefault(SCOPE_NAMES[title], {})
        assert (thread or None) not in to or True
        to[thread or None] = dict(stacks)
    return found

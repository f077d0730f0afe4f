#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Streams of .NET's EventPipe: the report says what a reader of its own reads, and what the program counts.

usage: test_nettrace.py recorded|cut|hurt|shot|row|versions|blocks|traceevent PROFVIEW FILE.nettrace.gz
       test_nettrace.py live PROFVIEW COUNTED.DLL DOTNET      ('none' for what is not there: skipped)
"""
import gzip
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from nettrace import RUNTIME, SAMPLER, Trace
from nettrace import objects as in_stream
from nettrace_six import KINDS, block, five, six
from verdict import Verdict

# Of `dotnet-trace report small.nettrace topN`, 10.0.750501: per cent of all, exclusive.
TOP = {'Small:Spin (double)': 27.48, 'System.Threading.Thread:Join (int)': 18.29,
       'System.Threading.Monitor:Enter_Slowpath (object)': 14.58,
       'System.RuntimeType:CreateInstanceDefaultCtor (bool,bool)': 3.81,
       'System.Threading.Thread:Sleep (int)': 3.0}
GROUPS = f'{SAMPLER}:0:4,{RUNTIME}:0x8000001C039:4,System.Runtime:0:4:EventCounterIntervalSec=1'


REASONS = {0: 'small budget', 1: 'asked for', 2: 'low memory', 3: 'empty', 4: 'large budget', 5: 'no room'}


def report(profview, path, *words, codes=(0,)):
    done = subprocess.run([profview, 'report', path, '--waits', '--format', 'json', '--section', 'all', *words],
                          capture_output=True, timeout=120, check=False)
    assert done.returncode in codes, (done.returncode, done.stderr[-300:])
    return json.loads(done.stdout) if done.stdout else None


def objects_of(data):
    return in_stream(data, 0)


def coverage(j):
    return {row['what']: row for row in j['coverage']}


# Types that have a word of C# for a name in all that is shown.
KEYWORDS = {f'System.{k}': v for k, v in dict(
    Boolean='bool', Byte='byte', SByte='sbyte', Char='char', Decimal='decimal', Double='double', Single='single', Int32='int',
    UInt32='uint', Int64='long', UInt64='ulong', Int16='short', UInt16='ushort', Object='object', String='string').items()}


def samples_of(j):
    return {m['name']: m['samples_self'] for m in j['methods'] if m['samples_self']}


def compare(v, j, trace):
    """Every kind that both know. Samples that come out of their order are given to those before them: few."""
    kinds = j['events']
    v.equal('collections', len(j['gc']['collections']), len(trace.of(RUNTIME, 1)))
    # GCStart: number, generation, reason, type; GCHeapStats: (size, promoted) of four regions, ...
    starts = [struct.unpack_from('<4I', e.payload) for e in trace.of(RUNTIME, 1)]
    v.equal('reasons of collections', [c['reason'] for c in j['gc']['collections']], [REASONS[s[2]] for s in starts])
    stats = [e.payload for e in trace.of(RUNTIME, 4)]
    promoted = [sum(struct.unpack_from('<8Q', p)[1::2]) + (struct.unpack_from('<Q', p, 102)[0] if len(p) >= 110 else 0)
                for p in stats]
    if len(stats) == len(starts):
        v.equal('promoted', [c['promoted_bytes'] for c in j['gc']['collections']], promoted)
    v.equal('heap sizes', kinds.get('gc.resize', 0), len(trace.of(RUNTIME, 4)))
    v.equal('allocations', kinds.get('alloc', 0), len(trace.of(RUNTIME, 10, 303)))
    v.same_rows('thrown', {r['name']: r['thrown'] for r in j['exceptions']['classes']}, trace.thrown())
    v.equal('contentions', j['locks']['contentions'], len(trace.of(RUNTIME, 81)))
    v.equal('process', j['target']['pid'], trace.pid)
    want = trace.milliseconds()
    got = samples_of(j)
    threads = len({e.thread for e in trace.of(SAMPLER, 0)})
    v.between('milliseconds', sum(got.values()), 0.99 * sum(want.values()) - 2 * threads,
              1.01 * sum(want.values()) + 2 * threads)
    by_name = {}
    ranges = trace.methods()
    for address, ms in want.items():
        name = next((f'{KEYWORDS.get(c, c)}:{n}' for a, b, c, n in ranges if a <= address < b), None)
        by_name[name] = by_name.get(name, 0) + ms
    for name, ms in sorted(by_name.items(), key=lambda x: -x[1])[:12]:
        if name and not set(name) & set('`[+'):
            found = sum(n for m, n in got.items() if m.split(' (')[0] == name)
            v.between(f'milliseconds of {name}', found, 0.99 * ms - 4, 1.01 * ms + 4)
    v.equal('losses', coverage(j)['losses']['state'], 'complete')


def recorded(v, profview, path):
    trace = Trace(gzip.decompress(path.read_bytes()))
    j = report(profview, path)
    compare(v, j, trace)
    got = samples_of(j)
    for name, share in TOP.items():
        v.between(f'per cent of {name}', round(100 * got.get(name, 0) / sum(got.values()), 2), share - 0.3, share + 0.3)
    v.equal('ends', j['source']['end'], 'ended')
    v.equal('names', coverage(j)['names']['state'], 'complete')
    v.equal('samples', coverage(j)['samples']['state'], 'inferred')
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'again.mlpd'
        subprocess.run([profview, 'convert', path, '-o', file], capture_output=True, timeout=150, check=True)
        v.equal('samples, converted', samples_of(report(profview, file)), samples_of(j))
        v.at_least('they stand for milliseconds', j['samples']['total'], 100)
    frame = subprocess.run([profview, '--dump', '--no-index', '--keys', ':flame<Enter>', '--size', '100x24', path],
                           capture_output=True, text=True, timeout=150, check=True).stdout
    v.true('the flame is of what ran', 'samples, running' in frame, frame)
    v.true('by names', 'who waited is inferred from names' in coverage(j)['samples']['detail'], coverage(j)['samples'])
    states = {s['state']: s['samples'] for s in j['samples']['states']}
    v.true('what names do not tell is neither', states.get('unsure', 0) > 0 and states.get('running', 0) > 0, states)
    v.equal('messages', [r['message'] for r in j['exceptions']['classes']], ['no 4'])
    allocated = {r['name']: r['allocated_bytes'] for r in j['classes']}
    v.between('bytes of the planted arrays', allocated.get('byte[]', 0), 600_000, 1_800_000)  # 1.2 MB
    again = subprocess.run([profview, 'report', '-', '--waits', '--format', 'json', '--section', 'all'], timeout=150, check=True,
                           input=gzip.decompress(path.read_bytes()), capture_output=True)
    piped = json.loads(again.stdout)
    for part in ('events', 'methods', 'call_tree', 'gc', 'exceptions', 'classes', 'threads'):
        v.equal(f'{part} through a pipe', piped[part], j[part])
    dump = subprocess.run([profview, 'dump', path], capture_output=True, timeout=150, check=True).stdout.decode()
    v.equal('events of the dump', sum(' sample.hit ' in line for line in dump.splitlines()), j['events']['sample.hit'])


def cut(v, profview, path):
    """At every kilobyte: what stands before it is there."""
    data = gzip.decompress(path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'cut.nettrace'
        before = 0
        for n in [0, 5, 20, 33, 60, 100, *range(1024, len(data), 4096), len(data) - 1]:
            file.write_bytes(data[:n])
            j = report(profview, file, codes=(0, 3, 4))
            if not j or n < 2000:
                continue
            v.equal(f'{n} bytes: ends', j['source']['end'], 'cut off')
            now = sum(k for name, k in j['events'].items() if name in ('sample.hit', 'ext.cpu.waited', 'alloc', 'exception.throw'))
            v.at_least(f'{n} bytes: events', now, before)
            before = now
        v.at_least('events in the end', before, 100)


def hurt(v, profview, path):
    """Bytes overwritten anywhere: an answer, in bounded time, with what else there is."""
    data = gzip.decompress(path.read_bytes())
    dice = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'hurt.nettrace'
        for i in range(60):
            bad = bytearray(data)
            for _ in range(1 + i % 5):
                at = dice.randrange(40, len(bad))
                bad[at:at + 4] = dice.choice([b'\xff\xff\xff\xff', b'\0\0\0\0', b'\x05\x05\x01\x02', dice.randbytes(4)])
            file.write_bytes(bad)
            j = report(profview, file, codes=(0, 3, 4))
            v.true(f'{i}: answered', j is None or 'events' in j)
        at = data.index(b'EventBlock', len(data) // 3)
        file.write_bytes(data[:at - 15] + b'garbage' * 50 + data[at - 15:])
        j = report(profview, file, codes=(0, 4))
        v.equal('garbage between objects is damage', j['source']['damage'][0]['bytes'] if j else None, 350)
        v.at_least('samples around it', samples_of(j).get('Small:Spin (double)', 0), 200)


def whole_shots(j):
    return [s for s in (j or {}).get('heap_shots') or [] if not s['state']]


def shot(v, profview, path):
    """The objects of a heap as a reader of its own and the program count them; one that lacks a part is no whole one."""
    data = gzip.decompress(path.read_bytes())
    j = report(profview, path)
    want = Trace(data).shots()[0]
    got = whole_shots(j)[0]
    rows = {r['name']: r['objects'] for r in got['classes']}
    v.equal('planted objects', [rows.get('Counted.Kept'), rows.get('Counted.KeptPart'), rows.get('Counted.Dropped')], [1234, 1234, None])
    for name in ('references', 'roots'):
        v.equal(name, got[name], want[name])
    v.equal('objects', got['objects'], sum(want['classes'].values()))
    v.equal('bytes', got['bytes'], sum(want['bytes'].values()))
    objects = report(profview, path, '--section', 'heap_objects', '--shot', '0')['heap_objects']
    most = max(objects, key=lambda o: o['retained_bytes'] if o['class'] == 'Counted.Kept[]' else 0)
    v.at_least('retained by the list', most['retained_bytes'], 1234 * (24 + 32))
    way = report(profview, path, '--section', 'heap_path', '--shot', '0', '--object', most['address'])
    v.true('its path begins in the static', 'kept' in json.dumps(way['heap_path']), way['heap_path'])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'shot.mlpd'
        subprocess.run([profview, 'convert', path, '-o', file], capture_output=True, timeout=150, check=True)
        v.equal('objects by class, converted', {r['name']: r['objects'] for r in whole_shots(report(profview, file))[0]['classes']}, rows)
        file = pathlib.Path(folder) / 'hurt.nettrace'
        ends = [0] + [end for *_, end in objects_of(data)]
        blocks = [(a, b) for (a, b) in zip(ends, ends[1:]) if b'EventBlock' in data[a:a + 40]]
        v.at_least('blocks of events', len(blocks), 2)
        for a, b in blocks[:-1]:
            empty = data[a:b].replace(b'EventBlock', b'OtherBlock')  # of a kind that is not known: it is skipped
            file.write_bytes(data[:a] + empty + data[b:])
            j = report(profview, file, codes=(0, 4))
            v.equal(f'without the block at {a}: no whole shot', whole_shots(j), [])
        for n in (len(data) // 3, len(data) * 2 // 3, len(data) * 4 // 5):
            file.write_bytes(data[:n] + data)
            found = whole_shots(report(profview, file, codes=(0, 4)))
            v.equal(f'{n} bytes, then a whole one: one shot', [s['objects'] for s in found], [got['objects']])
        for n in range(1000, len(data) - 9000, 9000):
            file.write_bytes(data[:n])
            v.equal(f'{n} bytes: no whole shot', whole_shots(report(profview, file, codes=(0, 3, 4))), [])


def row(v, profview, path):
    """Streams of one process in a row are one recording; that of another process is not taken for it."""
    data = gzip.decompress(path.read_bytes())
    once = report(profview, path)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'row.nettrace'
        file.write_bytes(data + data)
        twice = report(profview, file)
        for kind in ('alloc', 'exception.throw', 'gc.event', 'monitor.contention'):
            v.equal(kind, twice['events'][kind], 2 * once['events'][kind])
        v.true('that nothing was recorded in between is said', '1 stretch in' in coverage(twice)['losses']['detail'],
               coverage(twice)['losses'])
        v.equal('ends', twice['source']['end'], 'ended')
        file.write_bytes(data + data[:len(data) // 2])
        v.equal('the second is cut', report(profview, file, codes=(0, 4))['source']['end'], 'cut off')
        file.write_bytes(data[:len(data) // 2] + data)
        j = report(profview, file, codes=(0, 4))
        v.at_least('thrown, the first is cut', j['events']['exception.throw'], once['events']['exception.throw'])
        v.at_least('samples, the first is cut', j['events']['sample.hit'], once['events']['sample.hit'])
        v.same_rows('classes thrown, the first is cut', {r['name']: 1 for r in j['exceptions']['classes']},
                    {r['name']: 1 for r in once['exceptions']['classes']})
        v.equal('ends, the first is cut', j['source']['end'], 'ended')
        other = bytearray(data)
        at = other.index(b'Trace\x06') + 6 + 36
        other[at] ^= 1
        file.write_bytes(data + other)
        j = report(profview, file, codes=(4,))
        v.equal('before another process', {k: n for k, n in j['events'].items() if k != 'counters.sample'},
                {k: n for k, n in once['events'].items() if k != 'counters.sample'})
        v.true('another process is damage', any('another process' in d['reason'] for d in j['source']['damage']),
               j['source']['damage'])


def followed(v, profview, file, data):
    """A stream that grows, read as it does: the same lines, but for each thread's last sample, which waits for the next."""
    whole = subprocess.run([profview, 'dump', '-'], input=data, capture_output=True, timeout=150, check=True).stdout.splitlines()
    file.write_bytes(data[:len(data) // 3])
    with subprocess.Popen([profview, 'dump', '--follow', file], stdout=subprocess.PIPE) as reader:
        with file.open('ab') as growing:
            for at in range(len(data) // 3, len(data), 7001):
                growing.write(data[at:at + 7001])
                growing.flush()
        lines = []
        waits = len({line.split()[1] for line in whole if b' sample.hit ' in line})
        events = [line for line in whole if b' block: ' not in line]
        for line in reader.stdout:
            lines += [line.rstrip()] if b' block: ' not in line else []
            if len(lines) == len(events) - waits:
                break
        reader.terminate()
    v.equal('followed as it grows', [line for line in lines if line not in set(events)], [])


def versions(v, profview, path):
    """The same events in each version's frames are the same report and the same dump."""
    data = gzip.decompress(path.read_bytes())
    want = report(profview, path)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'other.nettrace'
        for name, other in {'5': five(data), '6': six(data), '6, not compressed': six(data, plain=True),
                            '6, with blocks that are not known': six(data, spare=True)}.items():
            file.write_bytes(other)
            got = report(profview, file)
            for part in want:
                if part != 'source':
                    v.equal(f'{part} in version {name}', got[part], want[part])
            v.equal(f'ends in version {name}', got['source']['end'], 'ended')
            v.equal(f'damage in version {name}', got['source']['damage'], [])
            piped = subprocess.run([profview, 'report', '-', '--format', 'json', '--section', 'events'], input=other,
                                   capture_output=True, timeout=150, check=True)
            v.equal(f'events of version {name} through a pipe', json.loads(piped.stdout)['events'], want['events'])
        file.write_bytes(six(data, other=4711))
        got = report(profview, file)
        # Of events that are not shown some have no thread, and so no process.
        v.equal('of two processes one is shown', {k: n for k, n in got['events'].items() if k != 'ext.mark.mark' and '/' not in k},
                {k: n for k, n in want['events'].items() if '/' not in k})
        v.equal('with its methods', got['methods'], want['methods'])
        said = re.search(r'shown is (\d+), not 4711 \((\d+) events\)', json.dumps(got['marks']))
        v.true('and it is said which', said and int(said[1]) == Trace(data).pid, got['marks'])
        v.between('and how many of the other are not', int(said[2]), 0.99 * len(Trace(data).events), len(Trace(data).events))
        file.write_bytes(six(data))
        words = [[line.split()[1:] for line in subprocess.run([profview, 'dump', f], capture_output=True, timeout=150, check=True,
                                                             text=True).stdout.splitlines()] for f in (path, file)]
        words = [[w for w in dump if 'sample.hit' in w or 'ext.cpu.waited' in w or 'alloc' in w] for dump in words]
        v.at_least('samples and allocations of the dump', len(words[0]), 150)
        v.equal('dump of version 6', sorted(words[1]), sorted(words[0]))
        followed(v, profview, file, six(data))
        file.write_bytes(data + six(data))
        twice = report(profview, file)
        v.equal('a version after another', twice['events']['exception.throw'], 2 * want['events']['exception.throw'])
        new = bytearray(six(data))
        new[12] = 7
        file.write_bytes(new)
        done = subprocess.run([profview, 'report', file], capture_output=True, timeout=150, check=False, text=True)
        v.equal('version 7 is refused', done.returncode, 3)
        v.true('and the version is said', 'version' in done.stderr and done.stderr.count('\n') == 1, done.stderr)
        file.write_bytes(data + new)
        j = report(profview, file, codes=(4,))
        v.equal('and what stands before it is shown', j['events']['exception.throw'], want['events']['exception.throw'])


def traceevent(v, profview, path):
    """Counts by provider and number are those that TraceEvent, the format's own library, has of the same streams."""
    counts = json.loads((path.parent / 'traceevent.json').read_text(encoding='utf-8'))
    for name in ('small', 'shot'):
        recording = path.parent / f'{name}.nettrace.gz'
        trace = Trace(gzip.decompress(recording.read_bytes()))
        want = dict(counts[name])
        v.equal(f'{name}: lost', want.pop('lost'), 0)
        got = {}
        for e in trace.events:
            key = f'{e.provider} {e.id}'
            got[key] = got.get(key, 0) + 1
        v.same_rows(f'{name}: events', got, want)
        v.same_rows(f'{name}, version 6, as our encoder writes it', counts[f'{name}, version 6'], counts[name])
        kinds, runtime = report(profview, recording)['events'], RUNTIME + ' '
        for kind, *ids in (('alloc', 10, 303), ('gc.resize', 4), ('exception.throw', 80), ('monitor.contention', 81), ('monitor.done', 91)):
            v.equal(f'{name}: {kind}', kinds.get(kind, 0), sum(want.get(f'{runtime}{i}', 0) for i in ids))
        v.equal(f'{name}: samples', kinds.get('sample.hit', 0) > 0, f'{SAMPLER} 0' in want)


def blocks(v, profview, path):
    """Version 6 has no tags to hold on to: cut anywhere, overwritten, with garbage between its blocks."""
    data = six(gzip.decompress(path.read_bytes()))
    whole = report(profview, path)
    dice = random.Random(29)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'hurt.nettrace'
        before = 0
        for n in [0, 5, 9, 13, 19, 20, 23, 60, 100, *range(1024, len(data), 4096), len(data) - 1]:
            file.write_bytes(data[:n])
            j = report(profview, file, codes=(0, 3, 4))
            if not j or n < 2000:
                continue
            v.equal(f'{n} bytes: ends', j['source']['end'], 'cut off')
            now = sum(k for name, k in j['events'].items() if name in ('sample.hit', 'ext.cpu.waited', 'alloc', 'exception.throw'))
            v.at_least(f'{n} bytes: events', now, before)
            before = now
        v.at_least('events in the end', before, 100)
        for i in range(60):
            bad = bytearray(data)
            for _ in range(1 + i % 5):
                at = dice.randrange(20, len(bad))
                bad[at:at + 4] = dice.choice([b'\xff\xff\xff\xff', b'\0\0\0\0', b'\x05\0\0\x02', dice.randbytes(4)])
            file.write_bytes(bad)
            j = report(profview, file, codes=(0, 3, 4))
            v.true(f'{i}: answered', j is None or 'events' in j)
        at, seen = 20, []
        while at < len(data):
            size = int.from_bytes(data[at:at + 3], 'little')
            seen += [at] if data[at + 3] == KINDS['EventBlock'] else []
            at += 4 + size
        v.at_least('blocks of events', len(seen), 3)
        middle = seen[len(seen) // 3]
        file.write_bytes(data[:middle] + b'garbage' * 50 + data[middle:])
        j = report(profview, file, codes=(4,))
        v.equal('garbage between blocks is damage', [d['bytes'] for d in j['source']['damage']], [350])
        v.equal('and nothing else is lost', {k: n for k, n in j['events'].items() if k != 'counters.sample'},
                {k: n for k, n in whole['events'].items() if k != 'counters.sample'})
        file.write_bytes(data[:middle] + block(4, b'short') + data[middle:])
        j = report(profview, file, codes=(4,))
        v.equal('a sequence point that is too short is damage', len(j['source']['damage']), 1)


def live(v, profview, dll, dotnet):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'counted.nettrace'
        done = subprocess.run([dotnet, dll, 'throws', 'locks', 'threads', 'collect', 'rest'], capture_output=True, text=True,
                              timeout=240, check=True, env=os.environ | {
                                  'DOTNET_EnableEventPipe': '1', 'DOTNET_EventPipeOutputPath': str(file),
                                  'DOTNET_EventPipeConfig': GROUPS, 'DOTNET_CLI_TELEMETRY_OPTOUT': '1'})
        said = dict(line.rsplit('=', 1) for line in done.stdout.splitlines() if '=' in line)
        j = report(profview, file)
        compare(v, j, Trace(file.read_bytes()))
        own = {name: int(said[f'throws {name}']) for name in (
            'Counted.OwnException', 'System.FormatException', 'System.Collections.Generic.KeyNotFoundException')}
        got = {r['name']: r['thrown'] for r in j['exceptions']['classes'] if r['name'] in own}
        v.same_rows('thrown as the program counts', got, own)
        v.equal('collections', len(j['gc']['collections']), int(said['collections 0']))
        v.at_least('contentions', j['locks']['contentions'], int(said['acquired Counted.Gate']))
        v.true('counters', any('cpu-usage' in c['name'] for c in j['counters'] or []), j['counters'])


CASES = {'recorded': recorded, 'cut': cut, 'hurt': hurt, 'shot': shot, 'row': row, 'versions': versions, 'blocks': blocks, 'traceevent': traceevent}


def main(case, profview, file, dotnet='none'):
    if 'none' in (file, dotnet if case == 'live' else ''):
        print('dotnet is not installed')
        sys.exit(77)
    v = Verdict(f'nettrace, {case}')
    if case == 'live':
        live(v, profview, file, dotnet)
    else:
        CASES[case](v, profview, pathlib.Path(file))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

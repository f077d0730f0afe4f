# SPDX-License-Identifier: MIT
"""Compares a report with what mprof-report, the plain reader and the program itself say."""
import collections
import re
import urllib.parse

import mprof

GROUPS = {  # section of the report: kinds of events, one of which must have been met
    'methods': ('method.enter', 'sample.hit'), 'classes': ('alloc',),
    'exceptions': ('exception.throw', 'exception.clause'),
    'locks': ('monitor.contention',), 'samples': ('sample.hit',), 'counters': ('counters.sample',),
    'heap_shots': ('heap.start',),
}


def rows(section, key, *columns):
    """Rows of a section added up by name: rows of two images may share one."""
    out = collections.Counter()
    for row in section or []:
        for column in columns:
            out[row[key]] += row[column] or 0
    return out


def nonzero(counter):
    return {k: n for k, n in counter.items() if n}


def calls_whole(v, what, report):
    """Nothing is missing of the calls but those of Mono's AOT images, where this machine's Mono has some."""
    calls = next(c for c in report['coverage'] if c['what'] == 'calls')
    flaws = ('without', 'cut', 'folded', 'none met')
    v.true(what, calls['state'] == 'complete' or 'of AOT images' in calls['detail'] and not any(f in calls['detail'] for f in flaws), calls)


def said_of(said, word):
    """What the program counted under that word: name -> number."""
    start = word + ' '
    return {k[len(start):]: n for k, n in said.items() if k.startswith(start)}


def source(v, r):
    s = r.json['source']
    v.equal('source.format', s['format'], 'mlpd')
    v.equal('source.data_version', s['data_version'], 17)
    v.true('source.complete', s['complete'] is not False, s['complete'])
    v.equal('source.damage', s['damage'], [])
    v.equal('source.bytes', s['bytes'], r.inflated)
    v.equal('source.file_bytes', s['file_bytes'], r.path.stat().st_size)
    v.equal('source.compressed', s['compressed'], r.inflated != r.path.stat().st_size)
    v.equal('source.buffers', s['buffers'], r.log.buffers)
    v.equal('source.recordings', s['recordings'], 1)
    v.equal('the plain reader consumed every buffer', r.log.clean, r.log.buffers)
    v.equal('bytes behind the last buffer', r.log.rest, 0)
    t, h = r.json['target'], r.log.header
    command = re.search(',command=([^,]*)', h['args']) if h['args'].startswith('profview:') else None
    v.equal('target.command', t.get('command'), urllib.parse.unquote(command[1]) if command else None)
    args = h['args'].replace(command[0], '') if command else h['args']
    for key, want in (('pid', h['pid']), ('pointer_size', h['pointer']), ('args', args), ('arch', h['arch']),
                      ('os', h['os']), ('start_time_ms', h['start_ms']),
                      ('timer_overhead_ns', h['overhead']), ('control_port', h['port'] or None)):
        v.equal(f'target.{key}', t[key], want)


def events(v, r):
    v.same_rows('events', r.json['events'], dict(r.log.events))


def groups(v, r):
    """A group without events is null, or empty where the header's args enable it."""
    for name, kinds in GROUPS.items():
        if any(r.log.events[kind] for kind in kinds):
            v.true(f'section {name} is given', r.json[name] is not None)


def calls(v, r):
    got = nonzero(rows(r.json['methods'], 'name', 'calls'))
    v.same_rows('calls after mprof-report', got, nonzero(r.mprof['calls']))
    v.equal('calls in all', sum(got.values()), r.mprof['calls_total'])
    v.same_rows('calls', got, nonzero(r.log.by_method(r.log.calls)))
    for name, n in said_of(r.said, 'calls').items():
        v.equal(f'calls the program made to {name}', got.get(name, 0), n)
    unwound = rows(r.json['methods'], 'name', 'exceptional_leaves')
    v.same_rows('exceptional leaves', nonzero(unwound),
                nonzero(r.log.by_method(r.log.times.exceptional)))
    for name, n in said_of(r.said, 'unwound').items():
        v.equal(f'frames the program unwound of {name}', unwound.get(name, 0), n)


def times(v, r):
    t = r.log.times
    called = {n: True for n in r.log.by_method(r.log.calls)}
    for column, reference in (('total_ns', t.total), ('self_ns', t.self_time),
                              ('max_ns', t.longest)):
        want = collections.Counter(reference)
        got = rows(r.json['methods'], 'name', column)
        v.same_rows(column, {n: got[n] for n in called if n in got}, {n: want[n] for n in called})
    for name, inside in said_of(r.said, 'inside').items():
        v.between(f'time in {name}', rows(r.json['methods'], 'name', 'total_ns')[name],
                  inside, r.said[f'around {name}'])


def call_tree(v, r):
    """Sums of the tree are the sums of the methods, and a child's parent stands before it."""
    tree = r.json['call_tree']
    for column in ('calls', 'self_ns'):
        got = rows(tree, 'method', column)
        want = rows(r.json['methods'], 'name', column)
        v.same_rows(f'call tree, {column}', nonzero(got), nonzero(want))
    seen = {0}
    for row in tree:
        v.true(f'parent of node {row["id"]}', row['parent'] in seen, row['parent'])
        seen.add(row['id'])


def allocations(v, r):
    counts = nonzero(rows(r.json['classes'], 'name', 'allocations'))
    sizes = nonzero(rows(r.json['classes'], 'name', 'allocated_bytes'))
    v.equal('allocations after mprof-report',
            (sum(counts.values()), sum(sizes.values())), r.mprof['alloc_total'])
    early = {r.log.class_of(vtable) for vtable in r.log.early}
    for name, n in r.mprof['allocs'].items():
        if name != mprof.UNRESOLVED and name not in early:
            v.equal(f'allocations of {name} after mprof-report', counts.get(name), n)
            v.equal(f'bytes of {name} after mprof-report', sizes.get(name),
                    r.mprof['alloc_bytes'][name])
    v.same_rows('allocations', counts, nonzero(r.log.by_class(r.log.alloc_count)))
    v.same_rows('allocated bytes', sizes, nonzero(r.log.by_class(r.log.alloc_bytes)))
    own_allocations(v, r)


def own_allocations(v, r):
    counts = nonzero(rows(r.json['classes'], 'name', 'allocations'))
    sizes = nonzero(rows(r.json['classes'], 'name', 'allocated_bytes'))
    v.equal('allocations in all', (sum(counts.values()), sum(sizes.values())),
            (sum(r.log.alloc_count.values()), sum(r.log.alloc_bytes.values())))
    for name, n in said_of(r.said, 'allocs').items():
        v.equal(f'{name} objects the program made', counts.get(name), n)
    for name, n in said_of(r.said, 'bytes').items():
        v.equal(f'bytes of {name} the program made', sizes.get(name), n)


def sites(v, r):
    """Allocation stacks add up to the classes."""
    listed = r.json['allocation_sites']
    for column in ('allocations', 'allocated_bytes'):
        v.same_rows(f'allocation sites, {column}', rows(listed, 'class', column),
                    rows(r.json['classes'], 'name', column))
    for row in listed:
        if row['class'] == 'Counted.Wide':
            own = [f for f in row['stack'] if not f.startswith('(wrapper')]
            v.equal('innermost frame of a Wide', own[-1:], ['Counted.Allocs:Make (int)'])


def collections_(v, r):
    gc = r.json['gc']
    got = {g['generation']: g['count'] for g in gc['generations']}
    v.same_rows('collections', nonzero(got), nonzero(r.log.collections))
    v.same_rows('collections after mprof-report', nonzero(got), nonzero(r.mprof['collections']))
    for generation, n in said_of(r.said, 'collections').items():
        v.at_least(f'collections of generation {generation}', got.get(int(generation), 0), n)
    listed = collections.Counter(c['generation'] for c in gc['collections'])
    v.same_rows('listed collections', dict(listed), nonzero(got))
    v.equal('resizes', gc['resizes'], r.mprof['resizes'])
    v.equal('heap at most', gc['max_heap_bytes'], r.mprof['max_heap'])
    v.equal('heap at most, plainly read', gc['max_heap_bytes'], r.log.max_heap)
    for c in gc['collections']:
        v.true(f'pause of the collection at {c["start_ns"]}', 0 < c['pause_ns'], c['pause_ns'])
        v.true(f'duration of the collection at {c["start_ns"]}', 0 < c['duration_ns'])
    for g in gc['generations']:
        took = [c['duration_ns'] for c in gc['collections'] if c['generation'] == g['generation']]
        v.equal(f'time of generation {g["generation"]}', (g['total_ns'], g['max_ns']),
                (sum(took), max(took, default=0)))


def moves(v, r):
    v.equal('moves', r.json['gc']['moved_objects'], r.mprof['moves'])
    v.equal('moves, plainly read', r.json['gc']['moved_objects'], r.log.moves)
    v.at_least('moves', r.json['gc']['moved_objects'], 1)


def handles(v, r):
    gc = r.json['gc']
    for verb in ('created', 'destroyed'):
        got = gc[f'handles_{verb}']
        v.equal(f'handles {verb}', got, sum(
            n for (what, _), n in r.log.handles.items() if what == verb))
        v.at_least(f'handles {verb} by the program', got, r.said[f'handles {verb}'])
        # mprof-report leaves the pinned ones out.
        v.equal(f'handles {verb} after mprof-report', got - r.log.handles[verb, 3],
                r.mprof[f'handles_{verb}'])


def finalizers(v, r):
    got = r.json['gc']['objects_finalized']
    v.equal('objects finalized', got, r.log.events['gc.finalize_object_end'])
    v.at_least('objects finalized by the program', got, r.said['finalized'])


def exceptions(v, r, classes=True):
    x = r.json['exceptions']
    v.equal('throws', x['thrown'], r.mprof['throws'])
    v.equal('throws, plainly read', x['thrown'], r.log.events['exception.throw'])
    v.at_least('throws by the program', x['thrown'], r.said['throws total'])
    v.same_rows('clauses', nonzero(x['clauses']), nonzero(r.mprof['clauses']))
    v.at_least('finally clauses', x['clauses']['finally'], r.said.get('finally at least', 0))
    by_class = rows(x['classes'], 'name', 'thrown')
    v.equal('throws by class in all', sum(by_class.values()), x['thrown'])
    said = {n: k for n, k in said_of(r.said, 'throws').items() if n != 'total'}
    for name, n in said.items():
        if classes:
            v.equal(f'throws of {name}', by_class.get(name, 0), n)
        else:
            v.equal(f'throws of {name}, whose allocation was not recorded', by_class.get(name), None)


def locks(v, r, classes=True):
    k = r.json['locks']
    for key, theirs, event in (('contentions', 'contentions', 'contention'),
                               ('acquired', 'acquired', 'done'), ('failed', 'failures', 'fail')):
        v.equal(f'locks.{key}', k[key], r.mprof[theirs])
        v.equal(f'locks.{key}, plainly read', k[key], r.log.events[f'monitor.{event}'])
    v.at_least('locks.contentions by the program', k['contentions'],
               r.said['contended Counted.Gate'])
    mine = [o for o in k['objects'] if not classes or o['class'] == 'Counted.Gate']
    gate = max(mine, key=lambda o: o['contentions'], default=None)
    v.true('the gate is listed', gate)
    if gate:
        v.equal('contentions of the gate', gate['contentions'], r.said['contended Counted.Gate'])
        v.between('wait for the gate', gate['wait_ns'], r.said['waited at least'],
                  r.said['waited at most'])
        v.between('longest wait for the gate', gate['max_wait_ns'],
                  gate['wait_ns'] // gate['contentions'], gate['wait_ns'])
    v.equal('contentions of all objects', sum(o['contentions'] for o in k['objects']),
            k['contentions'])


def outsiders(names):
    return dict(collections.Counter(n for n in names if n and not n.startswith('Profiler ')))


def threads(v, r):
    names = collections.Counter(t['name'] for t in r.json['threads'])
    for name, n in said_of(r.said, 'threads').items():
        v.equal(f'threads named {name}', names[name], n)
    # The profiler's own threads still log when they have ended; they may get two rows.
    v.same_rows('named threads', outsiders(names.elements()),
                outsiders(n for _, n in r.log.thread_names))
    for t in r.json['threads']:
        if t['name'] in said_of(r.said, 'threads'):
            v.true(f'{t["name"]} ends after its start', t['end_ns'] > t['start_ns'])


def shot_rows(shot, column):
    return nonzero(rows(shot['classes'], 'name', column))


def shots(v, r):
    listed = r.json['heap_shots']
    v.equal('heap shots', len(listed), len(r.log.shots))
    v.equal('heap shots after mprof-report', len(listed), len(r.mprof['shots']))
    early = {r.log.class_of(vtable) for vtable in r.log.early}
    for i, (got, plain, theirs) in enumerate(zip(listed, r.log.shots, r.mprof['shots'])):
        v.equal(f'index of shot {i}', got['index'], i)
        v.equal(f'objects of shot {i}', got['objects'], theirs['objects'])
        v.equal(f'bytes of shot {i}', got['bytes'], theirs['bytes'])
        v.equal(f'references of shot {i}', got['references'], plain['references'])
        v.equal(f'roots of shot {i}', got['roots'] or 0, plain['roots'])  # none are asked for: null
        for column, counter, name in (('objects', plain['objects'], 'by_class'),
                                      ('bytes', plain['bytes'], 'bytes_by_class')):
            mine = shot_rows(got, column)
            v.same_rows(f'{column} of shot {i}', mine, nonzero(r.log.by_class(counter)))
            for cls, n in theirs[name].items():
                if cls != mprof.UNRESOLVED and cls not in early:
                    v.equal(f'{column} of {cls} in shot {i} after mprof-report', mine.get(cls), n)


def alive(v, r):
    """The shots that were taken in the program's pauses hold what it kept then."""
    for i, said in enumerate(r.pauses):
        shot = r.json['heap_shots'][i]
        for column, word in (('objects', 'alive'), ('bytes', 'alive bytes')):
            got = shot_rows(shot, column)
            for name, n in said_of(said, word).items():
                if not name.startswith('bytes '):
                    v.equal(f'{column} of {name} alive at shot {i}', got.get(name), n)
        dropped = shot_rows(shot, 'objects').get('Counted.Dropped', 0)
        v.between('dropped objects still there', dropped, 0,
                  said['dropped Counted.Dropped'] // 10)


def named_alike(found):
    """Without native code that the log calls by its place: files say more of it."""
    return [(name, n) for name, n in found.items() if '+0x' not in name]


def samples(v, r):
    v.equal('samples', r.json['samples']['total'], r.log.samples)
    hits = r.mprof['hits']
    own = rows(r.json['methods'], 'name', 'samples_self')
    # It counts hits by their address; those in the probe itself have none.
    v.equal('samples after mprof-report', r.json['samples']['total'] - own.get('[profview probe]', 0),
            hits['managed'] + hits['unmanaged'])
    v.equal('samples by innermost place', sum(own.values()), r.log.samples)
    total = rows(r.json['methods'], 'name', 'samples_total')
    # Where files say what was inlined, that is the innermost of a function's samples.
    inlined = any('(inlined)' in name for name in own)
    for name, n in named_alike(r.log.samples_in_code()):
        v.at_least(f'samples in the code of {name}', (total if inlined else own).get(name), n)
    for name, n in named_alike(r.log.samples_on_stack()):
        v.at_least(f'samples with {name} on the stack', total.get(name), n)
    for row in r.json['methods']:
        v.true(f'samples_total of {row["name"]}',
               row['samples_self'] <= row['samples_total'] <= r.log.samples,
               (row['samples_self'], row['samples_total']))


def jit(v, r):
    got = r.json['jit']
    v.equal('jitted methods', got['methods'], r.mprof['jit_methods'])
    if not r.log.events['domain.unload']:   # then sizes are garbage, and the stock tool adds them
        v.equal('jitted bytes', got['code_bytes'], r.mprof['jit_bytes'])
    v.equal('helpers', got['helpers'] or 0, r.mprof['helpers'])
    v.equal('helper bytes', got['helper_bytes'] or 0, r.mprof['helper_bytes'])


def domains(v, r):
    gone = [d for d in r.json['domains'] if d['unload_ns'] is not None]
    v.at_least('unloaded domains', len(gone), r.said['unloaded domains'])
    v.equal('unloaded domains after the log', len(gone), r.log.events['domain.unload'])
    for d in gone:
        v.true(f'domain {d["id"]} is unloaded after its load', d['unload_ns'] > d['load_ns'])


def modules(v, r):
    v.equal('images', len(r.json['images']), r.mprof['images'])
    v.equal('assemblies', len(r.json['assemblies']), r.mprof['assemblies'])


def counters(v, r):
    start = r.log.header['start_ns']
    got = {(c['name'], i): c['samples'] for i, c in enumerate(r.json['counters'])
           if c['samples']}
    by_name = collections.defaultdict(list)
    for (name, _), listed in got.items():
        by_name[name].append([[t, n] for t, n in listed])
    want = collections.defaultdict(list)
    for index, listed in r.log.counter_values.items():
        want[r.log.counter_names[index][1]].append([[t - start, n] for t, n in listed])
    v.equal('names of counters', sorted(by_name), sorted(want))
    for name, listed in want.items():
        v.equal(f'samples of {name}', sorted(by_name[name]), sorted(listed))
    v.at_least('samples of User Time', max(map(len, want.get('User Time', [[]]))), 1)

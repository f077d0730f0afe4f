#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`profview convert` to formats of other programs: sums and stacks are those of the report, and of the
events that `dump` prints: of all, also of what waited.

usage: test_export.py golden|go|page|mono|native|clr PROFVIEW WHAT [MODULE DOTNET]
WHAT: a log, the C# or the C program, the image; 'none' for what is not there: skipped
"""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import exports
import target
from verdict import Verdict

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'tools'))
from showable import shown    # noqa: E402  pylint: disable=wrong-import-position

# measure: sections of the report with stacks, and their column
SITES = {'alloc_objects': ('allocation_sites', 'allocations'),
         'alloc_bytes': ('allocation_sites', 'allocated_bytes'),
         'contentions': ('wait_sites', 'contentions'), 'lock_wait': ('wait_sites', 'wait_ns'),
         'exceptions': ('throw_sites', 'thrown')}
TREE = {'samples': 'samples', 'calls': 'calls', 'self': 'self_ns'}
DEEP = 512
SECTIONS = 'call_tree,allocation_sites,wait_sites,throw_sites,methods,classes,locks,exceptions,samples,threads'


class Tool:
    def __init__(self, profview, log, folder, v):
        self.profview, self.log, self.folder, self.v, self.n = profview, log, pathlib.Path(folder), v, 0

    def run(self, *words, code=0):
        done = subprocess.run([self.profview, *map(str, words)], capture_output=True,
                              timeout=target.DEADLINE * 4, check=False)
        self.v.true(f'exit code of {words}', done.returncode == code, (done.returncode, done.stderr[-300:]))
        return done

    def report(self, *words):
        return json.loads(self.run('report', self.log, '--format', 'json', '--section', SECTIONS,
                                   '--no-index', '--waits', *words).stdout)

    def dump(self):
        return self.run('dump', self.log).stdout.decode()

    def export(self, form, *words, code=0):
        """
        Through a file and, of a whole log, through standard output: the same bytes. Names are the log's
        unless told.
        """
        whole_log = not {'--range', '--thread', '--filter'} & set(words)
        if '--names' not in words:
            words += '--names', 'raw'
        self.n += 1
        out = self.folder / f'out{self.n}.{form}'
        first = self.run('convert', self.log, '--waits', '--to', form, '-o', out, *words, code=code)
        if code:
            self.v.true(f'{form}: no file is left', not out.exists())
            return first.stderr.decode()
        self.v.true(f'{form}: at most a line of complaint', first.stderr.count(b'\n') <= 1, first.stderr)
        if first.returncode:
            raise SystemExit(f'{form} {words}: {first.stderr.decode()}')
        data = out.read_bytes()
        if whole_log:
            again = self.run('convert', self.log, '--waits', '--to', form, '-o', '-', *words)
            self.v.true(f'{form}: the same bytes again', data == again.stdout)
        return data


def tree_stacks(report, key):
    """Stacks of the call tree with what each has itself; values of one stack are summed."""
    stack_of, found = {0: ()}, collections.Counter()
    for n in report['call_tree'] or []:
        stack_of[n['id']] = (*stack_of[n['parent']], shown(n['method']))
        if n[key]:
            found[stack_of[n['id']]] += n[key]
    return dict(found)


def site_stacks(report, section, key):
    """A row's class stands below its frames."""
    found = collections.Counter()
    for row in report[section] or []:
        stack = tuple(shown(f) for f in row['stack']) or ('(no stack)',)
        if row[key]:
            found[(*stack, shown(row['class'] or '(class not recorded)'))] += row[key]
    return dict(found)


def wanted(report):
    """{measure: {stack: value}} after the report."""
    found = {m: tree_stacks(report, key) for m, key in TREE.items()}
    found |= {m: site_stacks(report, *row) for m, row in SITES.items()}
    return {m: cut(stacks) for m, stacks in found.items() if stacks}


def cut(stacks):
    """Of frames that are deeper than the formats of lines and lists have it, the innermost."""
    found = collections.Counter()
    for stack, value in stacks.items():
        deep = len(stack) - DEEP
        found[('(further callers)', *stack[deep + 1:]) if deep > 0 else stack] += value
    return dict(found)


def colons(stacks):
    found = collections.Counter()
    for stack, value in stacks.items():
        found[tuple(f.replace(';', ':') for f in stack)] += value
    return dict(found)


def same(v, what, got, want):
    v.equal(f'{what}: sum', sum(got.values()), sum(want.values()))
    differ = {s for s in got.keys() | want.keys() if got.get(s, 0) != want.get(s, 0)}
    v.true(f'{what}: stacks', not differ, [(len(s), s[:2], s[-1:], got.get(s), want.get(s))
                                           for s in sorted(differ)[:3]])


def check_folded(tool, want, *words):
    for measure, stacks in want.items():
        got = exports.folded(tool.export('folded', '--measure', measure, *words), measure)
        same(tool.v, f'folded {measure} {words}', got[measure][None], colons(stacks))


def check_threads(v, what, found):
    """Threads together are all of them."""
    for measure, threads in found.items():
        parts = collections.Counter()
        for thread, stacks in threads.items():
            for stack, value in stacks.items() if thread else ():
                parts[stack] += value
        if len(threads) > 1:
            same(v, f'{what} {measure}: threads together', dict(parts), threads[None])


def check_speedscope(tool, want, *words):
    found = exports.speedscope(tool.export('speedscope', *words))
    tool.v.equal('speedscope: measures', sorted(found.keys() - {'cpu'}), sorted(want))
    for measure, stacks in want.items():
        same(tool.v, f'speedscope {measure} {words}', found.get(measure, {}).get(None, {}), stacks)
    check_threads(tool.v, 'speedscope', found)
    return found


def check_pprof(tool, want, *words):
    found = exports.pprof(tool.export('pprof', *words))
    tool.v.equal('pprof: measures', sorted(found.keys() - {'cpu'}), sorted(want))
    for measure, stacks in want.items():
        same(tool.v, f'pprof {measure} {words}', found.get(measure, {}).get(None, {}), stacks)
    check_threads(tool.v, 'pprof', found)
    return found


def by_function(stacks, classes):
    """What each function has itself, and with all below it; a class is no function."""
    own, inclusive = collections.Counter(), collections.Counter()
    for stack, value in stacks.items():
        frames = stack[:-1] if classes else stack
        own[frames[-1]] += value
        for f in set(frames):
            inclusive[f] += value
    return own, inclusive


def check_callgrind(tool, want, *words):
    data = tool.export('callgrind', *words)
    got, calls = exports.callgrind(data)
    tool.v.equal('callgrind: measures', sorted(got.keys() - {'cpu'}), sorted(want))
    for measure, stacks in want.items():
        own, inclusive = by_function(stacks, measure in SITES)
        if not any('(further callers)' in s for s in stacks):    # that many the format itself has not
            tool.v.same_rows(f'callgrind {measure} itself', nonzero(got[measure][0]), own)
            tool.v.same_rows(f'callgrind {measure} with what is below', nonzero(got[measure][1]), inclusive)
        tool.v.equal(f'callgrind {measure}: sum', sum(got[measure][0].values()), sum(stacks.values()))
    if not words:
        for measure, stacks in want.items():
            annotated(tool, data, measure, *by_function(stacks, measure in SITES), stacks)


def nonzero(rows):
    return {name: n for name, n in rows.items() if n}


def annotated(tool, data, measure, own, inclusive, stacks):
    """The format's own reader gives the same figures of every function, not only their sum."""
    path = tool.folder / 'callgrind.out.annotated'
    path.write_bytes(data)
    if any('(further callers)' in s for s in stacks):
        return
    # Below a recursion the two ways in which callgrind_annotate adds up contradict each other.
    recursive = {f for s in stacks if len(set(s)) < len(s) for f in s}
    inclusive = {f: n for f, n in inclusive.items() if f not in recursive}
    for what, option, want in (('itself', 'no', own), ('with what is below', 'yes', inclusive)):
        try:
            done = subprocess.run(['callgrind_annotate', f'--inclusive={option}', '--threshold=100', f'--show={measure}',
                                   f'--sort={measure}', path], capture_output=True, timeout=120, check=True, text=True)
        except FileNotFoundError:
            return
        tool.v.equal('callgrind_annotate: complaint', done.stderr, '')
        rows = re.findall(r'^ *([\d,]+) \([ \d.]+%\) +[^ :]+:(.*?)(?: \[\])?$', done.stdout, re.M)
        got = {name: int(n.replace(',', '')) for n, name in rows if name != '(root)' and
               not (option == 'yes' and name in recursive)}
        tool.v.same_rows(f'callgrind_annotate, {measure} {what}', nonzero(got), nonzero(want))


def check_page(tool, want, *words):
    found = exports.page(tool.export('html', *words))
    tool.v.equal('page: measures', sorted(found.keys() - {'cpu'}), sorted(want))
    for measure, stacks in want.items():
        got = {m: cut(s) for m, s in found.get(measure, {}).items()}
        same(tool.v, f'page {measure} {words}', got.get(None, {}), stacks)
    check_threads(tool.v, 'page', found)
    return found


def page_works(v, tool, node):
    """Search, zoom, choice of measure and thread, the table: the page's own script does them."""
    want = wanted(tool.report())
    path, word = tool.folder / 'report.html', 'Shop'
    path.write_bytes(tool.export('html'))
    driver = pathlib.Path(__file__).resolve().parent.parent / 'tools' / 'drive_page.js'
    done = subprocess.run([node, driver, path, word], capture_output=True, timeout=120, check=False, text=True)
    v.equal('complaint of the page', done.stderr, '')
    said = json.loads(done.stdout or '{}')
    for measure, stacks in want.items():
        own, inclusive = by_function(stacks, False)
        s, total = said[measure], sum(stacks.values())
        v.equal(f'{measure}: in all', s['all'], total)
        v.equal(f'{measure}: threads together', sum(s['threads']), total)
        hit = sum(n for stack, n in stacks.items() if any(word in f for f in stack))
        v.equal(f'{measure}: search', s['found'], f'matched {100 * hit / total:.2f} %')
        v.same_rows(f'{measure} itself', nonzero({r[0]: r[2] for r in s['rows']}), own)
        v.same_rows(f'{measure} with what is below', {r[0]: r[3] for r in s['rows']}, inclusive)
        for what in 'zoomed', 'over', 'table', 'reset':
            v.true(f'{measure}: {what}', s[what], s)


ALL = check_folded, check_speedscope, check_pprof, check_callgrind, check_page


def of_a_thread(tool, report, found):
    """Figures of each thread are those of a report restricted to it."""
    busiest = sorted(report['threads'], key=lambda t: -t['events'])[:3]
    for t in busiest:
        want = wanted(tool.report('--thread', t['id']))
        for measure, threads in found.items():
            got = [stacks for name, stacks in threads.items() if name and name.endswith(t['id'])]
            deep = any('(further callers)' in s for s in want.get(measure, ()))    # cut at another place
            if measure in want and len(found[measure]) > 1 and not deep:
                same(tool.v, f'{measure} of thread {t["id"]}', got[0] if got else {}, want[measure])


def dumped(v, tool, want):
    """The events themselves, counted without a model."""
    text = tool.dump()
    kinds = collections.Counter(re.findall(r'^ *\d+ +\S+ +\S+ (\S+)', text, re.M))
    sizes = sum(map(int, re.findall(r'^ *\d+ +\S+ +\S+ alloc .*?size=(\d+)', text, re.M)))
    for measure, kind in ('samples', 'sample.hit'), ('calls', 'method.enter'), \
            ('exceptions', 'exception.throw'), ('contentions', 'monitor.contention'):
        v.equal(f'{measure} and {kind} in the dump', sum(want.get(measure, {}).values()), kinds[kind])
    if sum(want.get('alloc_objects', {}).values()) == kinds['alloc']:    # every one was recorded
        v.equal('alloc_bytes and sizes in the dump', sum(want.get('alloc_bytes', {}).values()), sizes)
    v.true('the dump has events', len(kinds) > 3, kinds)


def whole(v, tool):
    report = tool.report()
    want = wanted(report)
    v.true('there is something to compare', len(want) > 1, list(want))
    dumped(v, tool, want)
    for check in ALL:
        found = check(tool, want)
        if found:
            of_a_thread(tool, report, found)


def restricted(v, tool):
    report = tool.report()
    duration = report['duration_ns']
    for some in f'{duration // 3}ns..{2 * duration // 3}ns', f'{duration // 2}ns..', f'..{duration // 2}ns':
        if want := wanted(tool.report('--range', some)):
            break
    thread = max(report['threads'], key=lambda t: t['events'])['id']
    of_thread = wanted(tool.report('--thread', thread))
    for check in ALL:
        check(tool, want, '--range', some)
        check(tool, of_thread, '--thread', thread)
    word = 'thread'
    kept = {m: {s: n for s, n in stacks.items() if any(word in f.lower() for f in s)}
            for m, stacks in wanted(report).items()}
    for check in ALL[:1]:
        check(tool, {m: s for m, s in kept.items() if s}, '--filter', word)


def readable(tool):
    """Without --names raw frames are called as the report calls them; a filter finds both names."""
    report = tool.report()
    names = {m['name']: m['readable'] for m in report['methods']}
    want = collections.Counter()
    for stack, n in wanted(report)['calls'].items():
        want[tuple(shown(names.get(f, f)) for f in stack)] += n
    got = exports.folded(tool.export('folded', '--measure', 'calls', '--names', 'readable'), 'calls')
    same(tool.v, 'readable names', got['calls'][None], colons(want))
    tool.v.true('names that differ', any(name != name_of for name, name_of in names.items()))
    for word in next((pair for pair in names.items() if pair[0] != pair[1]), ()):
        some = tool.export('folded', '--measure', 'calls', '--names', 'readable', '--filter', word)
        tool.v.true(f'a filter of {word}', some.strip())
    tool.run('convert', tool.log, '--names', 'raw', '-o', tool.folder / 'log.mlpd', code=2)


def timeline(v, tool):
    """Calls, waits, exceptions, collections with their times: as many and as long as the report says."""
    report = tool.report()
    found, wrong = exports.chrome(tool.export('chrome'))
    v.equal('chrome: form', wrong, [])
    calls, took = collections.Counter(), collections.Counter()
    for e in found['call']:
        calls[e['name']] += 1
        took[e['name']] += round(e['dur'] * 1000)
    methods = [m for m in report['methods'] if m['calls']]
    v.same_rows('chrome: calls', dict(calls), {shown(m['name']): m['calls'] for m in methods})
    own = {m['name']: m for m in report['methods']}
    recursive = {n['method'] for n in report['call_tree'] for up in report['call_tree']
                 if n['parent'] == up['id'] and n['method'] == up['method']}
    for name, ns in took.items():
        if name in own and name not in recursive:
            v.equal(f'chrome: time of {name}', ns, own[name]['total_ns'])
    v.equal('chrome: waits', len(found['lock']), report['locks']['contentions'])
    v.equal('chrome: time waited', sum(round(e['dur'] * 1000) for e in found['lock']), report['locks']['wait_ns'])
    v.equal('chrome: exceptions', len(found['exception']), report['exceptions']['thrown'])
    names = {e['tid']: e['args']['name'] for e in found['__metadata'] if e['name'] == 'thread_name'}
    for t in report['threads']:
        v.equal(f'chrome: thread {t["id"]}', names.get(int(t['id'], 16)), t['name'] or f'thread {t["id"]}')
    collected = json.loads(tool.run('report', tool.log, '--format', 'json', '--section', 'gc').stdout)['gc']
    v.equal('chrome: collections', [round(e['dur'] * 1000) for e in found['gc'] if e['name'].startswith('collection')],
            [c['duration_ns'] for c in collected['collections']])
    busiest = max(report['threads'], key=lambda t: t['events'])
    some, wrong = exports.chrome(tool.export('chrome', '--thread', busiest['id'], '--range', '0.5s..0.6s'))
    v.equal('chrome of a range: form', wrong, [])
    v.equal('chrome of a thread', {e['tid'] for e in some['call']}, {int(busiest['id'], 16)})
    v.true('chrome of a range', all(e['ts'] >= 500000 and e['ts'] + e['dur'] <= 600000.001 for e in some['call']))
    v.true('what the range cuts is marked', any(e['args'].get('cut') for e in some['call']))
    inside = [e for e in found['call'] if e['tid'] == int(busiest['id'], 16) and e['ts'] < 600000
              and e['ts'] + e['dur'] > 500000]
    v.equal('chrome of a range: calls', len(some['call']), len(inside))
    thrown, _ = exports.chrome(tool.export('chrome', '--filter', 'kind:exception.throw'))
    v.equal('chrome with a filter', (len(thrown['exception']), len(thrown['call'])), (report['exceptions']['thrown'], 0))
    v.true('chrome: a mistake in a filter', 'character' in tool.export('chrome', '--filter', '(', code=2))
    v.true('chrome: nothing passes', 'nothing that has a time' in
           tool.export('chrome', '--filter', 'no-such-thing', '--range', '0.1s..0.2s', code=2))


def fox(v, tool):
    """Each measure by stack; markers as many as the report says."""
    report = tool.report()
    for measure, stacks in wanted(report).items():
        threads, markers = exports.firefox(tool.export('firefox', '--measure', measure))
        sums = collections.Counter()
        for own in threads.values():
            sums.update(own)
        same(v, f'firefox {measure}', nonzero(sums), stacks)
    sampled = collections.Counter()
    for t in json.loads(tool.export('firefox', '--measure', 'samples'))['threads']:
        for time, weight in zip(t['samples']['time'], t['samples']['weight']):
            sampled[t['tid'], round(time * 10 ** 6)] += weight
    hits = re.findall(r'^ *\d+ +\S+ +(-?)(\d+)\.(\d{9}) sample\.hit thread=(0x[0-9a-f]+)', tool.dump(), re.M)
    v.same_rows('firefox: times of samples', sampled,
                collections.Counter((int(thread, 16), int(minus + s + ns)) for minus, s, ns, thread in hits))
    kinds = collections.Counter(m[0] for m in markers)
    v.equal('firefox: markers', dict(kinds), {'Wait': report['locks']['contentions'],
                                              'Exception': report['exceptions']['thrown'], 'GC': kinds['GC']})
    v.equal('firefox: time waited', sum(m[3] for m in markers if m[0] == 'Wait'), report['locks']['wait_ns'])
    busiest = max(report['threads'], key=lambda t: t['events'])['id']
    threads, markers = exports.firefox(tool.export('firefox', '--measure', 'calls', '--thread', busiest, '--range', '0.5s..1s'))
    want = wanted(tool.report('--thread', busiest, '--range', '0.5s..1s'))
    same(v, 'firefox of a thread and a range', nonzero(sum(threads.values(), collections.Counter())), want['calls'])
    v.true('markers of a range', markers and all(500000000 <= m[2] < 1000000000 for m in markers))


def zipped(v, tool):
    """A name that ends in .gz as well is gzipped on top: the same bytes within, without a time of its own."""
    for ending in '.firefox.json', '.trace.json', '.speedscope.json', '.folded', '.html', '.callgrind':
        plain, packed = (tool.folder / f'zipped{ending}{more}' for more in ('', '.gz'))
        for path in plain, packed:
            tool.run('convert', tool.log, '--waits', '-o', path)
        data = packed.read_bytes()
        v.equal(f'{ending}.gz: its head', data[:9], b'\x1f\x8b\x08' + bytes(6))
        v.true(f'{ending}.gz: what is in it', gzip.decompress(data) == plain.read_bytes())
    twice = tool.folder / 'zipped.pb.gz'
    tool.run('convert', tool.log, '-o', twice)
    v.true('pprof is not packed twice', gzip.decompress(twice.read_bytes())[:2] != b'\x1f\x8b')


def refused(v, tool):
    complaint = tool.export('folded', '--measure', 'live_bytes', code=2)
    v.true('a measure that is not there', 'not recorded' in complaint, complaint)
    complaint = tool.export('folded', '--measure', 'nothing', code=2)
    v.true('a measure that is none', 'wants one of' in complaint, complaint)
    complaint = tool.export('speedscope', '--measure', 'samples', code=2)
    v.true('a measure of a format that has all', 'without --measure' in complaint, complaint)
    there = tool.folder / 'there.folded'
    there.write_text('mine')
    tool.run('convert', tool.log, '-o', there, code=2)
    v.equal('a file that is there stays', there.read_text(), 'mine')
    full = tool.run('convert', tool.log, '--to', 'folded', '-o', '/nowhere/x.folded', code=125)
    v.true('an output that cannot be', b'cannot write' in full.stderr, full.stderr)


def go_reads(v, tool, go):
    """Go's own pprof has the same rows, and takes a file from itself."""
    want = wanted(tool.report())
    path = tool.folder / 'profile.pb.gz'
    path.write_bytes(tool.export('pprof'))
    env = os.environ | {'PPROF_TMPDIR': str(tool.folder), 'HOME': str(tool.folder)}

    def pprof(*words):
        return subprocess.run([go, 'tool', 'pprof', '-nodefraction=0', '-nodecount=100000', *words],
                              env=env, capture_output=True, text=True, timeout=120, check=True).stdout
    for measure in 'samples', 'calls', 'alloc_objects', 'contentions', 'exceptions':
        text = pprof('-top', f'-sample_index={measure}', path)
        rows = re.findall(r'^ *(\d+) +\S+% +\S+% +(\d+) +\S+%  (.*)$', text, re.M)
        own, inclusive = by_function(want[measure], measure in SITES)
        v.same_rows(f'{measure} after pprof', nonzero({n: int(flat) for flat, _, n in rows}), own)
        v.same_rows(f'{measure} with what is below after pprof', {n: int(cum) for _, cum, n in rows}, inclusive)
        total = re.search(r'of (\d+) total', text)
        v.equal(f'{measure}: total after pprof', total and int(total[1]), sum(own.values()))
    v.true('nothing is left of a difference', ', 0% of 0 total' in pprof('-top', '-base', path, path) or
           'accounting for 0, ' in pprof('-top', '-base', path, path), pprof('-top', '-base', path, path))
    parts = {}
    for side, some in ('base', '..0.8s'), ('new', '0.8s..'):
        parts[side] = tool.folder / f'{side}.pb.gz'
        parts[side].write_bytes(tool.export('pprof', '--range', some))
    differ(tool, pprof, parts)


def differ(tool, pprof, parts):
    """Differences of two parts of a log after pprof are those that `diff` has."""
    ours = json.loads(tool.run('diff', tool.log, '--base-range', '..0.8s', '--range', '0.8s..', '--per', 'none', '--all',
                               '--names', 'exact', '--format', 'json').stdout)
    for measure, section in ('calls', 'methods.calls'), ('self', 'methods.self_ns'):
        text = pprof('-top', '-unit=ns', f'-sample_index={measure}', '-diff_base', parts['base'], parts['new'])
        rows = re.findall(r'^ *(-?\d+)(?:ns)? +-?\S+% +-?\S+% +(-?\d+)(?:ns)? +-?\S+%  (.*)$', text, re.M)
        theirs = {n: int(flat) for flat, _, n in rows if int(flat)}
        own = {shown(r['name']): r['change'] for r in ours[section] if r['change']}
        tool.v.true(f'{measure}: there are differences', len(own) > 3, own)
        tool.v.same_rows(f'{measure}: differences after pprof', theirs, own)


def record(case, folder, what, module, dotnet):
    log = pathlib.Path(folder, 'log.mlpd')
    if case in ('golden', 'go', 'page'):
        log.write_bytes(gzip.decompress(pathlib.Path(what).read_bytes()))
    elif case == 'mono':
        # Deeper than what the formats cut at; to read thousands of frames in each of thousands of rows takes long.
        options = f'nodefaults,calls,calldepth={DEEP + 88},alloc,exception,monitor,sample,gc'
        with target.Mono(what, 'calls throws locks'.split(), options, log) as program:
            program.wait()
    elif case == 'native':
        with target.Native(what, 'calls allocs unwound spin'.split(), log) as program:
            program.wait()
    else:
        import test_clr    # pylint: disable=import-outside-toplevel
        with test_clr.Probed(dotnet, what, 'calls throws locks spin'.split(),
                             'sample=200,alloc,exception,monitor', log, module) as program:
            program.wait()
    return log


def main(case, profview, what, module='none', dotnet='none'):
    go, node = shutil.which('go'), shutil.which('node')
    if what == 'none' or (case == 'go' and not go) or (case == 'page' and not node):
        sys.exit(target.SKIP)
    v = Verdict(f'export {case}')
    with target.scratch() as folder:
        tool = Tool(profview, record(case, folder, what, module, dotnet), folder, v)
        if case == 'go':
            go_reads(v, tool, go)
            v.close()
        if case == 'page':
            page_works(v, tool, node)
            v.close()
        whole(v, tool)
        if case in ('golden', 'mono'): # a range or a thread is cut from the model, whoever filled it
            restricted(v, tool)
        if case == 'golden':
            readable(tool)
            timeline(v, tool)
            fox(v, tool)
            zipped(v, tool)
            refused(v, tool)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

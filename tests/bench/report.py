#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast `profview report` reads a call-heavy log, beside mprof-report on the same file.

usage: report.py PROFVIEW [--log FILE ...] [--runs N] [--large]
Without --log, the C# compiler is traced while it compiles a large made-up program, until the log
has 50 MB, and gendarme (installed where it is missing and this may) while it checks one of its
own libraries: 150 MB; with --large four of them: 140 million events in 790 MB. Calls, allocations
and samples are recorded. Prints the median of N runs each in alternating order: wall and processor
time, ns an event, the ratio, the greatest resident size (mapped pages included), and every target
that is missed. Where others want the processors too, compare processor times: how busy it was is
said. Then what the parts of reading cost, in processor time on one core: totals only; with the call
tree and all other figures of a report; with time buckets and the rolling window (report_steps, from
the build folder that PROFVIEW is in). This measures; it is no test.

Each program runs twice in a row. The second run is the one that counts: in the first a virtual
machine's host may have to find the memory again that it took back while the program before needed
little, at several milliseconds a megabyte. What the first took stands below.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LEAST = 50_000_000
MCS = '/usr/lib/mono/4.5/mcs.exe'
GENDARME = '/usr/lib/gendarme/gendarme.exe'

CLASS = '''
class C{0} {{
	int x;
	List<int> l = new List<int> ();
	Dictionary<string, C{0}> d = new Dictionary<string, C{0}> ();
	public int M (int a, string b)
	{{
		int s = x = a;
		for (int i = 0; i < a; i++) {{
			s += l [i] * a + b.Length;
			if (s > 100)
				s -= l.Where (v => v > s).Select (v => v * 2).Sum ();
		}}
		d [b] = this;
		return s;
	}}
	public override string ToString () {{ return string.Format ("{{0}} {{1}}", x, l.Count); }}
}}
'''


def write_program(path, classes):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('using System;\nusing System.Collections.Generic;\nusing System.Linq;\n')
        f.writelines(CLASS.format(i) for i in range(classes))
        f.write('static class P { static void Main () { Console.WriteLine (new C0 ()); } }\n')


def traced(log, *command):
    done = subprocess.run(['mono', f'--profile=log:nodefaults,calls,alloc,sample,output={log}', *command],
                          capture_output=True, text=True, check=False, timeout=600)
    if done.returncode not in (0, 1) or not log.exists():
        sys.exit(f'{command[0]}: exit {done.returncode}: {done.stderr[-400:]}')
    return log


def make_logs(folder, large):
    source, program = folder / 'big.cs', folder / 'big.exe'
    classes = 1000
    while True:
        write_program(source, classes)
        log = traced(folder / 'mcs.mlpd', MCS, f'-out:{program}', str(source))
        if log.stat().st_size >= LEAST:
            break
        classes = classes * LEAST // log.stat().st_size + 100
    yield 'mcs', log
    if not os.path.exists(GENDARME):
        subprocess.run(['apt-get', 'install', '-y', '-qq', 'gendarme'], check=False,
                       stdout=subprocess.DEVNULL)
    if not os.path.exists(GENDARME):
        print('MISSED: gendarme is not installed and could not be: not measured')
        return
    checked = [os.path.join(os.path.dirname(GENDARME), f'{name}.dll') for name in
               ('Gendarme.Framework', 'Mono.Cecil', 'Gendarme.Rules.Correctness',
                'Gendarme.Rules.Performance')[:4 if large else 1]]
    yield 'gendarme', traced(folder / 'gendarme.mlpd', GENDARME, '--quiet', *checked)


def run(command):
    """Wall seconds, processor seconds and greatest resident KiB of one run."""
    start = time.monotonic()
    with open(os.devnull, 'wb') as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f'{" ".join(command)}: exit {process.returncode}')
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def events_in(profview, log):
    done = subprocess.run([profview, 'report', str(log), '--no-index', '--format', 'json',
                           '--section', 'events'], capture_output=True, check=True)
    return sum(json.loads(done.stdout)['events'].values())


# What a reader needs at most: times as fast as mprof-report, MiB.
TARGETS = {'profview --jobs 2': (6, 256), 'profview --jobs 1': (3.5, 256)}


def measure(name, log, profview, runs):
    own = [profview, 'report', str(log), '--no-index', '--jobs']
    commands = {'mprof-report': ['mprof-report', str(log)],
                'profview --jobs 2': [*own, '2'], 'profview --jobs 1': [*own, '1']}
    times = {k: [] for k in commands}
    first = {k: [] for k in commands}
    busy = {k: [] for k in commands}
    peak = dict.fromkeys(commands, 0)
    events = events_in(profview, log)
    for i in range(runs):
        order = list(commands.items())
        for key, command in order if i % 2 == 0 else reversed(order):
            first[key].append(run(command)[0])
            took, cpu, rss = run(command)
            times[key].append(took)
            busy[key].append(cpu)
            peak[key] = max(peak[key], rss)
    size = log.stat().st_size
    print(f'{name}: {size / 1e6:.1f} MB, {events} events, {os.cpu_count()} processors, median of '
          f'{runs}; load {os.getloadavg()[0]:.1f}')
    theirs = {what: statistics.median(v['mprof-report']) for what, v in
              (('wall', times), ('first', first), ('cpu', busy))}
    for key in commands:
        wall, cpu = statistics.median(times[key]), statistics.median(busy[key])
        print(f'  {key:18} {wall:7.3f} s ({min(times[key]):.3f}..{max(times[key]):.3f}) '
              f'{wall / events * 1e9:5.1f} ns/event {size / 1e6 / wall:6.0f} MB/s '
              f'{theirs["wall"] / wall:5.2f}x; cpu {cpu:.3f} s {cpu / events * 1e9:5.1f} ns/event '
              f'{theirs["cpu"] / cpu:5.2f}x; {peak[key] / 1024:.0f} MiB')
        least, most = TARGETS.get(key, (0, 1 << 30))
        if theirs['wall'] / wall < least:
            print(f'  MISSED: {key}: {theirs["wall"] / wall:.2f}x of {least}x')
        if peak[key] / 1024 > most:
            print(f'  MISSED: {key}: {peak[key] / 1024:.0f} MiB of {most}')
    for key in commands:
        took = statistics.median(first[key])
        print(f'  {key:18} {took:7.3f} s ({min(first[key]):.3f}..{max(first[key]):.3f}) '
              f'{theirs["first"] / took:5.2f}x: first runs, behind another program')
    if os.getloadavg()[0] > 2.5 + os.cpu_count():
        print('  others were busy: the wall times say little')


def steps(log, profview, runs):
    """What is paid for what: each line is all of the one before, and more."""
    program = pathlib.Path(profview).resolve().parent / 'tests' / 'report_steps'
    if not program.exists():
        print(f'  MISSED: {program} is not built: what the parts cost is not known')
        return
    done = subprocess.run([program, str(log), str(runs)], capture_output=True, check=True, text=True)
    took = json.loads(done.stdout)
    before = 0
    for key, what in (('totals', 'totals only'), ('tree', 'plus call tree, sites, names'),
                      ('buckets', 'plus buckets and windows')):
        print(f'  {what:29} cpu {took[key]:.3f} s {took[key] / took["events"] * 1e9:5.1f} ns/event '
              f'({(took[key] - before) / took["events"] * 1e9:+.1f})')
        before = took[key]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('profview')
    p.add_argument('--log', type=pathlib.Path, action='append')
    p.add_argument('--runs', type=int, default=5)
    p.add_argument('--large', action='store_true')
    a = p.parse_args()
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as folder:
        logs = [(log.name, log) for log in a.log or []] or \
            make_logs(pathlib.Path(folder), a.large)
        for name, log in logs:
            measure(name, log, a.profview, a.runs)
            steps(log, a.profview, a.runs)


if __name__ == '__main__':
    main()

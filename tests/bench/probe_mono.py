#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What watching a Mono program costs: our module beside the stock log profiler, same program.

usage: probe_mono.py MODULE [--runs N] [--scale N] [--stacks]
Programs: fib and a chain of small methods (every method entered and left), on one and two threads,
objects (every allocation), the C# compiler, and gendarme where it is installed. Each runs bare,
under the stock profiler and under ours, in turn; printed are the medians of the time added, the
ratio, bytes an event, ns of the added time an event (of those that are in the time: our own programs
do their work once before, unmeasured), the same from the least of each time, which another load of the
machine changes less, and what was lost (a figure with losses is void). With --stacks events that have a stack instead: allocations fifteen frames deep, handles, exceptions,
finalized objects; in processor time, as others use the machine, too. This measures; it is no test.
"""
import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = '''
using System; using System.Diagnostics; using System.Threading;
class Work {
	static int Fib (int n) { return n < 2 ? n : Fib (n - 1) + Fib (n - 2); }
	static int A (int x) { return B (x) + 1; }
	static int B (int x) { return C (x) + 1; }
	static int C (int x) { return x ^ 1; }
	static void Chain (int n) { int s = 0; for (int i = 0; i < n; i++) s += A (i); sum = s; }
	static volatile int sum; static object kept;
	static void Objects (int n) { for (int i = 0; i < n; i++) kept = new object (); }
	static void Main (string[] a) {
		int n = int.Parse (a [1]), threads = int.Parse (a [2]);
		ThreadStart run = () => { if (a [0] == "fib") Fib (n); else if (a [0] == "chain") Chain (n);
			else Objects (n); };
		run ();
		var watch = Stopwatch.StartNew ();
		var t = new Thread [threads];
		for (int i = 0; i < threads; i++) { t [i] = new Thread (run); t [i].Start (); }
		for (int i = 0; i < threads; i++) t [i].Join ();
		Console.WriteLine ("took " + watch.Elapsed.TotalMilliseconds.ToString ("F3",
			System.Globalization.CultureInfo.InvariantCulture));
	}
}
'''


STACKS = '''
using System; using System.Runtime.InteropServices;
class Dying { ~Dying () { } }
class Stacks {
	static object sink = new object ();
	static void Deep (int depth, Action<int> what, int n) { if (depth == 0) what (n); else Deep (depth - 1, what, n); }
	static void Allocate (int n) { for (int i = 0; i < n; i++) sink = new object (); }
	static void Handle (int n) { for (int i = 0; i < n / 2; i++) GCHandle.Alloc (sink).Free (); }
	static void Throw (int n) {
		for (int i = 0; i < n; i++) try { throw new FormatException (); } catch (FormatException) { }
	}
	static void Finalize (int n) {
		for (int i = 0; i < n; i++) {
			new Dying ();
			if (i % 100000 == 0) { GC.Collect (); GC.WaitForPendingFinalizers (); }
		}
	}
	static void Main (string[] a) {
		Action<int> what = a [0] == "allocation" ? Allocate : a [0] == "handle" ? Handle
			: a [0] == "exception" ? (Action<int>) Throw : Finalize;
		Deep (12, what, int.Parse (a [1]));
	}
}
'''
KINDS = (('allocation', 2000000, 'gcalloc'), ('handle', 1000000, 'gchandle'), ('exception', 200000, 'exception'),
         ('finalized', 1000000, 'finalization'))


def build(folder, text=SOURCE):
    source, exe = folder / 'work.cs', folder / 'work.exe'
    source.write_text(text, encoding='utf-8')
    subprocess.run(['mcs', '-optimize', f'-out:{exe}', str(source)], check=True)
    return exe


def run(profile, command, env):
    """Seconds: what the program says it took, else from start to end."""
    words = ['mono', *([f'--profile={profile}'] if profile else []), *map(str, command)]
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    wall = time.monotonic() - start
    if done.returncode not in (0, 1):
        sys.exit(f'{words}: exit {done.returncode}: {done.stderr[-300:]}')
    said = re.search(r'^took ([0-9.]+)$', done.stdout, re.M)
    return float(said.group(1)) / 1000 if said else wall


def events(log):
    """Events of the log, and events lost, after mprof-report's own count of the kinds."""
    done = subprocess.run(['mprof-report', '--reports=call,alloc,counters', str(log)], capture_output=True,
                          text=True, check=False)
    calls = re.search(r'Total calls: (\d+)', done.stdout)
    allocs = re.search(r'Total memory allocated: \d+ bytes in (\d+)d? objects', done.stdout)
    lost = re.search(r'lost events.*?:\s*(\d+)', done.stdout)
    return (2 * int(calls.group(1)) if calls else 0) + (int(allocs.group(1)) if allocs else 0), \
        int(lost.group(1)) if lost else 0


def compare(name, command, options, folder, env, runs, measured=1.0):
    """measured: the part of the events that falls into the time which the program tells."""
    logs = {'stock': folder / 'stock.mlpd', 'ours': folder / 'ours.mlpd'}
    profile = {'bare': None, 'stock': f'log:nodefaults,{options},output={logs["stock"]}',
               'ours': f'profview:nodefaults,{options},output={logs["ours"]}'}
    times = {k: [] for k in profile}
    for i in range(runs):
        order = list(profile)
        for k in order if i % 2 else reversed(order):
            if k in logs:
                logs[k].unlink(missing_ok=True)
            times[k].append(run(profile[k], command, env))
    t = {k: statistics.median(v) for k, v in times.items()}
    least = max(min(times['ours']) - min(times['bare']), 0)
    size = {k: logs[k].stat().st_size for k in logs}
    n, lost = events(logs['ours'])
    added = {k: max(t[k] - t['bare'], 1e-9) for k in logs}
    print(f'{name:18} {t["bare"]:8.3f} {added["stock"]:9.3f} {added["ours"]:9.3f} '
          f'{added["stock"] / added["ours"]:6.1f}x {size["stock"] / max(n, 1):6.2f} '
          f'{size["ours"] / max(n, 1):6.2f} {added["ours"] / max(n * measured, 1) * 1e9:8.1f} '
          f'{least / max(n * measured, 1) * 1e9:8.1f} {lost:6}', flush=True)


def processor_time(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def stacks(folder, env, runs, scale):
    exe = build(folder, STACKS)
    print(f'{"event":12} {"stock +us":>10} {"ours +us":>10} {"ratio":>7} {"B/ev":>7} {"ours":>7}')
    for kind, n, word in KINDS:
        command = ['mono', exe, kind, str(n * scale)]
        logs = {k: folder / f'{k}.mlpd' for k in ('log', 'profview')}
        took = {k: [] for k in ('bare', *logs)}
        for _ in range(runs):
            took['bare'].append(processor_time(command, env))
            for name, log in logs.items():
                log.unlink(missing_ok=True)
                profile = f'--profile={name}:nodefaults,{word},output={log}'
                took[name].append(processor_time([command[0], profile, *command[1:]], env))
        t = {k: statistics.median(v) for k, v in took.items()}
        us = {k: (t[k] - t['bare']) * 1e6 / n / scale for k in logs}
        size = {k: log.stat().st_size / n / scale for k, log in logs.items()}
        print(f'{kind:12} {us["log"]:10.2f} {us["profview"]:10.2f} {us["log"] / us["profview"]:6.1f}x '
              f'{size["log"]:7.2f} {size["profview"]:7.2f}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('module')
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--scale', type=int, default=1)
    parser.add_argument('--stacks', action='store_true')
    a = parser.parse_args()
    env = dict(os.environ, LD_LIBRARY_PATH=str(pathlib.Path(a.module).resolve().parent))
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as folder:
        folder = pathlib.Path(folder)
        if a.stacks:
            stacks(folder, env, a.runs, a.scale)
            return
        exe = build(folder)
        print(f'{"program":18} {"bare s":>8} {"stock +s":>9} {"ours +s":>9} {"ratio":>7} '
              f'{"B/ev":>6} {"ours":>6} {"ns/ev":>8} {"least":>8} {"lost":>6}')
        for threads in 1, 2:
            compare(f'fib, {threads}', [exe, 'fib', 27, threads], 'calls', folder, env, a.runs,
                    threads / (threads + 1))
            compare(f'chain, {threads}', [exe, 'chain', 400000 * a.scale, threads], 'calls', folder,
                    env, a.runs, threads / (threads + 1))
        compare('objects', [exe, 'objects', 2000000 * a.scale, 1], 'gcalloc,maxframes=0', folder, env,
                a.runs, 1 / 2)
        compare('mcs', ['/usr/lib/mono/4.5/mcs.exe', f'-out:{folder}/again.exe', folder / 'work.cs'],
                'calls', folder, env, a.runs)
        gendarme = pathlib.Path('/usr/lib/gendarme/gendarme.exe')
        if gendarme.exists():
            compare('gendarme', [gendarme, '--quiet', exe], 'calls,gcalloc,maxframes=0', folder, env,
                    a.runs)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What watching a .NET program costs: our module beside none, and beside hooks that note nothing.

usage: probe_clr.py MODULE [--runs N] [--scale N]
Programs: fib and a chain of small methods (every call), on one and two threads, and objects (every
allocation, and sampled). Each runs bare, with empty hooks and recorded, in turn; printed are the
medians of the CPU time added (other load does not count), the ratios, ns and bytes an event, and
what was lost (a figure with losses is void). The program is compiled with its tiers off, so that all its code is final. This
measures; it is no test.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

SOURCE = '''
using System; using System.Threading; using System.Runtime.InteropServices;
using System.Runtime.CompilerServices;
class Work {
	const MethodImplOptions Own = MethodImplOptions.NoInlining;
	[MethodImpl (Own)] static int Fib (int n) { return n < 2 ? n : Fib (n - 1) + Fib (n - 2); }
	[MethodImpl (Own)] static int A (int x) { return B (x) + 1; }
	[MethodImpl (Own)] static int B (int x) { return C (x) + 1; }
	[MethodImpl (Own)] static int C (int x) { return x ^ 1; }
	static void Chain (int n) { int s = 0; for (int i = 0; i < n; i++) s += A (i); sum = s; }
	static volatile int sum; static object kept;
	static void Objects (int n) { for (int i = 0; i < n; i++) kept = new object (); }
	struct Time { public long Seconds, Nanoseconds; }
	[DllImport ("libc")] static extern int clock_gettime (int clock, out Time ret);
	static long Cpu () {
		Time t; clock_gettime (3, out t); return t.Seconds * 1000000000 + t.Nanoseconds;
	}
	static void Main (string[] a) {
		int n = int.Parse (a [1]), threads = int.Parse (a [2]);
		long cpu = 0;
		ThreadStart run = () => {
			long start = Cpu ();
			if (a [0] == "fib") Fib (n); else if (a [0] == "chain") Chain (n); else Objects (n);
			Interlocked.Add (ref cpu, Cpu () - start);
		};
		run ();
		cpu = 0;
		var t = new Thread [threads];
		for (int i = 0; i < threads; i++) { t [i] = new Thread (run); t [i].Start (); }
		for (int i = 0; i < threads; i++) t [i].Join ();
		Console.WriteLine ("took " + cpu);
	}
}
'''
GUID = '{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}'


def run(module, options, command):
    """Seconds of the working threads' CPU time, added up, after the program itself."""
    env = os.environ | {'DOTNET_TieredCompilation': '0', 'DOTNET_TieredPGO': '0'}
    if options is not None:
        env |= {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': GUID,
                'CORECLR_PROFILER_PATH': module, 'PROFVIEW_OPTIONS': options}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    said = re.search(r'^took (\d+)$', done.stdout, re.M)
    if done.returncode or not said:
        sys.exit(f'{command}: exit {done.returncode}: {done.stderr[-300:]}')
    return int(said.group(1)) / 1e9


def events(profview, log):
    done = subprocess.run([profview, 'report', str(log), '--format', 'json', '--section',
                           'events,counters', '--no-index'], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    kinds = report['events']
    lost = sum(c['samples'][-1][1] for c in report['counters'] or []
               if c['name'] == 'lost events' and c['samples'])
    return sum(n for k, n in kinds.items() if k in ('method.enter', 'method.leave', 'alloc')), lost


def main():
    args = argparse.ArgumentParser()
    args.add_argument('module')
    args.add_argument('--runs', type=int, default=5)
    args.add_argument('--scale', type=int, default=1)
    args = args.parse_args()
    module = str(pathlib.Path(args.module).resolve())
    profview = str(pathlib.Path(module).parent.parent / 'profview')
    build = pathlib.Path(__file__).parent.parent / 'real' / 'build_clr.py'
    dotnet = shutil.which('dotnet')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, log = folder / 'work.cs', folder / 'log.mlpd'
        source.write_text(SOURCE, encoding='utf-8')
        subprocess.run([sys.executable, build, dotnet, folder / 'work.dll', source], check=True)
        options = f'buffer=512m,output={log}'
        only = 'filter=a:work'
        rows = [(name, [name, n * args.scale, threads], f'nodefaults,calls,{only},emptycalls,{options}',
                 f'nodefaults,calls,{only},{options}')
                for name, n in (('fib', 31), ('chain', 1000000)) for threads in (1, 2)]
        rows += [(f'objects {word}', ['objects', 3000000 * args.scale, 1], None,
                  f'nodefaults,{word},maxframes=0,{options}') for word in ('gcalloc', 'alloc=512k')]
        for name, words, empty, ours in rows:
            command = [dotnet, str(folder / 'work.dll'), *map(str, words)]
            took = {'bare': [], 'empty': [], 'ours': []}
            for _ in range(args.runs):
                took['bare'].append(run(module, None, command))
                if empty:
                    took['empty'].append(run(module, empty, command))
                took['ours'].append(run(module, ours, command))
            n, lost = events(profview, log)
            bare, with_us = statistics.median(took['bare']), statistics.median(took['ours'])
            line = f'{name:20} {words[2]} thread{"s" if words[2] > 1 else " "}'
            line += f'  bare {bare:7.3f} s  ours {with_us:7.3f} s ({with_us / bare:6.1f}x)'
            timed = n * words[2] / (words[2] + 1)   # the first round is not in the time
            if n:
                line += f'  {(with_us - bare) * 1e9 / timed:6.1f} ns an event'
                line += f', {log.stat().st_size / n:4.2f} bytes'
            if empty:
                nothing = statistics.median(took['empty'])
                line += f'  empty {nothing:7.3f} s, ours is {with_us / nothing:5.1f}x that'
                line += f', {(with_us - nothing) * 1e9 / timed:5.1f} ns more'
            print(line + (f'  VOID: {lost} events lost' if lost else ''), flush=True)


if __name__ == '__main__':
    main()

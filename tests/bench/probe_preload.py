#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What watching a native program costs: the preloaded library beside uftrace and heaptrack.

usage: probe_preload.py LIBRARY [--runs N] [--scale N]
Programs compiled with -finstrument-functions: fib and a chain of small functions, on one and two
threads, bare, under `uftrace record` and under ours; pairs of malloc and free, bare, under heaptrack
and under ours (all blocks, with frees, sampled). In turn, medians of the time added, which the
programs measure themselves: processor time of the threads at work (what a busy machine disturbs
least), and in brackets from start to end. What was lost voids a figure. This measures; it is no test.
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

SOURCE = r'''
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define QUIET __attribute__((no_instrument_function))
#define KEPT __attribute__((noinline, noclone))
static volatile int sink;
KEPT int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
KEPT int c(int x) { return x ^ sink; }
KEPT int b(int x) { return c(x) + 1; }
KEPT int a(int x) { return b(x) + 1; }
QUIET static void chain(int n) { for (int i = 0; i < n; i++) sink = a(i); }
QUIET static void blocks(int n)
{
	void *held[64] = { 0 };
	for (int i = 0; i < n; i++) {
		free(held[i % 64]);
		held[i % 64] = malloc(16 + i % 200);
	}
	for (int i = 0; i < 64; i++)
		free(held[i]);
}
static const char *what;
static int n;
static atomic_long cpu_ns;
QUIET static long cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
QUIET static void *run(void *arg)
{
	long from = cpu();
	if (!strcmp(what, "fib")) sink = fib(n);
	else if (!strcmp(what, "chain")) chain(n);
	else blocks(n);
	cpu_ns += cpu() - from;
	return arg;
}
QUIET int main(int argc, char **argv)
{
	pthread_t t[8];
	struct timespec from, to;
	int threads = atoi(argv[3]);
	what = argv[1];
	n = atoi(argv[2]);
	int whole = n;
	n = whole > 1000 ? 1000 : 10;
	run(NULL); /* warm */
	cpu_ns = 0;
	n = whole;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < threads; i++) pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("took %.3f %.3f\n", cpu_ns / 1e6,
		(to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6);
	return argc < 4;
}
'''


def build(folder):
    source, exe = folder / 'work.c', folder / 'work'
    source.write_text(SOURCE, encoding='utf-8')
    subprocess.run(['cc', '-O2', '-g', '-finstrument-functions', '-o', exe, source, '-pthread'], check=True)
    return exe


def took(command, env=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True,
                          env=dict(os.environ, **(env or {})))
    found = re.search(r'took ([\d.]+) ([\d.]+)', done.stdout)
    return float(found[1]), float(found[2])


def lost(log, profview):
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section', 'source'],
                          capture_output=True, text=True)
    states = {c["what"]: c["state"] for c in json.loads(done.stdout)["coverage"]}
    return states["losses"] != "complete"


class Ways:
    def __init__(self, folder, exe, library):
        self.folder, self.exe, self.library = folder, exe, library
        self.log = folder / 'log.mlpd'

    def bare(self, args):
        return took([self.exe, *args])

    def ours(self, args, options):
        env = {'LD_PRELOAD': self.library, 'PROFVIEW_OPTIONS': f'output={self.log},buffer=1g,{options}'}
        return took([self.exe, *args], env)

    def uftrace(self, args):
        where = self.folder / 'uftrace'
        shutil.rmtree(where, ignore_errors=True)
        return took(['uftrace', 'record', '--no-libcall', '-d', where, self.exe, *args])

    def heaptrack(self, args):
        return took(['heaptrack', '-o', self.folder / 'heaptrack', self.exe, *args])


def measure(ways, args, columns, runs):
    """Medians of what each way adds to the bare run beside it: processor time, time."""
    added = {name: [] for name in columns}
    bare = []
    for _ in range(runs):
        base = ways.bare(args)
        bare.append(base)
        for name, way in columns.items():
            took_now = way(args)
            added[name].append([t - b for t, b in zip(took_now, base)])
    middle = lambda rows: [statistics.median(column) for column in zip(*rows)]
    return middle(bare), {name: middle(rows) for name, rows in added.items()}


def pair(ms):
    return f'{ms[0]:8.2f} ({ms[1]:8.2f})'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('library')
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--scale', type=int, default=1)
    a = parser.parse_args()
    library = os.path.abspath(a.library)
    profview = pathlib.Path(library).parent.parent / 'profview'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ways = Ways(folder, build(folder), library)
        print('calls: ms added; uftrace / ours')
        for what, n, per in (('fib', 24 + a.scale, None), ('chain', 200000 * a.scale, 3)):
            for threads in (1, 2):
                args = [what, n, threads]
                columns = {'ours': lambda x: ways.ours(x, 'calls')}
                if shutil.which('uftrace'):
                    columns['uftrace'] = ways.uftrace
                bare, added = measure(ways, args, columns, a.runs)
                ways.ours(args, 'calls')
                void = ' VOID: events were lost' if lost(ways.log, profview) else ''
                theirs = added.get('uftrace', [0, 0])
                size = ways.log.stat().st_size
                print(f'  {what:6} {threads} thread(s): bare {pair(bare)}  ours {pair(added["ours"])}  uftrace '
                      f'{pair(theirs)}  ratio {theirs[0] / added["ours"][0]:5.2f}  log {size} bytes{void}')
        print('malloc and free: ms added; heaptrack / ours')
        args = ['blocks', 300000 * a.scale, 1]
        columns = {o: (lambda x, o=o: ways.ours(x, 'calls=off,' + o))
                   for o in ('malloc', 'malloc,free', 'malloc,heapshot', 'alloc=512k')}
        if shutil.which('heaptrack'):
            columns['heaptrack'] = ways.heaptrack
        bare, added = measure(ways, args, columns, a.runs)
        for name, ms in added.items():
            ratio = added.get('heaptrack', [0])[0] / ms[0] if ms[0] else 0
            print(f'  {name:16} bare {pair(bare)}  added {pair(ms)}  {ms[0] * 1e6 / args[1]:7.1f} ns a pair  '
                  f'ratio {ratio:6.1f}')


if __name__ == '__main__':
    sys.exit(main())

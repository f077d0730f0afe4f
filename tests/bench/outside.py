#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What watching from outside costs: processor time of the program with and without, by turns, and the recorder's own.

usage: outside.py PROFVIEW_OUTSIDE [--pairs N] [--rates HZ,...] [--threads N] [--sleep US] [--words WORDS]
This measures; it is no test. The program does the same work each time and says what it used for it; with --sleep each thread
sleeps for so long after each of its 200 parts. Waits are recorded unless --words has nowaits.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

WORK = r'''
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) static unsigned leaf(unsigned n) { unsigned s = n | 1; for (int i = 0; i < 2000; i++) s = s * 1664525u + 1013904223u; return s; }
__attribute__((noinline)) static unsigned below(int n) { volatile char frame[64]; frame[0] = (char)n; return (n ? below(n - 1) : leaf(sink)) + (unsigned)frame[0]; }
static long pause_us;
static void *work(void *arg) { long n = *(long *)arg, part = n / 200 + 1; for (long i = n; i > 0; i--) { sink = below(12); if (pause_us && i % part == 0) usleep((unsigned)pause_us); } return arg; }
int main(int argc, char **argv)
{
	long n = atol(argv[1]), threads = atol(argv[2]);
	pause_us = atol(argv[3]);
	pthread_t t[256];
	struct rusage u;
	puts("begun"); fflush(stdout); getchar();
	for (long i = 0; i < threads; i++) pthread_create(&t[i], 0, work, &n);
	for (long i = 0; i < threads; i++) pthread_join(t[i], 0);
	getrusage(RUSAGE_SELF, &u);
	printf("%ld\n", u.ru_utime.tv_sec * 1000000 + u.ru_utime.tv_usec + u.ru_stime.tv_sec * 1000000 + u.ru_stime.tv_usec);
	fflush(stdout); getchar();
	return 0;
}
'''
ROUNDS = 600000
TICK = os.sysconf('SC_CLK_TCK')


def used(pid):
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def run(program, a, hz, log):
    """us of processor time of the program; with a recorder its share of a processor from its start to its end, in %."""
    p = subprocess.Popen([program, str(ROUNDS // a.threads), str(a.threads), str(a.sleep)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    began, r = time.monotonic(), None
    if hz:
        r = subprocess.Popen([a.recorder, str(p.pid), f'sample={hz},{a.words}output={log}'])
        while not os.path.exists(log):
            time.sleep(0.01)
        time.sleep(0.1)
    p.stdin.write('\n')
    p.stdin.flush()
    own = int(p.stdout.readline())
    share = 100 * used(r.pid) / (time.monotonic() - began) if r else 0
    p.stdin.close()
    p.wait()
    if r:
        r.wait()
        os.unlink(log)
    return own, share


def main():
    a = argparse.ArgumentParser()
    a.add_argument('recorder')
    a.add_argument('--pairs', type=int, default=10)
    a.add_argument('--rates', default='100,1000')
    a.add_argument('--threads', type=int, default=2)
    a.add_argument('--sleep', type=int, default=0)
    a.add_argument('--words', type=lambda words: words + ',', default='')
    a = a.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, 'work.c'), f'{folder}/work'
        source.write_text(WORK, encoding='utf-8')
        subprocess.run(['cc', '-O2', '-fomit-frame-pointer', '-pthread', '-o', program, source], check=True)
        for hz in map(int, a.rates.split(',')):
            ratios, shares = [], []
            for _ in range(a.pairs):
                without, _ = run(program, a, 0, '')
                own, share = run(program, a, hz, f'{folder}/log.mlpd')
                ratios.append(own / without)
                shares.append(share)
            print(f'{hz} Hz, {a.threads} threads, {a.pairs} pairs: program x{statistics.median(ratios):.3f} '
                  f'({min(ratios):.3f} to {max(ratios):.3f}), recorder {statistics.median(shares):.2f} % of a processor', flush=True)


if __name__ == '__main__':
    main()

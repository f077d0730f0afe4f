/* SPDX-License-Identifier: MIT */
/* The work that probe_native measures; compiled twice, WORK() gives each copy names of its own. */
#include "tests/bench/probe_work.h"

static __attribute__((noinline)) long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

long WORK(fib)(int n)
{
	return fib(n);
}

static volatile long sink;

static __attribute__((noinline)) void third(long n)
{
	sink = n;
}

static __attribute__((noinline)) void second(long n)
{
	third(n);
	sink = n + 1;
}

static __attribute__((noinline)) void first(long n)
{
	second(n);
	sink = n + 2;
}

long WORK(chain)(int n)
{
	for (int i = 0; i < n; i++)
		first(i);
	return n;
}

/* SPDX-License-Identifier: MIT */
/*
 * The price of an allocation whose stack is walked: to be run bare and preloaded.
 *
 * usage: alloc_stacks [DEPTH [PAIRS]]    frames below main, pairs of malloc and free
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pairs(long n)
{
	for (long i = 0; i < n; i++) {
		void *volatile block = malloc((size_t)(16 + i % 200));
		free(block);
	}
}

__attribute__((noinline)) static double work(int depth, long n)
{
	volatile char room[40] = { 0 };
	if (depth > 0)
		return work(depth - 1, n) + room[3];
	double from = ns();
	pairs(n);
	return ns() - from;
}

int main(int n, char **args)
{
	enum { TURNS = 9 };
	int depth = n > 1 ? atoi(args[1]) : 10;
	long count = n > 2 ? atol(args[2]) : 50000;
	double least = 1e18;
	for (int i = 0; i < TURNS; i++) {
		double took = work(depth, count);
		least = took < least ? took : least;
	}
	printf("%.0f ns a pair, %d frames\n", least / (double)count, depth);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * A native program with one fault planted, or none. usage: faults FAULT SECONDS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double until;
static volatile uint64_t total;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void rest(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

__attribute__((noinline)) static void spin(long times)
{
	uint64_t x = total;
	for (long i = 0; i < times; i++)
		x = x * UINT64_C(6364136223846793005) + (uint64_t)i;
	total = x;
}

static int by_value(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(uint32_t));
}

/* Some blocks that live shortly, some computing in several functions, some rest. */
__attribute__((noinline)) static void work(void)
{
	enum { N = 2000 };
	uint32_t *v = malloc(N * sizeof *v);
	if (!v)
		abort();
	for (uint32_t i = 0; i < N; i++)
		v[i] = i * 2654435761u;
	qsort(v, N, sizeof *v, by_value);
	char text[N * 4];
	for (int i = 0; i < 50; i++)
		total += (uint64_t)snprintf(
			text, sizeof text, "%s %u", i & 1 ? "odd" : "even", v[i]);
	spin(20000);
	free(v);
	rest(1);
}

/* The leak is looked for: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
__attribute__((noinline)) static void forget(void)
{
	char *volatile p = malloc(3000);
	if (!p)
		abort();
	p[0] = 1;
}

static void *nothing(void *p)
{
	total++;
	return p;
}

/* A bounded cache: of what it holds nothing is ever more. */
static void cached(void)
{
	enum { N = 500 };
	static char *cache[N];
	static unsigned at;
	free(cache[at % N]);
	cache[at % N] = malloc(1000 + at % 7 * 100);
	at++;
}

int main(int argc, char **argv)
{
	const char *fault = argc > 1 ? argv[1] : "healthy";
	until = now() + (argc > 2 ? atof(argv[2]) : 2);
	while (now() < until) {
		pthread_t t;
		if (strcmp(fault, "leak") == 0)
			forget();
		else if (strcmp(fault, "hot-method") == 0)
			spin(2000000);
		else if (strcmp(fault, "thread-burst") == 0 &&
			 !pthread_create(&t, NULL, nothing, NULL))
			pthread_join(t, NULL);
		else if (strcmp(fault, "busy") == 0)
			cached();
		if (strcmp(fault, "hot-method") != 0)
			work();
	}
	return 0;
}

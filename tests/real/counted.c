/* SPDX-License-Identifier: MIT */
/*
 * A C program that counts what it does, for exact checks of the probe's log. Compiled with
 * -finstrument-functions.
 *
 * usage: counted-native OUTPUT WORLD...
 *   calls allocs regions counters unwound spin   do some of it
 *   pause    flush, print every count so far, wait for a line on standard input
 * Lines read KEY=VALUE as those of the C# program; "phase=N" ends each list.
 */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/profview_probe.h"

#define QUIET __attribute__((no_instrument_function))

static atomic_long leaves, recursions, evens, odds, deeps, jumpers;
static long runs, threads_run, region_calls, spins, inside_ns, around_ns;
static long small_count, wide_count, counter_now;
static int phase;

static void leaf(void)
{
	atomic_fetch_add(&leaves, 1);
}

static int recurse(int depth)
{
	atomic_fetch_add(&recursions, 1);
	return depth ? 1 + recurse(depth - 1) : 0;
}

static int odd(int n);

static int even(int n)
{
	atomic_fetch_add(&evens, 1);
	return n ? odd(n - 1) : 1;
}

static int odd(int n)
{
	atomic_fetch_add(&odds, 1);
	return n ? even(n - 1) : 0;
}

static int deep(int n)
{
	atomic_fetch_add(&deeps, 1);
	return n ? 1 + deep(n - 1) : 0;
}

static void *many(void *name)
{
	profview_thread_name(name);
	for (int i = 0; i < 40000; i++)
		leaf();
	return NULL;
}

static void run_calls(void)
{
	static char names[3][16] = { "caller-0", "caller-1", "caller-2" };
	pthread_t t[3];
	runs++;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, many, names[i]))
			exit(1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	threads_run++;
	for (int i = 0; i < 10; i++)
		recurse(50);
	even(100);
	deep(3000);
}

/* A jump leaves frames without their leave events. */
static jmp_buf back;

static void jumper(void)
{
	atomic_fetch_add(&jumpers, 1);
	longjmp(back, 1);
}

static void run_unwound(void)
{
	for (volatile int i = 0; i < 20; i++)
		if (!setjmp(back))
			jumper();
}

static void run_allocs(void)
{
	profview_class_id small = profview_class("small"), wide = profview_class("wide");
	for (int i = 0; i < 5000; i++) {
		static char place[64];
		profview_alloc(small, place, 24);
		small_count++;
		if (i % 2 == 0) {
			profview_alloc(wide, place, 80);
			wide_count++;
		}
	}
}

static void run_regions(void)
{
	profview_method region = profview_region("phase of the moon");
	for (int i = 0; i < 300; i++) {
		profview_enter(region);
		region_calls++;
		profview_leave(region);
	}
}

static void run_counters(void)
{
	struct profview_counter *c = profview_counter("things", PROFVIEW_COUNT);
	for (int i = 0; i < 100; i++)
		profview_counter_add(c, 3);
	counter_now += 300;
}

QUIET static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void spin(int ms)
{
	int64_t start = now_ns();
	spins++;
	while (now_ns() - start < ms * 1000000)
		;
	inside_ns += now_ns() - start;
}

static void run_spin(void)
{
	for (int ms = 1; ms <= 8; ms++) {
		int64_t start = now_ns();
		spin(ms);
		around_ns += now_ns() - start;
	}
}

QUIET static void report(void)
{
	printf("calls leaf=%ld\ncalls recurse=%ld\ncalls even=%ld\ncalls odd=%ld\ncalls deep=%ld\n",
		atomic_load(&leaves), atomic_load(&recursions), atomic_load(&evens),
		atomic_load(&odds), atomic_load(&deeps));
	printf("calls run_calls=%ld\ncalls many=%ld\ncalls jumper=%ld\ncalls spin=%ld\n", runs,
		3 * threads_run, atomic_load(&jumpers), spins);
	printf("calls phase of the moon=%ld\n", region_calls);
	printf("inside spin=%ld\naround spin=%ld\n", inside_ns, around_ns);
	printf("allocs small=%ld\nbytes small=%ld\nallocs wide=%ld\nbytes wide=%ld\n", small_count,
		small_count * 24, wide_count, wide_count * 80);
	for (int i = 0; i < 3; i++)
		printf("threads caller-%d=%ld\n", i, threads_run);
	printf("counter things=%ld\nphase=%d\n", counter_now, ++phase);
	fflush(stdout);
}

QUIET static void pause_here(void)
{
	char line[64];
	profview_flush();
	report();
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} worlds[] = { { "calls", run_calls }, { "allocs", run_allocs }, { "regions", run_regions },
		{ "counters", run_counters }, { "unwound", run_unwound }, { "spin", run_spin },
		{ "pause", pause_here } };
	char options[4096];
	if (argc < 2)
		return 2;
	snprintf(options, sizeof(options), "output=%s", argv[1]);
	int failed = profview_start(options);
	if (failed) {
		fprintf(stderr, "the probe does not start: %s\n", strerror(failed));
		return 1;
	}
	for (int i = 2; i < argc; i++)
		for (size_t w = 0; w < sizeof(worlds) / sizeof(*worlds); w++)
			if (!strcmp(argv[i], worlds[w].name))
				worlds[w].run();
	report();
	return profview_stop() ? 1 : 0;
}

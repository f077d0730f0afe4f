/* SPDX-License-Identifier: MIT */
/* Native code below managed code, and a native thread that calls managed code after some time. */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

typedef void callback(int64_t ns);

/* Processor time of the thread, ns: a machine that others use does not shorten it. */
int64_t mixed_used(void);
int64_t mixed_used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

__attribute__((noinline)) uint64_t mixed_inner(uint64_t s);
__attribute__((noinline)) uint64_t mixed_inner(uint64_t s)
{
	for (int i = 0; i < 200000; i++)
		s = (s * 6364136223846793005u + 1442695040888963407u) ^ s >> 33;
	return s;
}

__attribute__((noinline)) uint64_t mixed_outer(int64_t ns);
__attribute__((noinline)) uint64_t mixed_outer(int64_t ns)
{
	uint64_t s = 1;
	for (int64_t end = mixed_used() + ns; mixed_used() < end;)
		s += mixed_inner(s) + 1;
	return s;
}

int64_t mixed_spin(int64_t ns);
int64_t mixed_spin(int64_t ns)
{
	return (int64_t)(mixed_outer(ns) * 3);
}

static callback *called;
static int64_t called_ns;

static void *run(void *ignored)
{
	mixed_outer(called_ns / 4); /* before anything managed is met */
	called(called_ns);
	return ignored;
}

int mixed_thread(callback *f, int64_t ns);
int mixed_thread(callback *f, int64_t ns)
{
	pthread_t t;
	called = f;
	called_ns = ns;
	int error = pthread_create(&t, NULL, run, NULL);
	return error ? error : pthread_join(t, NULL);
}

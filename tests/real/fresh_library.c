/* SPDX-License-Identifier: MIT */
/*
 * A library that computes for some time, in three frames without frame pointers. PAD: bytes of each
 * frame, and of the code between them, so that two libraries at one address are unlike each other.
 */
#include <stdint.h>
#include <time.h>

#define TEXT(x) #x
#define SKIP(n) __asm__(".skip " TEXT(n) ", 0x90")

static int64_t used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

SKIP(PAD);

static __attribute__((noinline)) uint64_t inner(uint64_t s)
{
	volatile uint8_t frame[PAD];
	frame[PAD - 1] = (uint8_t)s;
	for (int i = 0; i < 20000; i++)
		s = (s * 6364136223846793005u + 1442695040888963407u) ^ s >> 33;
	return s + frame[PAD - 1];
}

static __attribute__((noinline)) uint64_t outer(uint64_t s, int64_t ns)
{
	volatile uint8_t frame[PAD];
	frame[PAD - 1] = (uint8_t)s;
	for (int64_t end = used() + ns; used() < end;)
		s += inner(s) + 1;
	return s + frame[PAD - 1];
}

uint64_t fresh_work(uint64_t s, int64_t ns);
uint64_t fresh_work(uint64_t s, int64_t ns)
{
	return outer(s, ns) * 3;
}

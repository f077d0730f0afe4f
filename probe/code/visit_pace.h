/* SPDX-License-Identifier: MIT */
/*
 * The pace of visits to the program's threads: processor time of the visiting thread, and rests of
 * random length. Nothing fails. Each including file has a random state of its own, for one thread.
 */
#ifndef PV_PROBE_VISIT_PACE_H
#define PV_PROBE_VISIT_PACE_H

#include <stdint.h>
#include <time.h>

/* ns of processor time of the calling thread; 0: not known. Any thread, no failure. */
static inline uint64_t pvp_own_time(void)
{
	struct timespec t;
	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0
		       ? (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec
		       : 0;
}

/*
 * Three to five quarters of `ns`, so that no activity of the program keeps step with the visits. One
 * thread in each including file, no failure.
 */
static inline uint64_t pvp_about(uint64_t ns)
{
	static uint32_t random = 2463534242;
	random ^= random << 13;
	random ^= random >> 17;
	random ^= random << 5;
	return ns / 4 * 3 + (ns / 2 >> 10) * (random & 1023);
}

#endif

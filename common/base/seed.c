#include "common/base/seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t pv_seed;

/* Without the system's random numbers, what an input cannot know either: when, and where in memory.
 */
__attribute__((constructor)) static void draw(void)
{
	struct timespec t = { 0, 0 };
	if (getrandom(&pv_seed, sizeof pv_seed, GRND_NONBLOCK) == (ssize_t)sizeof pv_seed)
		return;
	clock_gettime(CLOCK_REALTIME, &t);
	pv_seed = (uint64_t)t.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)t.tv_sec ^
		  (uint64_t)(uintptr_t)&t;
}

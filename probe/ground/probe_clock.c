/* SPDX-License-Identifier: MIT */
/* Calibrates the time stamp counter against CLOCK_MONOTONIC. */
#include "probe/ground/probe_clock.h"

#include <time.h>
#if PVP_HAVE_TSC
#include <cpuid.h>
#endif

enum { TRIES = 8 };
static const uint64_t least_line = 5 * 1000 * 1000, longest_line = UINT64_C(30000000000);

uint64_t pvp_monotonic(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Whether the processor promises a counter of constant rate that never stops. */
static bool is_tsc_constant(void)
{
#if PVP_HAVE_TSC
	unsigned a, b, c, d;
	enum { INVARIANT = 1 << 8 }; /* flags that Linux shows as constant_tsc nonstop_tsc */
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & INVARIANT);
#else
	return false;
#endif
}

/* Reads both clocks at the same moment: the fastest of several readings. */
static void read_both(uint64_t *ret_tsc, uint64_t *ret_ns)
{
	*ret_tsc = *ret_ns = 0;
#if PVP_HAVE_TSC
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), ns = pvp_monotonic(), after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		*ret_tsc = before + least / 2;
		*ret_ns = ns;
	}
#endif
}

void pvp_calibrator_init(struct pvp_calibrator *c)
{
	*c = (struct pvp_calibrator){ .usable = is_tsc_constant() };
	read_both(&c->tsc, &c->ns);
	c->next_tsc = c->tsc;
	c->next_ns = c->ns;
}

bool pvp_calibrate(struct pvp_calibrator *c, struct pvp_calibration *ret)
{
	uint64_t tsc, ns;
	if (!c->usable)
		return false;
	read_both(&tsc, &ns);
	uint64_t line = ns - c->ns;
	if (line < least_line)
		return false;
	if (tsc <= c->tsc) { /* the machine slept or moved: begin a new line */
		*c = (struct pvp_calibrator){ tsc, ns, tsc, ns, true };
		return false;
	}
	double rate = (double)line / (double)(tsc - c->tsc);
	struct pvp_calibration now = { tsc, ns, (uint64_t)(rate * 4294967296.0) };
	if (!now.mult)
		return false;
	*ret = now;
	if (ns - c->next_ns > longest_line / 2) {
		c->tsc = c->next_tsc;
		c->ns = c->next_ns;
		c->next_tsc = tsc;
		c->next_ns = ns;
	}
	return true;
}

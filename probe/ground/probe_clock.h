/* SPDX-License-Identifier: MIT */
/*
 * The probe's clock: ns on the scale of CLOCK_MONOTONIC, read from the time stamp counter if the
 * counter is constant. Each thread has its own copy of a calibration and takes a newer copy when
 * the writer asks, so no thread ever sees a calibration half changed.
 */
#ifndef PV_PROBE_PROBE_CLOCK_H
#define PV_PROBE_PROBE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#define PVP_HAVE_TSC 1
#else
#define PVP_HAVE_TSC 0
#endif

/* ns = base + ((tsc - at) * mult >> 32). mult is 0 while the counter cannot be used. */
struct pvp_calibration {
	uint64_t at, base, mult;
};

/* clock_gettime(CLOCK_MONOTONIC) in ns. */
uint64_t pvp_monotonic(void);

/* State of the calibration; owned by the writer. */
struct pvp_calibrator {
	uint64_t tsc, ns;           /* the older end of the base line */
	uint64_t next_tsc, next_ns; /* the next older end, for when the line is too long */
	bool usable;
};

/* Reads the counter for the first time. */
void pvp_calibrator_init(struct pvp_calibrator *c);

/*
 * Measures again: a base line that grows to 30 s, then moves by halves. False, with *ret untouched:
 * too short yet (under 5 ms), or the counter is not usable.
 */
bool pvp_calibrate(struct pvp_calibrator *c, struct pvp_calibration *ret);

/* Only with mult != 0. A counter below `at` (another core's) counts as equal to `at`. */
static inline uint64_t pvp_tsc_ns(const struct pvp_calibration *c)
{
#if PVP_HAVE_TSC
	uint64_t ticks = __rdtsc() - c->at;
	if ((int64_t)ticks < 0)
		ticks = 0;
	return c->base + (uint64_t)(((unsigned __int128)ticks * c->mult) >> 32);
#else
	(void)c;
	return 0;
#endif
}

/* ns, from the counter if usable. */
static inline uint64_t pvp_now(const struct pvp_calibration *c)
{
	return c->mult ? pvp_tsc_ns(c) : pvp_monotonic();
}

#endif

/*
 * The probe's clock: ns on the scale of CLOCK_MONOTONIC, read from the time stamp counter where
 * that is constant. Each thread holds its own copy of a calibration and takes a newer one when
 * the writer asks it to, so that no reader ever sees one half changed.
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

/* The calibration's own state; one owner (the writer). */
struct pvp_calibrator {
	uint64_t tsc, ns;           /* the older end of the base line */
	uint64_t next_tsc, next_ns; /* its next older end, once it has grown too long */
	bool usable;
};

/* Begins with the counter as it is now. */
void pvp_calibrator_init(struct pvp_calibrator *c);

/*
 * Measures again: a base line that grows to 30 s, then moves by halves. False while it is too short
 * (under 5 ms) or the counter is not usable; *ret is then untouched.
 */
bool pvp_calibrate(struct pvp_calibrator *c, struct pvp_calibration *ret);

/* Only with mult != 0. A counter below `at` (another core's) counts as being there. */
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

/* ns, by the counter where that is usable. */
static inline uint64_t pvp_now(const struct pvp_calibration *c)
{
	return c->mult ? pvp_tsc_ns(c) : pvp_monotonic();
}

#endif

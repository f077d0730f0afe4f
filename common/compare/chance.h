/*
 * Effects of pure chance on figures: tests of two sides, and which of many rows stand out. Pure:
 * any thread.
 */
#ifndef PV_COMPARE_CHANCE_H
#define PV_COMPARE_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

/* Two-sided p of a difference whose standard deviation under "no change" is `sd`; 1 for sd 0. */
double pv_noise_p(double change, double sd);

/*
 * Mann-Whitney's two-sided p of two lots of figures, exact without ties and up to 12 of each, else
 * by its normal approximation. Both are sorted by it.
 */
double pv_noise_ranks(double *a, size_t n, double *b, size_t m);

/*
 * Benjamini and Hochberg: the greatest p that still counts where `n` were looked at and one in
 * twenty of those named may be chance. 0: none does. `p` is sorted by it.
 */
double pv_noise_limit(double *p, size_t n);

/* The middle of n values, which are sorted by it; 1 for none. */
double pv_noise_median(double *v, size_t n);

#endif

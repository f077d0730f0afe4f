/* SPDX-License-Identifier: MIT */
/*
 * Effects of pure chance on figures: two-sided tests, and the choice of significant rows. Pure: any
 * thread.
 */
#ifndef PV_COMPARE_CHANCE_H
#define PV_COMPARE_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

/* Two-sided p of a difference whose standard deviation under "no change" is `sd`; 1 for sd 0. */
double pv_noise_p(double change, double sd);

/*
 * Mann-Whitney's two-sided p of two sets of figures, exact without ties and up to 12 figures each,
 * else by normal approximation. Sorts both sets.
 */
double pv_noise_ranks(double *a, size_t n, double *b, size_t m);

/*
 * Benjamini and Hochberg: the greatest significant p of `n`, if one in twenty of the significant
 * may be chance. 0: none. Sorts `p`.
 */
double pv_noise_limit(double *p, size_t n);

/* The median of n values, which are sorted; 1 for none. */
double pv_noise_median(double *v, size_t n);

#endif

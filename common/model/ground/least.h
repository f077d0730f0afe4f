/* SPDX-License-Identifier: MIT */
/* Private to the model: the choice of the least of many, without sorting all. Pure: any thread. */
#ifndef PV_MODEL_LEAST_H
#define PV_MODEL_LEAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sets chosen[i] of the k least of n values (k <= n), clears the others. Of equal values the least
 * by `then` are chosen (NULL: all alike), and of these the last, as the newest things stand last.
 * Time is linear in n; no memory is allocated.
 */
void pv_least(const uint64_t *value, const uint64_t *then, size_t n, size_t k, bool *chosen);

/* A signed value as an unsigned value of the same order. */
static inline uint64_t pv_least_signed(int64_t v)
{
	return (uint64_t)v ^ UINT64_C(1) << 63;
}

/* The inverse. */
static inline int64_t pv_least_as_signed(uint64_t v)
{
	return (int64_t)(v ^ UINT64_C(1) << 63);
}

#endif

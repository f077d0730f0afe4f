/* SPDX-License-Identifier: MIT */
/*
 * Counts and bytes that a sampled allocation stands for. An allocation is sampled if a point of a
 * random process, `period` bytes apart on average, falls into it. An allocation of `size` bytes is
 * sampled with the probability p = 1 - exp(-size / period), and so stands for 1 / p of its kind.
 * Pure: any thread.
 */
#ifndef PV_BASE_ESTIMATE_H
#define PV_BASE_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

struct pv_estimate {
	uint64_t count, bytes;
	double variance; /* of bytes; 0 when nothing was left out */
};

/* `carry` is what rounding the counts has left over so far; 0 at first. */
struct pv_estimate pv_estimate_alloc(uint64_t size, uint64_t period, double *carry);

/*
 * Bytes between samples of allocations, in a probe's options ("alloc=512k", with k, m or g); 0 when
 * all allocations are written.
 */
uint64_t pv_alloc_period(const char *args);

/* The number of bytes at `at`: 4096, 512k, 64m, 1g. 0: no number. */
uint64_t pv_bytes_of(const char *at, size_t len);

#endif

/* SPDX-License-Identifier: MIT */
/* Batches of events of every kind with values that make no sense, the same for the same seed. */
#ifndef PV_TESTS_NOISE_H
#define PV_TESTS_NOISE_H

#include "common/format/batch.h"

void noise_seed(uint64_t seed);

/* `n` events from *time on, which moves; `wild`: now and then a time out of all order. */
void noise_batch(struct pv_batch *b, size_t n, uint64_t *time, bool wild);

#endif

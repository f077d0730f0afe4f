/* SPDX-License-Identifier: MIT */
/* Private to ingest: times that cannot be. Ingest thread only. Times are ns on the log's clock. */
#ifndef PV_INGEST_WRONG_TIME_H
#define PV_INGEST_WRONG_TIME_H

#include "common/format/batch.h"

struct pv_model;

/* Times of buffers, in the order of the log. Valid when zeroed. */
struct pv_buffer_times {
	uint64_t n;
	int64_t first, newest;
};

/*
 * The time of the next buffer as it must have been, if the time given is hours off and one of its bits
 * makes all of the difference to the newest buffer's; else the time given.
 */
uint64_t pv_right_buffer_time(struct pv_buffer_times *t, uint64_t time);

/*
 * Takes the last events off a batch that could not be decoded to its end, from the first on whose
 * time is a minute beyond the event before and all else that was read; says so in the batch's
 * damage.
 */
void pv_drop_impossible_times(const struct pv_model *m, struct pv_batch *b);

#endif

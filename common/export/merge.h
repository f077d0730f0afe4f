/* SPDX-License-Identifier: MIT */
/*
 * Several processes of a recording as one profile: each process is below a frame of its own, or of
 * its program. Written as a text for the readers of logs (format/stacks), so that every view of
 * samples and calls shows all processes together. One thread; false: out of memory, unless
 * otherwise said.
 */
#ifndef PV_EXPORT_MERGE_H
#define PV_EXPORT_MERGE_H

#include <stdio.h>

#include "common/export/profile.h"

struct pv_merge {
	struct pv_profile *profile;   /* borrowed */
	uint64_t unit_ns;             /* shortest time between samples in any log; 0: not known */
	size_t logs, timeless, walls; /* added; with samples of unknown distance; in wall time */
	bool samples, calls;
};

/* `p` is empty, or has a filter. */
void pv_merge_init(struct pv_merge *g, struct pv_profile *p);

/*
 * All figures of a model, whose lock is taken, below the frame `root`. Samples in wall time are
 * below a frame that says so: they do not compare with samples of processor time.
 */
bool pv_merge_add(struct pv_merge *g, struct pv_model *m, const char *root);

/* After the last log: sets the profile's distance and kind of samples, for all logs. */
void pv_merge_end(struct pv_merge *g);

/*
 * In place of pv_merge_end(): samples and calls as folded stacks, calls in lines that other readers
 * take for comments. A sample counts as many times as the shortest distance fits into its own.
 * Errors of writing stay in the stream.
 */
bool pv_merge_write(struct pv_merge *g, FILE *out);

#endif

/*
 * Several processes of one recording as one profile: what each did stands below a frame of its own, or of its
 * program. Written as a text that the readers of logs take (format/stacks), so that every view of samples and calls
 * shows all processes together. One thread; false is out of memory, but where it says otherwise.
 */
#ifndef PV_EXPORT_MERGE_H
#define PV_EXPORT_MERGE_H

#include <stdio.h>

#include "common/export/profile.h"

struct pv_merge {
	struct pv_profile *profile; /* borrowed */
	uint64_t unit_ns; /* the shortest time between two samples of any log; 0: none is known */
	size_t logs, timeless,
		walls; /* added; of them with samples of unknown distance, in wall time */
	bool samples, calls;
};

/* `p` is empty, or has a filter. */
void pv_merge_init(struct pv_merge *g, struct pv_profile *p);

/*
 * All figures of a model, whose lock is taken, below the frame `root`. Samples in wall time stand below one that
 * says so: they are not of the same kind as those of processor time.
 */
bool pv_merge_add(struct pv_merge *g, struct pv_model *m, const char *root);

/* After the last one: what the profile says of its samples holds for all of them. */
void pv_merge_end(struct pv_merge *g);

/*
 * Instead: samples and calls as folded stacks, the calls in lines that other readers take for comments. A
 * sample counts for as many of the shortest distance as it stands for. Errors of writing stay in the stream.
 */
bool pv_merge_write(struct pv_merge *g, FILE *out);

#endif

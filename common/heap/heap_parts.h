/* SPDX-License-Identifier: MIT */
/*
 * Private to the files that compute on a graph, on one thread. False: w->err is PV_ENOMEM or
 * PV_ECANCELLED.
 */
#ifndef PV_HEAP_HEAP_PARTS_H
#define PV_HEAP_HEAP_PARTS_H

#include "common/heap/heap.h"

/* Work under way: its progress, and its error. */
struct pv_heap_work {
	struct pv_heap *h;
	const struct pv_progress *progress;
	struct pv_error *err;
	size_t most_sets; /* of class_retained.c; 0: its own limit, less in tests */
};

/* Rank of a root as the explanation of an object's life: 0 the best. */
unsigned pv_heap_root_rank(const struct pv_graph_root *r);
/* Sets the error, and is false. */
bool pv_heap_nomem(struct pv_heap_work *w);
/* Reports progress; false when the work was cancelled. */
bool pv_heap_go_on(struct pv_heap_work *w, const char *phase, uint64_t done, uint64_t total);

/* dominate.c: idom, retained, unreachable; needs the referrers. */
bool pv_heap_dominate(struct pv_heap_work *w);
/* class_retained.c: needs all else. */
bool pv_heap_retain_classes(struct pv_heap_work *w);

#endif

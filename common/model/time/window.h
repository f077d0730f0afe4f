/* SPDX-License-Identifier: MIT */
/*
 * The rolling window: recent figures, in a ring of 100 ms cells that each hold, sparse, the touched
 * call-tree nodes and allocation sites. 64 MiB together; when full the cells get wider. Self time
 * is split at the cells' edges, whichever order the buffers come in.
 */
#ifndef PV_MODEL_WINDOW_H
#define PV_MODEL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum { PV_WINDOW_CELLS = 640, PV_WINDOW_CELL_MS = 100, PV_WINDOW_BYTES = 64 << 20 };

struct pv_model;
struct pv_window;

struct pv_window_node {
	uint32_t node; /* in calls */
	uint64_t calls, samples;
	int64_t self_ns;
};

struct pv_window_site {
	uint32_t site; /* in allocs.sites */
	uint64_t count, bytes;
};

/* Each node and site once, ascending. Totals and callers are summed up the tree by the caller. */
struct pv_window_sums {
	PV_ARRAY(struct pv_window_node) nodes;
	PV_ARRAY(struct pv_window_site) sites;
	int64_t from_ns, to_ns; /* log clock: the range covered, whole cells but for the last */
};

/*
 * Figures of the last `window_ns` before now: the newest event time, or the time set by
 * pv_window_advance(). Open frames count up to their thread's last event. The caller holds the
 * model's lock. False when out of memory.
 */
bool pv_window_sum(const struct pv_model *m, uint64_t window_ns, struct pv_window_sums *ret);
void pv_window_sums_finish(struct pv_window_sums *s);

/*
 * Moves the end of the window to `now_ns` (log clock) when later than the newest event: with no
 * events coming the window decays to empty. False once empty for every length up to a minute. The
 * caller holds the lock; the generation changes when a cell fell out.
 */
bool pv_window_advance(struct pv_model *m, int64_t now_ns);

/*
 * Forgets everything before now, for all lengths. The caller holds the lock. False: out of memory.
 */
bool pv_window_zero(struct pv_model *m);

/* Keeps no window from now on: for reports, which never ask for a window. */
void pv_window_off(struct pv_model *m);

#endif

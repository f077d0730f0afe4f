/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: the rolling window's cells, and the timeline's functions. All run on the
 * ingest thread under the model's lock; times are ns on the log's clock.
 *
 * Figures are not added to cells one by one. A node or site is *touched* before its first change in
 * the present cell, which saves its totals; when the present cell changes, a flush adds the
 * differences to the cells. When nodes get other numbers (a cap was reached) entries are renumbered
 * in parts, between which others read: `moving` has the progress, and readers look the rest up.
 *
 * Functions that return bool are false when out of memory.
 */
#ifndef PV_MODEL_WINDOW_PARTS_H
#define PV_MODEL_WINDOW_PARTS_H

#include "common/model/model.h"
#include "common/model/time/window.h"

struct pv_window_entry {
	uint32_t node, calls;
	int64_t self_ns;
	uint32_t samples;
};

struct pv_window_bytes {
	uint32_t site, count;
	uint64_t bytes;
};

struct pv_window_cell {
	int64_t number; /* covers number * width .. + width on the log's clock */
	bool used;
	PV_ARRAY(struct pv_window_entry) nodes; /* a node may be here more than once */
	PV_ARRAY(struct pv_window_bytes) sites;
	size_t merged_nodes, merged_sites; /* numbers of entries after the last merge */
};

/* Figures of a node or site when it was first touched in the present cell. */
struct pv_window_touched {
	uint32_t id;
	uint64_t count;
	int64_t amount;
};

/* New numbers that not all entries have yet: readers look up entries from (cell, at) on. */
struct pv_window_moving {
	const uint32_t *to; /* NULL: all entries have theirs */
	size_t cell, at;
};

/* The node or site of entry `at` of a cell, with the number `id` in the entry. */
static inline uint32_t pv_window_moved(
	const struct pv_window_moving *w, size_t cell, size_t at, uint32_t id)
{
	bool waits = w->to && (cell > w->cell || (cell == w->cell && at >= w->at));
	return waits ? w->to[id] : id;
}

struct pv_window {
	bool off;
	bool failed; /* out of memory while touching: reported by the next call that can fail */
	int64_t width;
	int64_t present; /* number of the cell that touches go to */
	bool entered;
	int64_t newest;      /* greatest cell number met */
	int64_t advanced_ns; /* end of the window if later than the newest event */
	size_t bytes, limit; /* of the cells; PV_WINDOW_BYTES, less in tests */
	PV_ARRAY(struct pv_window_touched) nodes; /* [0] unused: 0 in a node means untouched */
	PV_ARRAY(struct pv_window_touched) sites;
	size_t nodes_at, sites_at; /* entries before these are done in the present flush */
	struct pv_window_moving moving_nodes, moving_sites;
	PV_ARRAY(uint32_t)
	place; /* by node or site: its entry in the last merge of a cell */
	struct pv_window_cell cell[PV_WINDOW_CELLS];
};

/* The number of the cell that holds a time. */
int64_t pv_window_number(const struct pv_window *w, int64_t time);
/* The cell with this number, owned by the window, emptied if it was another cell; NULL: too old. */
struct pv_window_cell *pv_window_cell_of(struct pv_window *w, int64_t number);
void pv_window_empty_cell(struct pv_window *w, struct pv_window_cell *c);
/* Brings the cells under PV_WINDOW_BYTES: old ones go, entries merge, cells get wider. */
bool pv_window_shrink(struct pv_window *w);

/* The caller owns the window; NULL: out of memory. destroy takes NULL. */
struct pv_window *pv_window_create(void);
void pv_window_destroy(struct pv_window *w);

/* Value of a node's or site's `cell` until it is touched in the present cell. */
uint32_t pv_window_untouched(const struct pv_model *m);

/* Before calls, self_ns, count or amount change: saves them for the present cell. */
void pv_window_touch_node(struct pv_model *m, uint32_t node);
void pv_window_touch_site(struct pv_model *m, uint32_t site);

/* Before a node's figures change: the check for a touched node is inlined. */
static inline void pv_window_touch(struct pv_model *m, uint32_t node)
{
	if (!m->calls.node.v[node].cell)
		pv_window_touch_node(m, node);
}

/*
 * Makes the cell at `time` the present cell: self time of the thread's top frame is paid up to the
 * cell's beginning. *ret_from and *ret_to: range of the cell.
 */
bool pv_window_enter(
	struct pv_model *m, struct pv_thread *th, int64_t time, int64_t *ret_from, int64_t *ret_to);

/* Gives the top frame its self time up to `time`, each part to its own cell. */
bool pv_window_pay(struct pv_model *m, struct pv_thread *th, int64_t time);
/* Counts `times` samples at a node. */
bool pv_window_sample(struct pv_model *m, uint32_t node, uint32_t times, int64_t time);

/* Adds the present cell's figures to the cells and buckets; nothing is touched then. */
bool pv_window_flush(struct pv_model *m);

/* Numbers changed (after a flush): node or site i is now to[i]. */
void pv_window_renumber_nodes(struct pv_model *m, const uint32_t *to);
void pv_window_renumber_sites(struct pv_model *m, const uint32_t *to);

/* --- timeline.c */

/* Begins at a time; adds to the cell of a time; sets the value of a time's cell. */
void pv_timeline_init(struct pv_timeline *t, int64_t origin_ns);
void pv_timeline_add(struct pv_timeline *t, enum pv_track track, int64_t time, uint64_t n);
void pv_timeline_set(struct pv_timeline *t, enum pv_track track, int64_t time, uint64_t value);
/* Splits [from, to) over the covered cells, in ns. */
void pv_timeline_span(struct pv_timeline *t, enum pv_track track, int64_t from, int64_t to);
/* The cell that holds `time`, as [*ret_from, *ret_to). */
void pv_timeline_cell(struct pv_timeline *t, int64_t time, int64_t *ret_from, int64_t *ret_to);

#endif

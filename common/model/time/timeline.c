/* SPDX-License-Identifier: MIT */
/* Adds to, sets and widens the cells of the timeline. */
#include "common/model/time/timeline.h"

#include <stdbool.h>
#include <string.h>

#include "common/model/time/window_parts.h"

void pv_timeline_init(struct pv_timeline *t, int64_t origin_ns)
{
	if (t->used) /* else still all 0 */
		memset(t, 0, sizeof *t);
	t->origin_ns = origin_ns;
	t->width_ns = PV_TIMELINE_FIRST_WIDTH;
	t->last_width_ns = 0;
}

static bool is_level(unsigned track)
{
	return track == PV_TRACK_HEAP;
}

/* Merges neighbouring cells: levels keep the later value, the rest adds up. */
static void widen_timeline(struct pv_timeline *t)
{
	for (unsigned track = 0; track < PV_TRACKS; track++) {
		uint64_t *c = t->cell[track];
		for (size_t i = 0; i < PV_TIMELINE_CELLS / 2; i++) {
			uint64_t a = c[2 * i], b = c[2 * i + 1];
			c[i] = is_level(track) ? (b ? b : a) : a + b;
		}
		memset(c + PV_TIMELINE_CELLS / 2, 0, sizeof *c * (PV_TIMELINE_CELLS / 2));
	}
	t->width_ns *= 2;
	t->used = (t->used + 1) / 2;
}

/* ns, INT64_MAX where the clock ends before. */
static int64_t cell_start(const struct pv_timeline *t, size_t i)
{
	uint64_t since = (uint64_t)i * (uint64_t)t->width_ns;
	uint64_t left = (uint64_t)INT64_MAX - (uint64_t)t->origin_ns;
	return since > left ? INT64_MAX : (int64_t)((uint64_t)t->origin_ns + since);
}

static size_t find_index(struct pv_timeline *t, int64_t time)
{
	t->last_width_ns = 0;
	if (time < t->origin_ns)
		return 0;
	uint64_t since = (uint64_t)time - (uint64_t)t->origin_ns;
	while (since / (uint64_t)t->width_ns >= PV_TIMELINE_CELLS)
		widen_timeline(t);
	size_t i = (size_t)(since / (uint64_t)t->width_ns);
	if (i >= t->used)
		t->used = i + 1;
	t->last = i;
	t->last_from_ns = cell_start(t, i);
	t->last_width_ns = (uint64_t)t->width_ns;
	return i;
}

static inline size_t index_of(struct pv_timeline *t, int64_t time)
{
	bool again = (uint64_t)time - (uint64_t)t->last_from_ns < t->last_width_ns;
	return again ? t->last : find_index(t, time);
}

void pv_timeline_add(struct pv_timeline *t, enum pv_track track, int64_t time, uint64_t n)
{
	size_t i = index_of(t, time);
	t->cell[track][i] += n;
}

void pv_timeline_set(struct pv_timeline *t, enum pv_track track, int64_t time, uint64_t value)
{
	size_t i = index_of(t, time);
	t->cell[track][i] = value;
}

void pv_timeline_cell(struct pv_timeline *t, int64_t time, int64_t *ret_from, int64_t *ret_to)
{
	size_t i = index_of(t, time);
	*ret_from = i == 0 ? INT64_MIN : cell_start(t, i);
	*ret_to = cell_start(t, i + 1);
}

void pv_timeline_span(struct pv_timeline *t, enum pv_track track, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	index_of(t, to - 1); /* the width does not change below */
	size_t i = index_of(t, from), last = index_of(t, to - 1);
	for (; i < last; i++) {
		int64_t edge = cell_start(t, i + 1);
		t->cell[track][i] += (uint64_t)(edge - from);
		from = edge;
	}
	t->cell[track][last] += (uint64_t)(to - from);
}

#include "common/model/time/timeline.h"

#include <string.h>

#include "common/model/time/window_parts.h"

void pv_timeline_init(struct pv_timeline *t, int64_t origin_ns)
{
	if (t->used) /* else it is as it was made: all 0 */
		memset(t, 0, sizeof *t);
	t->origin_ns = origin_ns;
	t->width_ns = PV_TIMELINE_FIRST_WIDTH;
}

static bool is_level(unsigned track)
{
	return track == PV_TRACK_HEAP;
}

/* Neighbouring cells become one: levels keep the later word, the rest adds up. */
static void widen(struct pv_timeline *t)
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

static size_t index_of(struct pv_timeline *t, int64_t time)
{
	if (time < t->origin_ns)
		return 0;
	uint64_t since = (uint64_t)time - (uint64_t)t->origin_ns;
	while (since / (uint64_t)t->width_ns >= PV_TIMELINE_CELLS)
		widen(t);
	size_t i = (size_t)(since / (uint64_t)t->width_ns);
	if (i >= t->used)
		t->used = i + 1;
	return i;
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
	*ret_from = i == 0 ? INT64_MIN : t->origin_ns + (int64_t)i * t->width_ns;
	*ret_to = t->origin_ns + (int64_t)(i + 1) * t->width_ns;
}

void pv_timeline_span(struct pv_timeline *t, enum pv_track track, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	index_of(t, to - 1); /* the width does not change below */
	size_t i = index_of(t, from), last = index_of(t, to - 1);
	for (; i < last; i++) {
		int64_t edge = t->origin_ns + (int64_t)(i + 1) * t->width_ns;
		t->cell[track][i] += (uint64_t)(edge - from);
		from = edge;
	}
	t->cell[track][last] += (uint64_t)(to - from);
}

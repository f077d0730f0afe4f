/* SPDX-License-Identifier: MIT */
/* Applies the memory that native programs hold, by stack, and notes points of growth. */
#include "common/model/objects/held.h"

#include <string.h>

#include "common/model/ground/model_stack.h"
#include "common/model/objects/gc_parts.h"

/* Drops every second point: distances double. */
static void thin(struct pv_held *h)
{
	for (uint32_t to = 0; to < PV_HELD_POINTS / 2; to++) {
		h->point_ns[to] = h->point_ns[2 * to + 1];
		for (size_t i = 1; i < h->one.n; i++)
			h->one.v[i].past[to] = h->one.v[i].past[2 * to + 1];
	}
	h->points = PV_HELD_POINTS / 2;
	h->step *= 2;
}

static void note_point(struct pv_held *h, int64_t time_ns)
{
	h->step = h->step ? h->step : 1;
	if (++h->since < h->step)
		return;
	if (h->points == PV_HELD_POINTS)
		thin(h);
	h->since = 0;
	h->point_ns[h->points] = time_ns;
	for (size_t i = 1; i < h->one.n; i++)
		h->one.v[i].past[h->points] = h->one.v[i].live_bytes;
	h->points++;
}

static struct pv_held_stack *make_held_stack(struct pv_held *h, uint64_t number)
{
	if (!pv_reserve(&h->one, 2))
		return NULL;
	h->one.n += h->one.n == 0;
	if (h->one.n == 1)
		h->one.v[0] = (struct pv_held_stack){ .stack = 0 };
	if (!pv_map_set(&h->of, number, (uint32_t)h->one.n))
		return NULL;
	struct pv_held_stack *s = &h->one.v[h->one.n++];
	*s = (struct pv_held_stack){ .stack = 0 };
	return s;
}

static bool one(struct pv_context *x, const struct pv_event *e)
{
	struct pv_held *h = &x->m->held;
	uint32_t at = pv_map_get(&h->of, e->held.number);
	if (at == PV_MAP_NONE && h->one.n > PV_HELD_CAP) {
		h->left_out++;
		return true; /* its bytes are in the sum of all */
	}
	struct pv_held_stack *s =
		at == PV_MAP_NONE ? make_held_stack(h, e->held.number) : &h->one.v[at];
	if (!s)
		return false;
	if (e->held.stack.n) {
		uint32_t stack = pv_stack_of(x, e->held.stack);
		if (stack == PV_MAP_NONE)
			return false;
		s->stack = stack;
	}
	s->allocations = e->held.allocations;
	s->bytes = e->held.bytes;
	s->live = e->held.live;
	s->live_bytes = e->held.live_bytes;
	s->most_bytes = e->held.most_bytes;
	s->at_once = e->held.at_once;
	return true;
}

bool pv_held_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_held *h = &x->m->held;
	if (e->kind == PV_KIND_EXT_HELD)
		return one(x, e);
	h->live_bytes = e->held.live_bytes;
	h->most_bytes = e->held.most_bytes;
	h->latest_ns = x->time;
	h->readings++;
	note_point(h, x->time);
	return true;
}

void pv_held_finish(struct pv_held *h)
{
	pv_array_finish(&h->one);
	pv_map_finish(&h->of);
}

static void renumbered(struct pv_model *m, const uint32_t *into)
{
	for (size_t i = 1; i < m->held.one.n; i++)
		m->held.one.v[i].stack = into[m->held.one.v[i].stack];
}

const struct pv_stack_listener pv_held_stacks = { renumbered, NULL };

bool pv_held_grows(const struct pv_held *h, const struct pv_held_stack *s, uint64_t *ret_per_minute)
{
	enum { FEWEST = 5, MINUTE_S = 60 };
	uint32_t grew = 0;
	*ret_per_minute = 0;
	if (h->points < FEWEST)
		return false;
	for (uint32_t i = 0; i < h->points; i++) {
		uint64_t before = pv_held_at(h, s, i), now = pv_held_at(h, s, i + 1);
		if (now < before)
			return false;
		grew += now > before;
	}
	uint64_t first = s->past[h->points / 2], last = s->live_bytes;
	int64_t took = h->latest_ns - h->point_ns[h->points / 2];
	/* The last point may be of the same moment as now. */
	if (grew + 1 < h->points || last <= first || took <= 0)
		return false;
	*ret_per_minute = (uint64_t)((double)(last - first) * MINUTE_S * 1e9 / (double)took);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Fills the rolling window: touched nodes and sites, self time, samples. */
#include "common/model/time/window.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/time/buckets_parts.h"
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

struct pv_window *pv_window_create(void)
{
	struct pv_window *w = calloc(1, sizeof *w);
	if (!w || !pv_reserve(&w->nodes, 64) || !pv_reserve(&w->sites, 64)) {
		pv_window_destroy(w);
		return NULL;
	}
	w->width = (int64_t)PV_WINDOW_CELL_MS * 1000000;
	w->limit = PV_WINDOW_BYTES;
	w->newest = INT64_MIN / 2;
	w->advanced_ns = INT64_MIN;
	w->nodes.v[w->nodes.n++] = (struct pv_window_touched){ 0 };
	w->sites.v[w->sites.n++] = (struct pv_window_touched){ 0 };
	w->nodes_at = w->sites_at = 1;
	return w;
}

void pv_window_empty_cell(struct pv_window *w, struct pv_window_cell *c)
{
	w->bytes -= c->nodes.room * sizeof *c->nodes.v + c->sites.room * sizeof *c->sites.v;
	pv_array_finish(&c->nodes);
	pv_array_finish(&c->sites);
	c->merged_nodes = c->merged_sites = 0;
	c->used = false;
}

/* Nearly all cells may be as they were made. */
static void empty_all(struct pv_window *w)
{
	for (size_t i = 0; i < PV_WINDOW_CELLS && !w->off; i++)
		if (w->cell[i].used || w->cell[i].nodes.room || w->cell[i].sites.room)
			pv_window_empty_cell(w, &w->cell[i]);
}

void pv_window_destroy(struct pv_window *w)
{
	if (!w)
		return;
	empty_all(w);
	pv_array_finish(&w->nodes);
	pv_array_finish(&w->sites);
	pv_array_finish(&w->place);
	free(w);
}

void pv_window_off(struct pv_model *m)
{
	pv_window_flush(m);
	struct pv_window *w = m->window;
	empty_all(w);
	w->off = true;
	pv_buckets_destroy(m->buckets); /* filled by the window */
	m->buckets = NULL;
	for (size_t i = 0; i < m->calls.node.n; i++)
		m->calls.node.v[i].cell = 1;
	for (size_t i = 0; i < m->allocs.sites.site.n; i++)
		m->allocs.sites.site.v[i].cell = 1;
	m->private->slice_width = 0;
}

uint32_t pv_window_untouched(const struct pv_model *m)
{
	return m->window->off;
}

/* --- cells */

int64_t pv_window_number(const struct pv_window *w, int64_t time)
{
	int64_t n = time / w->width;
	return n - (time % w->width < 0);
}

static size_t cell_slot(int64_t number)
{
	return (size_t)(((number % PV_WINDOW_CELLS) + PV_WINDOW_CELLS) % PV_WINDOW_CELLS);
}

struct pv_window_cell *pv_window_cell_of(struct pv_window *w, int64_t number)
{
	if (number > w->newest)
		w->newest = number;
	if (number <= w->newest - PV_WINDOW_CELLS)
		return NULL;
	struct pv_window_cell *c = &w->cell[cell_slot(number)];
	if (c->used && c->number != number) {
		if (c->number > number)
			return NULL;
		pv_window_empty_cell(w, c);
	}
	c->number = number;
	c->used = true;
	return c;
}

static bool reserve_nodes(struct pv_window *w, struct pv_window_cell *c, size_t n)
{
	size_t before = c->nodes.room;
	bool ok = pv_reserve(&c->nodes, n);
	w->bytes += (c->nodes.room - before) * sizeof *c->nodes.v;
	return ok;
}

static bool reserve_sites(struct pv_window *w, struct pv_window_cell *c, size_t n)
{
	size_t before = c->sites.room;
	bool ok = pv_reserve(&c->sites, n);
	w->bytes += (c->sites.room - before) * sizeof *c->sites.v;
	return ok;
}

static bool add_node(struct pv_window *w, int64_t number, const struct pv_window_entry *e)
{
	struct pv_window_cell *c = pv_window_cell_of(w, number);
	if (!c)
		return true;
	if (!reserve_nodes(w, c, 1))
		return false;
	c->nodes.v[c->nodes.n++] = *e;
	return w->bytes <= w->limit || pv_window_shrink(w);
}

static bool add_cell_site(struct pv_window *w, int64_t number, const struct pv_window_bytes *e)
{
	struct pv_window_cell *c = pv_window_cell_of(w, number);
	if (!c)
		return true;
	if (!reserve_sites(w, c, 1))
		return false;
	c->sites.v[c->sites.n++] = *e;
	return w->bytes <= w->limit || pv_window_shrink(w);
}

/* --- gathering for the present cell */

void pv_window_touch_node(struct pv_model *m, uint32_t node)
{
	struct pv_window *w = m->window;
	struct pv_tree_node *n = &m->calls.node.v[node];
	if (!pv_reserve(&w->nodes, 1)) {
		w->failed = true;
		return;
	}
	n->cell = (uint32_t)w->nodes.n;
	w->nodes.v[w->nodes.n++] = (struct pv_window_touched){ node, n->calls, n->self_ns };
}

void pv_window_touch_site(struct pv_model *m, uint32_t site)
{
	struct pv_window *w = m->window;
	struct pv_site *s = &m->allocs.sites.site.v[site];
	if (!pv_reserve(&w->sites, 1)) {
		w->failed = true;
		return;
	}
	s->cell = (uint32_t)w->sites.n;
	w->sites.v[w->sites.n++] = (struct pv_window_touched){ site, s->count, (int64_t)s->amount };
}

static bool flush_node(struct pv_model *m, const struct pv_window_touched *t, int64_t time)
{
	struct pv_window *w = m->window;
	struct pv_tree_node *n = &m->calls.node.v[t->id];
	n->cell = 0;
	struct pv_window_entry e = { t->id, (uint32_t)(n->calls - t->count), n->self_ns - t->amount,
		0 };
	if (!e.calls && !e.self_ns)
		return true;
	const struct pv_bucket_entry bucket = { PV_BUCKET_METHOD, n->method, e.calls, e.self_ns };
	bool ok = add_node(w, w->present, &e);
	return pv_buckets_gather(m, time, &bucket) && ok;
}

static bool flush_site(struct pv_model *m, const struct pv_window_touched *t, int64_t time)
{
	struct pv_window *w = m->window;
	struct pv_site *s = &m->allocs.sites.site.v[t->id];
	s->cell = 0;
	struct pv_window_bytes e = { t->id, (uint32_t)(s->count - t->count),
		s->amount - (uint64_t)t->amount };
	if (!e.count)
		return true;
	const struct pv_bucket_entry bucket = { PV_BUCKET_CLASS, s->class_use, e.count,
		(int64_t)e.bytes };
	bool ok = add_cell_site(w, w->present, &e);
	return pv_buckets_gather(m, time, &bucket) && ok;
}

/* Reserves room for a flush: an array that grows while being filled is copied many times. */
static bool make_cell_room(struct pv_window *w)
{
	struct pv_window_cell *c = w->entered ? pv_window_cell_of(w, w->present) : NULL;
	return !c || (reserve_nodes(w, c, w->nodes.n - w->nodes_at) &&
			     reserve_sites(w, c, w->sites.n - w->sites_at));
}

/* Readers may come in between, or end the flush: each step leaves the window whole. */
bool pv_window_flush(struct pv_model *m)
{
	struct pv_window *w = m->window;
	int64_t time = w->present * w->width;
	bool ok = make_cell_room(w) && !w->failed;
	w->failed = false;
	while (w->nodes_at < w->nodes.n) {
		ok &= flush_node(m, &w->nodes.v[w->nodes_at++], time);
		pv_model_lock_yield(m, 1);
	}
	w->nodes.n = w->nodes_at = 1;
	while (w->sites_at < w->sites.n) {
		ok &= flush_site(m, &w->sites.v[w->sites_at++], time);
		pv_model_lock_yield(m, 1);
	}
	w->sites.n = w->sites_at = 1;
	ok &= pv_buckets_put_gathered(m);
	return ok && pv_buckets_widen_to(m, w->width);
}

bool pv_window_pay(struct pv_model *m, struct pv_thread *th, int64_t time)
{
	struct pv_window *w = m->window;
	struct pv_thread_calls *s = &th->stack;
	int64_t from = s->last_ns;
	s->last_ns = time;
	s->bucketed_ns += time - from;
	if (s->stack.n == 0)
		return true;
	uint32_t node = s->stack.v[s->stack.n - 1].node;
	struct pv_tree_node *n = &m->calls.node.v[node];
	int64_t ns = pv_clipped(m, th, from, time);
	n->self_ns += ns;
	if (w->off)
		return true;
	if (n->cell) /* the present cell must not count this time as its own */
		w->nodes.v[n->cell].amount += ns;
	bool ok = pv_buckets_span(m, n->method, th->index, from, time);
	/* Cells older than the ring would be dropped one by one. */
	int64_t first = pv_window_number(w, time) - PV_WINDOW_CELLS;
	if (time > from && pv_window_number(w, from) < first)
		from = first * w->width;
	while (from < time && ok) {
		int64_t number = pv_window_number(w, from), edge;
		edge = (int64_t)((uint64_t)(number + 1) * (uint64_t)w->width);
		if (edge > time ||
			edge <= from) /* the last cell's end is beyond the greatest time */
			edge = time;
		struct pv_window_entry e = { node, 0, edge - from, 0 };
		ok = add_node(w, number, &e);
		from = edge;
	}
	return ok;
}

bool pv_window_enter(
	struct pv_model *m, struct pv_thread *th, int64_t time, int64_t *ret_from, int64_t *ret_to)
{
	struct pv_window *w = m->window;
	*ret_from = INT64_MIN;
	*ret_to = INT64_MAX;
	if (w->off)
		return true;
	int64_t number = pv_window_number(w, time);
	bool ok = true;
	if (!w->entered || number != w->present) {
		ok = pv_window_flush(m);
		number = pv_window_number(w, time); /* the width may have changed */
		w->present = number;
		w->entered = true;
		pv_window_cell_of(w, number);
	}
	/* At the ends of the clock a cell is cut off, not wrapped. */
	if (__builtin_mul_overflow(number, w->width, ret_from))
		*ret_from = INT64_MIN;
	if (__builtin_add_overflow(*ret_from, w->width, ret_to))
		*ret_to = INT64_MAX;
	if (th->stack.stack.n && th->stack.last_ns < *ret_from)
		ok &= pv_window_pay(m, th, *ret_from);
	return ok;
}

bool pv_window_sample(struct pv_model *m, uint32_t node, uint32_t times, int64_t time)
{
	struct pv_window_entry e = { .node = node, .samples = times };
	const struct pv_bucket_entry bucket = { PV_BUCKET_METHOD_SAMPLES,
		m->calls.node.v[node].method, times, 0 };
	return m->window->off || (add_node(m->window, pv_window_number(m->window, time), &e) &&
					 pv_buckets_add(m, time, &bucket));
}

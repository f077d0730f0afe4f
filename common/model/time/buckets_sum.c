/* SPDX-License-Identifier: MIT */
/* Sums over a range of buckets, with the window's figures that are not flushed yet. */
#include <string.h>

#include "common/model/time/buckets_parts.h"
#include "common/model/time/window_parts.h"

struct gather {
	const struct pv_model *m;
	struct pv_bucket_sums *sums;
	struct pv_bucket_places places;
};

static bool put_bucket_entries(struct gather *g, const struct pv_bucket_entry *v, size_t n)
{
	if (n == 0)
		return true;
	if (!pv_reserve(&g->sums->entry, n))
		return false;
	memcpy(g->sums->entry.v + g->sums->entry.n, v, n * sizeof *v);
	g->sums->entry.n += n;
	return true;
}

/* Called now and then, so that many buckets take little memory. */
static bool merge_gathered(struct gather *g)
{
	return pv_buckets_merge(&g->places, g->sums->entry.v, &g->sums->entry.n);
}

/* Sorts by (what, id), the order of the places. */
static bool put_in_order(struct gather *g)
{
	struct pv_bucket_sums ordered = { 0 };
	const struct pv_bucket_entry *v = g->sums->entry.v;
	if (!merge_gathered(g) || !pv_reserve(&ordered.entry, g->sums->entry.n))
		return false;
	for (uint32_t what = 0; what < PV_BUCKET_WHATS; what++) {
		for (uint32_t id = 0; id < g->places.of[what].n; id++) {
			uint32_t at = g->places.of[what].v[id];
			if (at < g->sums->entry.n && v[at].what == what && v[at].id == id)
				ordered.entry.v[ordered.entry.n++] = v[at];
		}
	}
	pv_array_finish(&g->sums->entry);
	g->sums->entry.v = ordered.entry.v;
	g->sums->entry.n = ordered.entry.n;
	g->sums->entry.room = ordered.entry.room;
	return true;
}

static bool add_buckets(struct gather *g)
{
	const struct pv_buckets *b = g->m->buckets;
	size_t next_merge = 1 << 16;
	for (size_t i = 0; i < b->bucket.n; i++) {
		int64_t from = b->bucket.v[i].number * b->width;
		if (from < g->sums->from_ns || from >= g->sums->to_ns)
			continue;
		if (!put_bucket_entries(g, b->bucket.v[i].entry.v, b->bucket.v[i].entry.n))
			return false;
		if (g->sums->entry.n < next_merge)
			continue;
		if (!merge_gathered(g))
			return false;
		next_merge = 2 * g->sums->entry.n + (1 << 16);
	}
	return true;
}

bool pv_buckets_touched(const struct pv_model *m, struct pv_bucket_sums *s)
{
	struct gather gather = { .m = m, .sums = s }, *g = &gather;
	const struct pv_window *w = m->window;
	const struct pv_tree_node *node = m->calls.node.v;
	const struct pv_site *site = m->allocs.sites.site.v;
	const struct pv_buckets *b = m->buckets;
	int64_t present = w->present * w->width;
	if (b && b->gathered_ns >= g->sums->from_ns && b->gathered_ns < g->sums->to_ns &&
		!put_bucket_entries(g, b->gathered.v, b->gathered.n))
		return false;
	if (!w->entered || present < g->sums->from_ns || present >= g->sums->to_ns)
		return true;
	for (size_t i = w->nodes_at; i < w->nodes.n; i++) {
		const struct pv_window_touched *t = &w->nodes.v[i];
		const struct pv_bucket_entry e = { PV_BUCKET_METHOD, node[t->id].method,
			node[t->id].calls - t->count, node[t->id].self_ns - t->amount };
		if (!put_bucket_entries(g, &e, 1))
			return false;
	}
	for (size_t i = w->sites_at; i < w->sites.n; i++) {
		const struct pv_window_touched *t = &w->sites.v[i];
		const struct pv_bucket_entry e = { PV_BUCKET_CLASS, site[t->id].class_use,
			site[t->id].count - t->count,
			(int64_t)(site[t->id].amount - (uint64_t)t->amount) };
		if (!put_bucket_entries(g, &e, 1))
			return false;
	}
	return true;
}

static bool add_open_frames(struct gather *g)
{
	struct pv_open_frame o = { 0 };
	while (pv_threads_next_open(&g->m->threads, g->sums->from_ns, g->sums->to_ns, &o)) {
		const struct pv_bucket_entry e[] = {
			{ PV_BUCKET_METHOD, g->m->calls.node.v[o.node].method, 0, o.ns },
			{ PV_BUCKET_THREAD, (uint32_t)o.thread, 0, o.ns },
		};
		if (!put_bucket_entries(g, e, PV_COUNT_OF(e)))
			return false;
	}
	return true;
}

static int64_t edge_at(int64_t time, int64_t width, bool up)
{
	int64_t n = time / width - (time % width < 0), edge;
	if (up && n * width < time)
		n++;
	if (__builtin_mul_overflow(n, width, &edge))
		return n < 0 ? INT64_MIN : INT64_MAX;
	return edge;
}

bool pv_buckets_sum(
	const struct pv_model *m, int64_t from_ns, int64_t to_ns, struct pv_bucket_sums *ret)
{
	const struct pv_buckets *b = m->buckets;
	*ret = (struct pv_bucket_sums){ .from_ns = from_ns, .to_ns = from_ns };
	if (!b || from_ns >= to_ns)
		return true;
	ret->from_ns = from_ns == INT64_MIN ? from_ns : edge_at(from_ns, b->width, false);
	ret->to_ns = to_ns == INT64_MAX ? to_ns : edge_at(to_ns, b->width, true);
	struct gather g = { .m = m, .sums = ret };
	bool ok = add_buckets(&g) && pv_buckets_touched(m, ret) && add_open_frames(&g) &&
		  put_in_order(&g);
	pv_bucket_places_finish(&g.places);
	if (!ok)
		pv_bucket_sums_finish(ret);
	return ok;
}

int64_t pv_buckets_width(const struct pv_model *m)
{
	return m->buckets ? m->buckets->width : 0;
}

bool pv_buckets_each(const struct pv_model *m, int64_t from_ns, int64_t to_ns,
	void (*each)(void *ctx, int64_t time_ns, const struct pv_bucket_entry *e), void *ctx)
{
	const struct pv_buckets *b = m->buckets;
	struct pv_bucket_sums newest = { .from_ns = from_ns, .to_ns = to_ns };
	for (size_t i = 0; b && i < b->bucket.n; i++) {
		const struct pv_bucket *x = &b->bucket.v[i];
		int64_t time = x->number * b->width;
		if (time + b->width <= from_ns || time >= to_ns)
			continue;
		for (size_t k = 0; k < x->entry.n; k++)
			each(ctx, time, &x->entry.v[k]);
	}
	bool ok = !b || !m->window || pv_buckets_touched(m, &newest);
	for (size_t i = 0; ok && i < newest.entry.n; i++)
		each(ctx, edge_at(to_ns, b->width, false), &newest.entry.v[i]);
	pv_bucket_sums_finish(&newest);
	return ok;
}

void pv_bucket_sums_finish(struct pv_bucket_sums *s)
{
	pv_array_finish(&s->entry);
}

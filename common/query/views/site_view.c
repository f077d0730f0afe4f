/* SPDX-License-Identifier: MIT */
/* Allocations, exceptions and lock waits by class and stack. */
#include "common/base/saturate.h"
#include "common/model/objects/allocs.h"
#include "common/query/groups/build.h"
#include "common/model/locks/locks.h"
#include "common/model/model.h"
#include "common/model/objects/exceptions.h"
#include "common/model/time/window.h"
#include "common/query/groups/site_rows.h"
#include "common/query/groups/specs.h"

/* Figures per (class, stack). */
enum { S_COUNT, S_CLASS, S_STACK }; /* an amount before moves all by one */

static const struct pv_column alloc_columns[] = {
	{ "allocated_bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 4 },
	{ "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 3, PV_COLUMN_ADDS, .json = 3 },
	{ "class", "CLASS", PV_UNIT_TEXT, 16, 2, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS, .json = 1 },
	{ "stack", "STACK", PV_UNIT_LIST, 24, 0, PV_COLUMN_GROWS, .json = 2 },
};
static const struct pv_column throw_columns[] = {
	{ "thrown", "THROWN", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 3 },
	{ "class", "CLASS", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS, .json = 1 },
	{ "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS, .json = 2 },
};
static const struct pv_column wait_columns[] = {
	{ "wait_ns", "WAITED", PV_UNIT_NS, 9, 1, PV_COLUMN_ADDS, .json = 4 },
	{ "contentions", "CONTENDED", PV_UNIT_COUNT, 9, 2, PV_COLUMN_ADDS, .json = 3 },
	{ "class", "CLASS", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS, .json = 1 },
	{ "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS, .json = 2 },
};

enum { H_SHARE, H_LIVE, H_BLOCKS, H_MOST, H_GROWTH, H_BYTES, H_COUNT, H_AT_ONCE, H_STACK };

static const struct pv_column held_columns[] = {
	[H_SHARE] = { "held_percent", "HELD%", PV_UNIT_PERCENT, 6, 3, .flags = PV_COLUMN_ADDS,
		.help = "Its share of all bytes that are held" },
	[H_LIVE] = { "held_bytes", "HELD", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 2 },
	[H_BLOCKS] = { "held_blocks", "BLOCKS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 3,
		.help = "Blocks that were allocated there and are not given back yet" },
	[H_MOST] = { "most_bytes", "MOST", PV_UNIT_BYTES, 9, 5, .json = 4 },
	[H_GROWTH] = { "growth_bytes_per_minute", "+/MIN", PV_UNIT_BYTES, 9, 4, PV_COLUMN_ADDS,
		.json = 5,
		.help = "What is held has grown all the time: by so much a minute. 0: it has not" },
	[H_BYTES] = { "allocated_bytes", "ALLOCATED", PV_UNIT_BYTES, 9, 7, PV_COLUMN_ADDS,
		.json = 6 },
	[H_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 6, PV_COLUMN_ADDS,
		.json = 7 },
	[H_AT_ONCE] = { "temporary", "TEMPORARY", PV_UNIT_COUNT, 9, 8, PV_COLUMN_ADDS, .json = 8,
		.help = "Blocks given back by the same thread before it allocated another" },
	[H_STACK] = { "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS, .json = 1 },
};

static bool add_held(struct pv_site_rows *r, const struct pv_held *h, const struct pv_held_stack *s)
{
	uint64_t growth;
	struct pv_cell *c = pv_site_row(r, (struct pv_site_key){ .stack = s->stack });
	if (!c)
		return false;
	pv_held_grows(h, s, &growth);
	c[H_LIVE].u += s->live_bytes;
	c[H_BLOCKS].u += s->live;
	c[H_MOST].u += s->most_bytes;
	c[H_GROWTH].u += growth;
	c[H_BYTES].u += s->bytes;
	c[H_COUNT].u += s->allocations;
	c[H_AT_ONCE].u += s->at_once;
	pv_cell_share(&c[H_SHARE], (double)c[H_LIVE].u, (double)h->live_bytes);
	return true;
}

static void copy_held(struct pv_build *b, struct pv_model *m)
{
	struct pv_site_rows r;
	bool ok = pv_site_rows_init(&r, b, m, H_STACK, H_STACK);
	for (size_t i = 1; ok && i < m->held.one.n; i++)
		ok = add_held(&r, &m->held, &m->held.one.v[i]);
	if (!ok)
		pv_build_fail(b);
	pv_site_rows_finish(&r);
}

const struct pv_view_spec pv_spec_held = { .column = held_columns,
	.columns = PV_COUNT_OF(held_columns),
	.name = "stack",
	.sort = "held_bytes",
	.copy = copy_held,
	.fill_chosen = pv_site_rows_text };

static bool add_site_figures(
	struct pv_site_rows *r, const struct pv_site *site, uint64_t count, int64_t sum)
{
	bool amounts = r->class_column > 1; /* the table has amounts, before the counts */
	struct pv_cell *c = pv_site_row(
		r, (struct pv_site_key){ site->class_use, site->stack, site->other, 0 });
	if (!c)
		return false;
	c[amounts].u += count;
	if (amounts)
		c->i = pv_sat_add(c->i, sum);
	return true;
}

static bool add_window(struct pv_site_rows *r, const struct pv_sites *from)
{
	struct pv_window_sums sums = { 0 };
	bool ok = pv_window_sum(r->m, r->b->query->window_ns, &sums);
	for (size_t i = 0; ok && i < sums.sites.n; i++) {
		const struct pv_window_site *w = &sums.sites.v[i];
		ok = add_site_figures(r, &from->site.v[w->site], w->count, (int64_t)w->bytes);
	}
	pv_window_sums_finish(&sums);
	return ok;
}

/* Adds wait sites by lock, with the lock's class as known by now. */
static bool add_by_lock(struct pv_site_rows *r, const struct pv_locks *l)
{
	bool ok = true;
	for (size_t i = 1; ok && i < l->by_lock.site.n; i++) {
		struct pv_site site = l->by_lock.site.v[i];
		site.class_use =
			site.class_use < l->lock.n ? l->lock.v[site.class_use].class_use : 0;
		if (site.count || site.amount)
			ok = add_site_figures(r, &site, site.count, (int64_t)site.amount);
	}
	return ok;
}

static void copy_site_rows(struct pv_build *b, struct pv_model *m, const struct pv_sites *from,
	bool amounts, bool window)
{
	struct pv_site_rows r;
	bool ok = pv_site_rows_init(&r, b, m, S_CLASS + amounts, S_STACK + amounts);
	if (ok && window)
		ok = add_window(&r, from);
	for (size_t i = 1; ok && !window && i < from->site.n; i++) {
		const struct pv_site *site = &from->site.v[i];
		if (site->count || site->amount)
			ok = add_site_figures(&r, site, site->count, (int64_t)site->amount);
	}
	if (ok && from == &m->locks.sites)
		ok = add_by_lock(&r, &m->locks);
	if (!ok)
		pv_build_fail(b);
	pv_site_rows_finish(&r);
}

static void copy_alloc_sites(struct pv_build *b, struct pv_model *m)
{
	copy_site_rows(b, m, &m->allocs.sites, true, b->query->window_ns != 0);
}

static void copy_throw_sites(struct pv_build *b, struct pv_model *m)
{
	copy_site_rows(b, m, &m->throws.sites, false, false);
}

static void copy_wait_sites(struct pv_build *b, struct pv_model *m)
{
	copy_site_rows(b, m, &m->locks.sites, true, false);
}

const struct pv_view_spec pv_spec_allocation_sites = { .column = alloc_columns,
	.columns = PV_COUNT_OF(alloc_columns),
	.name = "class",
	.sort = "allocated_bytes",
	.copy = copy_alloc_sites,
	.fill_chosen = pv_site_rows_text };
const struct pv_view_spec pv_spec_throw_sites = { .column = throw_columns,
	.columns = PV_COUNT_OF(throw_columns),
	.name = "class",
	.sort = "thrown",
	.copy = copy_throw_sites,
	.fill_chosen = pv_site_rows_text };
const struct pv_view_spec pv_spec_wait_sites = { .column = wait_columns,
	.columns = PV_COUNT_OF(wait_columns),
	.name = "class",
	.sort = "wait_ns",
	.copy = copy_wait_sites,
	.fill_chosen = pv_site_rows_text };

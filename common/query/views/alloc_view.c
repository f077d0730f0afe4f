/* SPDX-License-Identifier: MIT */
/* Allocations by class, and the allocation stacks of one class as a tree. */
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/objects/allocs.h"
#include "common/model/model.h"
#include "common/model/time/window.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/logical.h"
#include "common/query/groups/specs.h"
#include "common/query/trends.h"

struct sum {
	uint64_t count, bytes;
	double variance; /* of bytes, if estimated */
};

/* --- by class --- */

enum { C_SHARE, C_BYTES, C_COUNT, C_AVERAGE, C_TREND, C_ESTIMATED, C_ERROR, C_IMAGE, C_NAME };

static const struct pv_column class_columns[] = {
	[C_SHARE] = { "allocated_percent", "BYTES%", PV_UNIT_PERCENT, 6, 3,
		.flags = PV_COLUMN_ADDS },
	[C_BYTES] = { "allocated_bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 3 },
	[C_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 2, PV_COLUMN_ADDS,
		.json = 2 },
	[C_AVERAGE] = { "average_bytes", "AVERAGE", PV_UNIT_BYTES, 9, 4, .flags = 0 },
	[C_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 3,
		.flags = PV_COLUMN_NUMBERS },
	[C_ESTIMATED] = { "estimated", "ESTIMATED", PV_UNIT_BOOL, 9, 9, PV_COLUMN_HIDE_SCREEN,
		.json = 4 },
	[C_ERROR] = { "error_bytes", "+-BYTES", PV_UNIT_BYTES, 9, 9, PV_COLUMN_HIDE_SCREEN,
		.json = 5 },
	[C_IMAGE] = { "image", "IMAGE", PV_UNIT_TEXT, 16, 8,
		.flags = PV_COLUMN_HIDE_SCREEN | PV_COLUMN_ASCENDING },
	[C_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
};

/* The 95 % error bound of an estimate. */
static uint64_t error_of(const struct sum *s)
{
	return (uint64_t)(1.96 * sqrt(s->variance));
}

static void put_classes(
	struct pv_build *b, const struct pv_groups *g, const struct sum *sum, bool estimated)
{
	uint64_t all = 0;
	for (size_t i = 0; i < g->row.n; i++)
		all += sum[i].bytes;
	for (size_t i = 0; i < g->row.n; i++) {
		if (sum[i].count == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g->row.v[i].id);
		pv_cell_share(&c[C_SHARE], (double)sum[i].bytes, (double)all);
		pv_cell_u(&c[C_BYTES], sum[i].bytes);
		pv_cell_u(&c[C_COUNT], sum[i].count);
		pv_cell_u(&c[C_AVERAGE], sum[i].bytes / sum[i].count);
		pv_cell_null(&c[C_TREND]);
		pv_cell_u(&c[C_ESTIMATED], estimated);
		pv_cell_u_if(&c[C_ERROR], sum[i].variance > 0, error_of(&sum[i]));
		pv_cell_s(&c[C_IMAGE], g->row.v[i].image);
		pv_cell_s(&c[C_NAME], pv_group_name(b, g, (uint32_t)i));
	}
}

static void sum_all(const struct pv_model *m, const struct pv_groups *g, struct sum *sum)
{
	for (size_t i = 0; i < m->allocs.class_use.n; i++) {
		struct sum *to = &sum[pv_group_of(g, (uint32_t)i)];
		to->count += m->allocs.class_use.v[i].count;
		to->bytes += m->allocs.class_use.v[i].bytes;
		to->variance += m->allocs.class_use.v[i].variance;
	}
}

static bool sum_window(
	const struct pv_model *m, const struct pv_groups *g, uint64_t window_ns, struct sum *sum)
{
	struct pv_window_sums w = { 0 };
	bool ok = pv_window_sum(m, window_ns, &w);
	for (size_t i = 0; ok && i < w.sites.n; i++) {
		const struct pv_site *site = &m->allocs.sites.site.v[w.sites.v[i].site];
		struct sum *to = &sum[pv_group_of(g, site->class_use)];
		to->count += w.sites.v[i].count;
		to->bytes += w.sites.v[i].bytes;
	}
	pv_window_sums_finish(&w);
	return ok;
}

static void run_classes(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	pv_model_lock(m);
	pv_build_stamp(b, m);
	bool ok = pv_groups_classes(m, b, &g);
	struct sum *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	ok = ok && sum;
	if (ok && b->query->window_ns)
		ok = sum_window(m, &g, b->query->window_ns, sum);
	else if (ok)
		sum_all(m, &g, sum);
	bool estimated = m->allocs.period != 0;
	pv_model_unlock(m);
	if (ok)
		put_classes(b, &g, sum, estimated);
	else
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_classes = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns),
	.name = "name",
	.sort = "allocated_bytes",
	.streaming = true,
	.run = run_classes };

/* --- allocation stacks of one class as a tree, innermost frame first --- */

enum { K_SHARE, K_BYTES, K_COUNT, K_METHOD };

static const struct pv_column stack_columns[] = {
	[K_SHARE] = { "allocated_percent", "BYTES%", PV_UNIT_PERCENT, 6, 3, .flags = 0 },
	[K_BYTES] = { "allocated_bytes", "BYTES", PV_UNIT_BYTES, 9, 1, .flags = 0 },
	[K_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 2, .flags = 0 },
	[K_METHOD] = { "method", "ALLOCATED IN, CALLED FROM", PV_UNIT_TEXT, 30, 0,
		.flags =
			PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE | PV_COLUMN_METHOD },
};

/* A site of the class, on the way outwards. */
struct member {
	struct sum sum;
	uint32_t stack; /* frame of the row, numbered as in logical.h; 0: the way has ended */
	uint8_t usual;  /* percent of awaiting the frame below */
	uint32_t next;  /* index + 1; 0 ends */
};

struct bucket {
	struct sum sum;
	uint32_t group, members;
	bool awaits, children;
	uint8_t usual;
};

struct open_row {
	uint64_t id;
	uint32_t members;
};

struct unfold {
	struct pv_build *b;
	const struct pv_model *m;
	struct pv_groups methods;
	struct pv_logical logical;
	uint32_t *
		bucket_of; /* by group, two of each, calls and awaits: index + 1 in bucket while one row is opened */
	struct sum all;
	PV_ARRAY(struct member) member;
	PV_ARRAY(struct open_row) todo;
	PV_ARRAY(struct bucket) bucket;
};

static bool add_member(struct unfold *u, struct member from)
{
	const struct pv_stacks *s = &u->m->stacks;
	const struct pv_logical *l = &u->logical;
	const uint32_t caller = pv_logical_above(l, s, from.stack);
	const bool awaits = pv_logical_part(l, from.stack) == PV_PART_AWAITS;
	const uint32_t group = pv_group_of(&u->methods, pv_logical_method(l, s, from.stack));
	uint32_t *at = &u->bucket_of[(size_t)group * 2 + awaits];
	if (*at == 0) {
		if (!pv_reserve(&u->bucket, 1))
			return false;
		u->bucket.v[u->bucket.n++] =
			(struct bucket){ .group = group, .awaits = awaits, .usual = from.usual };
		*at = (uint32_t)u->bucket.n;
	}
	struct bucket *k = &u->bucket.v[*at - 1];
	if (!pv_reserve(&u->member, 1))
		return false;
	u->member.v[u->member.n++] = (struct member){ .sum = from.sum,
		.stack = caller,
		.usual = pv_logical_percent(l, from.stack),
		.next = k->members };
	k->members = (uint32_t)u->member.n;
	k->sum.count += from.sum.count;
	k->sum.bytes += from.sum.bytes;
	k->children |= caller != 0;
	return true;
}

static void put_alloc_frame(struct unfold *u, uint64_t id, uint64_t parent, const struct sum *sum,
	const char *text, bool children)
{
	struct pv_cell *c = pv_build_child(u->b, id, parent, children ? PV_ROW_HAS_CHILDREN : 0);
	pv_cell_share(&c[K_SHARE], (double)sum->bytes, (double)u->all.bytes);
	pv_cell_u(&c[K_BYTES], sum->bytes);
	pv_cell_u(&c[K_COUNT], sum->count);
	pv_cell_s(&c[K_METHOD], text);
}

static const char *bucket_name(struct unfold *u, const struct bucket *k)
{
	const char *name = pv_group_name(u->b, &u->methods, k->group);
	char mark[PV_PART_TEXT];
	if (!k->awaits)
		return name;
	return pv_build_printf(u->b, "%s%s", name, pv_logical_mark(PV_PART_AWAITS, k->usual, mark));
}

static bool open_row(struct unfold *u, struct open_row row)
{
	enum { AWAITS_BIT = 40 };
	u->bucket.n = 0;
	for (uint32_t i = row.members; i; i = u->member.v[i - 1].next)
		if (u->member.v[i - 1].stack && !add_member(u, u->member.v[i - 1]))
			return false;
	if (!pv_reserve(&u->todo, u->bucket.n))
		return false;
	for (size_t i = 0; i < u->bucket.n; i++) {
		const struct bucket *k = &u->bucket.v[i];
		uint64_t group = u->methods.row.v[k->group].id ^ (uint64_t)k->awaits << AWAITS_BIT;
		uint64_t id = pv_hash(row.id * 31 + pv_hash(group)) | 1;
		put_alloc_frame(u, id, row.id, &k->sum, bucket_name(u, k), k->children);
		if (k->children && pv_build_wants_children(u->b, id))
			u->todo.v[u->todo.n++] = (struct open_row){ id, k->members };
		u->bucket_of[(size_t)k->group * 2 + k->awaits] = 0;
	}
	return true;
}

/* Rows of allocations without a stack; their ids are even, ids of frames odd. */
enum { ROW_NO_STACK = 2, ROW_OTHER = 4 };

struct start {
	struct open_row root;
	struct sum no_stack, other;
};

static bool add_start(struct unfold *u, struct start *s, const struct pv_site *site, struct sum sum)
{
	u->all.count += sum.count;
	u->all.bytes += sum.bytes;
	if (site->stack == 0 || site->stack >= u->m->stacks.node.n) {
		struct sum *to = site->other ? &s->other : &s->no_stack;
		to->count += sum.count;
		to->bytes += sum.bytes;
		return true;
	}
	if (!pv_reserve(&u->member, 1))
		return false;
	u->member.v[u->member.n++] = (struct member){ .sum = sum,
		.stack = pv_logical_at(&u->logical, site->stack),
		.next = s->root.members };
	s->root.members = (uint32_t)u->member.n;
	return true;
}

static bool gather_members(
	struct unfold *u, struct start *s, const struct pv_groups *classes, uint32_t class)
{
	const struct pv_sites *sites = &u->m->allocs.sites;
	struct pv_window_sums w = { 0 };
	uint64_t window = u->b->query->window_ns;
	bool ok = !window || pv_window_sum(u->m, window, &w);
	size_t n = window ? w.sites.n : sites->site.n;
	for (size_t i = window ? 0 : 1; ok && i < n; i++) {
		const struct pv_site *site = &sites->site.v[window ? w.sites.v[i].site : i];
		struct sum sum = { site->count, (uint64_t)site->amount, 0 };
		if (window)
			sum = (struct sum){ w.sites.v[i].count, w.sites.v[i].bytes, 0 };
		if (sum.count && pv_group_of(classes, site->class_use) == class)
			ok = add_start(u, s, site, sum);
	}
	pv_window_sums_finish(&w);
	return ok;
}

static bool unfold(struct unfold *u, struct start *s)
{
	u->bucket_of = calloc(u->methods.row.n * 2, sizeof *u->bucket_of);
	if (!u->bucket_of)
		return false;
	if (s->no_stack.count)
		put_alloc_frame(u, ROW_NO_STACK, 0, &s->no_stack, "(no stack recorded)", false);
	if (s->other.count)
		put_alloc_frame(u, ROW_OTHER, 0, &s->other, "(other stacks)", false);
	bool ok = open_row(u, s->root);
	while (ok && u->todo.n)
		ok = open_row(u, u->todo.v[--u->todo.n]);
	return ok;
}

static void copy_class_stacks(struct pv_build *b, struct pv_model *m)
{
	struct unfold u = { .b = b, .m = m };
	struct start s = { .root = { .id = 0 } };
	struct pv_groups classes;
	bool ok = pv_groups_classes(m, b, &classes) &&
		  pv_groups_methods_by_name(m, b, &u.methods) &&
		  pv_logical_stacks(m, b->query, &u.methods, &u.logical);
	uint32_t class = ok ? pv_groups_find(&classes, b->query->select) : UINT32_MAX;
	if (ok && class != UINT32_MAX)
		ok = gather_members(&u, &s, &classes, class) && unfold(&u, &s);
	if (!ok)
		pv_build_fail(b);
	pv_logical_finish(&u.logical);
	free(u.bucket_of);
	pv_array_finish(&u.member);
	pv_array_finish(&u.todo);
	pv_array_finish(&u.bucket);
	pv_groups_finish(&u.methods);
	pv_groups_finish(&classes);
}

const struct pv_view_spec pv_spec_class_stacks = { .column = stack_columns,
	.columns = PV_COUNT_OF(stack_columns),
	.name = "method",
	.sort = "allocated_bytes",
	.tree = true,
	.copy = copy_class_stacks };

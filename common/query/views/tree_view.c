/* SPDX-License-Identifier: MIT */
/* The call tree from the roots, or from nodes with figures to their callers. */
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/call_copy.h"
#include "common/query/groups/code_kind.h"
#include "common/query/groups/specs.h"

/*
 * Trees with rows that merge nodes of one name under one parent row. Only visible rows are merged:
 * a row stands for its members, and opening a row groups their children.
 */

/* A row's id follows from the way to the row, and so is the same in every query. */
static uint64_t row_id(uint64_t parent, uint64_t group_id)
{
	uint64_t id = pv_hash(parent * 31 + pv_hash(group_id));
	return id ? id : 1;
}

struct member {
	uint32_t node; /* of the call copy */
	uint32_t from; /* bottom-up: the node with the figures */
	uint32_t next; /* index + 1; 0 ends */
};

struct open_row {
	uint64_t id;
	uint32_t members; /* index + 1 of the first */
};

/* The children of one row with the same group and part. */
struct bucket {
	struct pv_call_figures sum;
	uint32_t group, members;
	enum pv_logical_part part;
	uint8_t usual; /* percent */
	bool children;
};

struct unfold {
	struct pv_build *b;
	const struct pv_call_copy *copy;
	const struct pv_groups *groups;
	const uint8_t *kind; /* by group */
	bool calls, samples; /* whether known */
	uint8_t *has;        /* by node: enum has, of the figures counted */
	uint32_t *bucket_of; /* by group and part: index + 1 in bucket while one row is opened */
	PV_ARRAY(struct member) member;
	PV_ARRAY(struct open_row) todo;
	PV_ARRAY(struct bucket) bucket;
};

/* HAS_FIGURES: the node or a node below has figures; HAS_CHILDREN: a node below has. */
enum has { HAS_FIGURES = 1, HAS_CHILDREN = 2 };

enum {
	T_TOTAL_SHARE,
	T_SELF_SHARE,
	T_TOTAL,
	T_SELF,
	T_CALLS,
	T_MAX,
	T_HIT_SHARE,
	T_HIT_ERROR,
	T_HITS,
	T_HITS_BELOW,
	T_KIND,
	T_USUAL,
	T_METHOD,
	T_COLUMNS
};

static const struct pv_column tree_columns[] = {
	[T_TOTAL_SHARE] = { "total_percent", "TOTAL%", PV_UNIT_PERCENT, 6, 1,
		.help = "That as a part of all time in methods" },
	[T_SELF_SHARE] = { "self_percent", "SELF%", PV_UNIT_PERCENT, 6, 3,
		.flags = PV_COLUMN_ADDS },
	[T_TOTAL] = { "total_ns", "TOTAL", PV_UNIT_NS, 9, 4, .json = 3,
		.help = "Time in the method and in all that it calls; of callers, of the first row itself" },
	[T_SELF] = { "self_ns", "SELF", PV_UNIT_NS, 9, 5, PV_COLUMN_ADDS, .json = 4 },
	[T_CALLS] = { "calls", "CALLS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 2 },
	[T_MAX] = { "max_ns", "LONGEST", PV_UNIT_NS, 9, 8, .json = 5 },
	[T_HIT_SHARE] = { "samples_percent", "SAMPLE%", PV_UNIT_PERCENT, 7, 2, .flags = 0 },
	[T_HIT_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, .flags = 0 },
	[T_HITS] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS, .json = 6 },
	[T_HITS_BELOW] = { "samples_total", "BELOW", PV_UNIT_COUNT, 8, 5, .flags = 0 },
	[T_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 9, 11, PV_COLUMN_ASCENDING | PV_COLUMN_CODE,
		.json = 7 },
	[T_USUAL] = { "usual_percent", "USUAL%", PV_UNIT_PERCENT, 6, 12, PV_COLUMN_HIDE_SCREEN,
		.json = 8 },
	[T_METHOD] = { "method", "CALL TREE", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE | PV_COLUMN_METHOD,
		.json = 1 },
};

/* The name as in the log, with the part; percents have a column of their own. */
static const char *tree_row_name(struct unfold *u, const struct bucket *k)
{
	const char *name = pv_group_name(u->b, u->groups, k->group);
	char mark[PV_PART_TEXT];
	if (k->part == PV_PART_CALLED)
		return name;
	return pv_build_printf(u->b, "%s%s", name, pv_logical_mark(k->part, k->usual, mark));
}

static void put_node(struct unfold *u, uint64_t id, uint64_t parent, const struct bucket *k)
{
	const struct pv_call_figures *f = &k->sum;
	double self = u->calls ? (double)u->copy->self_ns : 0;
	double all = u->samples ? (double)u->copy->samples : 0;
	bool up = u->b->query->callers;
	struct pv_cell *c = pv_build_child(u->b, id, parent, k->children ? PV_ROW_HAS_CHILDREN : 0);
	pv_cell_share(&c[T_TOTAL_SHARE], (double)f->total_ns, self);
	pv_cell_share(&c[T_SELF_SHARE], (double)f->self_ns, up ? 0 : self);
	pv_cell_i_if(&c[T_TOTAL], u->calls, f->total_ns);
	pv_cell_i_if(&c[T_SELF], u->calls && !up, f->self_ns);
	pv_cell_u_if(&c[T_CALLS], u->calls, f->calls);
	pv_cell_i_if(&c[T_MAX], u->calls && !u->copy->window, f->max_ns);
	pv_cell_share(&c[T_HIT_SHARE], (double)f->samples_below, all);
	pv_cell_error(&c[T_HIT_ERROR], u->b, f->samples_below, all);
	pv_cell_u_if(&c[T_HITS], u->samples && !up, f->samples);
	pv_cell_u_if(&c[T_HITS_BELOW], u->samples, f->samples_below);
	pv_cell_s(&c[T_KIND], pv_code_kind_text((enum pv_code_kind)u->kind[k->group]));
	pv_cell_share(&c[T_USUAL], k->usual, k->usual ? 100 : 0);
	pv_cell_s(&c[T_METHOD], tree_row_name(u, k));
}

static void add_figures(struct pv_call_figures *to, const struct pv_call_figures *f)
{
	to->calls += f->calls;
	to->samples += f->samples;
	to->samples_below += f->samples_below;
	to->self_ns = pv_sat_add(to->self_ns, f->self_ns);
	to->total_ns = pv_sat_add(to->total_ns, f->total_ns);
	if (f->max_ns > to->max_ns)
		to->max_ns = f->max_ns;
}

/* A node's own figures: all nodes above have a part in these. */
static struct pv_call_figures own_figures(const struct pv_call_figures *f)
{
	struct pv_call_figures own = *f;
	own.total_ns = f->self_ns;
	own.samples_below = f->samples;
	return own;
}

/* The bucket of a node reached from the node `below`, or (0) from above. */
static struct bucket *bucket_for(struct unfold *u, uint32_t node, uint32_t below)
{
	const uint32_t group = u->copy->group[node];
	const enum pv_logical_part stands = pv_call_copy_part(u->copy, node);
	const bool awaits = stands == PV_PART_AWAITS, up = u->b->query->callers;
	const enum pv_logical_part part = up && !awaits ? PV_PART_CALLED : stands;
	const uint32_t of = !up ? node : awaits ? below : 0;
	uint32_t *at = &u->bucket_of[(size_t)group * PV_PARTS + part];
	if (*at == 0) {
		if (!pv_reserve(&u->bucket, 1))
			return NULL;
		u->bucket.v[u->bucket.n++] = (struct bucket){
			.group = group, .part = part, .usual = pv_call_copy_usual(u->copy, of)
		};
		*at = (uint32_t)u->bucket.n;
	}
	return &u->bucket.v[*at - 1];
}

static bool add_member(struct unfold *u, uint32_t node, uint32_t below, uint32_t from)
{
	bool up = u->b->query->callers;
	const struct pv_call_figures *all = &u->copy->figures[up ? from : node];
	const struct pv_call_figures figures = up ? own_figures(all) : *all;
	if (!pv_reserve(&u->member, 1))
		return false;
	struct bucket *k = bucket_for(u, node, below);
	if (!k)
		return false;
	u->member.v[u->member.n++] =
		(struct member){ .node = node, .from = from, .next = k->members };
	k->members = (uint32_t)u->member.n;
	k->children |= up ? u->copy->parent[node] != 0
			  : u->copy->first_child[node] && u->has[node] & HAS_CHILDREN;
	add_figures(&k->sum, &figures);
	return true;
}

/* Whether any counted figure is not 0. */
static bool counts(const struct unfold *u, const struct pv_call_figures *f)
{
	return (u->calls && (f->calls || f->self_ns || f->total_ns)) ||
	       (u->samples && f->samples_below);
}

static bool find_figures(struct unfold *u)
{
	const struct pv_call_copy *c = u->copy;
	u->has = calloc(c->n ? c->n : 1, sizeof *u->has);
	for (size_t i = c->n; u->has && i-- > 1;) {
		if (counts(u, &c->figures[i]) || u->b->query->counted == PV_COUNTED_ALL)
			u->has[i] |= HAS_FIGURES;
		if (u->has[i] & HAS_FIGURES)
			u->has[c->parent[i]] |= HAS_FIGURES | HAS_CHILDREN;
	}
	return u->has != NULL;
}

static bool add_children(struct unfold *u, uint32_t node)
{
	uint32_t child = u->copy->first_child[node];
	for (; child; child = u->copy->next_sibling[child])
		if (u->has[child] & HAS_FIGURES && !add_member(u, child, 0, child))
			return false;
	return true;
}

/* The first rows bottom-up: each node with own figures. */
static bool add_all_leaves(struct unfold *u)
{
	for (uint32_t i = 1; i < u->copy->n; i++) {
		struct pv_call_figures own = own_figures(&u->copy->figures[i]);
		if (counts(u, &own) && !add_member(u, i, 0, i))
			return false;
	}
	return true;
}

static bool add_members(struct unfold *u, struct open_row row)
{
	bool ok = true;
	if (u->b->query->callers && !row.id)
		return add_all_leaves(u);
	for (uint32_t i = row.members; ok && i; i = u->member.v[i - 1].next) {
		struct member m = u->member.v[i - 1];
		uint32_t caller = u->copy->parent[m.node];
		if (!u->b->query->callers)
			ok = add_children(u, m.node);
		else if (caller)
			ok = add_member(u, caller, m.node, m.from);
	}
	return ok;
}

/* Whether a row is below the query's `least` share; counts it as hidden. */
static bool is_hidden(struct unfold *u, const struct pv_call_figures *f)
{
	double time = u->calls && u->copy->self_ns > 0
			      ? 100 * (double)f->total_ns / (double)u->copy->self_ns
			      : 0;
	double hits = u->samples && u->copy->samples > 0
			      ? 100 * (double)f->samples_below / (double)u->copy->samples
			      : 0;
	struct pv_table *t = u->b->table;
	if (!t || u->b->query->onlys || time >= u->b->query->least || hits >= u->b->query->least)
		return false;
	t->hidden++;
	t->hidden_percent += u->calls ? time : hits;
	return true;
}

static bool open_row(struct unfold *u, struct open_row row)
{
	enum { PART_BITS = 40 };
	enum { MEMBERS_MAX = 1 << 24 }; /* paths upwards are as many as nodes, and as long */
	u->bucket.n = 0;
	if (!add_members(u, row) || !pv_reserve(&u->todo, u->bucket.n))
		return false;
	for (size_t i = 0; i < u->bucket.n; i++) {
		const struct bucket *k = &u->bucket.v[i];
		u->bucket_of[(size_t)k->group * PV_PARTS + k->part] = 0;
		if (is_hidden(u, &k->sum))
			continue;
		uint64_t part = (uint64_t)k->part << PART_BITS;
		uint64_t id = row_id(row.id, u->groups->row.v[k->group].id ^ part);
		put_node(u, id, row.id, k);
		if (k->children && u->member.n < MEMBERS_MAX && pv_build_wants_children(u->b, id))
			u->todo.v[u->todo.n++] = (struct open_row){ id, k->members };
	}
	return true;
}

static bool unfold(struct unfold *u)
{
	u->bucket_of = calloc(u->groups->row.n * PV_PARTS, sizeof *u->bucket_of);
	bool ok = u->bucket_of && find_figures(u) && pv_reserve(&u->member, 1);
	if (ok)
		u->member.v[u->member.n++] = (struct member){ 0 };
	ok = ok && open_row(u, (struct open_row){ .members = 1 });
	while (ok && u->todo.n)
		ok = open_row(u, u->todo.v[--u->todo.n]);
	free(u->bucket_of);
	free(u->has);
	pv_array_finish(&u->member);
	pv_array_finish(&u->todo);
	pv_array_finish(&u->bucket);
	return ok;
}

static void run_call_tree(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	struct pv_call_copy copy = { 0 };
	pv_model_lock(m);
	pv_build_stamp(b, m);
	unsigned known = pv_groups_known(m);
	bool ok = pv_groups_methods_by_name(m, b, &g) && pv_call_copy(m, &g, b->query, &copy);
	const uint8_t *kind = ok ? pv_groups_kinds(&g, m) : NULL;
	ok = ok && kind;
	uint32_t pair_ns = b->query->net ? pv_call_pair_ns(m) : 0;
	pv_model_unlock(m);
	if (ok) {
		pv_call_copy_net(&copy, pair_ns);
		ok = pv_call_copy_ran(&copy);
		pv_call_copy_fold(&copy);
		pv_call_copy_link(&copy);
	}
	struct unfold u = { .b = b,
		.copy = &copy,
		.groups = &g,
		.kind = kind,
		.calls = known & PV_GROUP_CALLS && b->query->counted != PV_COUNTED_SAMPLES,
		.samples = known & PV_GROUP_SAMPLES && b->query->counted != PV_COUNTED_CALLS };
	if (ok)
		pv_call_copy_say(&copy, u.calls, u.samples, b);
	if (!ok || !unfold(&u))
		pv_build_fail(b);
	pv_call_copy_finish(&copy);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_call_tree = { .column = tree_columns,
	.columns = T_COLUMNS,
	.name = "method",
	.sort = "self_ns",
	.then = "samples",
	.tree = true,
	.run = run_call_tree };

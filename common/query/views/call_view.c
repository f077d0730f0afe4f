/* SPDX-License-Identifier: MIT */
/* Methods with their times and samples, and the callers and callees of one method. */
#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/call_copy.h"
#include "common/query/groups/code_kind.h"
#include "common/query/groups/method_sums.h"
#include "common/query/groups/specs.h"
#include "common/query/trends.h"

/* --- methods --- */

enum {
	M_SELF_SHARE,
	M_SELF,
	M_TOTAL_SHARE,
	M_TOTAL,
	M_CALLS,
	M_AVERAGE,
	M_MAX,
	M_HIT_SHARE,
	M_HIT_ERROR,
	M_HITS,
	M_HITS_TOTAL,
	M_EXC,
	M_TREND,
	M_CPU_USER,
	M_CPU_KERNEL,
	M_KIND,
	M_NAME,
	M_COLUMNS
};

static const struct pv_column method_columns[] = {
	[M_SELF_SHARE] = { "self_percent", "SELF%", PV_UNIT_PERCENT, 6, 1,
		.flags = PV_COLUMN_ADDS },
	[M_SELF] = { "self_ns", "SELF", PV_UNIT_NS, 9, 5, PV_COLUMN_ADDS, .json = 4 },
	[M_TOTAL_SHARE] = { "total_percent", "TOTAL%", PV_UNIT_PERCENT, 6, 3, .flags = 0 },
	[M_TOTAL] = { "total_ns", "TOTAL", PV_UNIT_NS, 9, 4, .json = 3 },
	[M_CALLS] = { "calls", "CALLS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 2 },
	[M_AVERAGE] = { "average_ns", "AVERAGE", PV_UNIT_NS, 9, 9, .flags = 0 },
	[M_MAX] = { "max_ns", "LONGEST", PV_UNIT_NS, 9, 8, .json = 5 },
	[M_HIT_SHARE] = { "samples_percent", "SAMPLE%", PV_UNIT_PERCENT, 7, 2,
		.flags = PV_COLUMN_ADDS },
	[M_HIT_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, .flags = 0 },
	[M_HITS] = { "samples_self", "SAMPLES", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS, .json = 7 },
	[M_HITS_TOTAL] = { "samples_total", "BELOW", PV_UNIT_COUNT, 8, 6, .json = 8 },
	[M_EXC] = { "exceptional_leaves", "EXC", PV_UNIT_COUNT, 5, 10, PV_COLUMN_ADDS, .json = 6,
		.help = "Calls that an exception ended" },
	[M_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 3,
		.flags = PV_COLUMN_NUMBERS },
	[M_CPU_USER] = { "cpu_user_ns", "USER", PV_UNIT_NS, 9, 11, PV_COLUMN_HIDE_SCREEN,
		.json = 9 },
	[M_CPU_KERNEL] = { "cpu_kernel_ns", "KERNEL", PV_UNIT_NS, 9, 11, PV_COLUMN_HIDE_SCREEN,
		.json = 10 },
	[M_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 9, 7, PV_COLUMN_ASCENDING | PV_COLUMN_CODE,
		.json = 11 },
	[M_NAME] = { "name", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

/* Which facts about calls and samples the log can have. */
struct known {
	bool calls, samples, window;
	uint64_t pair_ns;    /* subtracted for each call; 0: nothing */
	bool cpu;            /* times of the processor */
	const uint8_t *kind; /* by group */
	bool exc_leaves;     /* distinguished from other leaves: not in logs of 2007 */
};

static struct known what_is_known(const struct pv_model *m, const struct pv_query *q)
{
	unsigned groups = pv_groups_known(m);
	return (struct known){ .calls = groups & PV_GROUP_CALLS && q->counted != PV_COUNTED_SAMPLES,
		.window = q->window_ns != 0,
		.pair_ns = q->net ? pv_call_pair_ns(m) : 0,
		.cpu = m->tree_sums.cpu_times != 0 && !q->net && !q->my_code,
		.samples = groups & PV_GROUP_SAMPLES && q->counted != PV_COUNTED_CALLS,
		.exc_leaves = !m->target.logging2007 };
}

struct method_totals {
	int64_t self_ns;
	uint64_t samples;
};

static void put_method_row(struct pv_build *b, const struct pv_groups *g, uint32_t group,
	const struct pv_method_sum *s, const struct method_totals *all, const struct known *known)
{
	struct pv_cell *c = pv_build_row(b, g->row.v[group].id);
	double self = known->calls ? (double)all->self_ns : 0;
	double samples = known->samples ? (double)all->samples : 0;
	pv_cell_share(&c[M_SELF_SHARE], (double)s->self_ns, self);
	pv_cell_i_if(&c[M_SELF], known->calls, s->self_ns);
	pv_cell_share(&c[M_TOTAL_SHARE], (double)s->total_ns, self);
	pv_cell_i_if(&c[M_TOTAL], known->calls, s->total_ns);
	pv_cell_u_if(&c[M_CALLS], known->calls, s->calls);
	pv_cell_i_if(&c[M_AVERAGE], known->calls && s->calls,
		s->calls ? s->total_ns / (int64_t)s->calls : 0);
	pv_cell_i_if(&c[M_MAX], known->calls && !known->window, s->max_ns);
	pv_cell_share(&c[M_HIT_SHARE], (double)s->samples_self, samples);
	pv_cell_error(&c[M_HIT_ERROR], b, s->samples_self, samples);
	pv_cell_u_if(&c[M_HITS], known->samples, s->samples_self);
	pv_cell_u_if(&c[M_HITS_TOTAL], known->samples, s->samples_total);
	pv_cell_u_if(&c[M_EXC], known->calls && known->exc_leaves && !known->window, s->exc_leaves);
	pv_cell_u_if(&c[M_CPU_USER], known->cpu && !known->window, s->cpu_user_ns);
	pv_cell_u_if(&c[M_CPU_KERNEL], known->cpu && !known->window, s->cpu_kernel_ns);
	pv_cell_null(&c[M_TREND]);
	pv_cell_s(&c[M_KIND], pv_code_kind_text((enum pv_code_kind)known->kind[group]));
	pv_cell_s(&c[M_NAME], pv_group_name(b, g, group));
}

static bool is_method_met(const struct pv_method_sum *s, enum pv_counted counted)
{
	bool calls = s->calls || s->self_ns || s->total_ns;
	bool samples = s->samples_self || s->samples_total;
	return (calls && counted != PV_COUNTED_SAMPLES) || (samples && counted != PV_COUNTED_CALLS);
}

/* One group stands for everything that the query leaves out. */
static bool is_row(const struct pv_query *q, const struct pv_groups *g,
	const struct pv_method_sum *sum, size_t group)
{
	return is_method_met(&sum[group], q->counted) && g->row.v[group].id != PV_ROW_OUTSIDE;
}

/* The figure to sort by, greatest first; false: sorted otherwise. */
static bool sorts_by(const struct pv_query *q, const struct pv_method_sum *s, uint64_t *ret)
{
	const char *by = q->sort ? q->sort : pv_spec_methods.sort;
	int64_t ns = strcmp(by, "self_ns") == 0 ? s->self_ns : s->total_ns;
	if (q->invert)
		return false;
	if (strcmp(by, "self_ns") == 0 || strcmp(by, "total_ns") == 0)
		*ret = ns > 0 ? (uint64_t)ns : 0;
	else if (strcmp(by, "samples_self") == 0)
		*ret = s->samples_self;
	else if (strcmp(by, "calls") == 0)
		*ret = s->calls;
	else
		return false;
	return true;
}

static int falling(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x < y) - (x > y);
}

/*
 * The least figure among the `limit` greatest: rows with less need not be made. 0: all rows may be
 * shown.
 */
static uint64_t least_shown(
	const struct pv_query *q, const struct pv_groups *g, const struct pv_method_sum *sum)
{
	enum { SOME = 4096 };
	uint64_t *best, least = 0, by;
	size_t n = g->row.n, kept = 0, room = 2 * (q->limit + SOME);
	if (!q->limit || q->filter || q->onlys || n < room || !sorts_by(q, sum, &by))
		return 0;
	best = malloc(room * sizeof *best);
	for (size_t i = 0; best && i < n; i++) {
		if (!is_row(q, g, sum, i) || !sorts_by(q, &sum[i], &by) || by < least)
			continue;
		best[kept++] = by;
		if (kept < room)
			continue;
		qsort(best, kept, sizeof *best, falling);
		kept = q->limit;
		least = best[kept - 1];
	}
	if (best && kept >= q->limit) {
		qsort(best, kept, sizeof *best, falling);
		least = best[q->limit - 1];
	}
	free(best);
	return least;
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Whether a row is below the query's `least` share, counted as hidden. */
static bool is_hidden(struct pv_build *b, const struct pv_method_sum *s,
	const struct method_totals *all, const struct known *known)
{
	double time = known->calls ? percent((double)s->total_ns, (double)all->self_ns) : 0;
	double hits = known->samples ? percent((double)s->samples_total, (double)all->samples) : 0;
	if (!b->table || b->query->onlys || time >= b->query->least || hits >= b->query->least)
		return false;
	b->table->hidden++;
	b->table->hidden_percent +=
		known->calls ? percent((double)s->self_ns, (double)all->self_ns)
			     : percent((double)s->samples_self, (double)all->samples);
	return true;
}

static void put_methods(struct pv_build *b, const struct pv_groups *g,
	const struct pv_method_sum *sum, const struct known *known)
{
	struct method_totals all = { 0 };
	uint64_t least = least_shown(b->query, g, sum), by = 0;
	for (size_t i = 0; i < g->row.n; i++) {
		all.self_ns = pv_sat_add(all.self_ns, sum[i].self_ns);
		all.samples += sum[i].samples_self;
	}
	for (size_t i = 0; i < g->row.n; i++) {
		if (!is_row(b->query, g, sum, i) || is_hidden(b, &sum[i], &all, known))
			continue;
		if (least && sorts_by(b->query, &sum[i], &by) && by < least)
			b->left_out++;
		else
			put_method_row(b, g, (uint32_t)i, &sum[i], &all, known);
	}
}

/*
 * Sums up a copy of the tree: a part of the recording, or callers and times otherwise than
 * recorded. NULL: out of memory.
 */
static struct pv_method_sums *walked(struct pv_build *b, const struct pv_groups *g,
	struct pv_call_copy *copy, struct known *known)
{
	struct pv_method_sums *s = pv_method_sums_create(g);
	known->pair_ns = pv_call_copy_net(copy, known->pair_ns);
	bool ok = s && pv_call_copy_ran(copy);
	if (ok) {
		pv_call_copy_fold(copy);
		pv_call_copy_link(copy);
		ok = pv_method_sums_walk(copy, s->v, g->row.n);
		pv_call_copy_say(copy, known->calls, known->samples, b);
	}
	if (ok)
		return s;
	pv_method_sums_give_back(s);
	return NULL;
}

/* Adds processor times by method: a walk of the tree has none, and waiting threads use none. */
static void add_processor_times(
	const struct pv_model *m, const struct pv_groups *g, struct pv_method_sums *to)
{
	for (uint32_t i = 1; i < m->tree_sums.cpu.n; i++) {
		uint32_t group = pv_group_of(g, pv_names_resolved(&m->names, i));
		if (group >= g->row.n)
			continue;
		to->v[group].cpu_user_ns += m->tree_sums.cpu.v[i].user_ns;
		to->v[group].cpu_kernel_ns += m->tree_sums.cpu.v[i].kernel_ns;
	}
}

/*
 * No sample was of a waiting thread, so calls did not wait either, if waits would have been
 * sampled.
 */
static void say_unwalked(struct pv_build *b, const struct pv_model *m, const struct known *known)
{
	enum { ENOUGH = 10 };
	bool judged = pv_call_samples_wait(m) && m->calls.samples >= ENOUGH;
	const struct pv_call_copy all = {
		.self_ns = 1, .untold_ns = !judged, .waits = b->query->waits
	};
	pv_call_copy_say(&all, known->calls, known->samples, b);
}

/*
 * Figures of each group; releases the model's lock to walk. NULL: out of memory. *ret_g is to be
 * finished.
 */
static struct pv_method_sums *sums_of(
	struct pv_build *b, struct pv_model *m, struct pv_groups *ret_g, struct known *ret)
{
	struct pv_groups *g = ret_g;
	struct pv_call_copy copy = { 0 };
	pv_model_lock(m);
	pv_build_stamp(b, m);
	struct known known = what_is_known(m, b->query);
	bool ok = pv_groups_methods(m, b, g);
	known.kind = ok ? pv_groups_kinds(g, m) : NULL;
	ok = ok && known.kind;
	ok = ok && pv_lane_states(m);
	bool turned = false;
	ok = ok && pv_logical_differs(m, b->query, g, &turned);
	bool walk = known.window || known.pair_ns || b->query->my_code || turned ||
		    pv_lane_states_differ(m);
	if (ok && !walk)
		say_unwalked(b, m, &known);
	struct pv_method_sums *sums = ok && !walk ? pv_method_sums_whole(m, g) : NULL;
	ok = ok && walk && pv_call_copy(m, g, b->query, &copy);
	pv_model_unlock(m);
	if (ok)
		sums = walked(b, g, &copy, &known);
	if (sums && known.cpu && walk) {
		pv_model_lock(m);
		add_processor_times(m, g, sums);
		pv_model_unlock(m);
	}
	pv_call_copy_finish(&copy);
	*ret = known;
	return sums;
}

static void run_methods(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	struct known known;
	struct pv_method_sums *sums = sums_of(b, m, &g, &known);
	if (sums)
		put_methods(b, &g, sums->v, &known);
	else
		pv_build_fail(b);
	pv_groups_finish(&g);
	pv_method_sums_give_back(sums);
}

bool pv_kind_sums(
	struct pv_build *b, struct pv_model *m, struct pv_kind_sum ret[PV_CODE_UNKNOWN + 1])
{
	struct pv_groups g;
	struct known known;
	struct pv_method_sums *sums = sums_of(b, m, &g, &known);
	for (size_t i = 0; sums && i < g.row.n; i++) {
		const struct pv_method_sum *s = &sums->v[i];
		if (!is_row(b->query, &g, sums->v, i))
			continue;
		struct pv_kind_sum *k =
			&ret[known.kind[i] < PV_CODE_UNKNOWN ? known.kind[i] : PV_CODE_UNKNOWN];
		if (known.calls)
			k->self_ns = pv_sat_add(k->self_ns, s->self_ns);
		if (known.samples)
			k->samples += s->samples_self;
	}
	bool ok = sums != NULL;
	pv_groups_finish(&g);
	pv_method_sums_give_back(sums);
	return ok;
}

const struct pv_view_spec pv_spec_methods = { .column = method_columns,
	.columns = M_COLUMNS,
	.name = "name",
	.sort = "self_ns",
	.then = "samples_self",
	.streaming = true,
	.run = run_methods };

/* --- callers and callees of one method --- */

enum { E_SHARE, E_TOTAL, E_CALLS, E_HIT_SHARE, E_HIT_ERROR, E_HITS, E_NAME, E_COLUMNS };

static const struct pv_column edge_columns[] = {
	[E_SHARE] = { "total_percent", "TOTAL%", PV_UNIT_PERCENT, 6, 1, .flags = PV_COLUMN_ADDS },
	[E_TOTAL] = { "total_ns", "TOTAL", PV_UNIT_NS, 9, 4, PV_COLUMN_ADDS, .json = 3 },
	[E_CALLS] = { "calls", "CALLS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 2 },
	[E_HIT_SHARE] = { "samples_percent", "SAMPLE%", PV_UNIT_PERCENT, 7, 2,
		.flags = PV_COLUMN_ADDS },
	[E_HIT_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, .flags = 0 },
	[E_HITS] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS, .json = 4 },
	[E_NAME] = { "name", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

/*
 * Calls between the chosen method and each other method. Time counts while such a call is on the
 * stack, once per pair.
 */
struct edges {
	struct pv_method_sum *sum; /* by the other method's group */
	uint8_t *usual;            /* likewise, percent of awaiting; 0: calls only */
	uint32_t *on_path;         /* calls of the pair on the way down */
	uint32_t chosen, chosen_on_path;
	bool callers;     /* callers, else callees */
	int64_t total_ns; /* of the chosen method, outermost */
	uint64_t samples;
};

static bool edge_of(
	const struct edges *e, const struct pv_call_copy *c, uint32_t node, uint32_t *ret_other)
{
	uint32_t parent = c->parent[node];
	uint32_t mine = e->callers ? node : parent, other = e->callers ? parent : node;
	*ret_other = c->group[other];
	return parent != 0 && c->group[mine] == e->chosen;
}

static void enter_edge(void *ctx, const struct pv_call_copy *c, uint32_t node)
{
	struct edges *e = ctx;
	const struct pv_call_figures *v = &c->figures[node];
	uint32_t other;
	if (c->group[node] == e->chosen && e->chosen_on_path++ == 0) {
		e->total_ns = pv_sat_add(e->total_ns, v->total_ns);
		e->samples += v->samples_below;
	}
	if (!edge_of(e, c, node, &other))
		return;
	e->sum[other].calls += v->calls;
	if (pv_call_copy_usual(c, node))
		e->usual[other] = pv_call_copy_usual(c, node);
	if (e->on_path[other]++ == 0) {
		e->sum[other].total_ns = pv_sat_add(e->sum[other].total_ns, v->total_ns);
		e->sum[other].samples_total += v->samples_below;
	}
}

static void leave_edge(void *ctx, const struct pv_call_copy *c, uint32_t node)
{
	struct edges *e = ctx;
	uint32_t other;
	if (c->group[node] == e->chosen)
		e->chosen_on_path--;
	if (edge_of(e, c, node, &other))
		e->on_path[other]--;
}

static const char *edge_name(
	struct pv_build *b, const struct pv_groups *g, const struct edges *e, uint32_t i)
{
	const char *name = pv_group_name(b, g, i);
	char mark[PV_PART_TEXT];
	if (!e->usual[i])
		return name;
	return pv_build_printf(b, "%s%s", name,
		pv_logical_mark(e->callers ? PV_PART_AWAITS : PV_PART_USUAL, e->usual[i], mark));
}

static void put_edges(struct pv_build *b, const struct pv_groups *g, const struct edges *e,
	const struct known *known)
{
	double total = known->calls ? (double)e->total_ns : 0;
	double samples = known->samples ? (double)e->samples : 0;
	for (size_t i = 0; i < g->row.n; i++) {
		const struct pv_method_sum *s = &e->sum[i];
		if (!is_method_met(s, b->query->counted))
			continue;
		struct pv_cell *c = pv_build_row(b, g->row.v[i].id);
		pv_cell_share(&c[E_SHARE], (double)s->total_ns, total);
		pv_cell_i_if(&c[E_TOTAL], known->calls, s->total_ns);
		pv_cell_u_if(&c[E_CALLS], known->calls, s->calls);
		pv_cell_share(&c[E_HIT_SHARE], (double)s->samples_total, samples);
		pv_cell_error(&c[E_HIT_ERROR], b, s->samples_total, samples);
		pv_cell_u_if(&c[E_HITS], known->samples, s->samples_total);
		pv_cell_s(&c[E_NAME], edge_name(b, g, e, (uint32_t)i));
	}
}

static bool sum_edges(const struct pv_call_copy *c, const struct pv_groups *g, struct edges *e)
{
	e->sum = calloc(g->row.n, sizeof *e->sum);
	e->usual = calloc(g->row.n, sizeof *e->usual);
	e->on_path = calloc(g->row.n, sizeof *e->on_path);
	if (!e->sum || !e->usual || !e->on_path)
		return false;
	if (e->chosen != UINT32_MAX)
		pv_call_walk(c, enter_edge, leave_edge, e);
	return true;
}

static void run_edges(struct pv_build *b, struct pv_model *m, bool callers)
{
	struct pv_groups g;
	struct pv_call_copy copy = { 0 };
	struct edges e = { .callers = callers };
	pv_model_lock(m);
	pv_build_stamp(b, m);
	struct known known = what_is_known(m, b->query);
	bool ok = pv_groups_methods(m, b, &g) && pv_call_copy(m, &g, b->query, &copy);
	pv_model_unlock(m);
	if (ok) {
		known.pair_ns = pv_call_copy_net(&copy, known.pair_ns);
		ok = pv_call_copy_ran(&copy);
		pv_call_copy_fold(&copy);
		pv_call_copy_link(&copy);
		pv_call_copy_say(&copy, known.calls, known.samples, b);
		e.chosen = pv_groups_find(&g, b->query->select);
	}
	if (ok && sum_edges(&copy, &g, &e))
		put_edges(b, &g, &e, &known);
	else
		pv_build_fail(b);
	free(e.sum);
	free(e.usual);
	free(e.on_path);
	pv_call_copy_finish(&copy);
	pv_groups_finish(&g);
}

static void run_callers(struct pv_build *b, struct pv_model *m)
{
	run_edges(b, m, true);
}

static void run_callees(struct pv_build *b, struct pv_model *m)
{
	run_edges(b, m, false);
}

const struct pv_view_spec pv_spec_callers = { .column = edge_columns,
	.columns = E_COLUMNS,
	.name = "name",
	.sort = "total_ns",
	.then = "samples",
	.run = run_callers };
const struct pv_view_spec pv_spec_callees = { .column = edge_columns,
	.columns = E_COLUMNS,
	.name = "name",
	.sort = "total_ns",
	.then = "samples",
	.run = run_callees };

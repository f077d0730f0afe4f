/* SPDX-License-Identifier: MIT */
/* Puts async methods below their usual awaiters in place of the frames that resumed them. */
#include "common/query/groups/logical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/async_name.h"
#include "common/model/model.h"
#include "common/query/async_kept.h"
#include "common/query/awaiters.h"
#include "common/query/groups/groups_kept.h"

/* --- roles: each name is judged once */

static bool find_roles(const struct pv_groups *g, struct pv_async_kept *k)
{
	k->role = calloc(g->row.n ? g->row.n : 1, 1);
	for (size_t i = 0; k->role && i < g->row.n; i++) {
		const char *name = g->row.v[i].name;
		k->role[i] = name ? (uint8_t)pv_async_role_of(name, strlen(name)) : PV_ASYNC_NONE;
		k->any |= k->role[i] == PV_ASYNC_BODY || k->role[i] == PV_ASYNC_RESUMED;
	}
	return k->role != NULL;
}

static struct pv_async_kept *kept(const struct pv_groups *g)
{
	struct pv_async_kept **at = &g->shared->async;
	if (*at)
		return *at;
	*at = calloc(1, sizeof **at);
	if (*at && !find_roles(g, *at)) {
		pv_async_kept_finish(*at);
		*at = NULL;
	}
	return *at;
}

const char *pv_logical_mark(enum pv_logical_part part, uint8_t percent, char buf[PV_PART_TEXT])
{
	buf[0] = 0;
	if (part == PV_PART_AWAITS && !percent)
		snprintf(buf, PV_PART_TEXT, PV_AWAITS_MARK);
	else if (part != PV_PART_CALLED && percent)
		snprintf(buf, PV_PART_TEXT, " [%susual, %u %%]",
			part == PV_PART_AWAITS ? "awaits; " : "", percent);
	return buf;
}

/* --- ways from a body up to the body above */

/* A tree of the model: of calls or of stacks. */
struct tree {
	const struct pv_tree_node *call; /* NULL: a tree of stacks */
	const struct pv_stack_node *stack;
	uint32_t n;
	const struct pv_groups *g;
	const uint8_t *role;
};

static uint32_t up(const struct tree *t, uint32_t node)
{
	return t->call ? t->call[node].parent : t->stack[node].parent;
}

static uint32_t group_at(const struct tree *t, uint32_t node)
{
	return pv_group_of(t->g, t->call ? t->call[node].method : t->stack[node].method);
}

static enum pv_async_role role_at(const struct tree *t, uint32_t node)
{
	return (enum pv_async_role)t->role[group_at(t, node)];
}

static bool is_method_of(const struct tree *t, uint32_t node, uint32_t body)
{
	const char *name = t->g->row.v[group_at(t, node)].name;
	const char *of = t->g->row.v[group_at(t, body)].name;
	return name && of && pv_async_is_method(name, strlen(name), of, strlen(of));
}

struct way {
	bool resumed;    /* the body goes on after an await; else it is called */
	bool continues;  /* run by a task that ended */
	bool started;    /* up to its first await */
	bool set;        /* through the end of another task than the upper body's */
	uint32_t method; /* the node of the method that starts the body; 0: none */
	uint32_t above;  /* the body at the other end; 0: something else comes first */
};

/* Whether the way goes on above a frame with this role. */
static bool way_passes(const struct tree *t, uint32_t node, uint32_t body, struct way *w)
{
	const bool begun = w->started || w->method;
	switch (role_at(t, node)) {
	case PV_ASYNC_RESUMED:
	case PV_ASYNC_CONTEXT:
		w->resumed |= !begun && !w->continues;
		return !begun && !w->continues;
	case PV_ASYNC_CONTINUES:
		w->resumed |= !begun;
		w->continues |= !begun;
		return !begun;
	case PV_ASYNC_START:
		w->started |= !w->resumed && !w->method;
		return !w->resumed && !w->method;
	case PV_ASYNC_SETS:
		w->set = true;
		return w->continues;
	case PV_ASYNC_PLUMBING:
		return !w->method;
	case PV_ASYNC_BODY:
		w->above = w->resumed ? (w->continues ? node : 0) : begun ? node : 0;
		return false;
	default:
		if (w->resumed || w->method || !is_method_of(t, node, body))
			return false;
		w->method = node;
		return true;
	}
}

static struct way way_from(const struct tree *t, uint32_t body)
{
	enum { FAR = 64 };
	struct way w = { 0 };
	uint32_t node = up(t, body);
	for (int i = 0; node && i < FAR && way_passes(t, node, body, &w); i++)
		node = up(t, node);
	return w;
}

/* --- learning awaiters */

/* By node, samples of the node and its callees, without resumed code. */
static uint64_t *weigh(const struct tree *t)
{
	uint64_t *sum = calloc(t->n ? t->n : 1, sizeof *sum);
	for (uint32_t i = t->n; sum && t->call && i-- > 1;) {
		sum[i] += t->call[i].samples;
		if (role_at(t, i) != PV_ASYNC_RESUMED)
			sum[up(t, i)] += sum[i];
	}
	return sum;
}

static uint64_t times(const struct tree *t, const uint64_t *weight, uint32_t node)
{
	uint64_t calls = t->call ? t->call[node].calls : 0, n = weight[node];
	n = calls > n ? calls : n;
	return n ? n : 1;
}

/* Learns from one body: who awaits whom. */
static bool learn_at(const struct tree *t, const struct way *w, const uint64_t *weight,
	uint32_t body, struct pv_awaiters *to)
{
	const uint32_t awaited = w->resumed ? w->above : body;
	const uint32_t awaiter = w->resumed ? body : w->above;
	if (w->above && w->set)
		return pv_awaiters_never(to, group_at(t, awaited), group_at(t, awaiter));
	return !w->above || pv_awaiters_add(to, group_at(t, awaited), group_at(t, awaiter),
				    times(t, weight, body));
}

static bool learn_awaiters(const struct tree *t, struct pv_awaiters *to, bool *ret_turned)
{
	uint64_t *weight = weigh(t);
	bool ok = weight != NULL;
	for (uint32_t i = 1; ok && i < t->n; i++) {
		const enum pv_async_role role = role_at(t, i);
		*ret_turned |= role == PV_ASYNC_RESUMED && up(t, i);
		if (role != PV_ASYNC_BODY)
			continue;
		const struct way w = way_from(t, i);
		*ret_turned |= w.resumed;
		ok = learn_at(t, &w, weight, i, to);
	}
	free(weight);
	return ok;
}

static struct tree tree_of(const struct pv_model *m, const struct pv_groups *g,
	const struct pv_async_kept *k, bool calls)
{
	return (struct tree){ .call = calls ? m->calls.node.v : NULL,
		.stack = m->stacks.node.v,
		.n = (uint32_t)(calls ? m->calls.node.n : m->stacks.node.n),
		.g = g,
		.role = k->role };
}

static bool find_usual(const struct pv_model *m, const struct pv_groups *g, struct pv_async_kept *k)
{
	struct pv_awaiters calls = { 0 }, stacks = { 0 };
	const struct tree of_calls = tree_of(m, g, k, true), of_stacks = tree_of(m, g, k, false);
	if (k->usual && k->generation == pv_model_generation(m))
		return true;
	free(k->usual);
	k->usual = NULL;
	k->turned[0] = k->turned[1] = false;
	if (learn_awaiters(&of_calls, &calls, &k->turned[1]) &&
		learn_awaiters(&of_stacks, &stacks, &k->turned[0]))
		k->usual = pv_awaiters_usual(&calls, &stacks, (uint32_t)g->row.n);
	k->generation = pv_model_generation(m);
	pv_awaiters_finish(&calls);
	pv_awaiters_finish(&stacks);
	return k->usual != NULL;
}

/* --- callers */

struct making {
	const struct tree *t;
	const struct pv_usual *usual;
	struct pv_logical *to;
	uint32_t *frame_of;  /* by group: the awaiting frame; 0: none yet */
	uint32_t *method_of; /* by group: a method of the group */
	PV_ARRAY(struct pv_awaiting) frame;
	PV_ARRAY(uint32_t) way; /* groups whose frames are to be made */
};

/*
 * The frame of a method that awaits, made after the frames above, outermost first. 0: out of
 * memory.
 */
static uint32_t frame_for(struct making *k, uint32_t group)
{
	k->way.n = 0;
	for (uint32_t g = group; g && !k->frame_of[g]; g = k->usual[g].awaiter) {
		if (!pv_reserve(&k->way, 1))
			return 0;
		k->way.v[k->way.n++] = g;
	}
	if (!pv_reserve(&k->frame, k->way.n + 1))
		return 0;
	if (!k->frame.n)
		k->frame.v[k->frame.n++] = (struct pv_awaiting){ 0 };
	for (size_t i = k->way.n; i-- > 0;) {
		const uint32_t g = k->way.v[i];
		k->frame_of[g] = (uint32_t)k->frame.n;
		k->frame.v[k->frame.n++] =
			(struct pv_awaiting){ .parent = k->frame_of[k->usual[g].awaiter],
				.method = k->method_of[g],
				.percent = k->usual[g].percent };
	}
	return k->frame_of[group];
}

enum { IN_FRAMES = 1u << 31 }; /* a frame's number, until the count of frames is known */

static bool place_body(struct making *k, uint32_t node)
{
	const struct way w = way_from(k->t, node);
	if (w.resumed) {
		const uint32_t group = group_at(k->t, node);
		const uint32_t awaiter = k->usual[group].awaiter;
		uint32_t frame = awaiter ? frame_for(k, awaiter) : 0;
		if (awaiter && !frame)
			return false;
		k->to->caller[node] = frame ? frame | IN_FRAMES : 0;
		k->to->percent[node] = k->usual[group].percent;
	} else if (w.method) {
		k->to->caller[node] = w.method; /* the body's starter; plumbing is skipped */
	}
	return true;
}

static bool place_all(struct making *k)
{
	for (uint32_t i = 1; i < k->t->n; i++) {
		const enum pv_async_role role = role_at(k->t, i);
		k->to->caller[i] = role == PV_ASYNC_RESUMED ? 0 : up(k->t, i);
		if (role == PV_ASYNC_BODY && !place_body(k, i))
			return false;
	}
	return true;
}

static void number_callers(const struct tree *t, struct pv_logical *l)
{
	for (uint32_t i = 1; i < t->n; i++) {
		const uint32_t at = l->caller[i];
		l->caller[i] = at & IN_FRAMES ? at & ~(uint32_t)IN_FRAMES : pv_logical_at(l, at);
	}
}

static bool begin_logical(struct making *k)
{
	const struct pv_groups *g = k->t->g;
	k->to->caller = calloc(k->t->n + 1, sizeof *k->to->caller);
	k->to->percent = calloc(k->t->n + 1, sizeof *k->to->percent);
	k->frame_of = calloc(g->row.n ? g->row.n : 1, sizeof *k->frame_of);
	k->method_of = calloc(g->row.n ? g->row.n : 1, sizeof *k->method_of);
	if (!k->to->caller || !k->to->percent || !k->frame_of || !k->method_of)
		return false;
	for (uint32_t i = (uint32_t)g->of_n; i-- > 1;)
		k->method_of[g->of[i]] = i;
	return true;
}

static bool make_logical(const struct tree *t, const struct pv_usual *usual, struct pv_logical *ret)
{
	struct making k = { .t = t, .usual = usual, .to = ret };
	bool ok = begin_logical(&k) && place_all(&k);
	free(k.frame_of);
	free(k.method_of);
	pv_array_finish(&k.way);
	ret->frame = k.frame.v;
	ret->awaiting = k.frame.n ? (uint32_t)k.frame.n - 1 : 0;
	if (ok)
		number_callers(t, ret);
	else
		pv_logical_finish(ret);
	return ok;
}

/* A grouping by name with its async facts; *ret_k NULL: nothing in the log is async. */
static bool begin_with(struct pv_model *m, const struct pv_query *q, const struct pv_groups *named,
	struct pv_groups *ret_own, const struct pv_groups **ret_g, struct pv_async_kept **ret_k)
{
	*ret_own = (struct pv_groups){ 0 };
	*ret_k = NULL;
	*ret_g = named && named->shared && named->shared->by_name ? named : ret_own;
	if (*ret_g == ret_own && !pv_groups_borrow(q->groups, m, PV_GROUPED_METHODS, ret_own))
		return false;
	struct pv_async_kept *k = kept(*ret_g);
	*ret_k = k && k->any ? k : NULL;
	return k != NULL;
}

static bool make_of(struct pv_model *m, const struct pv_query *q, const struct pv_groups *named,
	bool calls, struct pv_logical *ret)
{
	struct pv_groups own;
	const struct pv_groups *g;
	struct pv_async_kept *k;
	*ret = (struct pv_logical){ 0 };
	if (q->physical)
		return true;
	bool ok = begin_with(m, q, named, &own, &g, &k);
	if (k) {
		const struct tree t = tree_of(m, g, k, calls);
		ok = find_usual(m, g, k) && (!k->turned[calls] || make_logical(&t, k->usual, ret));
	}
	pv_groups_finish(&own);
	return ok;
}

bool pv_logical_calls(struct pv_model *m, const struct pv_query *q, const struct pv_groups *named,
	struct pv_logical *ret)
{
	return make_of(m, q, named, true, ret);
}

bool pv_logical_stacks(struct pv_model *m, const struct pv_query *q, const struct pv_groups *named,
	struct pv_logical *ret)
{
	return make_of(m, q, named, false, ret);
}

bool pv_logical_differs(
	struct pv_model *m, const struct pv_query *q, const struct pv_groups *named, bool *ret)
{
	struct pv_groups own;
	const struct pv_groups *g;
	struct pv_async_kept *k;
	bool ok = begin_with(m, q, named, &own, &g, &k);
	ok = ok && (!k || q->physical || find_usual(m, g, k));
	*ret = ok && k && !q->physical && k->turned[1];
	pv_groups_finish(&own);
	return ok;
}

void pv_logical_finish(struct pv_logical *l)
{
	free(l->frame);
	free(l->caller);
	free(l->percent);
	*l = (struct pv_logical){ 0 };
}

/* SPDX-License-Identifier: MIT */
/* Figures computed from the call tree on demand: open calls, and flat sums per method. */
#include <stdlib.h>

#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/names/names_find.h"

#include "common/base/saturate.h"

static int by_node(const void *a, const void *b)
{
	const struct pv_open_call *x = a, *y = b;
	return (x->node > y->node) - (x->node < y->node);
}

static bool add_thread(
	const struct pv_model *m, const struct pv_thread *th, struct pv_open_calls *ret)
{
	const struct pv_thread_calls *s = &th->stack;
	if (!pv_reserve(&ret->call, s->stack.n))
		return false;
	for (size_t i = 0; i < s->stack.n; i++) {
		int64_t ns = pv_clipped(m, th, s->stack.v[i].enter_ns, th->last_ns);
		ret->call.v[ret->call.n++] = (struct pv_open_call){ s->stack.v[i].node, 0, ns, ns };
	}
	if (s->stack.n)
		ret->call.v[ret->call.n - 1].self_ns = pv_clipped(m, th, s->last_ns, th->last_ns);
	return true;
}

/* The same path can be open on several threads. */
static void merge_open_calls(struct pv_open_calls *o)
{
	size_t to = 0;
	for (size_t i = 0; i < o->call.n; i++) {
		struct pv_open_call *a = &o->call.v[i], *b = &o->call.v[to ? to - 1 : 0];
		if (to == 0 || a->node != b->node) {
			o->call.v[to++] = *a;
			continue;
		}
		b->self_ns += a->self_ns;
		b->total_ns += a->total_ns;
		b->max_ns = a->max_ns > b->max_ns ? a->max_ns : b->max_ns;
	}
	o->call.n = to;
}

bool pv_calls_open(const struct pv_model *m, struct pv_open_calls *ret)
{
	*ret = (struct pv_open_calls){ 0 };
	for (size_t i = 1; i < m->threads.thread.n; i++) {
		if (!add_thread(m, m->threads.thread.v[i], ret)) {
			pv_open_calls_finish(ret);
			return false;
		}
	}
	if (ret->call.n)
		qsort(ret->call.v, ret->call.n, sizeof *ret->call.v, by_node);
	merge_open_calls(ret);
	return true;
}

void pv_open_calls_finish(struct pv_open_calls *o)
{
	pv_array_finish(&o->call);
}

/* --- flat sums */

/* A path may call the same group within itself: only the outermost call has the total. */
struct flat_node {
	uint64_t met; /* a bit for each group on the path, here included; may be shared */
	uint32_t group, parent;
};

struct flat {
	const struct pv_model *m;
	const uint32_t *group_of;
	struct pv_method_sum *sum;
	size_t groups;
	struct flat_node *node;
	uint32_t *natives; /* by method: the group, NAMELESS. NULL: no bare addresses */
	size_t steps;      /* up paths that may still be taken */
	bool *outermost;   /* by node; NULL before the steps are used up */
	bool sampled, nomem;
};

enum { STEPS = 16 }; /* for each node, up its path, before one walk answers for all */

#define NAMELESS UINT32_MAX /* nothing is known about the address */

static bool find_natives(struct flat *f)
{
	const struct pv_names *n = &f->m->names;
	if (n->native_of.n == 0)
		return true;
	f->natives = malloc(n->method.n * sizeof *f->natives);
	for (uint32_t i = 0; f->natives && i < n->method.n; i++) {
		f->natives[i] = f->group_of[i];
		if (!n->method.v[i].native)
			continue;
		uint32_t method = pv_names_resolved(n, i);
		bool known = !n->method.v[method].native || pv_names_method_name(n, method);
		f->natives[i] = known ? f->group_of[method] : NAMELESS;
	}
	return f->natives;
}

/* An address without a name counts for the frame that called into it. */
static uint32_t group_at(const struct flat *f, const struct pv_tree_node *n)
{
	uint32_t group = f->natives ? f->natives[n->method] : f->group_of[n->method];
	if (group != NAMELESS)
		return group;
	return n->parent ? f->node[n->parent].group : f->group_of[n->method];
}

/* Down to first children, on to siblings, up through parents: no stack, paths can be deep. */
static void walk_tree(struct flat *f, uint32_t *active)
{
	const struct pv_tree_node *v = f->m->calls.node.v;
	uint32_t at = v[0].first_child;
	while (at) {
		f->outermost[at] = active[f->node[at].group]++ == 0;
		if (v[at].first_child) {
			at = v[at].first_child;
			continue;
		}
		active[f->node[at].group]--;
		while (at && !v[at].next_sibling) {
			at = v[at].parent;
			if (at)
				active[f->node[at].group]--;
		}
		at = at ? v[at].next_sibling : 0;
	}
}

/*
 * For very many methods in deep paths, a single walk over all nodes is faster than single look-ups.
 */
static bool find_outermost(struct flat *f)
{
	const struct pv_tree_node *v = f->m->calls.node.v;
	uint32_t *active = calloc(f->groups ? f->groups : 1, sizeof *active);
	f->outermost = calloc(f->m->calls.node.n, sizeof *f->outermost);
	f->nomem = !active || !f->outermost;
	for (uint32_t i = 1; i < f->m->calls.node.n && !f->nomem; i++) {
		f->node[i].parent = v[i].parent;
		f->node[i].group = group_at(f, &v[i]);
	}
	if (!f->nomem)
		walk_tree(f, active);
	free(active);
	return !f->nomem;
}

static bool is_outermost(struct flat *f, uint32_t node)
{
	const struct flat_node *v = f->node;
	uint32_t group = v[node].group;
	uint64_t bit = UINT64_C(1) << (group & 63);
	if (f->outermost)
		return f->outermost[node];
	for (uint32_t at = v[node].parent; v[at].met & bit; at = v[at].parent) {
		if (v[at].group == group)
			return false;
		if (f->steps-- == 0)
			return find_outermost(f) && f->outermost[node];
	}
	return true;
}

static void add_total(struct flat *f, uint32_t node, int64_t ns)
{
	struct pv_method_sum *s = &f->sum[f->node[node].group];
	if (is_outermost(f, node))
		s->total_ns = pv_sat_add(s->total_ns, ns);
}

/*
 * Parents have smaller numbers than their children: the path above a node is known before the node.
 */
static void add_nodes(struct flat *f)
{
	const struct pv_tree_node *v = f->m->calls.node.v;
	f->node[0] = (struct flat_node){ 0 };
	for (uint32_t i = 1; i < f->m->calls.node.n; i++) {
		const struct pv_tree_node *n = &v[i];
		uint32_t group = group_at(f, n);
		f->node[i] =
			(struct flat_node){ f->node[n->parent].met | UINT64_C(1) << (group & 63),
				group, n->parent };
		struct pv_method_sum *s = &f->sum[group];
		s->calls += n->calls;
		s->exc_leaves += n->exc_leaves;
		s->self_ns = pv_sat_add(s->self_ns, n->self_ns);
		s->samples_self += n->samples;
		s->max_ns = n->max_ns > s->max_ns ? n->max_ns : s->max_ns;
		if (n->total_ns)
			add_total(f, i, n->total_ns);
		f->sampled |= n->samples != 0;
	}
}

static bool add_open_sums(struct flat *f)
{
	struct pv_open_calls open;
	bool ok = pv_calls_open(f->m, &open);
	for (size_t i = 0; ok && i < open.call.n; i++) {
		const struct pv_open_call *o = &open.call.v[i];
		struct pv_method_sum *s = &f->sum[f->node[o->node].group];
		s->self_ns = pv_sat_add(s->self_ns, o->self_ns);
		s->max_ns = o->max_ns > s->max_ns ? o->max_ns : s->max_ns;
		add_total(f, o->node, o->total_ns);
	}
	pv_open_calls_finish(&open);
	return ok;
}

/* Adds the samples of whole subtrees, for the outermost. */
static bool add_samples(struct flat *f)
{
	const struct pv_tree_node *v = f->m->calls.node.v;
	size_t n = f->m->calls.node.n;
	uint64_t *below = f->sampled ? calloc(n, sizeof *below) : NULL;
	for (uint32_t i = (uint32_t)n; below && i-- > 1;) {
		below[i] += v[i].samples;
		below[f->node[i].parent] += below[i];
		if (below[i] && is_outermost(f, i))
			f->sum[f->node[i].group].samples_total += below[i];
	}
	free(below);
	return below || !f->sampled;
}

static void add_cpu(struct flat *f)
{
	const struct pv_tree_sums *t = &f->m->tree_sums;
	for (uint32_t i = 1; i < t->cpu.n; i++) {
		struct pv_method_sum *s = &f->sum[f->group_of[pv_names_resolved(&f->m->names, i)]];
		s->cpu_user_ns += t->cpu.v[i].user_ns;
		s->cpu_kernel_ns += t->cpu.v[i].kernel_ns;
	}
}

/* Times that damage put out of order can leave less than nothing. */
static void at_least_nothing(struct pv_method_sum *s)
{
	s->self_ns = s->self_ns < 0 ? 0 : s->self_ns;
	s->total_ns = s->total_ns < 0 ? 0 : s->total_ns;
}

bool pv_calls_flat(const struct pv_model *m, const uint32_t *group_of, size_t groups,
	struct pv_method_sum *ret)
{
	struct flat f = { .m = m,
		.group_of = group_of,
		.groups = groups,
		.sum = ret,
		.steps = m->calls.node.n * STEPS + 65536,
		.node = malloc(m->calls.node.n * sizeof *f.node) };
	for (size_t i = 0; i < groups; i++)
		ret[i] = (struct pv_method_sum){ 0 };
	bool ok = f.node && find_natives(&f);
	if (ok)
		add_nodes(&f);
	ok = ok && add_open_sums(&f) && add_samples(&f) && !f.nomem;
	if (ok) {
		add_cpu(&f);
		for (size_t i = 0; i < groups; i++)
			at_least_nothing(&ret[i]);
	}
	free(f.node);
	free(f.natives);
	free(f.outermost);
	return ok;
}

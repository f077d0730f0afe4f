/* Figures taken from the call tree when somebody asks: open calls, and flat sums per method. */
#include <stdlib.h>

#include "common/model/model_parts.h"

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
		int64_t ns = pv_clipped(m, s->stack.v[i].enter_ns, th->last_ns);
		ret->call.v[ret->call.n++] = (struct pv_open_call){ s->stack.v[i].node, 0, ns, ns };
	}
	if (s->stack.n)
		ret->call.v[ret->call.n - 1].self_ns = pv_clipped(m, s->last_ns, th->last_ns);
	return true;
}

/* The same path can be open on several threads. */
static void merge(struct pv_open_calls *o)
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
	merge(ret);
	return true;
}

void pv_open_calls_finish(struct pv_open_calls *o)
{
	pv_array_finish(&o->call);
}

/* --- flat sums */

struct flat {
	const struct pv_model *m;
	const uint32_t *group_of;
	struct pv_method_sum *sum;
	struct pv_open_calls open;
	uint32_t *active;  /* by group: its activations on the path to the present node */
	uint32_t *group;   /* by node */
	uint64_t *samples; /* by node: of the whole subtree */
};

/* An address that nothing is known about counts for the frame that called into it. */
static void find_groups(struct flat *f)
{
	const struct pv_tree_node *v = f->m->calls.node.v;
	for (uint32_t i = 1; i < f->m->calls.node.n; i++) {
		uint32_t method = pv_names_resolved(&f->m->names, v[i].method);
		bool nameless = f->m->names.method.v[method].native &&
				!pv_names_method_name(&f->m->names, method);
		f->group[i] = nameless && v[i].parent ? f->group[v[i].parent] : f->group_of[method];
	}
	for (uint32_t i = (uint32_t)f->m->calls.node.n - 1; i > 0; i--) {
		f->samples[i] += v[i].samples;
		f->samples[v[i].parent] += f->samples[i];
	}
}

static const struct pv_open_call *open_at(const struct flat *f, uint32_t node)
{
	const struct pv_open_call key = { .node = node };
	if (f->open.call.n == 0)
		return NULL;
	return bsearch(&key, f->open.call.v, f->open.call.n, sizeof key, by_node);
}

static void count(struct flat *f, uint32_t node, bool outermost)
{
	const struct pv_tree_node *n = &f->m->calls.node.v[node];
	const struct pv_open_call *o = open_at(f, node);
	struct pv_method_sum *s = &f->sum[f->group[node]];
	int64_t max = o && o->max_ns > n->max_ns ? o->max_ns : n->max_ns;
	s->calls += n->calls;
	s->exc_leaves += n->exc_leaves;
	s->self_ns = pv_sat_add(s->self_ns, pv_sat_add(n->self_ns, o ? o->self_ns : 0));
	s->samples_self += n->samples;
	s->max_ns = max > s->max_ns ? max : s->max_ns;
	if (!outermost)
		return;
	s->total_ns = pv_sat_add(s->total_ns, pv_sat_add(n->total_ns, o ? o->total_ns : 0));
	s->samples_total += f->samples[node];
}

/* Down to first children, on to siblings, up through parents: no stack, paths can be deep. */
static void walk(struct flat *f)
{
	const struct pv_tree_node *v = f->m->calls.node.v;
	uint32_t at = v[0].first_child;
	while (at) {
		count(f, at, f->active[f->group[at]]++ == 0);
		if (v[at].first_child) {
			at = v[at].first_child;
			continue;
		}
		f->active[f->group[at]]--;
		while (at && !v[at].next_sibling) {
			at = v[at].parent;
			if (at)
				f->active[f->group[at]]--;
		}
		at = at ? v[at].next_sibling : 0;
	}
}

static void add_cpu(struct flat *f)
{
	const struct pv_tree_sums *t = &f->m->tree_sums;
	for (uint32_t i = 1; i < t->cpu.n; i++) {
		struct pv_method_sum *s =
			&f->sum[f->group_of[pv_names_resolved(&f->m->names, i)]];
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
	size_t n = m->calls.node.n;
	struct flat f = { .m = m,
		.group_of = group_of,
		.sum = ret,
		.active = calloc(groups ? groups : 1, sizeof *f.active),
		.group = calloc(n, sizeof *f.group),
		.samples = calloc(n, sizeof *f.samples) };
	bool ok = f.active && f.group && f.samples && pv_calls_open(m, &f.open);
	if (ok) {
		for (size_t i = 0; i < groups; i++)
			ret[i] = (struct pv_method_sum){ 0 };
		find_groups(&f);
		walk(&f);
		add_cpu(&f);
		for (size_t i = 0; i < groups; i++)
			at_least_nothing(&ret[i]);
	}
	free(f.active);
	free(f.group);
	free(f.samples);
	pv_open_calls_finish(&f.open);
	return ok;
}

/* SPDX-License-Identifier: MIT */
/* Applies call trees that the probe summed up, and CPU times. */
#include "common/model/calls/tree_sums.h"

#include "common/model/time/buckets_parts.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

enum { NODES = 1 << 16 }; /* in a buffer: no probe writes so many */

void pv_tree_sums_finish(struct pv_tree_sums *t)
{
	pv_array_finish(&t->cpu);
	pv_array_finish(&t->entry);
	pv_array_finish(&t->path);
}

/*
 * The node of entry `at` of this buffer. Folding may have given nodes other numbers: then the node
 * is searched again, from the outermost outdated entry. 0: there is none now.
 */
static bool node_of(struct pv_context *x, uint32_t at, uint32_t *ret_node)
{
	struct pv_tree_sums *t = &x->m->tree_sums;
	const struct pv_calls *c = &x->m->calls;
	*ret_node = 0;
	t->path.n = 0;
	for (uint32_t i = at; i && t->entry.v[i - 1].folds != c->folds;
		i = t->entry.v[i - 1].parent) {
		if (!pv_reserve(&t->path, 1))
			return false;
		t->path.v[t->path.n++] = i;
	}
	uint64_t folds = c->folds;
	while (t->path.n > 0) {
		struct pv_tree_entry *e = &t->entry.v[t->path.v[--t->path.n] - 1];
		uint32_t parent = e->parent ? t->entry.v[e->parent - 1].node : 0;
		uint32_t found = pv_calls_child(x->m, parent, e->key, 0);
		if (found == PV_MAP_NONE)
			return false;
		if (c->folds != folds) /* folded again for room: this entry goes without a node */
			return true;
		e->node = found ? found : parent;
		e->folds = folds;
	}
	*ret_node = at ? t->entry.v[at - 1].node : 0;
	return true;
}

/* The event's node, or its parent's where the tree has no room; 0: none. */
static bool place_sums(struct pv_context *x, const struct pv_event *e, uint32_t *ret_node)
{
	struct pv_tree_sums *t = &x->m->tree_sums;
	if (t->buffer != x->batch->offset) {
		t->buffer = x->batch->offset;
		t->entry.n = 0;
	}
	*ret_node = 0;
	if (e->tree.back > t->entry.n || t->entry.n >= NODES) {
		t->lost++;
		return true;
	}
	if (!pv_reserve(&t->entry, 1))
		return false;
	uint32_t above = e->tree.back ? (uint32_t)(t->entry.n - e->tree.back + 1) : 0;
	t->entry.v[t->entry.n++] = (struct pv_tree_entry){
		.key = e->tree.method, .parent = above, .folds = UINT64_MAX
	};
	bool ok = node_of(x, (uint32_t)t->entry.n, ret_node);
	if (ok && !*ret_node) /* the first try made room by a fold */
		ok = node_of(x, (uint32_t)t->entry.n, ret_node);
	return ok;
}

/* Own time is part of the totals of all nodes above. */
static void add_sums_to_node(struct pv_model *m, uint32_t node, const struct pv_event *e)
{
	int64_t self = (int64_t)e->tree.self_ns;
	pv_window_touch(m, node);
	struct pv_tree_node *n = &m->calls.node.v[node];
	n->calls += e->tree.calls;
	n->self_ns += self;
	n->exc_leaves += e->tree.exc_leaves;
	if ((int64_t)e->tree.max_ns > n->max_ns)
		n->max_ns = (int64_t)e->tree.max_ns;
	for (uint32_t at = node; at && self; at = m->calls.node.v[at].parent)
		m->calls.node.v[at].total_ns += self;
	m->calls.calls += e->tree.calls;
}

static bool call(struct pv_context *x, const struct pv_event *e)
{
	struct pv_model *m = x->m;
	uint32_t node;
	int64_t from, to;
	m->private->use_ns = x->time;
	m->tree_sums.method = m->tree_sums.thread = 0;
	if (!place_sums(x, e, &node))
		return false;
	if (!x->counts || !node)
		return true;
	/* The running loop has to find its own cell again. */
	m->private->slice_width = 0;
	if (!pv_window_enter(m, x->thread, x->time, &from, &to))
		return false;
	add_sums_to_node(m, node, e);
	m->tree_sums.nodes++;
	m->tree_sums.method = m->calls.node.v[node].method;
	m->tree_sums.thread = x->thread->index;
	x->thread->calls += e->tree.calls;
	const struct pv_bucket_entry calls = { PV_BUCKET_THREAD, x->thread->index, e->tree.calls,
		(int64_t)e->tree.self_ns };
	pv_timeline_add(&m->timeline, PV_TRACK_CALLS, x->time, e->tree.calls);
	return pv_buckets_add(m, x->time, &calls);
}

static bool cpu(struct pv_context *x, uint64_t user_ns, uint64_t kernel_ns)
{
	struct pv_tree_sums *t = &x->m->tree_sums;
	if (!x->counts)
		return true;
	if (t->thread)
		x->m->threads.thread.v[t->thread]->cpu_ns += user_ns + kernel_ns;
	t->thread = 0;
	if (!t->method)
		return true;
	if (t->cpu.n <= t->method) {
		if (!pv_reserve(&t->cpu, t->method + 1 - t->cpu.n))
			return false;
		while (t->cpu.n <= t->method)
			t->cpu.v[t->cpu.n++] = (struct pv_cpu_time){ 0 };
	}
	t->cpu.v[t->method].user_ns += user_ns;
	t->cpu.v[t->method].kernel_ns += kernel_ns;
	t->cpu_times++;
	t->method = 0;
	return true;
}

bool pv_tree_sums_apply(struct pv_context *x, const struct pv_event *e)
{
	return e->kind == PV_KIND_EXT_TREE_CALL ? call(x, e)
						: cpu(x, e->cpu.user_ns, e->cpu.kernel_ns);
}

void pv_tree_sums_sampled(struct pv_context *x, uint32_t node, uint32_t thread)
{
	const struct pv_tree_node *v = x->m->calls.node.v;
	const struct pv_method *method = x->m->names.method.v;
	/* An address outside managed code counts for the frame that called into it. */
	if (node && v[node].parent && method[v[node].method].native)
		node = v[node].parent;
	x->m->tree_sums.method = node ? v[node].method : 0;
	x->m->tree_sums.thread = thread;
}

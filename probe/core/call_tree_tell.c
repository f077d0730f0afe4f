/* SPDX-License-Identifier: MIT */
/* The writer's side of call trees: differences since the last time, in buffers of their threads. */
#include <stdlib.h>

#include "probe/core/call_tree.h"
#include "probe/core/writer.h"

enum {
	NODE_BYTES = 144, /* most bytes of a node's events */
	PAGE = (PVP_TREE_DEPTH + 100) * NODE_BYTES,
};

/* A buffer with room for the deepest path. */
struct pvp_tree_page {
	struct mlpd_buffer_header header;
	struct mlpd_bases bases;
	uint32_t number; /* of the page */
	uint32_t places; /* nodes in the page */
	size_t n;
	uint8_t bytes[PAGE];
};

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

struct telling {
	struct pvp_writer *w;
	struct pvp_thread *thread;
	uint64_t now;
	struct pvp_node *running; /* has run for `extra_ns` more than self_ns says */
	uint64_t extra_ns;
};

static uint64_t get(_Atomic uint64_t *v)
{
	return atomic_load_explicit(v, memory_order_relaxed);
}

static uint64_t self_of(const struct telling *t, struct pvp_node *n)
{
	return get(&n->self_ns) + (n == t->running ? t->extra_ns : 0);
}

static bool changed(const struct telling *t, struct pvp_node *n)
{
	return n->parent &&
	       (get(&n->calls) != n->written.calls || self_of(t, n) != n->written.self_ns ||
		       get(&n->exc_leaves) != n->written.exc_leaves);
}

static void begin_page(struct telling *t, uint64_t key)
{
	struct pvp_tree_page *p = t->w->tree;
	p->header = (struct mlpd_buffer_header){
		.time_base = t->now, .thread = t->thread->tid, .ptr_base = key, .method_base = key
	};
	mlpd_bases_init(&p->bases, &p->header);
	p->places = 0;
	p->number++;
}

static void put_tree_event(struct telling *t, const struct pv_event *ev)
{
	struct pvp_tree_page *p = t->w->tree;
	p->n += mlpd_encode(p->bytes + p->n, sizeof p->bytes - p->n, &p->bases, &format, ev, NULL);
}

/* Writes the node's growth; the parent is in the page, or is the root. */
static void put_node(struct telling *t, struct pvp_node *n)
{
	uint64_t calls = get(&n->calls), self = self_of(t, n), max = get(&n->max_ns);
	uint64_t exc = get(&n->exc_leaves);
	uint32_t place = ++t->w->tree->places;
	struct pv_event ev = { .kind = PV_KIND_EXT_TREE_CALL,
		.time = t->now,
		.tree = { .back = n->parent->parent ? place - n->parent->place : 0,
			.method = n->key,
			.calls = calls - n->written.calls,
			.self_ns = self - n->written.self_ns,
			.max_ns = max > n->written.max_ns ? max : 0,
			.exc_leaves = exc - n->written.exc_leaves } };
	put_tree_event(t, &ev);
	n->place = place;
	n->page = t->w->tree->number;
	n->written.calls = calls;
	n->written.self_ns = self;
	n->written.max_ns = max;
	n->written.exc_leaves = exc;
	uint64_t user = get(&n->user_ns), kernel = get(&n->kernel_ns);
	if (user == n->written.user_ns && kernel == n->written.kernel_ns)
		return;
	struct pv_event cpu = { .kind = PV_KIND_EXT_TREE_CPU,
		.time = t->now,
		.cpu = { user - n->written.user_ns, kernel - n->written.kernel_ns } };
	put_tree_event(t, &cpu);
	n->written.user_ns = user;
	n->written.kernel_ns = kernel;
}

static bool send(struct telling *t)
{
	struct pvp_tree_page *p = t->w->tree;
	uint8_t head[MLPD_BUFFER_HEADER];
	if (!p->n)
		return true;
	p->header.length = (uint32_t)p->n;
	struct iovec parts[2] = {
		{ head, mlpd_put_buffer_header(head, &p->header) },
		{ p->bytes, p->n },
	};
	p->n = 0;
	return pvp_out_buffer_send(t->w, &t->w->page) && pvp_writer_send(t->w, parts, 2);
}

/* Writes the node after all parents missing in the page, outermost first: a page is complete. */
static bool tell_node(struct telling *t, struct pvp_node *n)
{
	struct pvp_tree_page *p = t->w->tree;
	struct pvp_node *path[PVP_TREE_DEPTH + 1];
	size_t depth = 0;
	if (!p->n)
		begin_page(t, n->key);
	for (struct pvp_node *at = n; at->parent && at->page != p->number; at = at->parent)
		path[depth++] = at;
	if (sizeof p->bytes - p->n < depth * NODE_BYTES) {
		if (!send(t))
			return false;
		return tell_node(t, n); /* an empty page holds any path */
	}
	while (depth-- > 0) {
		pvp_tell_method(t->w, path[depth]->key, t->now);
		put_node(t, path[depth]);
	}
	return true;
}

/* Finds the time spent so far in the thread's open call, unless it changes just now. */
static void find_running(struct telling *t, struct pvp_tree *tree)
{
	uint64_t last = atomic_load_explicit(&tree->last_ns, memory_order_acquire);
	struct pvp_node *top = atomic_load_explicit(&tree->top, memory_order_acquire);
	if (last != atomic_load_explicit(&tree->last_ns, memory_order_acquire) || !last ||
		(int64_t)(t->now - last) <= 0 || !top->parent || t->thread->w.exited ||
		atomic_load_explicit(&tree->quiet, memory_order_relaxed))
		return;
	t->running = top;
	t->extra_ns = t->now - last;
}

bool pvp_tree_tell(struct pvp_writer *w, struct pvp_thread *th, uint64_t now)
{
	struct telling t = { .w = w, .thread = th, .now = now };
	if (!w->tree)
		w->tree = calloc(1, sizeof *w->tree);
	bool ok = w->tree;
	if (!ok)
		return false; /* written once there is memory */
	struct pvp_tree *tree = atomic_load_explicit(&th->tree, memory_order_acquire);
	find_running(&t, tree);
	w->tree->n = 0;
	for (struct pvp_tree_slab *s = &tree->first; s && ok;
		s = atomic_load_explicit(&s->next, memory_order_acquire)) {
		size_t n = atomic_load_explicit(&s->n, memory_order_acquire);
		for (size_t i = 0; i < n && ok; i++)
			if (changed(&t, &s->node[i]))
				ok = tell_node(&t, &s->node[i]);
	}
	return ok && send(&t);
}

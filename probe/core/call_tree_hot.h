/* SPDX-License-Identifier: MIT */
/*
 * The fast path of calls summed up in a tree: the node exists already, only time is measured. Calls
 * no function and needs no vector registers, so code with all registers live can use this path.
 * Every other call is left, untouched, to pvp_tree_enter() and pvp_tree_leave().
 */
#ifndef PV_PROBE_CALL_TREE_HOT_H
#define PV_PROBE_CALL_TREE_HOT_H

#include "probe/core/call_tree.h"

#define PVP_TREE_GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
/* Only one thread writes the value: no read-modify-write is needed. */
#define PVP_TREE_SET(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#define PVP_TREE_ADD(x, v) PVP_TREE_SET(x, PVP_TREE_GET(x) + (v))

/* Searches the children after the first; the node found becomes the first child. NULL: none. */
static inline struct pvp_node *pvp_tree_find(struct pvp_node *parent, uint64_t key)
{
	struct pvp_node *before = parent->child;
	for (struct pvp_node *n = before ? before->next : NULL; n; before = n, n = n->next) {
		if (n->key != key)
			continue;
		before->next = n->next;
		n->next = parent->child;
		parent->child = n;
		return n;
	}
	return NULL;
}

/* The node's call ends: keeps the longest. */
static inline void pvp_tree_end(struct pvp_node *n, uint64_t now)
{
	uint64_t took = now - n->enter_ns;
	if ((int64_t)took > 0 && took > PVP_TREE_GET(n->max_ns))
		PVP_TREE_SET(n->max_ns, took);
}

/* The calling thread's tree; NULL: none, or the call must go the slow way. */
static inline struct pvp_tree *pvp_tree_plain(uint64_t *ret_now)
{
	struct pvp_thread *th = pvp_tls.thread;
	if (PVP_UNLIKELY(!PVP_TREE_GET(th->tree_ready)))
		return NULL;
	struct pvp_tree *t = PVP_TREE_GET(th->tree);
	if (PVP_UNLIKELY(!t || !t->plain || t->deeper))
		return NULL;
	*ret_now = pvp_tsc_ns(&th->clock);
	return (int64_t)(*ret_now - PVP_TREE_GET(t->last_ns)) < 0 ? NULL : t;
}

/* Adds the time up to `now` to the top node. */
static inline void pvp_tree_pay_plain(struct pvp_tree *t, struct pvp_node *top, uint64_t now)
{
	PVP_TREE_ADD(top->self_ns, now - PVP_TREE_GET(t->last_ns));
	PVP_TREE_SET(t->last_ns, now);
}

/* With the guard held. False: the call must go the slow way. */
static inline bool pvp_tree_enter_plain(uint64_t method)
{
	uint64_t now;
	struct pvp_tree *t = pvp_tree_plain(&now);
	if (PVP_UNLIKELY(!t))
		return false;
	struct pvp_node *top = PVP_TREE_GET(t->top), *n = top->child;
	if (!n || n->key != method)
		n = pvp_tree_find(top, method);
	if (PVP_UNLIKELY(!n))
		return false;
	pvp_tree_pay_plain(t, top, now);
	PVP_TREE_ADD(n->calls, 1);
	n->enter_ns = now;
	atomic_store_explicit(&t->top, n, memory_order_release);
	return true;
}

/* As pvp_tree_enter_plain(). */
static inline bool pvp_tree_leave_plain(uint64_t method)
{
	uint64_t now;
	struct pvp_tree *t = pvp_tree_plain(&now);
	if (PVP_UNLIKELY(!t))
		return false;
	struct pvp_node *top = PVP_TREE_GET(t->top);
	if (PVP_UNLIKELY(top->key != method || !top->parent))
		return false;
	pvp_tree_pay_plain(t, top, now);
	pvp_tree_end(top, now);
	atomic_store_explicit(&t->top, top->parent, memory_order_release);
	return true;
}

#endif

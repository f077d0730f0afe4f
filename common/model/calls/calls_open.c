/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether a method is open on a thread, without a walk down the stack: for leaves of
 * methods that are not open. The frames of the last question are indexed by their methods' keys; as
 * the stack is a path of the tree, all frames up to a frame with an unchanged node are unchanged.
 */
#include <stdlib.h>

#include "common/model/calls/calls_open.h"
#include "common/model/ground/model_parts.h"

enum { MANY = 4096 }; /* keys that may be stale */

struct pv_open_index {
	PV_ARRAY(uint32_t) node; /* of each frame */
	struct pv_map depth;     /* key -> the frame, if still of this method */
	uint64_t folds;          /* at the last question: folds change node numbers */
};

void pv_open_index_free(struct pv_open_index *x)
{
	if (!x)
		return;
	pv_array_finish(&x->node);
	pv_map_finish(&x->depth);
	free(x);
}

static uint64_t node_method_key(const struct pv_model *m, uint32_t node)
{
	return m->names.method.v[m->calls.node.v[node].method].key;
}

/* Number of unchanged frames, from the outermost on. */
static size_t same_frames(const struct pv_open_index *x, const struct pv_thread_calls *s)
{
	size_t low = 0, high = x->node.n < s->stack.n ? x->node.n : s->stack.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (x->node.v[mid] == s->stack.v[mid].node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_open_at(const struct pv_model *m, const struct pv_open_index *x, size_t n,
	uint64_t key, uint32_t depth)
{
	return depth < n && node_method_key(m, x->node.v[depth]) == key;
}

static bool note_frames(const struct pv_model *m, struct pv_open_index *x,
	const struct pv_thread_calls *s, size_t from)
{
	x->node.n = from;
	if (!pv_reserve(&x->node, s->stack.n - from))
		return false;
	for (size_t i = from; i < s->stack.n; i++) {
		uint64_t key = node_method_key(m, s->stack.v[i].node);
		bool known = is_open_at(m, x, i, key, pv_map_get(&x->depth, key));
		if (!known && !pv_map_set(&x->depth, key, (uint32_t)i))
			return false;
		x->node.v[x->node.n++] = s->stack.v[i].node;
	}
	return true;
}

static bool bring_up_to_date(
	const struct pv_model *m, struct pv_open_index *x, const struct pv_thread_calls *s)
{
	size_t same = same_frames(x, s);
	if (x->folds != m->calls.folds || x->depth.n > 4 * s->stack.n + MANY) {
		pv_map_clear(&x->depth);
		same = 0;
		x->folds = m->calls.folds;
	}
	return note_frames(m, x, s, same);
}

bool pv_calls_may_be_open(const struct pv_model *m, struct pv_thread_calls *s, uint64_t key)
{
	if (!s->open)
		s->open = calloc(1, sizeof *s->open);
	if (!s->open)
		return true;
	if (!bring_up_to_date(m, s->open, s)) {
		pv_open_index_free(s->open);
		s->open = NULL;
		return true;
	}
	return is_open_at(m, s->open, s->stack.n, key, pv_map_get(&s->open->depth, key));
}

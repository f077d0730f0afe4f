/* SPDX-License-Identifier: MIT */
/* Skips buffers: known facts of the whole log, and threads' stacks after a gap. */
#include "common/model/skip.h"

#include <string.h>

#include "common/model/ground/inside.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"

static bool copy_address_log(
	const struct pv_model *m, const struct pv_address_log *from, struct pv_address_log *to)
{
	if (!from)
		return true;
	if (!pv_reserve(&to->classes, from->classes.n) || !pv_reserve(&to->moves, from->moves.n))
		return false;
	for (size_t i = 0; i < from->classes.n; i++) {
		struct pv_address_log_class c = from->classes.v[i];
		c.class_use = m->names.class_use.v[c.class_use].key;
		to->classes.v[to->classes.n++] = c;
	}
	for (size_t i = 0; i < from->moves.n; i++) {
		struct pv_address_log_move move = from->moves.v[i];
		if (move.class_use)
			move.class_use = m->names.class_use.v[move.class_use].key;
		to->moves.v[to->moves.n++] = move;
	}
	to->full = from->full;
	return true;
}

bool pv_known_copy(
	struct pv_model *m, const struct pv_address_log *address_log, struct pv_known *ret)
{
	const struct pv_gc *gc = &m->gc;
	pv_gc_sort(&m->gc);
	*ret = (struct pv_known){ .zero_ns = m->zero_ns,
		.first_ns = m->first_ns,
		.last_ns = m->last_ns,
		.buffers = m->buffers,
		.bytes = m->bytes,
		.recordings = m->recordings,
		.sync_points = m->sync_points,
		.ambiguous_ends = m->names.ambiguous_ends,
		.stray_leaves = m->calls.stray_leaves,
		.missing_leaves = m->calls.missing_leaves,
		.unwound = m->calls.unwound,
		.gap_closed = m->calls.gap_closed,
		.ended = m->ended,
		.complete = m->complete,
		.ending = m->ending };
	memcpy(ret->sync, m->notes.sync, sizeof ret->sync);
	if (!pv_reserve(&ret->collections, gc->collections.n + 1) ||
		!copy_address_log(m, address_log, &ret->address_log)) {
		pv_known_finish(ret);
		return false;
	}
	if (gc->collections.n)
		memcpy(ret->collections.v, gc->collections.v,
			gc->collections.n * sizeof *gc->collections.v);
	ret->collections.n = gc->collections.n;
	return true;
}

void pv_known_finish(struct pv_known *k)
{
	pv_address_log_finish(&k->address_log);
	pv_array_finish(&k->collections);
}

void pv_model_know(struct pv_model *m, const struct pv_known *k)
{
	m->have_zero = true;
	m->zero_ns = k->zero_ns;
	m->private->zero_open = false;
	m->only.address_log = &k->address_log;
	pv_model_time_base(m, k->zero_ns); /* sets times that depend on zero */
}

bool pv_model_know_end(struct pv_model *m, const struct pv_known *k)
{
	bool ok = pv_address_log_moves(m, UINT64_MAX);
	m->first_ns = k->first_ns;
	m->last_ns = k->last_ns;
	pv_gc_exit_until(m, m->last_ns);
	m->buffers = k->buffers;
	m->bytes = k->bytes;
	m->recordings = k->recordings;
	m->sync_points = k->sync_points;
	memcpy(m->notes.sync, k->sync, sizeof m->notes.sync);
	m->names.ambiguous_ends = k->ambiguous_ends;
	m->calls.stray_leaves = k->stray_leaves;
	m->calls.missing_leaves = k->missing_leaves;
	m->calls.unwound = k->unwound;
	m->calls.gap_closed = k->gap_closed;
	pv_gc_take_allocated(&m->gc, k->collections.v, k->collections.n);
	m->only.address_log = NULL; /* no more batches will come */
	m->ending = k->ending;
	if (k->ended)
		pv_model_end(m, k->complete);
	return ok;
}

/* The whole model pays at edges of cells, too: the last call event can be before s->last_ns. */
static void pay_until(struct pv_model *m, const struct pv_thread *th, int64_t to_ns)
{
	const struct pv_thread_calls *s = &th->stack;
	if (s->stack.n)
		m->calls.node.v[s->stack.v[s->stack.n - 1].node].self_ns +=
			pv_clipped(m, th, s->last_ns, to_ns);
}

static void end_frames(struct pv_model *m, struct pv_thread *th, const struct pv_stand *to)
{
	struct pv_thread_calls *s = &th->stack;
	for (size_t i = s->stack.n; i > to->keep; i--) {
		const struct pv_frame *f = &s->stack.v[i - 1];
		struct pv_tree_node *n = &m->calls.node.v[f->node];
		int64_t ns = pv_clipped(m, th, f->enter_ns, to->last_ns);
		n->total_ns += ns;
		if (ns > n->max_ns)
			n->max_ns = ns;
	}
	if (s->stack.n > to->keep)
		s->stack.n = to->keep;
}

/* The buffers left out may also hold events of earlier threads with the same id. */
static int64_t first_of(const struct pv_thread *th, const struct pv_stand *s)
{
	bool of_others = th->before && th->start_ns != PV_NEVER && s->oldest_ns < th->start_ns;
	return of_others ? th->start_ns : s->oldest_ns;
}

bool pv_model_stand(struct pv_model *m, const struct pv_stand *s)
{
	uint32_t at = pv_map_get(&m->threads.newest, s->thread);
	if (at == PV_MAP_NONE)
		return true;
	struct pv_thread *th = m->threads.thread.v[at];
	struct pv_thread_calls *calls = &th->stack;
	m->private->use_ns = s->last_ns;
	pay_until(m, th, s->last_ns);
	end_frames(m, th, s);
	if (!pv_threads_touch(&m->threads, th) || !pv_reserve(&calls->stack, s->n))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		size_t depth = calls->stack.n;
		uint32_t parent = depth ? calls->stack.v[depth - 1].node : 0;
		uint32_t child = pv_calls_child(m, parent, s->keys[i], 0);
		if (child == PV_MAP_NONE)
			return false;
		if (child == 0)
			break; /* no room: as the whole reading found */
		calls->stack.v[calls->stack.n++] = (struct pv_frame){ child, s->last_ns };
	}
	calls->too_deep = s->too_deep;
	calls->last_ns = s->last_ns;
	if (th->last_ns == PV_NEVER || s->newest_ns > th->last_ns)
		th->last_ns = s->newest_ns;
	if (th->first_ns == PV_NEVER || first_of(th, s) < th->first_ns)
		th->first_ns = first_of(th, s);
	return true;
}

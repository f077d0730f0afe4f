/* SPDX-License-Identifier: MIT */
/*
 * Hands events of a batch to the matching of objects: allocations, moves, collections, heap shots.
 */
#include "common/format/batch_event.h"
#include "common/ingest/again/identity_read_parts.h"

static bool allocation(
	struct pv_identity_read *r, const struct pv_batch *b, size_t i, uint32_t path)
{
	struct pv_model *m = r->model;
	const struct pv_alloc *a = &b->allocs.v[b->key[i]];
	struct pv_allocation_event allocation = {
		.address = a->object, .size = a->size, .time_ns = (int64_t)b->time[i]
	};
	allocation.class_use = pv_names_class(&m->names, a->type, allocation.time_ns);
	allocation.stack = path;
	if (a->stack.n)
		allocation.stack = pv_identity_stack(m, allocation.time_ns, b, a->stack);
	allocation.thread = pv_threads_at(&m->threads, b->thread, allocation.time_ns);
	return allocation.class_use && allocation.stack != PV_MAP_NONE &&
	       pv_identity_alloc(&r->identity, &allocation);
}

static bool collection(struct pv_identity *l, const struct pv_event *e)
{
	switch (e->gc.step) {
	case PV_GC_START:
		return pv_identity_collection(l);
	case PV_GC_PRE_START:
	case PV_GC_POST_START:
	case PV_GC_POST_START_UNLOCKED:
		return pv_identity_apply_moves(l);
	default:
		return true;
	}
}

/* The generation as counted in heap shots: older logs have none. */
static uint64_t generation_of(const struct pv_identity_read *r, const struct pv_event *e)
{
	const struct pv_target_info *t = &r->model->target;
	return t->rules >= 16 && !t->logging2007 ? e->heap_object.generation : 0;
}

/* Begins a shot. A shot still open is cut off. */
static bool shot_begins(struct pv_identity *l, const struct pv_event *e, uint32_t shot)
{
	bool ok = l->open == PV_IDENTITY_NO_SHOT || pv_identity_shot_ends(l, false);
	if (e->shot.summary) /* by class, without objects */
		return ok;
	return ok && pv_identity_shot_begins(l, shot, (int64_t)e->time);
}

enum { SOON = 8 };

/* Prefetches the entries of coming objects, which are scattered over memory. */
static void look_ahead(const struct pv_identity *l, const struct pv_batch *b, size_t i)
{
	for (size_t at = i + SOON; at < b->n && at <= i + 2 * SOON; at += SOON) {
		bool near = at == i + SOON;
		if (b->kind[at] == PV_KIND_ALLOC)
			pv_identity_expect(l, b->allocs.v[b->key[at]].object, near);
		else if (b->kind[at] == PV_KIND_HEAP_OBJECT)
			pv_identity_expect(l, pv_batch_event(b, at)->heap_object.object, near);
	}
}

bool pv_identity_event(struct pv_identity_read *r, const struct pv_batch *b, size_t i,
	struct pv_identity_where where)
{
	struct pv_identity *l = &r->identity;
	look_ahead(l, b, i);
	if (b->kind[i] == PV_KIND_ALLOC)
		return allocation(r, b, i, where.path);
	const struct pv_event *e = pv_batch_event(b, i);
	switch (e->kind) {
	case PV_KIND_GC_MOVE:
		return pv_identity_moves(l, b->pool.v + e->moves.pairs.at, e->moves.pairs.n);
	case PV_KIND_GC_EVENT:
		return collection(l, e);
	case PV_KIND_HEAP_START:
		return shot_begins(l, e, where.shot);
	case PV_KIND_HEAP_END:
		return pv_identity_shot_ends(l, true);
	case PV_KIND_HEAP_OBJECT: {
		if (e->heap_object.size == 0 || l->open == PV_IDENTITY_NO_SHOT)
			return true;
		uint32_t class_use =
			pv_names_class(&r->model->names, e->heap_object.type, (int64_t)b->time[i]);
		const struct pv_listed_object o = { e->heap_object.object, e->heap_object.size,
			generation_of(r, e), class_use };
		return class_use && pv_identity_object(l, &o);
	}
	default:
		return true;
	}
}

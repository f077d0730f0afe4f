/* SPDX-License-Identifier: MIT */
/* Addresses of the targets of weak GC handles: from their creation, then from the moves. */
#include "common/heap/graph_parts.h"

#include "common/model/objects/handles.h"

/* Index of the target that a target has become; the search shortens the way for the next. */
static uint32_t find_target(struct pv_weak_handles *w, uint32_t at)
{
	struct pv_weak_target *v = w->target.v;
	while (v[at].same_as) {
		uint32_t up = v[at].same_as - 1;
		if (v[up].same_as)
			v[at].same_as = v[up].same_as;
		at = up;
	}
	return at;
}

uint64_t pv_weak_handle_object(struct pv_weak_handles *w, size_t handle)
{
	const struct pv_raw_handle *h = &w->handle.v[handle];
	return h->alive ? w->target.v[find_target(w, h->target)].object : 0;
}

/* Numbers the targets of living handles anew. */
static bool renumber(struct pv_weak_handles *w)
{
	PV_ARRAY(struct pv_weak_target) target = { 0 };
	bool ok = pv_reserve(&target, w->handle.n + 1);
	pv_map_clear(&w->by_object);
	for (size_t i = 0; ok && i < w->handle.n; i++) {
		uint64_t object = pv_weak_handle_object(w, i);
		if (!w->handle.v[i].alive)
			continue;
		uint32_t at = pv_map_get(&w->by_object, object);
		if (at == PV_MAP_NONE) {
			target.v[target.n++] = (struct pv_weak_target){ .object = object };
			at = (uint32_t)target.n;
			ok = pv_map_set(&w->by_object, object, at);
		}
		w->handle.v[i].target = at - 1;
	}
	pv_array_finish(&w->target);
	w->target.v = target.v;
	w->target.n = target.n;
	w->target.room = target.room;
	return ok;
}

/*
 * Every former address of an object stays in the map, and every target: renumbers from time to
 * time.
 */
static bool tidy(struct pv_weak_handles *w)
{
	enum { SPARE = 4096 };
	size_t most = w->handle.n * 4 + SPARE;
	return (w->by_object.n < most && w->target.n < most) || renumber(w);
}

static bool put_weak_target(struct pv_weak_handles *w, uint32_t handle, uint64_t object)
{
	uint32_t at = pv_map_get(&w->by_object, object);
	if (at == PV_MAP_NONE || at == 0) {
		if (!pv_reserve(&w->target, 1) ||
			!pv_map_set(&w->by_object, object, (uint32_t)w->target.n + 1))
			return false;
		w->target.v[w->target.n++] = (struct pv_weak_target){ .object = object };
		at = (uint32_t)w->target.n;
	}
	w->handle.v[handle].target = at - 1;
	return true;
}

static bool move_target(struct pv_weak_handles *w, uint64_t from, uint64_t to)
{
	uint32_t at = pv_map_get(&w->by_object, from), there = pv_map_get(&w->by_object, to);
	if (at == PV_MAP_NONE || at == 0 || from == to)
		return true;
	pv_map_set(&w->by_object, from, 0); /* the key is present: no growth */
	if (there != PV_MAP_NONE && there != 0) {
		w->target.v[at - 1].same_as = there;
		return true;
	}
	w->target.v[at - 1].object = to;
	return pv_map_set(&w->by_object, to, at);
}

static bool created(struct pv_weak_handles *w, const struct pv_event *e)
{
	uint64_t name = e->handle.type << 32 | (e->handle.handle & UINT32_MAX);
	uint32_t at = pv_map_get(&w->by_name, name);
	if (at == PV_MAP_NONE) {
		if (w->handle.n >= PV_HANDLES_CAP)
			return true;
		at = (uint32_t)w->handle.n;
		if (!pv_reserve(&w->handle, 1) || !pv_map_set(&w->by_name, name, at))
			return false;
		w->handle.v[w->handle.n++] = (struct pv_raw_handle){ .name = name };
	}
	w->handle.v[at].alive = true;
	return put_weak_target(w, at, e->handle.object);
}

bool pv_weak_handles_apply(
	struct pv_weak_handles *w, const struct pv_batch *b, const struct pv_event *e)
{
	if (e->kind == PV_KIND_GC_MOVE) {
		if (w->handle.n == 0 || e->moves.pairs.n == 0)
			return true;
		const uint64_t *v = b->pool.v + e->moves.pairs.at;
		for (uint32_t i = 0; i + 1 < e->moves.pairs.n; i += 2)
			if (!move_target(w, v[i], v[i + 1]))
				return false;
		return tidy(w);
	}
	if (e->handle.type > PV_HANDLE_WEAK_TRACK)
		return true;
	if (e->kind == PV_KIND_GC_HANDLE_CREATED)
		return created(w, e) && tidy(w);
	uint32_t at =
		pv_map_get(&w->by_name, e->handle.type << 32 | (e->handle.handle & UINT32_MAX));
	if (at != PV_MAP_NONE)
		w->handle.v[at].alive = false;
	return true;
}

void pv_weak_handles_finish(struct pv_weak_handles *w)
{
	pv_array_finish(&w->handle);
	pv_array_finish(&w->target);
	pv_map_finish(&w->by_name);
	pv_map_finish(&w->by_object);
}

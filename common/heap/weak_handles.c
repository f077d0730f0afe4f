/* Where the targets of weak GC handles are: told when they are made, then by the moves. */
#include "common/heap/graph_parts.h"

#include "common/model/objects/handles.h"

/* Every place an object has been at stays in the map: at times it is made anew. */
static bool remap(struct pv_weak_handles *w)
{
	enum { SPARE = 4096 };
	if (w->by_object.n < w->handle.n * 4 + SPARE)
		return true;
	pv_map_clear(&w->by_object);
	for (size_t i = 0; i < w->handle.n; i++) {
		struct pv_raw_handle *h = &w->handle.v[i];
		if (!h->alive || !h->object)
			continue;
		uint32_t first = pv_map_get(&w->by_object, h->object);
		h->next = first == PV_MAP_NONE ? 0 : first;
		if (!pv_map_set(&w->by_object, h->object, (uint32_t)i + 1))
			return false;
	}
	return true;
}

static bool put(struct pv_weak_handles *w, uint32_t at, uint64_t object)
{
	uint32_t first = pv_map_get(&w->by_object, object);
	w->handle.v[at].object = object;
	w->handle.v[at].next = first == PV_MAP_NONE ? 0 : first;
	return pv_map_set(&w->by_object, object, at + 1);
}

static void take_out(struct pv_weak_handles *w, uint32_t at)
{
	uint64_t object = w->handle.v[at].object;
	uint32_t first = pv_map_get(&w->by_object, object);
	if (first == PV_MAP_NONE)
		return;
	if (first == at + 1) {
		pv_map_set(&w->by_object, object, w->handle.v[at].next); /* is there: no growth */
		return;
	}
	for (uint32_t i = first; i; i = w->handle.v[i - 1].next) {
		if (w->handle.v[i - 1].next == at + 1) {
			w->handle.v[i - 1].next = w->handle.v[at].next;
			return;
		}
	}
}

static bool moved(struct pv_weak_handles *w, uint64_t from, uint64_t to)
{
	uint32_t first = pv_map_get(&w->by_object, from);
	if (first == PV_MAP_NONE || first == 0 || from == to)
		return true;
	pv_map_set(&w->by_object, from, 0);
	for (uint32_t i = first, next; i; i = next) {
		next = w->handle.v[i - 1].next;
		if (!put(w, i - 1, to))
			return false;
	}
	return true;
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
	} else if (w->handle.v[at].alive) {
		take_out(w, at);
	}
	w->handle.v[at].alive = true;
	return put(w, at, e->handle.object);
}

bool pv_weak_handles_apply(
	struct pv_weak_handles *w, const struct pv_batch *b, const struct pv_event *e)
{
	if (e->kind == PV_KIND_GC_MOVE) {
		if (w->handle.n == 0 || e->moves.pairs.n == 0)
			return true;
		const uint64_t *v = b->pool.v + e->moves.pairs.at;
		for (uint32_t i = 0; i + 1 < e->moves.pairs.n; i += 2)
			if (!moved(w, v[i], v[i + 1]))
				return false;
		return remap(w);
	}
	if (e->handle.type > PV_HANDLE_WEAK_TRACK)
		return true;
	if (e->kind == PV_KIND_GC_HANDLE_CREATED)
		return created(w, e) && remap(w);
	uint32_t at =
		pv_map_get(&w->by_name, e->handle.type << 32 | (e->handle.handle & UINT32_MAX));
	if (at == PV_MAP_NONE || !w->handle.v[at].alive)
		return true;
	take_out(w, at);
	w->handle.v[at].alive = false;
	return true;
}

void pv_weak_handles_finish(struct pv_weak_handles *w)
{
	pv_array_finish(&w->handle);
	pv_map_finish(&w->by_name);
	pv_map_finish(&w->by_object);
}

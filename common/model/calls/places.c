/* SPDX-License-Identifier: MIT */
/* The tree of places that samples and other events with stacks met. */
#include "common/model/calls/places.h"

#include "common/model/ground/model_parts.h"
#include "common/model/names/names_parts.h"

void pv_places_finish(struct pv_places *p)
{
	pv_array_finish(&p->place);
	pv_array_finish(&p->node);
	pv_map_finish(&p->place_of);
	pv_map_finish(&p->node_of);
	pv_array_finish(&p->sum);
	pv_map_finish(&p->sum_of);
}

static bool places_begin(struct pv_places *p)
{
	if (p->node.n)
		return true;
	if (!pv_reserve(&p->place, 1) || !pv_reserve(&p->node, 1))
		return false;
	p->place.v[p->place.n++] = (struct pv_place){ 0 };
	p->node.v[p->node.n++] = (struct pv_place_node){ 0 };
	return true;
}

/* 0: the limit is reached; PV_MAP_NONE: out of memory. */
static uint32_t find_or_add_place(struct pv_places *p, uint32_t method, uint64_t address)
{
	uint32_t newest = pv_map_get(&p->place_of, address);
	newest = newest == PV_MAP_NONE ? 0 : newest;
	for (uint32_t at = newest; at; at = p->place.v[at].before)
		if (p->place.v[at].method == method)
			return at;
	if (p->place.n >= PV_PLACES_CAP)
		return 0;
	uint32_t id = (uint32_t)p->place.n;
	if (!pv_reserve(&p->place, 1) || !pv_map_set(&p->place_of, address, id))
		return PV_MAP_NONE;
	p->place.v[p->place.n++] = (struct pv_place){ address, method, newest };
	return id;
}

/* Likewise. */
static uint32_t place_below(struct pv_places *p, uint32_t parent, uint32_t method, uint64_t address)
{
	uint32_t place = find_or_add_place(p, method, address);
	if (place == 0 || place == PV_MAP_NONE)
		return place;
	uint64_t key = (uint64_t)parent << 32 | place;
	uint32_t at = pv_map_get(&p->node_of, key);
	if (at != PV_MAP_NONE)
		return at;
	if (p->node.n >= PV_PLACES_CAP)
		return 0;
	at = (uint32_t)p->node.n;
	if (!pv_reserve(&p->node, 1) || !pv_map_set(&p->node_of, key, at))
		return PV_MAP_NONE;
	p->node.v[p->node.n++] = (struct pv_place_node){ .parent = parent, .place = place };
	return at;
}

uint32_t pv_places_frame(struct pv_places *p, uint32_t parent, uint32_t method, uint64_t address)
{
	if (parent == PV_PLACE_LOST)
		return parent;
	if (!places_begin(p))
		return PV_MAP_NONE;
	const bool full = p->node.n >= PV_PLACES_OF_EVENTS || p->place.n >= PV_PLACES_OF_EVENTS;
	uint32_t at = full ? 0 : place_below(p, parent, method, address);
	if (full) {
		uint32_t place = pv_map_get(&p->place_of, address);
		while (place && place != PV_MAP_NONE && p->place.v[place].method != method)
			place = p->place.v[place].before;
		if (place && place != PV_MAP_NONE)
			at = pv_map_get(&p->node_of, (uint64_t)parent << 32 | place);
		at = at == PV_MAP_NONE ? 0 : at;
	}
	return at ? at : PV_PLACE_LOST;
}

bool pv_places_add(struct pv_places *p, const struct pv_place_sum *more)
{
	if (!more->node || more->node >= p->node.n)
		return true;
	uint32_t at = pv_map_get(&p->sum_of, more->node);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)p->sum.n;
		if (!pv_reserve(&p->sum, 1) || !pv_map_set(&p->sum_of, more->node, at))
			return false;
		p->sum.v[p->sum.n++] = (struct pv_place_sum){ .node = more->node };
	}
	struct pv_place_sum *s = &p->sum.v[at];
	s->allocations += more->allocations;
	s->bytes += more->bytes;
	s->waits += more->waits;
	s->wait_ns += more->wait_ns;
	s->throws += more->throws;
	return true;
}

struct place_walk {
	uint32_t node;
	bool full, failed;
};

static void place_enter(
	struct pv_places *p, struct place_walk *w, uint32_t method, uint64_t address)
{
	uint32_t at = place_below(p, w->node, method, address);
	w->failed |= at == PV_MAP_NONE || !method;
	w->full |= at == 0;
	if (!w->failed && !w->full)
		w->node = at;
}

/*
 * The node for `call` with parent and place of `at`, the first node with these, made when new. 0:
 * the limit is reached; PV_MAP_NONE: out of memory.
 */
static uint32_t place_called(struct pv_places *p, uint32_t at, uint32_t call)
{
	struct pv_place_node *first = &p->node.v[at];
	if (!first->samples)
		first->call = call;
	for (uint32_t i = at; i; i = p->node.v[i].same)
		if (p->node.v[i].call == call)
			return i;
	if (p->node.n >= PV_PLACES_CAP)
		return 0;
	if (!pv_reserve(&p->node, 1))
		return PV_MAP_NONE;
	first = &p->node.v[at];
	const uint32_t id = (uint32_t)p->node.n;
	p->node.v[p->node.n++] = (struct pv_place_node){
		.parent = first->parent, .place = first->place, .call = call, .same = first->same
	};
	first->same = id;
	return id;
}

void pv_places_renumber(struct pv_places *p, const uint32_t *into)
{
	for (size_t i = 0; i < p->node.n; i++)
		p->node.v[i].call = into[p->node.v[i].call];
}

bool pv_places_sampled(struct pv_context *x, const struct pv_event *e, uint32_t leaf, uint32_t call,
	uint64_t weight, uint32_t *ret_node)
{
	struct pv_places *p = &x->m->places;
	const uint64_t *pool = x->batch->pool.v;
	uint64_t own = e->hit.ips.n ? pool[e->hit.ips.at] : 0;
	/* Keys of streams can be addresses whose method is known later. */
	const bool by_key = !own && x->m->lines.il.map.n;
	struct place_walk w = { 0 };
	*ret_node = 0;
	if (!places_begin(p))
		return false;
	for (uint32_t i = e->hit.frames.n; i-- > 0 && !w.failed && !w.full;) {
		uint64_t place, key = pool[e->hit.frames.at + i];
		pv_names_function_key(&x->m->names, key, &place);
		uint32_t method = place ? pv_model_method(x->m, key) : 0;
		/*
		 * The innermost frame is the place of the sample, unless the sample is in code it
		 * called.
		 */
		if (place && (i > 0 || !own || method != leaf))
			place_enter(p, &w, method, place);
		/*
		 * Nor was the sample at the line of the caller, where only the caller has a place.
		 */
		else if (!place && (by_key || (i == 0 && !own && w.node)))
			place_enter(p, &w, pv_model_method(x->m, key), key);
	}
	if (own && leaf && !w.failed && !w.full)
		place_enter(p, &w, leaf, own);
	if (!w.failed && w.node == 0)
		return true;
	const uint32_t at = w.failed || w.full ? 0 : place_called(p, w.node, call);
	w.failed |= at == PV_MAP_NONE;
	w.full |= at == 0;
	*(w.full ? &p->dropped : &p->samples) += weight;
	if (!w.full && !w.failed) {
		p->node.v[at].samples += weight;
		*ret_node = at;
	}
	return !w.failed;
}

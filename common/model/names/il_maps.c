/* SPDX-License-Identifier: MIT */
/* Applies maps from code to IL, and finds the IL offset of an address. */
#include "common/model/names/il_maps.h"

#include "common/model/ground/model_parts.h"
#include "common/model/names/names_find.h"

enum { MOST_CODE = 64 << 20 }; /* longer bodies are garbage */

static const uint32_t none = (uint32_t)PV_IL_NONE, prolog = (uint32_t)PV_IL_PROLOG,
		      epilog = (uint32_t)PV_IL_EPILOG;

void pv_il_maps_finish(struct pv_il_maps *l)
{
	pv_array_finish(&l->map);
	pv_array_finish(&l->step);
	pv_map_finish(&l->of);
}

static uint32_t newest_of(const struct pv_il_maps *l, uint32_t method)
{
	uint32_t at = pv_map_get(&l->of, method);
	return at == PV_MAP_NONE ? 0 : at;
}

static bool il_map_fits(const struct pv_il_maps *l, const struct pv_event *e)
{
	const uint32_t n = e->il_map.pairs.n / 2;
	return e->il_map.size && e->il_map.size <= MOST_CODE && e->il_map.token <= UINT32_MAX &&
	       n && n <= PV_IL_STEPS_CAP - l->step.n && l->map.n <= PV_IL_MAPS_CAP;
}

static bool add_steps(struct pv_il_maps *l, const uint64_t *pair, uint32_t n)
{
	if (!pv_reserve(&l->step, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		l->step.v[l->step.n++] =
			(struct pv_il_step){ (uint32_t)pair[2 * i], (uint32_t)pair[2 * i + 1] };
	return true;
}

bool pv_il_maps_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_il_maps *l = &x->m->lines.il;
	x->m->private->use_ns = x->time;
	if (!il_map_fits(l, e)) {
		l->dropped++;
		return true;
	}
	struct pv_il_map t = { .code = e->il_map.code,
		.size = (uint32_t)e->il_map.size,
		.method = pv_model_method(x->m, e->il_map.method),
		.image = pv_names_begun(&x->m->names, PV_ENTITY_IMAGE, e->il_map.image, x->time),
		.token = (uint32_t)e->il_map.token,
		.first = (uint32_t)l->step.n,
		.n = e->il_map.pairs.n / 2 };
	t.before = newest_of(l, t.method);
	t.bodies = t.before ? l->map.v[t.before].bodies + 1 : 1;
	if (t.bodies > PV_IL_BODIES) {
		l->dropped++;
		return true;
	}
	if (!t.method || !pv_reserve(&l->map, 2))
		return false;
	if (l->map.n == 0)
		l->map.v[l->map.n++] = (struct pv_il_map){ 0 };
	if (!add_steps(l, x->batch->pool.v + e->il_map.pairs.at, t.n) ||
		!pv_map_set(&l->of, t.method, (uint32_t)l->map.n))
		return false;
	l->map.v[l->map.n++] = t;
	return true;
}

const struct pv_il_map *pv_il_map_at(const struct pv_il_maps *l, uint32_t method, uint64_t address)
{
	for (uint32_t i = newest_of(l, method); i; i = l->map.v[i].before) {
		const struct pv_il_map *map = &l->map.v[i];
		if (address >= map->code && address - map->code < map->size)
			return map;
	}
	return NULL;
}

/* Steps are few and need not be in order: the last of the nearest steps at or before counts. */
bool pv_il_offset(
	const struct pv_il_maps *l, const struct pv_il_map *map, uint64_t address, uint32_t *ret)
{
	const uint64_t offset = address - map->code;
	const struct pv_il_step *best = NULL;
	bool begins = false; /* at the method's first statement */
	for (uint32_t i = map->first; i < map->first + map->n; i++) {
		const struct pv_il_step *at = &l->step.v[i];
		begins |= at->il == 0;
		if (at->il != none && at->native <= offset && (!best || at->native >= best->native))
			best = at;
	}
	const bool before = !best || best->il == prolog;
	*ret = before ? 0 : best->il == epilog ? UINT32_MAX : best->il;
	return begins || !before;
}

/* SPDX-License-Identifier: MIT */
/* Grows the model's large maps in time. */
#include "common/model/ground/room.h"

#include <stddef.h>

#include "common/base/status.h"
#include "common/model/model.h"

#define MAP(member) offsetof(struct pv_model, member)

/* The maps that get large. */
static const size_t maps[] = {
	MAP(names.text.heads),
	MAP(names.method_of),
	MAP(names.place_of),
	MAP(names.class_of),
	MAP(names.methods_of),
	MAP(names.living),
	MAP(names.in_domain),
	MAP(stacks.child),
	MAP(calls.wide),
	MAP(allocs.sites.of),
	MAP(allocs.sites.other),
	MAP(locks.of),
	MAP(locks.by_id),
	MAP(locks.sites.of),
	MAP(locks.by_lock.of),
	MAP(throws.sites.of),
	MAP(threads.newest),
	MAP(handles.handle_of),
	MAP(handles.site_of),
	MAP(fields.field_of),
	MAP(fields.parent_of),
	MAP(fields.elements_of),
	MAP(fields.known),
	MAP(lines.table_of),
	MAP(places.place_of),
	MAP(places.node_of),
	MAP(places.sum_of),
	MAP(loads.compile_of),
	MAP(helpers.method_of),
	MAP(helpers.named_of),
};

static void widen_map(struct pv_model *m, struct pv_map *map)
{
	struct pv_map grown, old = *map;
	if (!pv_map_is_near(map) || !pv_map_grown(map, &grown))
		return;
	pv_model_lock(m);
	*map = grown;
	pv_model_unlock(m);
	pv_map_finish(&old);
}

void pv_model_make_room(struct pv_model *m)
{
	for (size_t i = 0; i < PV_COUNT_OF(maps); i++)
		widen_map(m, (struct pv_map *)(void *)((char *)m + maps[i]));
	for (int kind = 0; kind < PV_ENTITY_KINDS; kind++) {
		widen_map(m, &m->names.entity_of[kind]);
		widen_map(m, &m->names.owned[kind]);
	}
}

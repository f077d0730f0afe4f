/* SPDX-License-Identifier: MIT */
/* The measures of flames, and references to their trees. */
#include <stdlib.h>
#include <string.h>

#include "common/query/flame/flame_parts.h"

static const struct {
	const char *name, *title;
	enum pv_unit unit;
	unsigned group;    /* all of these are needed */
	enum pv_view view; /* the view with the coverage line */
	bool windowed;
} measure[PV_FLAME_MEASURES] = {
	[PV_FLAME_SAMPLES] = { "samples", "samples", PV_UNIT_COUNT, PV_GROUP_SAMPLES,
		PV_VIEW_CALL_TREE, true },
	[PV_FLAME_TIME] = { "self", "time of calls", PV_UNIT_NS, PV_GROUP_CALLS, PV_VIEW_CALL_TREE,
		true },
	[PV_FLAME_BYTES] = { "alloc_bytes", "allocated bytes", PV_UNIT_BYTES, PV_GROUP_ALLOC,
		PV_VIEW_ALLOCATION_SITES, true },
	[PV_FLAME_OBJECTS] = { "alloc_objects", "allocations", PV_UNIT_COUNT, PV_GROUP_ALLOC,
		PV_VIEW_ALLOCATION_SITES, true },
	[PV_FLAME_HELD] = { "held_bytes", "bytes held", PV_UNIT_BYTES, PV_GROUP_HELD, PV_VIEW_HELD,
		false },
	[PV_FLAME_WAIT] = { "lock_wait", "time waited for locks", PV_UNIT_NS, PV_GROUP_LOCKS,
		PV_VIEW_WAIT_SITES, false },
	[PV_FLAME_CONTENTIONS] = { "contentions", "contentions", PV_UNIT_COUNT, PV_GROUP_LOCKS,
		PV_VIEW_WAIT_SITES, false },
	[PV_FLAME_EXCEPTIONS] = { "exceptions", "exceptions", PV_UNIT_COUNT, PV_GROUP_EXCEPTIONS,
		PV_VIEW_THROW_SITES, false },
	[PV_FLAME_LIVE] = { "live_bytes", "bytes alive at a heap shot", PV_UNIT_BYTES,
		PV_GROUP_SHOTS | PV_GROUP_ALLOC, PV_VIEW_FLAME, false },
};

const char *pv_flame_name(enum pv_flame_measure m)
{
	return measure[m].name;
}

const char *pv_flame_title(enum pv_flame_measure m)
{
	return measure[m].title;
}

enum pv_unit pv_flame_unit(enum pv_flame_measure m)
{
	return measure[m].unit;
}

bool pv_flame_of(const char *name, enum pv_flame_measure *ret)
{
	for (unsigned i = 0; i < PV_FLAME_MEASURES; i++) {
		if (strcmp(measure[i].name, name) != 0)
			continue;
		*ret = (enum pv_flame_measure)i;
		return true;
	}
	return false;
}

bool pv_flame_recorded(unsigned groups, enum pv_flame_measure m)
{
	return (groups & measure[m].group) == measure[m].group;
}

bool pv_flame_windowed(enum pv_flame_measure m)
{
	return measure[m].windowed;
}

enum pv_view pv_flame_view(enum pv_flame_measure m)
{
	return measure[m].view;
}

struct pv_flame_tree *pv_flame_tree_take(struct pv_flame_tree *t)
{
	if (t)
		__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	return t;
}

void pv_flame_tree_drop(struct pv_flame_tree *t)
{
	if (!t || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL))
		return;
	pv_groups_finish(&t->frame.methods);
	pv_groups_finish(&t->frame.classes);
	pv_arena_finish(&t->frame.arena);
	free(t->frame.v);
	pv_flame_forget(t);
	pv_name_places_finish(&t->origins);
	free(t->whole.node);
	free(t->whole.base);
	pv_flame_tree_drop(t->of[0]);
	pv_flame_tree_drop(t->of[1]);
	free(t);
}

uint64_t pv_flame_tree_weight(const struct pv_flame_tree *t)
{
	return t->whole.node[0].total;
}

uint64_t pv_flame_tree_generation(const struct pv_flame_tree *t)
{
	return t->generation;
}

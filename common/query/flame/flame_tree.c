#include <stdlib.h>
#include <string.h>

#include "common/model/model.h"
#include "common/query/coverage.h"
#include "common/query/flame/flame_parts.h"

static const struct {
	const char *name, *title;
	enum pv_unit unit;
	unsigned group;
	enum pv_view view; /* its coverage line holds here, too */
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
	[PV_FLAME_WAIT] = { "lock_wait", "time waited for locks", PV_UNIT_NS, PV_GROUP_LOCKS,
		PV_VIEW_WAIT_SITES, false },
	[PV_FLAME_CONTENTIONS] = { "contentions", "contentions", PV_UNIT_COUNT, PV_GROUP_LOCKS,
		PV_VIEW_WAIT_SITES, false },
	[PV_FLAME_EXCEPTIONS] = { "exceptions", "exceptions", PV_UNIT_COUNT, PV_GROUP_EXCEPTIONS,
		PV_VIEW_THROW_SITES, false },
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
	return groups & measure[m].group;
}

bool pv_flame_windowed(enum pv_flame_measure m)
{
	return measure[m].windowed;
}

/* Of all, of what ran and of what waited. */
static double waited_share(const struct pv_call_copy *c, enum pv_flame_measure m, uint64_t rest)
{
	double off = m == PV_FLAME_SAMPLES ? (double)c->waited_samples : (double)c->waited_ns;
	return off > 0 ? off / (off + (double)rest) : 0;
}

static bool take_shape(
	struct pv_flame_tree *t, enum pv_flame_measure m, struct pv_flame_copied *copied)
{
	struct pv_flame_source from = { .copy = &copied->copy,
		.self = copied->self,
		.root_frame = t->frame.n - PV_FLAME_OWN_FRAMES + PV_FLAME_NO_STACK };
	if (!pv_flame_shape_make(&from, &t->frame, &t->whole))
		return false;
	t->waited = waited_share(&copied->copy, m, t->whole.node[0].total);
	return true;
}

struct pv_flame_tree *pv_flame_tree_make(
	struct pv_model *m, enum pv_flame_measure which, const struct pv_query *q)
{
	char line[PV_COVERAGE_LINE] = "";
	struct pv_flame_tree *t = calloc(1, sizeof *t);
	struct pv_flame_copied copied = { 0 };
	struct pv_query query = *q;
	if (!t)
		return NULL;
	t->refs = 1;
	t->frame.readable = q->readable;
	if (!measure[which].windowed)
		query.window_ns = 0;
	pv_model_lock(m);
	t->generation = pv_model_generation(m);
	pv_groups_prepare(q->groups, m);
	pv_coverage_line(m, q->groups, measure[which].view, line, sizeof line);
	bool ok = pv_flame_copy(m, which, &query, &t->frame, &copied);
	pv_model_unlock(m);
	t->coverage = pv_arena_copy(&t->frame.arena, line, strlen(line));
	ok = ok && t->coverage && take_shape(t, which, &copied);
	pv_call_copy_finish(&copied.copy);
	free(copied.self);
	if (ok)
		return t;
	pv_flame_tree_drop(t);
	return NULL;
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
	free(t->whole.node);
	free(t->left.node);
	free(t->everywhere);
	free(t->places);
	free(t->left_filter);
	free(t);
}

uint64_t pv_flame_tree_generation(const struct pv_flame_tree *t)
{
	return t->generation;
}

size_t pv_flame_tree_size(const struct pv_flame_tree *t)
{
	return t->whole.n;
}

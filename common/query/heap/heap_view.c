/* SPDX-License-Identifier: MIT */
/* Heap shots of a log, classes of a shot, and the difference of two shots. */
#include <stdlib.h>

#include "common/base/status.h"
#include "common/heap/heap.h"
#include "common/model/model.h"
#include "common/model/objects/shots.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/specs.h"

/* Row id of a shot = its number + 1. */
static const struct pv_shot *find_shot(const struct pv_model *m, uint64_t row_id)
{
	const struct pv_shot *v = m->shots.shot.v;
	size_t low = 0, high = m->shots.shot.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (v[middle].index + UINT64_C(1) < row_id)
			low = middle + 1;
		else
			high = middle;
	}
	if (row_id && low < m->shots.shot.n && v[low].index == row_id - 1)
		return &v[low];
	return NULL;
}

/* --- list of shots --- */

enum {
	S_INDEX,
	S_TIME,
	S_OBJECTS,
	S_BYTES,
	S_D_OBJECTS,
	S_D_BYTES,
	S_REFERENCES,
	S_ROOTS,
	S_DEAD,
	S_DEAD_BYTES,
	S_COLLECTION,
	S_TOOK,
	S_STATE
};

static const struct pv_column shot_columns[] = {
	[S_INDEX] = { "index", "SHOT", PV_UNIT_COUNT, 4, 0, PV_COLUMN_ASCENDING, .json = 1,
		.help = "Number of the shot, from 0" },
	[S_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 3, PV_COLUMN_ASCENDING, .json = 2 },
	[S_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 9, 2, .json = 3 },
	[S_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 1, .json = 4 },
	[S_D_OBJECTS] = { "objects_change", "+-OBJECTS", PV_UNIT_DELTA_COUNT, 10, 4, .flags = 0 },
	[S_D_BYTES] = { "bytes_change", "+-BYTES", PV_UNIT_DELTA_BYTES, 10, 3, .flags = 0 },
	[S_REFERENCES] = { "references", "REFERENCES", PV_UNIT_COUNT, 10, 6, .json = 5,
		.help = "References between objects" },
	[S_ROOTS] = { "roots", "ROOTS", PV_UNIT_COUNT, 7, 5, .json = 6 },
	[S_DEAD] = { "dead_objects", "DEAD", PV_UNIT_COUNT, 8, 9, .json = 7 },
	[S_DEAD_BYTES] = { "dead_bytes", "DEAD BYTES", PV_UNIT_BYTES, 10, 10, .json = 8 },
	[S_COLLECTION] = { "collection", "COLLECTION", PV_UNIT_COUNT, 10, 11, .json = 9,
		.help = "The collection it was taken in" },
	[S_TOOK] = { "took_ns", "TOOK", PV_UNIT_NS, 9, 7, .flags = 0 },
	[S_STATE] = { "state", "STATE", PV_UNIT_TEXT, 12, 8, PV_COLUMN_GROWS, .json = 10 },
};

/* For a shot being read: the progress, in objects of the shot before. */
static const char *shot_state(struct pv_build *b, const struct pv_model *m, const struct pv_shot *s,
	const struct pv_shot *last)
{
	bool open = s->open && pv_model_goes_on(m);
	if (open && last && last->objects) {
		double share = 100 * (double)s->objects / (double)last->objects;
		return pv_build_printf(b, "reading %.0f %%", share < 99 ? share : 99);
	}
	return open                 ? "being read"
	       : s->torn || s->open ? "cut off"
	       : s->classes_folded  ? "classes dropped"
	       : s->summary         ? "summary"
				    : "";
}

static void copy_shots(struct pv_build *b, struct pv_model *m)
{
	const struct pv_shot *last = NULL;
	bool roots = m->kinds[PV_KIND_HEAP_ROOTS] || pv_groups_enabled(m) & PV_GROUP_ROOTS;
	bool old = m->target.logging2007;
	for (size_t i = 0; i < m->shots.shot.n; i++) {
		const struct pv_shot *s = &m->shots.shot.v[i];
		struct pv_cell *c = pv_build_row(b, (uint64_t)s->index + 1);
		pv_cell_u(&c[S_INDEX], s->index);
		pv_cell_time(&c[S_TIME], m, s->start_ns);
		pv_cell_u(&c[S_OBJECTS], s->objects);
		bool sized = s->unsized == 0;
		pv_cell_u_if(&c[S_BYTES], sized, s->bytes);
		pv_cell_i_if(
			&c[S_D_OBJECTS], last, last ? (int64_t)(s->objects - last->objects) : 0);
		pv_cell_i_if(&c[S_D_BYTES], last && sized && last->unsized == 0,
			last ? (int64_t)(s->bytes - last->bytes) : 0);
		pv_cell_u_if(&c[S_REFERENCES], !s->summary, s->references);
		pv_cell_u_if(&c[S_ROOTS], roots, s->roots);
		pv_cell_u_if(&c[S_DEAD], old, s->dead_objects);
		pv_cell_u_if(&c[S_DEAD_BYTES], old, s->dead_bytes);
		pv_cell_u_if(&c[S_COLLECTION], pv_stage_at_least(m, 'B'), s->collection);
		pv_cell_i_if(&c[S_TOOK], !s->open && s->end_ns != PV_NEVER,
			(int64_t)((uint64_t)s->end_ns - (uint64_t)s->start_ns));
		pv_cell_s(&c[S_STATE], shot_state(b, m, s, last));
		last = s->open || s->torn ? last : s;
	}
}

const struct pv_view_spec pv_spec_heap_shots = { .column = shot_columns,
	.columns = PV_COUNT_OF(shot_columns),
	.sort = "index",
	.copy = copy_shots };

/* --- classes of one shot, and the difference of two --- */

struct sum {
	uint32_t group;
	uint64_t objects, bytes;
	uint64_t dead_objects, dead_bytes; /* or young objects, as in struct pv_shot_class */
};

/* By group, classes in the shot only: shots may be as many as classes. */
struct sums {
	PV_ARRAY(struct sum) sum;
	struct pv_map of; /* group -> index in sum */
};

static struct sum *find_sum(const struct sums *s, uint32_t group)
{
	uint32_t at = pv_map_get(&s->of, group);
	return at == PV_MAP_NONE ? NULL : &s->sum.v[at];
}

/* NULL when out of memory. */
static struct sum *sum_of(struct sums *s, uint32_t group)
{
	struct sum *known = find_sum(s, group);
	if (known)
		return known;
	if (!pv_reserve(&s->sum, 1) || !pv_map_set(&s->of, group, (uint32_t)s->sum.n))
		return NULL;
	s->sum.v[s->sum.n] = (struct sum){ .group = group };
	return &s->sum.v[s->sum.n++];
}

static void finish_sums(struct sums *s)
{
	pv_array_finish(&s->sum);
	pv_map_finish(&s->of);
}

/* A missing shot is empty. False when out of memory; finish the sums in either case. */
static bool sum_shot(const struct pv_shot *s, const struct pv_groups *g, struct sums *ret)
{
	*ret = (struct sums){ 0 };
	for (size_t i = 0; s && i < s->classes.n; i++) {
		struct sum *to = sum_of(ret, pv_group_of(g, s->classes.v[i].class_use));
		if (!to)
			return false;
		to->objects += s->classes.v[i].objects;
		to->bytes += s->classes.v[i].bytes;
		to->dead_objects += s->classes.v[i].dead_objects;
		to->dead_bytes += s->classes.v[i].dead_bytes;
	}
	return true;
}

/* The shot before, if read to its end. */
static const struct pv_shot *shot_before(const struct pv_model *m, const struct pv_shot *s)
{
	const struct pv_shot *first = m->shots.shot.v;
	const struct pv_shot *before = s && s > first ? s - 1 : NULL;
	return before && !before->torn && before->unsized == 0 && s->unsized == 0 ? before : NULL;
}

enum {
	H_SHARE,
	H_BYTES,
	H_OBJECTS,
	H_RETAINED,
	H_D_BYTES,
	H_D_OBJECTS,
	H_AVERAGE,
	H_DEAD,
	H_DEAD_BYTES,
	H_YOUNG,
	H_YOUNG_BYTES,
	H_NAME
};

static const struct pv_column class_columns[] = {
	[H_SHARE] = { "bytes_percent", "BYTES%", PV_UNIT_PERCENT, 6, 3, .flags = PV_COLUMN_ADDS },
	[H_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 3 },
	[H_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 9, 2, PV_COLUMN_ADDS, .json = 2 },
	[H_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 3, .flags = 0 },
	[H_D_BYTES] = { "bytes_change", "+-BYTES", PV_UNIT_DELTA_BYTES, 10, 4,
		.flags = PV_COLUMN_ADDS },
	[H_D_OBJECTS] = { "objects_change", "+-OBJECTS", PV_UNIT_DELTA_COUNT, 10, 8,
		.flags = PV_COLUMN_ADDS },
	[H_AVERAGE] = { "average_bytes", "AVERAGE", PV_UNIT_BYTES, 9, 4, .flags = 0 },
	[H_DEAD] = { "dead_objects", "DEAD", PV_UNIT_COUNT, 8, 5, PV_COLUMN_ADDS, .json = 4 },
	[H_DEAD_BYTES] = { "dead_bytes", "DEAD BYTES", PV_UNIT_BYTES, 10, 6, PV_COLUMN_ADDS,
		.json = 5 },
	[H_YOUNG] = { "young_objects", "YOUNG", PV_UNIT_COUNT, 8, 7, PV_COLUMN_HIDE_SCREEN,
		.json = 6 },
	[H_YOUNG_BYTES] = { "young_bytes", "YOUNG BYTES", PV_UNIT_BYTES, 11, 8,
		PV_COLUMN_HIDE_SCREEN, .json = 7 },
	[H_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
};

/*
 * `old`: a log of 2007, the only kind with dead objects; `sized`: with live objects, too; `young`:
 * generations.
 */
struct listed {
	bool old, sized, young;
	const struct sums *before;  /* of the shot before; NULL: no such shot */
	const struct pv_heap *heap; /* of this shot, if open */
};

/* Retained bytes of classes, by row id. */
static void put_retained(struct pv_build *b, const struct pv_heap *h)
{
	struct pv_map at = { 0 };
	if (!h || !h->class_retained || !b->table)
		return;
	for (uint32_t i = 0; i < h->graph.klass.n; i++)
		if (!pv_map_set(&at, h->graph.klass.v[i].id, i))
			pv_build_fail(b);
	for (size_t i = 0; b->table && i < b->table->rows; i++) {
		uint32_t klass = pv_map_get(&at, b->table->row[i].id);
		if (klass != PV_MAP_NONE)
			pv_cell_u(&b->table->row[i].cell[H_RETAINED], h->class_retained[klass]);
	}
	pv_map_finish(&at);
}

static void put_change(struct pv_cell *c, const struct sum *now, const struct sums *before)
{
	const struct sum none = { 0 }, *was = before ? find_sum(before, now->group) : NULL;
	was = was ? was : &none;
	pv_cell_i_if(&c[H_D_BYTES], before, (int64_t)(now->bytes - was->bytes));
	pv_cell_i_if(&c[H_D_OBJECTS], before, (int64_t)(now->objects - was->objects));
}

static void put_classes(struct pv_build *b, const struct pv_groups *g, const struct sums *sums,
	struct listed listed)
{
	const struct sum *sum = sums->sum.v;
	uint64_t all = 0;
	for (size_t i = 0; i < sums->sum.n; i++)
		all += sum[i].bytes;
	for (size_t i = 0; i < sums->sum.n; i++) {
		if (sum[i].objects == 0 && sum[i].dead_objects == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g->row.v[sum[i].group].id);
		pv_cell_share(&c[H_SHARE], (double)sum[i].bytes, (double)all);
		pv_cell_u_if(&c[H_BYTES], listed.sized, sum[i].bytes);
		pv_cell_u_if(&c[H_OBJECTS], listed.sized, sum[i].objects);
		pv_cell_null(&c[H_RETAINED]);
		put_change(c, &sum[i], listed.before);
		pv_cell_u_if(&c[H_AVERAGE], sum[i].objects,
			sum[i].objects ? sum[i].bytes / sum[i].objects : 0);
		pv_cell_u_if(&c[H_DEAD], listed.old, sum[i].dead_objects);
		pv_cell_u_if(&c[H_DEAD_BYTES], listed.old, sum[i].dead_bytes);
		pv_cell_u_if(&c[H_YOUNG], listed.young, sum[i].dead_objects);
		pv_cell_u_if(&c[H_YOUNG_BYTES], listed.young, sum[i].dead_bytes);
		pv_cell_s(&c[H_NAME], pv_group_name(b, g, sum[i].group));
	}
	put_retained(b, listed.heap);
}

static void copy_shot_classes(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	struct sums sums = { 0 }, before = { 0 };
	const struct pv_shot *shot = find_shot(m, b->query->select);
	const struct pv_shot *last = shot_before(m, shot);
	ok = ok && sum_shot(shot, &g, &sums) && sum_shot(last, &g, &before);
	const struct pv_heap *heap = b->query->heap;
	struct listed listed = { m->target.logging2007, !shot || shot->unsized == 0,
		shot && shot->generations, last ? &before : NULL,
		heap && shot && heap->graph.shot == shot->index ? heap : NULL };
	if (ok)
		put_classes(b, &g, &sums, listed);
	else
		pv_build_fail(b);
	finish_sums(&sums);
	finish_sums(&before);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_heap_shot_classes = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns),
	.name = "name",
	.sort = "bytes",
	.copy = copy_shot_classes };

enum { D_BYTES, D_OBJECTS, D_NEW_BYTES, D_NEW_OBJECTS, D_BASE_BYTES, D_BASE_OBJECTS, D_NAME };

static const struct pv_column diff_columns[] = {
	[D_BYTES] = { "bytes_change", "+-BYTES", PV_UNIT_DELTA_BYTES, 10, 0,
		.flags = PV_COLUMN_ADDS },
	[D_OBJECTS] = { "objects_change", "+-OBJECTS", PV_UNIT_DELTA_COUNT, 10, 1,
		.flags = PV_COLUMN_ADDS },
	[D_NEW_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 2, .flags = PV_COLUMN_ADDS },
	[D_NEW_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 9, 3, .flags = PV_COLUMN_ADDS },
	[D_BASE_BYTES] = { "base_bytes", "BASE BYTES", PV_UNIT_BYTES, 10, 4,
		.flags = PV_COLUMN_ADDS, .help = "Bytes in the base" },
	[D_BASE_OBJECTS] = { "base_objects", "BASE OBJ", PV_UNIT_COUNT, 9, 5,
		.flags = PV_COLUMN_ADDS, .help = "Objects in the base" },
	[D_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 30, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS },
};

static void put_both(struct pv_build *b, const struct pv_groups *g, const struct sum *base,
	const struct sum *now)
{
	if (base->objects == 0 && now->objects == 0)
		return;
	struct pv_cell *c = pv_build_row(b, g->row.v[now->group].id);
	pv_cell_i(&c[D_BYTES], (int64_t)(now->bytes - base->bytes));
	pv_cell_i(&c[D_OBJECTS], (int64_t)(now->objects - base->objects));
	pv_cell_u(&c[D_NEW_BYTES], now->bytes);
	pv_cell_u(&c[D_NEW_OBJECTS], now->objects);
	pv_cell_u(&c[D_BASE_BYTES], base->bytes);
	pv_cell_u(&c[D_BASE_OBJECTS], base->objects);
	pv_cell_s(&c[D_NAME], pv_group_name(b, g, now->group));
}

static void put_diff(struct pv_build *b, const struct pv_groups *g, const struct sums *base,
	const struct sums *now)
{
	for (size_t i = 0; i < now->sum.n; i++) {
		const struct sum none = { 0 }, *was = find_sum(base, now->sum.v[i].group);
		put_both(b, g, was ? was : &none, &now->sum.v[i]);
	}
	for (size_t i = 0; i < base->sum.n; i++) {
		const struct sum none = { .group = base->sum.v[i].group };
		if (!find_sum(now, none.group))
			put_both(b, g, &base->sum.v[i], &none);
	}
}

static void copy_shot_diff(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	const struct pv_shot *base = find_shot(m, b->query->base);
	const struct pv_shot *now = find_shot(m, b->query->select);
	struct sums before = { 0 }, after = { 0 };
	if (!ok || !sum_shot(base, &g, &before) || !sum_shot(now, &g, &after))
		pv_build_fail(b);
	else if (base && now) /* a missing shot says nothing about changes */
		put_diff(b, &g, &before, &after);
	finish_sums(&before);
	finish_sums(&after);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_heap_shot_diff = { .column = diff_columns,
	.columns = PV_COUNT_OF(diff_columns),
	.name = "name",
	.sort = "bytes_change",
	.copy = copy_shot_diff };

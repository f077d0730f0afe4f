/* SPDX-License-Identifier: MIT */
/* Sets of a shot's objects, a filter each: how many, how large, and their retained sizes. */
#include "common/heap/heap_set.h"
#include "common/query/heap/heap_choose.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/groups/specs.h"

enum { S_RETAINED, S_RETAINED_OBJECTS, S_BYTES, S_OBJECTS, S_NAME };

static const struct pv_column columns[] = {
	[S_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 1, .json = 5 },
	[S_RETAINED_OBJECTS] = { "retained_objects", "RET.OBJ", PV_UNIT_COUNT, 9, 4, .json = 4 },
	[S_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 2, .json = 3 },
	[S_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 9, 3, .json = 2 },
	[S_NAME] = { "set", "SET", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
};

static bool choose_heap_set(const struct pv_heap *h, const char *filter, struct pv_heap_set *ret)
{
	const struct pv_choice choice = {
		.key = PV_BY_ADDRESS, .filter = filter, .way = PV_FILTER_WORDS
	};
	struct pv_chosen chosen;
	*ret = (struct pv_heap_set){ 0 };
	if (!pv_choose_objects(h, &choice, &chosen))
		return false;
	bool ok = pv_heap_set_of(h, chosen.node, chosen.n, ret);
	pv_chosen_finish(&chosen);
	return ok;
}

static bool put_heap_set(
	struct pv_build *b, uint64_t row, const char *name, const struct pv_heap_set *s)
{
	uint64_t objects, bytes;
	if (!pv_heap_set_retained(b->query->heap, s, &objects, &bytes))
		return false;
	struct pv_cell *c = pv_build_row(b, row);
	pv_cell_u(&c[S_RETAINED], bytes);
	pv_cell_u(&c[S_RETAINED_OBJECTS], objects);
	pv_cell_u(&c[S_BYTES], s->bytes);
	pv_cell_u(&c[S_OBJECTS], s->node.n);
	pv_cell_s(&c[S_NAME], name);
	return true;
}

/* Adds a last row for all sets together, counting an object of two sets once. */
static void run_sets(struct pv_build *b, struct pv_model *m)
{
	const struct pv_query *q = b->query;
	struct pv_heap_set all = { 0 };
	bool ok = true;
	pv_build_heap_stamp(b, m);
	for (size_t i = 0; q->heap && ok && i < q->sets_n; i++) {
		struct pv_heap_set one, both = { 0 };
		ok = choose_heap_set(q->heap, q->sets[i].filter, &one) &&
		     put_heap_set(b, i + 1, q->sets[i].name, &one) &&
		     pv_heap_set_combine(q->heap, PV_SET_UNION, &all, &one, &both);
		pv_heap_set_finish(&one);
		pv_heap_set_finish(&all);
		all = both;
	}
	if (q->heap && ok && q->sets_n > 1)
		ok = put_heap_set(b, q->sets_n + 1, "(together)", &all);
	if (!ok)
		pv_build_fail(b);
	pv_heap_set_finish(&all);
}

const struct pv_view_spec pv_spec_heap_sets = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "set",
	.sort = "retained_bytes",
	.run = run_sets };

/* SPDX-License-Identifier: MIT */
/* Objects kept alive by roots: by static field, by class with static fields, or by kind of root. */
#include "common/heap/keepers.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/groups/specs.h"

enum { MOST_ROWS = 10000 };

enum {
	K_RETAINED,
	K_SHARE,
	K_OBJECTS,
	K_HOLDS,
	K_SHARED,
	K_MOST_OBJECTS,
	K_MOST_BYTES,
	K_MOST,
	K_NAME
};

static const struct pv_column keeper_columns[] = {
	[K_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 0, PV_COLUMN_ADDS,
		.json = 2, .help = "What is kept alive through these roots" },
	[K_SHARE] = { "share_percent", "SHARE", PV_UNIT_PERCENT, 6, 1, PV_COLUMN_ADDS, .json = 3,
		.help = "Its part of all that roots reach" },
	[K_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 9, 2, PV_COLUMN_ADDS, .json = 6,
		.help = "Objects that are kept alive" },
	[K_HOLDS] = { "holds", "HOLDS", PV_UNIT_COUNT, 8, 5, PV_COLUMN_ADDS, .json = 5,
		.help = "Of them, objects that no other object keeps" },
	[K_SHARED] = { "shared_bytes", "SHARED", PV_UNIT_BYTES, 9, 4, PV_COLUMN_ADDS, .json = 4,
		.help = "Of the bytes: other roots reach them, too, by a longer way" },
	[K_MOST_OBJECTS] = { "most_objects", "THESE", PV_UNIT_COUNT, 8, 6, .json = 8,
		.help = "How many of that class" },
	[K_MOST_BYTES] = { "most_bytes", "BYTES", PV_UNIT_BYTES, 9, 7, .json = 9,
		.help = "Their size" },
	[K_MOST] = { "most_class", "MOST OF THEM", PV_UNIT_TEXT, 20, 3,
		PV_COLUMN_ASCENDING | PV_COLUMN_CLASS, .json = 7,
		.help = "The class with most objects, if they refer to others, or with most bytes" },
	[K_NAME] = { "name", "KEPT BY", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1,
		.help = "The static field or its class; or a kind of root, and the class that it holds" },
};

static void put_keeper(struct pv_build *b, const struct pv_heap *h, const struct pv_keeper *k)
{
	char name[PV_KEEPER_TEXT];
	const uint64_t whole = h->graph.bytes - h->unreachable_bytes;
	struct pv_cell *c = pv_build_row(b, pv_object_row(k->node));
	pv_cell_u(&c[K_RETAINED], k->bytes);
	pv_cell_share(&c[K_SHARE], (double)k->bytes, (double)whole);
	pv_cell_u(&c[K_OBJECTS], k->objects);
	pv_cell_u(&c[K_HOLDS], k->holds);
	pv_cell_u(&c[K_SHARED], k->shared_bytes);
	pv_cell_u(&c[K_MOST_OBJECTS], k->most_objects);
	pv_cell_u(&c[K_MOST_BYTES], k->most_bytes);
	pv_cell_s(&c[K_MOST], k->most == PV_GRAPH_NONE ? NULL : h->graph.klass.v[k->most].name);
	pv_cell_s(&c[K_NAME], pv_build_text(b, pv_keeper_text(h, k, name, sizeof name)));
}

static void run_keepers(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	if (!h)
		return;
	const struct pv_keepers *all = &h->keepers;
	for (size_t i = 0; i < all->keeper.n && i < MOST_ROWS; i++)
		put_keeper(b, h, &all->keeper.v[i]);
	if (all->keeper.n > MOST_ROWS)
		b->left_out = all->keeper.n - MOST_ROWS;
}

const struct pv_view_spec pv_spec_heap_keepers = { .column = keeper_columns,
	.columns = PV_COUNT_OF(keeper_columns),
	.name = "name",
	.sort = "retained_bytes",
	.then = "objects",
	.run = run_keepers };

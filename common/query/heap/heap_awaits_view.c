/* SPDX-License-Identifier: MIT */
/* Async methods waiting in the open shot, as a tree of awaiters, not of callers. */
#include <inttypes.h>

#include "common/heap/awaits.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/groups/specs.h"

enum { A_OBJECTS, A_CHAINS, A_ENDS, A_BYTES, A_NAME };

static const struct pv_column await_columns[] = {
	[A_OBJECTS] = { "objects", "WAITING", PV_UNIT_COUNT, 8, 0, .json = 2,
		.help = "Async methods here that wait, or run just now" },
	[A_CHAINS] = { "chains", "CHAINS", PV_UNIT_COUNT, 8, 2, .json = 3,
		.help = "Innermost ones of this row and beneath it" },
	[A_ENDS] = { "ends", "INNERMOST", PV_UNIT_COUNT, 9, 3, .json = 4,
		.help = "Innermost here: they wait for nothing async that is in the shot" },
	[A_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 1, .json = 5,
		.help = "Size of the objects that keep their state" },
	[A_NAME] = { "name", "AWAITS, NOT CALLS", PV_UNIT_TEXT, 40, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_TREE | PV_COLUMN_GROWS | PV_COLUMN_METHOD,
		.json = 1,
		.help = "What waits; indented beneath it what it waits for. No thread has these on its stack" },
};

static void put_awaits(struct pv_build *b, const struct pv_graph *g, const struct pv_awaits *all)
{
	char name[PV_AWAIT_NAME];
	for (size_t i = 0; i < all->row.n; i++) {
		const struct pv_await_row *r = &all->row.v[i];
		const uint64_t parent = r->parent == PV_GRAPH_NONE ? 0 : (uint64_t)r->parent + 1;
		struct pv_cell *c = pv_build_child(b, i + 1, parent, 0);
		pv_cell_u(&c[A_CHAINS], r->chains);
		pv_cell_u(&c[A_OBJECTS], r->objects);
		pv_cell_u(&c[A_ENDS], r->ends);
		pv_cell_u(&c[A_BYTES], r->bytes);
		pv_cell_s(&c[A_NAME], pv_build_text(b, pv_await_name(g, r, name)));
	}
}

static const char *link_text(const struct pv_awaits *all)
{
	switch (all->link) {
	case PV_AWAIT_BY_OFFSET:
		return "; inferred: no names of fields in the log";
	case PV_AWAIT_BY_ORDER:
		return "; inferred: no fields in the log";
	default:
		return "";
	}
}

/* Says before the shot's gaps that the rows are no callers. */
static void stamp(struct pv_build *b, const struct pv_awaits *all)
{
	const char *shot = b->table ? b->table->coverage : "", *line;
	if (all->unnamed)
		shot = pv_build_printf(b,
			"%" PRIu64 " waits of runtime async, whose methods are not in a shot; %s",
			all->unnamed, shot);
	line = pv_build_printf(b, "no async methods of .NET with names in this shot; %s", shot);
	if (all->methods)
		line = pv_build_printf(b,
			"awaits%s, not callers: %" PRIu64 " of %" PRIu64
			" methods wait or run, %" PRIu64 " thread%s block%s%s%s; %s",
			all->link == PV_AWAIT_NAMED ? "" : " (inferred)",
			all->methods - all->finished, all->methods, all->threads,
			all->threads == 1 ? "" : "s", all->threads == 1 ? "s" : "", link_text(all),
			all->cut ? "; not all ways had room" : "", shot);
	if (b->table)
		b->table->coverage = line;
}

static void run_awaits(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	if (!h)
		return;
	put_awaits(b, &h->graph, &h->awaits);
	stamp(b, &h->awaits);
}

const struct pv_view_spec pv_spec_heap_awaits = { .column = await_columns,
	.columns = PV_COUNT_OF(await_columns),
	.name = "name",
	.sort = "objects",
	.then = "chains",
	.tree = true,
	.run = run_awaits };

/* Strings of the open shot that say the same, a row for each text. */
#include "common/heap/heap.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/specs.h"

enum { MOST_ROWS = 10000 };

enum { D_WASTED, D_SHARE, D_COUNT, D_BYTES, D_LENGTH, D_TEXT };

static const struct pv_column duplicate_columns[] = {
	[D_WASTED] = { "wasted_bytes", "WASTED", PV_UNIT_BYTES, 9, 0, PV_COLUMN_ADDS },
	[D_SHARE] = { "share_percent", "SHARE", PV_UNIT_PERCENT, 6, 1, PV_COLUMN_ADDS },
	[D_COUNT] = { "count", "STRINGS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS },
	[D_BYTES] = { "bytes", "EACH", PV_UNIT_BYTES, 9, 3, 0 },
	[D_LENGTH] = { "length", "LENGTH", PV_UNIT_COUNT, 8, 4, 0 },
	[D_TEXT] = { "text", "STRING", PV_UNIT_TEXT, 40, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void put_duplicate(struct pv_build *b, const struct pv_heap *h, const struct pv_duplicate *d)
{
	const struct pv_graph_string *s = pv_graph_string(&h->graph, d->node);
	struct pv_cell *c = pv_build_row(b, pv_object_row(d->node));
	pv_cell_u(&c[D_WASTED], d->wasted);
	pv_cell_share(
		&c[D_SHARE], (double)d->wasted, (double)(h->graph.bytes - h->unreachable_bytes));
	pv_cell_u(&c[D_COUNT], d->count);
	pv_cell_u(&c[D_BYTES], h->graph.size[d->node]);
	pv_cell_u_if(&c[D_LENGTH], s, s ? s->length : 0);
	pv_cell_s(&c[D_TEXT], pv_build_preview(b, h, d->node));
}

static void run_duplicates(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	if (!h)
		return;
	const struct pv_duplicates *all = &h->duplicates;
	for (size_t i = 0; i < all->group.n && i < MOST_ROWS; i++)
		put_duplicate(b, h, &all->group.v[i]);
	if (all->group.n > MOST_ROWS)
		b->left_out = all->group.n - MOST_ROWS;
}

const struct pv_view_spec pv_spec_heap_duplicates = { .column = duplicate_columns,
	.columns = PV_COUNT_OF(duplicate_columns),
	.name = "text",
	.sort = "wasted_bytes",
	.then = "count",
	.run = run_duplicates };

/* SPDX-License-Identifier: MIT */
/* Equal strings of the open shot, a row for each text. */
#include <stdio.h>

#include "common/heap/heap.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/recorder.h"
#include "common/query/groups/specs.h"

enum { MOST_ROWS = 10000 };

enum { D_WASTED, D_SHARE, D_COUNT, D_BYTES, D_LENGTH, D_TEXT };

static const struct pv_column duplicate_columns[] = {
	[D_WASTED] = { "wasted_bytes", "WASTED", PV_UNIT_BYTES, 9, 0, PV_COLUMN_ADDS, .json = 4,
		.help = "What one string would do in place of all of them" },
	[D_SHARE] = { "share_percent", "SHARE", PV_UNIT_PERCENT, 6, 1, PV_COLUMN_ADDS, .json = 5,
		.help = "Its part of all that roots reach" },
	[D_COUNT] = { "count", "STRINGS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 2,
		.help = "Strings with this text" },
	[D_BYTES] = { "bytes", "EACH", PV_UNIT_BYTES, 9, 3, .json = 3,
		.help = "Size of one of them" },
	[D_LENGTH] = { "length", "LENGTH", PV_UNIT_COUNT, 8, 4, .json = 6,
		.help = "Its characters: beyond the text at hand they may differ" },
	[D_TEXT] = { "text", "STRING", PV_UNIT_TEXT, 40, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1, .help = "The text, or its beginning as far as it was recorded" },
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

/* Without texts there are no rows, however many strings say the same. */
static void say_no_texts(struct pv_build *b, struct pv_model *m)
{
	static const char *const words[PV_RECORDERS] = { [PV_RECORDER_DOTNET] = PV_RECORDS_TEXTS };
	char how[200], line[sizeof how + 40];
	struct pv_summary sum;
	pv_view_summary(m, &sum);
	snprintf(line, sizeof line, "texts of strings are not recorded; %s",
		pv_recorder_says(words, sum.recorder, how, sizeof how));
	const char *about = pv_build_text(b, line);
	if (b->table)
		b->table->about = about;
}

static void run_duplicates(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	if (!h)
		return;
	const struct pv_duplicates *all = &h->duplicates;
	if (all->strings == 0)
		say_no_texts(b, m);
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

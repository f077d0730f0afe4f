/* SPDX-License-Identifier: MIT */
/*
 * The hottest frames within the cursor's frame, by self weight, in rows that the picture leaves
 * free.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/text/units.h"
#include "tui/chart/chart.h"
#include "tui/draw/shorten.h"
#include "tui/panes/flame_pane.h"

struct hot {
	uint64_t key, self;
	uint32_t cell; /* a cell with this key */
};

static int by_key(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

static int by_self(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	return x->self == y->self ? by_key(a, b) : x->self < y->self ? 1 : -1;
}

/*
 * Frames within `at` (included) with a weight of their own; to free(). NULL: none, or out of
 * memory.
 */
static struct hot *collect_hot(const struct pv_flame *f, uint32_t at, size_t *ret_n)
{
	bool *within = calloc(f->cells, sizeof *within);
	struct hot *hot = malloc(f->cells * sizeof *hot);
	size_t n = 0;
	for (uint32_t i = at; within && hot && i < f->cells; i++) {
		within[i] = i == at || (i > 0 && within[f->cell[i].parent]);
		if (within[i] && f->cell[i].self && f->cell[i].key)
			hot[n++] = (struct hot){ f->cell[i].key, f->cell[i].self, i };
	}
	free(within);
	*ret_n = n;
	if (n)
		return hot;
	free(hot);
	return NULL;
}

/* Merges rows of the same frame, the hottest first; returns the number of rows. */
static size_t merge_hot(struct hot *hot, size_t n)
{
	size_t kept = 0;
	qsort(hot, n, sizeof *hot, by_key);
	for (size_t i = 0; i < n; i++)
		if (kept && hot[kept - 1].key == hot[i].key)
			hot[kept - 1].self += hot[i].self;
		else
			hot[kept++] = hot[i];
	qsort(hot, kept, sizeof *hot, by_self);
	return kept;
}

static void draw_title(const struct ui_flame *f, const struct pv_flame_cell *at,
	struct ui_canvas *c, struct ui_rect r)
{
	char name[512], amount[PV_UNIT_MAX];
	struct pv_cell of = { .u = at->weight, .state = PV_CELL_VALUE };
	const enum pv_unit unit = pv_flame_unit(f->measure);
	ui_hline(c, r);
	const int x = ui_printf(c, ui_cols(r, 0, r.w), UI_TITLE, " Hottest in %s, self ",
		ui_shorten(at->shown, r.w / 2, name, sizeof name));
	if (r.w - x > 30)
		ui_printf(c, ui_cols(r, x, r.w), UI_DIM, "  of its %s%s%s ",
			pv_cell_text(&of, unit, amount, sizeof amount),
			unit == PV_UNIT_COUNT ? " " : "",
			unit == PV_UNIT_COUNT ? pv_flame_title(f->measure) : "");
}

void ui_flame_hottest(const struct ui_flame *f, struct ui_canvas *c, struct ui_rect r)
{
	enum { SHARE = 5, BAR = 16, NARROW = 6, WIDE = 100 };
	const struct pv_flame *a = f->answer[f->half];
	const struct pv_flame_cell *at = ui_flame_cell(f);
	size_t n = 0;
	struct hot *hot = at && r.h > 1 ? collect_hot(a, f->at, &n) : NULL;
	const int bar = r.w >= WIDE ? BAR : NARROW;
	n = hot ? merge_hot(hot, n) : 0;
	if (n)
		draw_title(f, at, c, ui_rows(r, 0, 1));
	for (int y = 1; y < r.h && (size_t)y <= n; y++) {
		const struct hot *h = &hot[y - 1];
		const struct ui_rect row = ui_rows(r, y, 1);
		const double part = at->weight ? (double)h->self / (double)at->weight : 0;
		char text[PV_UNIT_MAX], name[512];
		enum ui_style style;
		const char letter = ui_icicle_letter(&a->cell[h->cell], &style);
		int x = 2 + SHARE + bar;
		snprintf(text, sizeof text, part < 0.001 ? "<0.1" : "%.1f", 100 * part);
		ui_put_right(c, ui_cols(row, 0, SHARE), UI_PLAIN, text);
		ui_bar(c, ui_cols(row, SHARE + 1, bar), style, part);
		ui_put_code(c, row.x + x, row.y, style, (uint32_t)letter);
		ui_put_cut(c, ui_cols(row, x + 2, row.w), UI_PLAIN,
			ui_shorten(a->cell[h->cell].shown, row.w - x - 2, name, sizeof name));
	}
	free(hot);
}

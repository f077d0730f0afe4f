/* SPDX-License-Identifier: MIT */
/* Draws a flame graph: places of cells, frames with name and share, cells too narrow to draw. */
#include "tui/chart/icicle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "tui/chart/chart.h"
#include "tui/draw/shorten.h"

/* Kinds as the query layer numbers them (code_kind.h). */
static const struct {
	char letter;
	enum ui_style style, bar;
	const char *text;
} kinds[] = {
	{ 'U', UI_FLAME_USER, UI_BAR, "user" },
	{ 'F', UI_FLAME_FRAMEWORK, UI_MINOR, "framework" },
	{ 'R', UI_FLAME_RUNTIME, UI_WAITS, "runtime" },
	{ 'N', UI_FLAME_NATIVE, UI_HEAP, "native" },
	{ '?', UI_FLAME_OTHER, UI_DIM, "not known" },
	{ 'C', UI_FLAME_OTHER, UI_DIM, "class" },
	{ ' ', UI_FLAME_OTHER, UI_DIM, "all" },
};
enum { UNKNOWN = 4, CLASS = 5, ROOT = 6 };

static size_t kind_of(const struct pv_flame_cell *cell)
{
	if (cell->key == 0)
		return ROOT;
	if (cell->flags & PV_FLAME_CLASS)
		return CLASS;
	return cell->kind < UNKNOWN ? cell->kind : UNKNOWN;
}

char ui_icicle_letter(const struct pv_flame_cell *cell, enum ui_style *ret_bar)
{
	if (ret_bar)
		*ret_bar = kinds[kind_of(cell)].bar;
	return kinds[kind_of(cell)].letter;
}

const char *ui_icicle_kind(const struct pv_flame_cell *cell)
{
	return kinds[kind_of(cell)].text;
}

void ui_icicle_legend(struct ui_canvas *c, struct ui_rect r)
{
	static const char *const words[2][UNKNOWN] = { { "own code", "framework", "runtime",
							       "native" },
		{ "own", "frame", "runtime", "native" } };
	enum { LONG = 53, SHORT = UI_ICICLE_LEGEND - 1, SIGN = 4 }; /* columns of all of it */
	if (r.w < SHORT)
		return;
	const bool brief = r.w < LONG;
	int x = r.w - (brief ? SHORT : LONG);
	for (size_t i = 0; i < UNKNOWN; i++) {
		ui_put_code(c, r.x + x, r.y, kinds[i].style, 0x2588);
		ui_mark(c, ui_cols(ui_rows(r, 0, 1), x, 1), UI_HUE);
		x += ui_printf(c, ui_cols(r, x + 2, r.w), UI_DIM, "%c %s", kinds[i].letter,
			     words[brief][i]) +
		     SIGN;
	}
}

/* --- layout */

static void lay_children(const struct pv_flame *f, uint32_t at, struct ui_icicle_span *span, int w)
{
	const struct pv_flame_cell *up = &f->cell[at];
	double unit = (double)f->cell[0].weight / w, from = span[at].from;
	int x = span[at].x, end = span[at].x + span[at].w;
	for (uint32_t i = up->child; i < up->child + up->children; i++) {
		double weight = (double)f->cell[i].weight;
		if (weight < unit || x >= end)
			continue;
		int to = (int)((from + weight) / unit + 1e-9);
		to = ui_min(end, ui_max(to, x + 1));
		const bool same = kind_of(&f->cell[i]) == kind_of(up);
		span[i] = (struct ui_icicle_span){ from, x, to - x, same && !span[at].alt };
		from += weight;
		x = to;
	}
}

struct ui_icicle_span *ui_icicle_lay(const struct pv_flame *f, int w)
{
	struct ui_icicle_span *span = calloc(f->cells ? f->cells : 1, sizeof *span);
	if (!span || !f->cells || f->cell[0].weight == 0 || w <= 0)
		return span;
	span[0].w = w;
	for (uint32_t i = 0; i < f->cells; i++)
		if (span[i].w > 0 && f->cell[i].children)
			lay_children(f, i, span, w);
	return span;
}

/* --- drawing */

static double share(const struct pv_flame *f, uint64_t weight)
{
	return f->cell[0].weight ? 100 * (double)weight / (double)f->cell[0].weight : 0;
}

/* '+' more, '-' less, '=' the same, '~' within noise. */
static char verdict_sign(enum pv_diff_verdict v)
{
	static const char sign[PV_DIFF_VERDICTS] = { [PV_DIFF_SAME] = '=',
		[PV_DIFF_NOISE] = '~',
		[PV_DIFF_ADDED] = '+',
		[PV_DIFF_GONE] = '-',
		[PV_DIFF_MORE] = '+',
		[PV_DIFF_LESS] = '-',
		[PV_DIFF_INCOMPARABLE] = '?' };
	return sign[v];
}

static enum ui_style changed_style(char sign)
{
	return sign == '+' ? UI_FLAME_MORE : sign == '-' ? UI_FLAME_LESS : UI_FLAME_OTHER;
}

/* In a comparison: the change, in percent of the base's figure. */
static void change_text(const struct ui_icicle_look *look, const struct pv_flame *f,
	const struct pv_flame_cell *cell, char *part, size_t size)
{
	struct pv_against_cell g =
		look->against->figures(look->against->of, f, look->measure, cell);
	if (fabs(g.now - g.base) <= 0)
		return;
	if (g.percent)
		snprintf(part, size, "%+.3g pt", g.now - g.base);
	else if (g.base <= 0)
		snprintf(part, size, "new");
	else
		snprintf(part, size, "%+.3g %%", 100 * (g.now - g.base) / g.base);
}

/* A frame to be drawn. */
struct frame {
	const struct pv_flame *f;
	const struct pv_flame_cell *cell;
	enum ui_style style;
	uint32_t sign; /* in the first column; 0: none */
	bool alt, letter;
};

/* The name, in full or in part; in front the letter of its kind, where the kind changes. */
static void draw_text(
	struct ui_canvas *c, struct ui_rect r, const struct frame *d, const char *part)
{
	enum { LEAST = 5, LETTER = 2, ENOUGH = 24 };
	const int full = pv_showable_cells(d->cell->shown), least = ui_min(full, LEAST);
	const bool letter = d->letter && r.w - LETTER >= least;
	struct ui_rect room = ui_cols(r, letter ? LETTER : 0, r.w);
	char name[512];
	int n = (int)strlen(part) + 2;
	if (n == 2 || room.w - n < ui_min(full, ENOUGH))
		n = 0;
	if (room.w - n < least)
		return;
	if (letter)
		ui_put_code(c, r.x, r.y, d->style, (uint32_t)ui_icicle_letter(d->cell, NULL));
	ui_put_cut(c, ui_cols(room, 0, room.w - n), d->style,
		ui_shorten(d->cell->shown, room.w - n, name, sizeof name));
	if (n)
		ui_put_right(c, ui_cols(room, 0, room.w - 1), d->style, part);
}

static void draw_frame(
	struct ui_canvas *c, struct ui_rect r, const struct frame *d, const char *part)
{
	ui_fill(c, r, d->style, d->sign);
	if (r.w > 2)
		draw_text(c, ui_cols(r, 1, r.w - 2), d, part);
	if (d->alt)
		ui_mark(c, r, UI_ALT);
}

static const char *part_text(const struct ui_icicle_look *look, const struct pv_flame *f,
	const struct pv_flame_cell *cell, char *buf, size_t size)
{
	buf[0] = 0;
	if (look->against && f->pair)
		change_text(look, f, cell, buf, size);
	else
		snprintf(buf, size, "%.3g %%", share(f, cell->weight));
	return buf;
}

static void draw_cell(struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f, uint32_t i,
	const struct ui_icicle_look *look, bool alt)
{
	const struct pv_flame_cell *cell = &f->cell[i], *up = &f->cell[cell->parent];
	struct frame d = { f, cell, kinds[kind_of(cell)].style, 0, alt, false };
	char part[24];
	d.letter = cell->key && (kind_of(cell) != kind_of(up) || cell->depth == look->from);
	const bool pair = look->against && f->pair; /* the sign always shows the change */
	if (pair) {
		d.sign = (uint32_t)verdict_sign(look->against->verdict(f, look->measure, cell));
		d.style = changed_style((char)d.sign);
		d.alt = cell->depth & 1;
	}
	if (i == look->cursor) {
		d.style = UI_FLAME_CURSOR;
		d.sign = 0x25b6;
		d.alt = false;
	} else if (cell->flags & PV_FLAME_HIT) {
		d.style = UI_MATCH;
		d.sign = pair ? d.sign : '*';
	} else if (look->same && cell->key == look->same) {
		d.style = UI_FLAME_SAME;
		d.sign = pair ? d.sign : '#';
	}
	draw_frame(c, r, &d, part_text(look, f, cell, part, sizeof part));
}

/* How many there are where they would stand, in as many words as there is room for. */
static void draw_thin(
	struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f, struct ui_icicle_thin thin)
{
	char text[64];
	int n = snprintf(
		text, sizeof text, "+%" PRIu64 " narrow, %.3g %%", thin.n, share(f, thin.weight));
	if (n >= r.w)
		n = snprintf(text, sizeof text, "+%" PRIu64 " narrow", thin.n);
	if (n >= r.w)
		n = snprintf(text, sizeof text, "+%" PRIu64, thin.n);
	ui_put_cut(c, r, UI_DIM, n <= r.w ? text : "+");
}

/*
 * The children of `at` too narrow for a column, and the place left for them in the parent, without
 * the parent's own part.
 */
static struct ui_icicle_thin thin_of(const struct pv_flame *f, uint32_t at,
	const struct ui_icicle_span *span, int *ret_x, double *ret_from)
{
	const struct pv_flame_cell *up = &f->cell[at];
	struct ui_icicle_thin t = { up->thin, up->thin_weight };
	*ret_x = span[at].x;
	*ret_from = span[at].from;
	for (uint32_t i = up->child; i < up->child + up->children; i++) {
		if (span[i].w == 0) {
			t.n++;
			t.weight += f->cell[i].weight;
			continue;
		}
		*ret_x = span[i].x + span[i].w;
		*ret_from = span[i].from + (double)f->cell[i].weight;
	}
	return t;
}

struct ui_icicle_thin ui_icicle_draw(struct ui_canvas *c, struct ui_rect r,
	const struct pv_flame *f, const struct ui_icicle_span *span,
	const struct ui_icicle_look *look)
{
	struct ui_icicle_thin all = { 0, 0 };
	double unit = f->cells && r.w > 0 ? (double)f->cell[0].weight / r.w : 0;
	for (uint32_t i = 0; i < f->cells && unit > 0; i++) {
		int level = f->cell[i].depth - look->from;
		if (span[i].w == 0 || level + 1 < 0 || level >= r.h)
			continue;
		int y = look->upside_down ? r.h - 1 - level : level, x;
		struct ui_rect row = ui_rows(r, y, 1);
		if (level >= 0)
			draw_cell(c, ui_cols(row, span[i].x, span[i].w), f, i, look, span[i].alt);
		double from;
		struct ui_icicle_thin t = thin_of(f, i, span, &x, &from);
		if (t.n == 0 || level + 1 >= r.h)
			continue;
		all.n += t.n;
		all.weight += t.weight;
		int to = (int)((from + (double)t.weight) / unit + 1e-9);
		to = ui_min(to, span[i].x + span[i].w);
		row = ui_rows(r, look->upside_down ? y - 1 : y + 1, 1);
		if (to > x)
			draw_thin(c, ui_cols(row, x, to - x), f, t);
	}
	return all;
}

/*
 * The last frame of the chain from the root in which each frame has all of the weight; 0: the root.
 */
static uint32_t end_of_chain(const struct pv_flame *f)
{
	uint32_t at = 0;
	while (f->cell[at].children == 1 && f->cell[f->cell[at].child].weight == f->cell[at].weight)
		at = f->cell[at].child;
	return at;
}

/* "_start > main 100 %", with as many outer frames as fit. */
static void draw_chain(
	struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f, uint32_t last)
{
	struct ui_icicle_look look = { .cursor = UINT32_MAX };
	struct pv_flame_cell cell = f->cell[last];
	char text[512], more[512];
	snprintf(text, sizeof text, "%s", cell.shown);
	for (uint32_t at = f->cell[last].parent; at; at = f->cell[at].parent) {
		snprintf(more, sizeof more, "%.200s > %.300s", f->cell[at].shown, text);
		if (pv_showable_cells(more) > r.w - 16)
			break;
		memcpy(text, more, sizeof text);
	}
	cell.shown = text;
	const struct frame d = { f, &cell, kinds[kind_of(&cell)].style, 0, false, true };
	draw_frame(c, r, &d, part_text(&look, f, &cell, more, sizeof more));
}

void ui_icicle(struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f)
{
	struct ui_icicle_span *span = ui_icicle_lay(f, r.w);
	struct ui_icicle_look look = { .cursor = UINT32_MAX };
	uint32_t last = span && f->cells && r.h > 0 ? end_of_chain(f) : 0;
	look.from = 1; /* the root is the box's subject */
	if (last) {
		draw_chain(c, ui_rows(r, 0, 1), f, last);
		look.from = f->cell[last].depth + 1;
		r = ui_rows(r, 1, r.h - 1);
	}
	if (span)
		ui_icicle_draw(c, r, f, span, &look);
	free(span);
}

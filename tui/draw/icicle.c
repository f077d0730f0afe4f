#include "tui/draw/icicle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/draw/shorten.h"

/* Kinds as the query layer numbers them (code_kind.h). */
static const struct {
	char letter;
	enum ui_style style;
	const char *text;
} kinds[] = {
	{ 'U', UI_FLAME_USER, "user" },
	{ 'F', UI_FLAME_FRAMEWORK, "framework" },
	{ 'R', UI_FLAME_RUNTIME, "runtime" },
	{ 'N', UI_FLAME_NATIVE, "native" },
	{ '?', UI_FLAME_OTHER, "not known" },
	{ 'C', UI_FLAME_OTHER, "class" },
	{ ' ', UI_FLAME_OTHER, "all" },
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

/* 'U' user, 'F' framework, 'N' native, 'R' runtime, 'C' class of objects, '?' not known. */
static char letter_of(const struct pv_flame_cell *cell)
{
	return kinds[kind_of(cell)].letter;
}

const char *ui_icicle_kind(const struct pv_flame_cell *cell)
{
	return kinds[kind_of(cell)].text;
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
		span[i] = (struct ui_icicle_span){ from, x, to - x };
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

char ui_icicle_sign(enum pv_diff_verdict v)
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

/* Of a pair: by how much it changed, of the base's figure. */
static int change_text(const struct ui_icicle_look *look, const struct pv_flame *f,
	const struct pv_flame_cell *cell, char *part, size_t size)
{
	struct pv_against_cell g =
		look->against->figures(look->against->of, f, look->measure, cell);
	if (fabs(g.now - g.base) <= 0)
		return 0;
	if (g.percent)
		return snprintf(part, size, " %+.3g pt", g.now - g.base);
	if (g.base <= 0)
		return snprintf(part, size, " new");
	return snprintf(part, size, " %+.3g %%", 100 * (g.now - g.base) / g.base);
}

static void draw_text(struct ui_canvas *c, struct ui_rect r, enum ui_style style,
	const struct pv_flame *f, const struct pv_flame_cell *cell,
	const struct ui_icicle_look *look)
{
	enum { WITH_LETTER = 5, WITH_SHARE = 18 };
	char part[24] = "", name[512];
	int n = 0;
	if (r.w >= WITH_SHARE && look->against && f->pair)
		n = change_text(look, f, cell, part, sizeof part);
	else if (r.w >= WITH_SHARE)
		n = snprintf(part, sizeof part, " %.3g %%", share(f, cell->weight));
	int x = r.w >= WITH_LETTER && cell->key ? 2 : 0;
	if (x || r.w == 1)
		ui_put_code(c, r.x, r.y, style, (uint32_t)letter_of(cell));
	struct ui_rect room = ui_cols(r, x, r.w - x - n);
	if (r.w == 1 || room.w <= 0)
		return;
	int used = ui_put_cut(c, room, style, ui_shorten(cell->shown, room.w, name, sizeof name));
	ui_put(c, ui_cols(r, x + used, n), style, part);
}

static void draw_cell(struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f, uint32_t i,
	const struct ui_icicle_look *look)
{
	const struct pv_flame_cell *cell = &f->cell[i];
	enum ui_style style = kinds[kind_of(cell)].style;
	uint32_t edge = 0x2502;
	bool pair = look->against && f->pair; /* the edge then always says what became of it */
	if (pair) {
		edge = (uint32_t)ui_icicle_sign(look->against->verdict(f, look->measure, cell));
		style = changed_style((char)edge);
	}
	if (i == look->cursor) {
		style = UI_CURSOR;
		edge = 0x25b6;
	} else if (cell->flags & PV_FLAME_HIT) {
		style = UI_MATCH;
		edge = pair ? edge : '*';
	} else if (look->same && cell->key == look->same) {
		style = UI_FLAME_SAME;
		edge = pair ? edge : '#';
	}
	ui_clear(c, r, style);
	ui_put_code(c, r.x, r.y, style, edge);
	if (r.w > 1)
		draw_text(c, ui_cols(r, 1, r.w - 1), style, f, cell, look);
}

static void draw_thin(
	struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f, struct ui_icicle_thin thin)
{
	char text[64];
	for (int i = 0; i < r.w; i++)
		ui_put_code(c, r.x + i, r.y, UI_DIM, 0x2591);
	int n = snprintf(
		text, sizeof text, " %" PRIu64 " thinner, %.3g %% ", thin.n, share(f, thin.weight));
	if (n < r.w)
		ui_put(c, r, UI_DIM, text);
}

/* The children that have no column of their own, in what is left of their parent but for its own. */
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
			draw_cell(c, ui_cols(row, span[i].x, span[i].w), f, i, look);
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

void ui_icicle(struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f)
{
	struct ui_icicle_span *span = ui_icicle_lay(f, r.w);
	struct ui_icicle_look look = { .cursor = UINT32_MAX };
	if (span)
		ui_icicle_draw(c, r, f, span, &look);
	free(span);
}

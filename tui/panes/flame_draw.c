/* SPDX-License-Identifier: MIT */
/* Draws a flame graph: a line above about its figures, and lines below about the cursor's frame. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/text/units.h"
#include "common/query/heap/identity_choose.h"
#include "tui/draw/shorten.h"
#include "tui/panes/flame_pane.h"

static const char *amount(const struct ui_flame *f, uint64_t weight, char *buf, size_t size)
{
	struct pv_cell c = { .u = weight, .state = PV_CELL_VALUE };
	enum pv_unit unit = pv_flame_unit(f->measure);
	if (unit == PV_UNIT_NS)
		c.i = weight > INT64_MAX ? INT64_MAX : (int64_t)weight;
	return pv_cell_text(&c, unit, buf, size);
}

static double part(uint64_t weight, uint64_t of)
{
	return of ? 100 * (double)weight / (double)of : 0;
}

struct line {
	char text[1024];
	size_t n;
};

static void say_in_line(struct line *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void say_in_line(struct line *l, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (l->n < sizeof l->text)
		l->n += (size_t)vsnprintf(l->text + l->n, sizeof l->text - l->n, format, args);
	va_end(args);
}

/* --- above */

/*
 * The sum that is 100 %, and its subject; `brief`: without words in the line of views, or nearly
 * always the same.
 */
static void say_head(
	struct line *l, const struct ui_flame *f, const struct ui_shared *s, bool brief)
{
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	char text[64];
	const struct pv_flame_path *z = &f->view.zoom;
	if (a && a->pair)
		say_in_line(l, "+ more - less ~ noise = same · wide as base and new together · %s",
			pv_flame_title(f->measure));
	else if (a && pv_flame_unit(f->measure) == PV_UNIT_COUNT)
		say_in_line(l, "100 %% = %s %s", amount(f, a->cell[0].weight, text, sizeof text),
			pv_flame_title(f->measure));
	else if (a)
		say_in_line(l, "100 %% = %s, %s", amount(f, a->cell[0].weight, text, sizeof text),
			pv_flame_title(f->measure));
	else
		say_in_line(l, "%s", pv_flame_title(f->measure));
	if (f->measure == PV_FLAME_LIVE && s->identity.identity)
		say_in_line(l, ", shot %" PRIu32, pv_identity_shot(s->identity.identity));
	if (a && !brief)
		say_in_line(l, "%s", ui_time_of(a->time_of));
	if (!brief || z->focus || z->way == PV_FLAME_UP || f->upside_down)
		say_in_line(l, ", %s",
			z->focus                ? "sandwich"
			: z->way == PV_FLAME_UP ? "bottom up"
			: f->upside_down        ? "root below"
						: "top down");
	if (a && a->cell[0].weight != a->all)
		say_in_line(l, ", %.3g %% of all", part(a->cell[0].weight, a->all));
	if (a && a->lost)
		say_in_line(l, " · zoomed frame is not here");
	else if (z->key.n && a)
		say_in_line(l, " · zoom: %s", ui_shorten(a->cell[0].shown, 40, text, sizeof text));
	if (f->view.cut.n)
		say_in_line(l, " · %zu cut%s", f->view.cut.n, f->view.cut.n == 1 ? "" : "s");
	if (f->fold)
		say_in_line(l, " · recursion is one");
	if (f->by_name)
		say_in_line(l, " · by name");
	if (ui_flame_least[f->least])
		say_in_line(l, " · from %g %%", ui_flame_least[f->least] / 10.0);
	if (f->measure == PV_FLAME_LIVE && s->range.on)
		say_in_line(l, " · of the whole recording: the shot has no range");
	else if (s->window_ns && !s->range.on && !pv_flame_windowed(f->measure))
		say_in_line(l, " · since the start: no window of these is kept");
}

static void draw_head(
	const struct ui_flame *f, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	struct line l = { .n = 0 };
	const bool legend = a && !a->pair;
	say_head(&l, f, s, false);
	if (legend && 1 + pv_showable_cells(l.text) + UI_ICICLE_LEGEND > r.w) {
		l.n = 0;
		say_head(&l, f, s, true);
	}
	ui_put(c, ui_cols(r, 1, r.w), UI_DIM, l.text);
	if (legend)
		ui_icicle_legend(c, ui_cols(r, pv_showable_cells(l.text) + 2, r.w));
}

/* --- below */

static void say_figure(
	struct line *l, const struct ui_flame *f, const char *what, double v, bool share)
{
	char text[64];
	if (share)
		say_in_line(l, "%s %.3g %% · ", what, v);
	else
		say_in_line(l, "%s %s · ", what, amount(f, (uint64_t)(v + 0.5), text, sizeof text));
}

/* Of a pair: both figures, and what came of them. */
static void say_change(struct line *l, const struct ui_flame *f, const struct ui_shared *s,
	const struct pv_flame *a, const struct pv_flame_cell *at)
{
	struct pv_against_cell g = s->against->figures(s->against->of, a, f->measure, at);
	say_figure(l, f, "base", g.base, g.percent);
	say_figure(l, f, "new", g.now, g.percent);
	if (g.base > 0)
		say_in_line(l, "%+.3g %% · ", 100 * (g.now - g.base) / g.base);
	say_in_line(l, "%s · %s", pv_diff_verdict_text(s->against->verdict(a, f->measure, at)),
		ui_icicle_kind(at));
}

static void draw_cursor(
	const struct ui_flame *f, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	const struct pv_flame *a = f->answer[f->half];
	const struct pv_flame_cell *at = ui_flame_cell(f);
	char text[64], own[64], name[1024];
	if (!at || r.h == 0)
		return;
	const struct pv_flame_cell *up = &a->cell[at->parent];
	struct line l = { .n = 0 };
	bool pair = s->against && a->pair;
	if (pair)
		say_change(&l, f, s, a, at);
	if (!pair)
		say_in_line(&l, "total %s   of all %.3g %%   ",
			amount(f, at->weight, text, sizeof text), part(at->weight, a->all));
	if (!pair && f->at)
		say_in_line(&l, "of parent %.3g %%   ", part(at->weight, up->weight));
	if (!pair)
		say_in_line(&l, "self %s   %s", amount(f, at->self, own, sizeof own),
			ui_icicle_kind(at));
	if (at->flags & PV_FLAME_MORE)
		say_in_line(&l, "   more below: Enter");
	if (r.h == 1) {
		int n = (int)strlen(l.text), room = ui_max(r.w / 2, r.w - n - 2);
		int used = ui_put(c, ui_cols(r, 1, room), UI_STRONG,
			ui_shorten(at->shown, room, name, sizeof name));
		ui_put(c, ui_cols(r, used + 2, r.w), UI_PLAIN, l.text);
		return;
	}
	ui_put(c, ui_cols(ui_rows(r, 0, 1), 1, r.w), UI_STRONG,
		ui_shorten(at->shown, r.w - 2, name, sizeof name));
	ui_put(c, ui_cols(ui_rows(r, 1, 1), 1, r.w), UI_PLAIN, l.text);
}

static void draw_sums(
	const struct ui_flame *f, struct ui_canvas *c, struct ui_rect r, struct ui_icicle_thin thin)
{
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	const struct pv_flame_cell *at = ui_flame_cell(f);
	struct line l = { .n = 0 };
	if (r.h == 0 || !a)
		return;
	if (f->find[0])
		say_in_line(&l, "* \"%s\": %.3g %%   ", f->find, part(a->hits, a->total));
	if (at && at->key && at->places > 1)
		say_in_line(&l, "# at %" PRIu32 " places, %.3g %% together   ", at->places,
			part(at->everywhere, a->all));
	if (thin.n)
		say_in_line(&l, "+%" PRIu64 " narrower than a column, %.3g %% together", thin.n,
			part(thin.weight, a->cell[0].weight));
	else
		say_in_line(&l, "every frame of these levels is shown");
	ui_put(c, ui_cols(r, 1, r.w), UI_DIM, l.text);
}

/* --- the picture */

/* The first level drawn, so that the cursor's level is on the screen. */
static int first_level(const struct ui_flame *f, int half, int rows)
{
	const struct pv_flame_cell *at = ui_flame_cell(f);
	if (f->half != half || !at)
		return 0;
	return ui_max(0, at->depth - rows + 1 + (at->children && rows > 2));
}

static struct ui_icicle_thin draw_half(struct ui_flame *f, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r, int half)
{
	struct ui_icicle_thin none = { 0, 0 };
	const struct pv_flame_cell *at = ui_flame_cell(f);
	bool sandwich = f->answer[UI_FLAME_CALLERS] != NULL;
	struct ui_icicle_look look = { .cursor = f->half == half ? f->at : UINT32_MAX,
		.same = at ? at->key : 0,
		.upside_down = sandwich ? half == UI_FLAME_CALLERS : f->upside_down,
		.from = f->level[half],
		.against = s->against,
		.measure = f->measure };
	const struct ui_icicle_span *span = ui_flame_span(f, half, r.w);
	f->drawn[half] = r;
	return span ? ui_icicle_draw(c, r, f->answer[half], span, &look) : none;
}

static struct ui_icicle_thin draw_picture(
	struct ui_flame *f, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	f->drawn[UI_FLAME_MAIN] = f->drawn[UI_FLAME_CALLERS] = (struct ui_rect){ 0 };
	if (!f->answer[UI_FLAME_CALLERS]) {
		f->level[UI_FLAME_MAIN] = first_level(f, UI_FLAME_MAIN, r.h);
		return draw_half(f, s, c, r, UI_FLAME_MAIN);
	}
	/* The frame is the first row of the lower half; its callers stand above. */
	int above = r.h / 2;
	f->level[UI_FLAME_CALLERS] = ui_max(1, first_level(f, UI_FLAME_CALLERS, above));
	f->level[UI_FLAME_MAIN] = first_level(f, UI_FLAME_MAIN, r.h - above);
	struct ui_icicle_thin x = draw_half(f, s, c, ui_rows(r, 0, above), UI_FLAME_CALLERS);
	struct ui_icicle_thin y = draw_half(f, s, c, ui_rows(r, above, r.h - above), UI_FLAME_MAIN);
	return (struct ui_icicle_thin){ x.n + y.n, x.weight + y.weight };
}

/*
 * Draws the hottest frames in rows that the picture leaves free, if the picture is of one log and
 * shows callees below their callers.
 */
static void draw_hottest(struct ui_flame *f, struct ui_canvas *c, struct ui_rect r)
{
	enum { LEAST = 4, APART = 1 };
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	int used = 0;
	if (f->answer[UI_FLAME_CALLERS] || f->upside_down || a->pair ||
		f->view.zoom.way == PV_FLAME_UP)
		return;
	const struct ui_icicle_span *span = ui_flame_span(f, UI_FLAME_MAIN, r.w);
	for (size_t i = 0; span && i < a->cells; i++)
		if (span[i].w > 0)
			used = ui_max(used, a->cell[i].depth - f->level[UI_FLAME_MAIN] + 2);
	used += APART;
	if (span && r.h - used >= LEAST)
		ui_flame_hottest(f, c, ui_rows(r, used, r.h - used - APART));
}

static const char *why_empty(const struct ui_flame *f, const struct ui_shared *s)
{
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	if (f->measure == PV_FLAME_LIVE && !a &&
		!pv_flame_recorded(s->summary.recorded, f->measure))
		return "it takes allocations and heap shots, which the log has not both; m chooses another";
	if (f->measure == PV_FLAME_LIVE && !a)
		return s->identity.reading ? "objects are followed from allocation to heap shot ..."
					   : s->identity.error;
	if (s->range.on && s->model == s->whole)
		return "the range is being read";
	if (!a)
		return "";
	if (!pv_flame_recorded(s->summary.recorded, f->measure))
		return "the log has none of these; m chooses another measure, i says what was recorded";
	return a->all ? "nothing is left of it; ( undoes, Del takes the filter away"
		      : "nothing of it happened here; w and F7 choose another time";
}

void ui_flame_draw(
	struct ui_flame *f, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	enum { TALL = 14, MIDDLE = 9 };
	int below = r.h >= TALL ? 3 : r.h >= MIDDLE ? 2 : 1;
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	struct ui_icicle_thin thin = { 0, 0 };
	const int heat = ui_heat_rows(&f->heat, r.h);
	if (heat)
		ui_heat_draw(&f->heat, c, ui_rows(r, r.h - heat, heat));
	r = ui_rows(r, 0, r.h - heat);
	if (r.h == 0)
		return;
	draw_head(f, s, c, ui_rows(r, 0, 1));
	struct ui_rect picture = ui_rows(r, 1, r.h - 1 - below),
		       foot = ui_rows(r, r.h - below, below);
	if (!a || a->cell[0].weight == 0) {
		ui_put(c, ui_cols(picture, 1, picture.w), UI_PLAIN, why_empty(f, s));
		return;
	}
	thin = draw_picture(f, s, c, picture);
	draw_hottest(f, c, picture);
	draw_cursor(f, s, c, below == 1 ? foot : ui_rows(foot, 0, 2));
	if (below == 3)
		draw_sums(f, c, ui_rows(foot, 2, 1), thin);
}

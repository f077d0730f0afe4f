/* SPDX-License-Identifier: MIT */
/* Rectangles of the screen's parts by its size, and of a pane's parts. */
#include "tui/draw/layout.h"

/* Heights of the screen from which a line of the frame gets a row. */
enum { CRUMB_FROM = 14, HEAP_FROM = 20, GC_FROM = 30, DETAIL_FROM = 30 };
enum { SPLIT_ROWS = 12, PAIR_COLUMNS = 80, CHART_ROWS = 16, MAIN_ROWS = 5 };

static struct ui_rect take_top(struct ui_rect *left, int rows)
{
	struct ui_rect top = ui_rows(*left, 0, rows);
	*left = ui_rows(*left, top.h, left->h - top.h);
	return top;
}

struct ui_layout ui_layout(int w, int h)
{
	struct ui_rect all = { 0, 0, ui_max(w, 0), ui_max(h, 0) };
	struct ui_layout l = { .too_small = w < UI_MIN_W || h < UI_MIN_H };
	l.body = all;
	if (l.too_small)
		return l;
	l.status = take_top(&all, 1);
	l.tabs = take_top(&all, 1);
	l.crumb = take_top(&all, h >= CRUMB_FROM);
	l.heap = take_top(&all, h >= HEAP_FROM);
	l.gc = take_top(&all, h >= GC_FROM);
	l.body = take_top(&all, all.h - 2 - (h >= DETAIL_FROM));
	l.detail = take_top(&all, h >= DETAIL_FROM);
	l.coverage = take_top(&all, 1);
	l.keys = take_top(&all, 1);
	return l;
}

void ui_layout_range(struct ui_layout *l)
{
	if (l->too_small || l->heap.h == 0 || l->body.h < 2)
		return;
	l->range = ui_rows(l->body, 0, 1);
	l->range.y = l->gc.h ? l->gc.y + 1 : l->heap.y + 1;
	l->body.y++;
	l->body.h--;
}

void ui_layout_home(struct ui_layout *l)
{
	int lines = l->heap.h + l->gc.h;
	l->body.y -= lines;
	l->body.h += lines;
	l->heap.h = l->gc.h = 0;
}

void ui_layout_bare(struct ui_layout *l)
{
	int above = l->tabs.h + l->crumb.h, below = l->detail.h + l->keys.h;
	if (l->too_small)
		return;
	l->heap.y -= above;
	l->gc.y -= above;
	l->range.y -= above;
	l->body.y -= above;
	l->body.h += above + below;
	l->coverage.y += l->keys.h;
	l->tabs.h = l->crumb.h = l->detail.h = l->keys.h = 0;
}

static void place_details(struct ui_split *s, struct ui_rect at, struct ui_split_wish wish)
{
	if (wish.details == 1) {
		s->part[1] = at;
	} else if (at.w < PAIR_COLUMNS) {
		s->part[wish.focus >= 2 ? wish.focus : 1] = at;
	} else {
		int half = (at.w - 1) / 2;
		s->part[1] = ui_cols(at, 0, half);
		s->divide = ui_cols(at, half, 1);
		s->part[wish.focus > 2 ? wish.focus : 2] = ui_cols(at, half + 1, at.w - half - 1);
	}
}

struct ui_split ui_split(struct ui_rect body, struct ui_split_wish wish)
{
	struct ui_split s = { 0 };
	bool one = wish.details == 0 || body.h < SPLIT_ROWS;
	if (wish.chart > 0 && body.h >= CHART_ROWS) {
		s.chart = take_top(&body, ui_min(wish.chart, body.h / 3));
		one = one || body.h < SPLIT_ROWS - 2;
	} else if (wish.chart > 0 && body.h >= SPLIT_ROWS) {
		s.chart = take_top(&body, ui_min(wish.chart, 3));
		one = true;
	}
	if (one) {
		s.part[ui_max(0, ui_min(wish.focus, wish.details))] = body;
		return s;
	}
	int most = wish.tall ? body.h * 3 / 4 : (body.h * 11 + 10) / 20;
	int least = ui_min(MAIN_ROWS, most);
	s.part[0] = take_top(&body, wish.main > 0 ? ui_max(least, ui_min(wish.main, most)) : most);
	s.rule = take_top(&body, 1);
	place_details(&s, body, wish);
	return s;
}

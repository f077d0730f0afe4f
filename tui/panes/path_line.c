/* SPDX-License-Identifier: MIT */
/* The path to a row of a tree, in one line. */
#include "tui/panes/path_line.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/status.h"
#include "tui/draw/shorten.h"

static int add_path_text(
	struct ui_canvas *c, struct ui_rect r, int x, enum ui_style style, const char *text)
{
	int room = r.w - x;
	return room > 0 ? x + ui_put(c, ui_cols(r, x, room), style, text) : x;
}

/* Rows of a tree from the cursor's outwards, and how much of a name is shown. */
struct path {
	const struct ui_list *l;
	const struct pv_row *row[32];
	int n, most;
};

static const char *path_name(const struct path *p, int i, char *buf, size_t size)
{
	enum { OWN_LEAST = 24 };
	const char *name = ui_list_shown_name(p->l, p->row[i]);
	return ui_shorten(
		name ? name : "", i == 0 ? ui_max(p->most, OWN_LEAST) : p->most, buf, size);
}

/* Number of names that fit `room`, the cursor's first; at least one. */
static int path_fits(const struct path *p, int room)
{
	enum { SIGN = 3, DOTS = 4 };
	char buf[400];
	int n = 0;
	for (; n < p->n; n++) {
		room -= SIGN + pv_showable_cells(path_name(p, n, buf, sizeof buf));
		if (n > 0 && room < (n + 1 < p->n ? DOTS : 0))
			break;
	}
	return n;
}

/* Draws the path to a tree's row. Too long a path gets shorter names, then loses its outer rows. */
void ui_path_draw(struct ui_canvas *c, struct ui_rect r, int x, const struct ui_list *l)
{
	static const int widths[] = { 400, 24, 14, 9 };
	struct path p = { .l = l, .row = { ui_list_row(l) }, .n = 1 };
	if (!p.row[0])
		return;
	uint32_t depth = p.row[0]->depth;
	char buf[400];
	int shown = 0;
	for (size_t i = l->at; depth > 0 && p.n < (int)PV_COUNT_OF(p.row) && i-- > 0;) {
		if (l->table->row[i].depth >= depth)
			continue;
		p.row[p.n++] = &l->table->row[i];
		depth = l->table->row[i].depth;
	}
	for (size_t i = 0; i < PV_COUNT_OF(widths) && shown < p.n; i++) {
		p.most = widths[i];
		shown = path_fits(&p, r.w - x);
	}
	if (shown < p.n)
		x = add_path_text(c, r, x, UI_DIM, " ▸ …");
	for (int i = shown; i-- > 0;) {
		x = add_path_text(c, r, x, UI_DIM, " ▸ ");
		x = add_path_text(c, r, x, UI_PLAIN, path_name(&p, i, buf, sizeof buf));
	}
}

void ui_about_draw(struct ui_canvas *c, struct ui_rect r, const struct ui_list *l)
{
	const char *text = l->table && l->table->about ? l->table->about : "", *from = text;
	const struct ui_rect at = ui_cols(r, 1, r.w - 1);
	for (const char *next = text; from[0] == '/' && next; from = next ? next : from)
		if (pv_showable_cells(from) + (from != text) <= at.w ||
			!(next = strchr(from + 1, '/')))
			break;
	const int x = from == text ? 0 : ui_put(c, at, UI_TITLE, "…");
	ui_put(c, ui_cols(at, x, at.w - x), UI_TITLE, from);
}

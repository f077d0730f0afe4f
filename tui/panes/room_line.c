/* SPDX-License-Identifier: MIT */
/* The line of rooms: as many names as fit, else digits. */
#include "tui/panes/room_line.h"

#include <stdio.h>

#include "tui/panes/rooms.h"

enum { TEXT = 40, DIGITS_BELOW = 60 };

struct line {
	char text[UI_ROOMS][TEXT];
	int w[UI_ROOMS]; /* of the texts */
	int x[UI_ROOMS]; /* of their first cells */
};

static void set_digit(struct line *l, int room)
{
	snprintf(l->text[room], TEXT, "%c", ui_room_key(room));
	l->w[room] = 1;
}

static void set_name(struct line *l, int room, const char *view)
{
	snprintf(l->text[room], TEXT, "%c %s%s%s", ui_room_key(room), ui_rooms[room].name,
		view ? ": " : "", view ? view : "");
	l->w[room] = pv_showable_cells(l->text[room]);
}

/* Cells of all rooms, with one between two, plus brackets at the line's ends. */
static int width_of(const struct line *l, int current)
{
	int w = UI_ROOMS - 1 + (current == 0) + (current == UI_ROOMS - 1);
	for (int i = 0; i < UI_ROOMS; i++)
		w += l->w[i];
	return w;
}

/* Names become digits from the right on, first of rooms without data; the current name stays. */
static void shrink(struct line *l, int current, unsigned groups, int w)
{
	for (int with_data = 0; with_data <= 1; with_data++)
		for (int i = UI_ROOMS - 1; i >= 0 && width_of(l, current) > w; i--)
			if (i != current && ui_room_can(i, groups) == (with_data == 1))
				set_digit(l, i);
}

/* Without a line of views, the current room shows the view's name. */
static const char *view_of(size_t pane, int room, int w)
{
	const bool says =
		w < DIGITS_BELOW && ui_room_views(room) > 1 && pane != ui_room_first(room);
	return says ? ui_pane_defs[pane].tab : NULL;
}

static struct line lay(int w, size_t pane, unsigned groups)
{
	struct line l = { 0 };
	const int current = ui_room_of_pane(pane);
	for (int i = 0; i < UI_ROOMS; i++)
		set_name(&l, i, i == current ? view_of(pane, i, w) : NULL);
	shrink(&l, current, groups, w < DIGITS_BELOW ? 0 : w);
	if (width_of(&l, current) > w)
		set_name(&l, current, NULL);
	int x = current == 0 || width_of(&l, current) < w;
	for (int i = 0; i < UI_ROOMS; i++) {
		l.x[i] = x;
		x += l.w[i] + 1;
	}
	return l;
}

void ui_room_line_draw(
	struct ui_canvas *c, struct ui_rect r, size_t current, const struct ui_shared *s)
{
	const struct line l = lay(r.w, current, ui_groups(s));
	ui_clear(c, r, UI_TAB);
	for (int i = 0; i < UI_ROOMS; i++) {
		const struct ui_rect at = ui_cols(r, l.x[i], l.w[i]);
		if (i == ui_room_of_pane(current))
			ui_printf(c, ui_cols(r, l.x[i] - 1, l.w[i] + 2), UI_TAB_ON, "[%s]",
				l.text[i]);
		else
			ui_put(c, at, ui_room_can(i, ui_groups(s)) ? UI_TAB : UI_DIM, l.text[i]);
	}
}

int ui_room_line_at(struct ui_rect r, size_t current, const struct ui_shared *s, int x)
{
	const struct line l = lay(r.w, current, ui_groups(s));
	for (int i = 0; i < UI_ROOMS; i++)
		if (x >= r.x + l.x[i] && x <= r.x + l.x[i] + l.w[i])
			return i;
	return UI_ROOM_NONE;
}

/* SPDX-License-Identifier: MIT */
/* The line of rooms, in row 2 of every screen. The screen's thread. */
#ifndef UI_ROOM_LINE_H
#define UI_ROOM_LINE_H

#include "tui/draw/canvas.h"
#include "tui/draw/shared.h"

/* All names from this width on. */
enum { UI_ROOM_NAMES_FROM = 80 };

/* Draws the rooms, rooms without data dim; `current` is a pane. */
void ui_room_line_draw(
	struct ui_canvas *c, struct ui_rect r, size_t current, const struct ui_shared *s);

/* The room at column x, or UI_ROOM_NONE. */
int ui_room_line_at(struct ui_rect r, size_t current, const struct ui_shared *s, int x);

#endif

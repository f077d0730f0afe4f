/* SPDX-License-Identifier: MIT */
/*
 * Completion on the command line: names of commands, then their arguments; in a filter names of
 * fields and columns. Tab lists candidates and completes as far as all agree, then goes from one to
 * the next; Shift-Tab goes back. One thread.
 */
#ifndef UI_COMPLETE_H
#define UI_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/draw/canvas.h"

struct ui_screen;

/* Valid when zeroed. */
struct ui_complete {
	bool open;
	char stem[128]; /* the line as typed */
	size_t n, at;   /* candidates; the one shown, from 1; 0: the stem */
};

/* Tab (dir 1) or Shift-Tab (-1) was pressed. */
void ui_complete_next(struct ui_screen *s, int dir);
/* The line was changed by hand. */
void ui_complete_close(struct ui_screen *s);
/* Draws candidates around the chosen one. */
void ui_complete_draw(const struct ui_screen *s, struct ui_canvas *c, struct ui_rect r);

#endif

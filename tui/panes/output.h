/* SPDX-License-Identifier: MIT */
/*
 * Output of a program started from here: lines, bounded, to scroll and search. Bytes go in as sent
 * to a terminal; colours and cursor movements are left out. The screen's thread.
 */
#ifndef UI_OUTPUT_H
#define UI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/draw/canvas.h"
#include "tui/draw/commands.h"

enum { UI_OUTPUT_LINES = 20000, UI_OUTPUT_LINE = 1024 };
#define UI_OUTPUT_BYTES ((size_t)4 << 20)

/* Valid when zeroed. */
struct ui_output {
	char **line; /* a ring of UI_OUTPUT_LINES, owned; NULL until there is a first */
	size_t first, n, bytes;
	uint64_t gone;             /* lines no longer kept */
	uint64_t dropped;          /* bytes lost before they came */
	char open[UI_OUTPUT_LINE]; /* the unfinished line */
	size_t open_n, column;
	int escape; /* inside an escape sequence */

	size_t top; /* the first line shown */
	bool loose; /* does not follow the end */
	int page;
	char search[128];
};

void ui_output_finish(struct ui_output *o); /* frees all lines */

/* Takes what was printed. Out of memory the oldest lines are dropped, then the newest. */
void ui_output_add(struct ui_output *o, const char *bytes, size_t n);
/* A line of ours among them. */
void ui_output_note(struct ui_output *o, const char *text);

/* The number of lines, the unfinished line included; the i-th line, owned by `o`, never NULL. */
size_t ui_output_count(const struct ui_output *o);
const char *ui_output_line(const struct ui_output *o, size_t i);

/* The user's position in the output, as one number. */
static inline uint64_t ui_output_place(const struct ui_output *o)
{
	return (uint64_t)o->top * 2 + o->loose;
}

/* Bits of enum ui_reply. */
unsigned ui_output_command(struct ui_output *o, enum ui_command cmd);
/* To the newest line with the text (dir 0), the next (1) or the line before (-1). */
bool ui_output_find(struct ui_output *o, int dir);
void ui_output_title(const struct ui_output *o, struct ui_canvas *c, struct ui_rect r);
void ui_output_draw(struct ui_output *o, struct ui_canvas *c, struct ui_rect r);

#endif

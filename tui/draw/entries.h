/* SPDX-License-Identifier: MIT */
/*
 * Entries of a line of the frame, each shown whole or left out. Entries at the right are flush with
 * the right edge, in order of addition. The screen's thread.
 */
#ifndef UI_ENTRIES_H
#define UI_ENTRIES_H

#include "tui/draw/canvas.h"

enum { UI_ENTRIES = 24, UI_ENTRY = 400 };

struct ui_entry {
	enum ui_style style;
	int drop; /* if room is short, the greatest goes first, and of these the last; 0 stays */
	bool at_right;
	char text[UI_ENTRY];
};

/* Valid when zeroed: none. */
struct ui_entries {
	struct ui_entry at[UI_ENTRIES];
	int n;
	bool at_right; /* for entries added from now on; left ones come first */
};

/* Adds an entry, if there is room and the text is not empty. */
void ui_entries_add(struct ui_entries *e, enum ui_style style, int drop, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Cells of all of them, with `gap` between two. */
int ui_entries_width(const struct ui_entries *e, int gap);

/* Leaves out what does not fit `w`. */
void ui_entries_fit(struct ui_entries *e, int gap, int w);

/* Draws the entries in the first row of `r`. Returns the cells taken by entries at the left. */
int ui_entries_draw(const struct ui_entries *e, struct ui_canvas *c, struct ui_rect r, int gap);

/*
 * A text in which numbers of four digits and more, "11 366", have three, "11.4 k". Returns `buf`,
 * the caller's. Never fails.
 */
const char *ui_entries_round(const char *text, char *buf, size_t size);

/*
 * The entries of a text (separated by "; ") that fit `w` cells, in their order: each whole, or
 * without some last parts (separated by ", "). Returns `buf`, the caller's. Never fails.
 */
const char *ui_entries_of(const char *text, int w, char *buf, size_t size);

#endif

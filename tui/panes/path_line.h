/* SPDX-License-Identifier: MIT */
/* The path from the root of a tree to the row under the cursor. */
#ifndef UI_PATH_LINE_H
#define UI_PATH_LINE_H

#include "tui/list/list.h"

/*
 * Draws from column x of the line on: too long a path gets shorter names, then loses outer rows.
 * Nothing without a row. The screen's thread.
 */
void ui_path_draw(struct ui_canvas *c, struct ui_rect r, int x, const struct ui_list *l);

/* Draws the line of struct pv_table.about; a long path at its beginning loses the first folders. */
void ui_about_draw(struct ui_canvas *c, struct ui_rect r, const struct ui_list *l);

#endif

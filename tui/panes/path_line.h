/* The path to the row under the cursor of a tree, from the root to it. */
#ifndef UI_PATH_LINE_H
#define UI_PATH_LINE_H

#include "tui/draw/list.h"

/*
 * From column x of the line on: names are shortened where it is too long, then the outer ones left
 * out. Nothing without a row. The screen's thread.
 */
void ui_path_draw(struct ui_canvas *c, struct ui_rect r, int x, const struct ui_list *l);

#endif

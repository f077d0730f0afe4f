/* SPDX-License-Identifier: MIT */
/* A short list to choose from, over the pane. Valid when zeroed. The screen's thread. */
#ifndef UI_MENU_H
#define UI_MENU_H

#include <stddef.h>

#include "tui/draw/canvas.h"

enum { UI_MENU_MAX = 32 };

struct ui_menu {
	bool open;
	const char *title;
	const char *item[UI_MENU_MAX]; /* borrowed while open */
	size_t value[UI_MENU_MAX];
	size_t n, at, top; /* at: the cursor; top: the first item drawn */
	bool of_rooms, of_columns;
	char own[UI_MENU_MAX][80]; /* texts made for items of this menu */
	struct ui_rect drawn;
};

enum ui_menu_answer { UI_MENU_OPEN, UI_MENU_CHOSEN, UI_MENU_CLOSED };

/* CHOSEN: value[at] is the choice. The menu is closed after CHOSEN and CLOSED. */
enum ui_menu_answer ui_menu_key(struct ui_menu *m, int key);
enum ui_menu_answer ui_menu_click(struct ui_menu *m, int x, int y);
void ui_menu_draw(struct ui_menu *m, struct ui_canvas *c, struct ui_rect over);

#endif

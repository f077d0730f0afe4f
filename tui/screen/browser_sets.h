/* SPDX-License-Identifier: MIT */
/* Private to the two files of the object browser. The screen's thread. */
#ifndef UI_BROWSER_SETS_H
#define UI_BROWSER_SETS_H

#include "tui/screen/browser.h"

/* The browser's pane, owned by the screen, never NULL. */
struct ui_pane *ui_browser_pane(struct ui_screen *s);
/* Goes there; the present place can be gone back to. */
void ui_browser_go(struct ui_screen *s, const struct ui_browse_place *to);
/* Commands about sets of objects and merged paths. */
unsigned ui_browser_set_command(struct ui_screen *s, enum ui_command cmd);

#endif

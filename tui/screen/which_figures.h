/* SPDX-License-Identifier: MIT */
/*
 * Which figures of methods and calls are shown, the least share shown, and the direction of the
 * tree.
 */
#ifndef UI_WHICH_FIGURES_H
#define UI_WHICH_FIGURES_H

#include "tui/screen/screen.h"

/* UI_IGNORED: another command; by a key, without a word. The screen's thread. */
unsigned ui_counted_command(struct ui_screen *s, enum ui_command cmd);
/* "calls" or "samples"; a share like "0.5 %". Other words are said to be none. */
void ui_counted_typed(struct ui_screen *s, const char *word);
void ui_threshold_typed(struct ui_screen *s, const char *word);

/* Without a message, as no key chose this. Does nothing where the log has one kind only. */
void ui_counted_choose(struct ui_screen *s, bool samples);
/*
 * A row that Enter leads to may be of the other figures, which are shown then. `seek` comes before
 * the row is asked for, `find` with each frame.
 */
void ui_counted_seek(struct ui_screen *s);
void ui_counted_find(struct ui_screen *s);

#endif

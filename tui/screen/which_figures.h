/* Which figures of methods and calls are shown, from what share on, and which way the tree goes. */
#ifndef UI_WHICH_FIGURES_H
#define UI_WHICH_FIGURES_H

#include "tui/screen/screen.h"

/* UI_IGNORED when the command is none of its; by a key, without a word. The screen's thread. */
unsigned ui_counted_command(struct ui_screen *s, enum ui_command cmd);
/* "calls" or "samples"; a share like "0.5 %". Other words are said to be none. */
void ui_counted_typed(struct ui_screen *s, const char *word);
void ui_threshold_typed(struct ui_screen *s, const char *word);

/* Without a word: no key chose it. Nothing where the log has one of them only. */
void ui_counted_choose(struct ui_screen *s, bool samples);
/*
 * A row that Enter led to may be one of the other figures: they are shown then. `seek` comes before
 * the row is asked for, `find` with each frame.
 */
void ui_counted_seek(struct ui_screen *s);
void ui_counted_find(struct ui_screen *s);

#endif

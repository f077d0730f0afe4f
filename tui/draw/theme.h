/* Look of each meaning, by the number of colours the terminal has. Pure: any thread. */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "tui/draw/canvas.h"

enum ui_attr { UI_BOLD = 1, UI_FAINT = 2, UI_REVERSE = 4, UI_UNDERLINE = 8 };

/* Colours are terminal numbers; -1 is the terminal's own. */
struct ui_look {
	short fg, bg;
	unsigned attrs; /* bits of enum ui_attr */
};

/* `colors` is 0 (none at all), 8, 16 or 256. */
struct ui_look ui_theme_look(enum ui_style style, int colors);

#endif

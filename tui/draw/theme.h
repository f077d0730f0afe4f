/* Look of each meaning, by the number of colours the terminal has. Pure: any thread. */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "tui/draw/canvas.h"

enum ui_attr { UI_BOLD = 1, UI_FAINT = 2, UI_REVERSE = 4, UI_UNDERLINE = 8 };

/* Colours are terminal numbers; -1 is the terminal's own. */
struct ui_style_look {
	short fg, bg;
	unsigned attrs; /* bits of enum ui_attr */
};

/* BLIND: for those who cannot tell red from green; blue, yellow and orange in their place. */
enum ui_theme { UI_THEME_USUAL, UI_THEME_BLIND, UI_THEMES };

/* The theme of that name in profview.conf; UI_THEMES: there is none. */
enum ui_theme ui_theme_of(const char *name);

/* `colors` is 0 (none at all), 8, 16 or 256. */
struct ui_style_look ui_theme_look(enum ui_theme theme, enum ui_style style, int colors);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Look of each meaning, by the terminal's background and number of colours. A style names a role,
 * and roles.def has the colours of roles. Pure: any thread.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "tui/draw/canvas.h"

enum ui_attr { UI_BOLD = 1, UI_FAINT = 2, UI_REVERSE = 4, UI_UNDERLINE = 8 };

/* A colour is a number of the 256, UI_RGB and 24 bits, or -1, the terminal's own. */
enum { UI_RGB = 1 << 24 };
struct ui_style_look {
	int fg, bg;
	unsigned attrs; /* bits of enum ui_attr */
};

/* The configuration's word for the background. */
enum ui_background { UI_BACKGROUND_AUTO, UI_BACKGROUND_DARK, UI_BACKGROUND_LIGHT, UI_BACKGROUNDS };

/* "auto", "dark" or "light"; UI_BACKGROUNDS: none such. */
enum ui_background ui_background_of(const char *word);

enum ui_ground { UI_GROUND_DARK, UI_GROUND_LIGHT, UI_GROUNDS };

enum ui_role {
#define ROLE(id, name, dark, light) UI_ROLE_##id,
#include "tui/draw/roles.def"
#undef ROLE
	UI_ROLES
};

/* The colour among 16; the colour, also on the selection; both fills of cells, and text on them. */
enum ui_role_part {
	UI_ROLE_16,
	UI_ROLE_BARE,
	UI_ROLE_SELECTED,
	UI_ROLE_FILL,
	UI_ROLE_ALT,
	UI_ROLE_ON_FILL
};
enum { UI_ROLE_PARTS = UI_ROLE_ON_FILL + 1 };

struct ui_theme {
	int colour[UI_GROUNDS][UI_ROLES][UI_ROLE_PARTS];
};

/* The colours of roles.def. */
struct ui_theme ui_theme_usual(void);

/*
 * Sets a colour by a line of a theme file: `name` is "accent", "own.fill", "own.alt",
 * "light.warn.selected"; `value` 0 to 255, "#rrggbb" or "default". Returns NULL, or a literal: the
 * error.
 */
const char *ui_theme_set(struct ui_theme *t, const char *name, const char *value);

/* `colors` is 0 (none at all), 8, 16 or 256; `bits` are the cell's. */
struct ui_style_look ui_theme_look(const struct ui_theme *t, enum ui_ground ground,
	enum ui_style style, unsigned bits, int colors);

/* Red, green and blue, 0xrrggbb, of a number from 16 to 255; the nearest of them to a colour. */
int ui_rgb_of(int number);
int ui_nearest_number(int rgb);

#endif

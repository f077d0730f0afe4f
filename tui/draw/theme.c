/* SPDX-License-Identifier: MIT */
/* The look of each style: roles, colours and attributes, and lines of theme files. */
#include "tui/draw/theme.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, OWN = -1, NONE = -2 };

enum ground { BARE, PANEL, SELECT, FILL };

/*
 * Without colour everything that matters still differs: by attribute, and always by a sign or word
 * in the text. Differences have a sign.
 */
struct row {
	enum ui_role role;
	enum ground ground;
	unsigned attrs;
	unsigned mono; /* attributes where nothing is filled, or nothing is coloured */
};

static const struct row rows[UI_STYLE_COUNT] = {
	[UI_PLAIN] = { UI_ROLE_TEXT, BARE, 0, 0 },
	[UI_DIM] = { UI_ROLE_DIM, BARE, 0, UI_FAINT },
	[UI_STRONG] = { UI_ROLE_TEXT, BARE, UI_BOLD, UI_BOLD },
	[UI_TITLE] = { UI_ROLE_TEXT, BARE, UI_BOLD, UI_BOLD },
	[UI_HEADER] = { UI_ROLE_TEXT, PANEL, 0, UI_UNDERLINE },
	[UI_HEADER_ON] = { UI_ROLE_ACCENT, PANEL, UI_BOLD, UI_UNDERLINE | UI_BOLD },
	[UI_CURSOR] = { UI_ROLE_TEXT, SELECT, 0, UI_REVERSE | UI_BOLD },
	[UI_CURSOR_OFF] = { UI_ROLE_TEXT, BARE, UI_BOLD, UI_BOLD },
	[UI_TAB] = { UI_ROLE_TEXT, BARE, 0, 0 },
	[UI_TAB_ON] = { UI_ROLE_ACCENT, BARE, UI_BOLD | UI_UNDERLINE, UI_REVERSE | UI_BOLD },
	[UI_KEYCAP] = { UI_ROLE_ACCENT, BARE, 0, UI_BOLD },
	[UI_KEYTEXT] = { UI_ROLE_TEXT, PANEL, 0, UI_UNDERLINE },
	[UI_FRAME] = { UI_ROLE_RULE, BARE, 0, UI_FAINT },
	[UI_BAR] = { UI_ROLE_CODE, BARE, 0, 0 },
	[UI_HEAP] = { UI_ROLE_NATIVE, BARE, 0, 0 },
	[UI_MINOR] = { UI_ROLE_FRAMEWORK, BARE, 0, 0 },
	[UI_MAJOR] = { UI_ROLE_RUNTIME, BARE, UI_BOLD, UI_BOLD },
	[UI_WAITS] = { UI_ROLE_RUNTIME, BARE, 0, 0 },
	[UI_SHOT] = { UI_ROLE_ACCENT, BARE, UI_BOLD, UI_BOLD },
	[UI_LIVE] = { UI_ROLE_TEXT, BARE, UI_BOLD, UI_BOLD },
	[UI_WAITING] = { UI_ROLE_WARN, BARE, UI_BOLD, UI_BOLD },
	[UI_PAUSED] = { UI_ROLE_WARN, FILL, UI_BOLD, UI_REVERSE | UI_BOLD },
	[UI_WARN] = { UI_ROLE_WARN, BARE, 0, UI_BOLD },
	[UI_BAD] = { UI_ROLE_BAD, BARE, UI_BOLD, UI_REVERSE | UI_BOLD },
	[UI_MORE] = { UI_ROLE_WARN, BARE, 0, UI_BOLD },
	[UI_LESS] = { UI_ROLE_ACCENT, BARE, 0, 0 },
	[UI_MATCH] = { UI_ROLE_ACCENT, BARE, UI_UNDERLINE | UI_BOLD, UI_UNDERLINE | UI_BOLD },
	[UI_PROMPT] = { UI_ROLE_TEXT, PANEL, UI_BOLD, UI_BOLD },
	[UI_COVERAGE] = { UI_ROLE_DIM, BARE, 0, 0 },
	[UI_FLAME_USER] = { UI_ROLE_CODE, FILL, UI_BOLD, UI_UNDERLINE | UI_BOLD },
	[UI_FLAME_FRAMEWORK] = { UI_ROLE_FRAMEWORK, FILL, 0, UI_UNDERLINE },
	[UI_FLAME_RUNTIME] = { UI_ROLE_RUNTIME, FILL, 0, UI_UNDERLINE },
	[UI_FLAME_NATIVE] = { UI_ROLE_NATIVE, FILL, 0, UI_UNDERLINE },
	[UI_FLAME_OTHER] = { UI_ROLE_TEXT, PANEL, 0, UI_UNDERLINE },
	[UI_FLAME_MORE] = { UI_ROLE_WARN, FILL, UI_BOLD, UI_UNDERLINE | UI_BOLD },
	[UI_FLAME_LESS] = { UI_ROLE_ACCENT, FILL, 0, UI_UNDERLINE },
	[UI_FLAME_CURSOR] = { UI_ROLE_ACCENT, FILL, UI_BOLD, UI_REVERSE | UI_BOLD },
	[UI_FLAME_SAME] = { UI_ROLE_TEXT, SELECT, UI_UNDERLINE | UI_BOLD, UI_UNDERLINE | UI_BOLD },
	[UI_LANE_RUNNING] = { UI_ROLE_CODE, FILL, 0, UI_BOLD },
	/* Besides the four there is no fifth hue distinct for every eye. */
	[UI_LANE_QUEUED] = { UI_ROLE_TEXT, PANEL, UI_BOLD, 0 },
	[UI_LANE_LOCK] = { UI_ROLE_RUNTIME, FILL, 0, UI_UNDERLINE },
	[UI_LANE_IO] = { UI_ROLE_NATIVE, FILL, 0, 0 },
	[UI_LANE_WAITING] = { UI_ROLE_DIM, BARE, 0, UI_FAINT },
	[UI_LANE_GC] = { UI_ROLE_FRAMEWORK, FILL, UI_BOLD, UI_REVERSE },
};

#define ON(of_16, bare, selected, fill, alt, on_fill) { of_16, bare, selected, fill, alt, on_fill }

static const int usual[UI_ROLES][UI_GROUNDS][UI_ROLE_PARTS] = {
#define ROLE(id, name, dark, light) [UI_ROLE_##id] = { dark, light },
#include "tui/draw/roles.def"
#undef ROLE
};

static const char *const names[UI_ROLES] = {
#define ROLE(id, name, dark, light) [UI_ROLE_##id] = name,
#include "tui/draw/roles.def"
#undef ROLE
};

struct ui_theme ui_theme_usual(void)
{
	struct ui_theme t;
	for (int role = 0; role < UI_ROLES; role++)
		for (int ground = 0; ground < UI_GROUNDS; ground++)
			memcpy(t.colour[ground][role], usual[role][ground],
				sizeof t.colour[ground][role]);
	return t;
}

enum ui_background ui_background_of(const char *word)
{
	static const char *const words[UI_BACKGROUNDS] = { [UI_BACKGROUND_AUTO] = "auto",
		[UI_BACKGROUND_DARK] = "dark",
		[UI_BACKGROUND_LIGHT] = "light" };
	enum ui_background i = 0;
	while (i < UI_BACKGROUNDS && strcmp(words[i], word) != 0)
		i++;
	return i;
}

/* --- a line of a theme */

/* Takes `word` off the front of `*text`, with a following dot unless the text ends there. */
static bool take_word(const char **text, const char *word)
{
	const size_t n = strlen(word);
	if (strncmp(*text, word, n) != 0 || ((*text)[n] && (*text)[n] != '.'))
		return false;
	*text += n + ((*text)[n] == '.' && (*text)[n + 1]);
	return true;
}

/* The colour of this name, or NULL. */
static int *colour_named(struct ui_theme *t, const char *name, enum ui_role_part *ret_part)
{
	static const char *const parts[UI_ROLE_PARTS] = { [UI_ROLE_BARE] = "",
		[UI_ROLE_SELECTED] = "selected",
		[UI_ROLE_FILL] = "fill",
		[UI_ROLE_ALT] = "alt",
		[UI_ROLE_ON_FILL] = "text" };
	const enum ui_ground ground = take_word(&name, "light") ? UI_GROUND_LIGHT : UI_GROUND_DARK;
	for (int role = 0; role < UI_ROLES; role++) {
		const char *rest = name;
		if (!take_word(&rest, names[role]))
			continue;
		for (int part = UI_ROLE_BARE; part < UI_ROLE_PARTS; part++) {
			int *colour = &t->colour[ground][role][part];
			*ret_part = (enum ui_role_part)part;
			if (strcmp(rest, parts[part]) == 0)
				return *colour == NONE ? NULL : colour;
		}
	}
	return NULL;
}

/* False: no colour. */
static bool colour_in(const char *value, int *ret)
{
	char *end;
	if (strcmp(value, "default") == 0) {
		*ret = OWN;
		return true;
	}
	const bool rgb = value[0] == '#';
	const size_t n = strlen(value + rgb);
	if (strspn(value + rgb, rgb ? "0123456789abcdefABCDEF" : "0123456789") != n)
		return false;
	const long number = strtol(value + rgb, &end, rgb ? 16 : 10);
	*ret = rgb ? UI_RGB | (int)number : (int)number;
	return rgb ? n == 6 : n >= 1 && n <= 3 && number <= 255;
}

const char *ui_theme_set(struct ui_theme *t, const char *name, const char *value)
{
	enum ui_role_part part;
	int *colour = colour_named(t, name, &part), to;
	if (!colour)
		return "no colour has that name";
	if (!colour_in(value, &to))
		return "a colour is a number from 0 to 255, #rrggbb or default";
	if (to == OWN && part >= UI_ROLE_FILL)
		return "a fill cannot be default";
	*colour = to;
	return NULL;
}

/* --- a style */

static struct ui_style_look plain_look(
	const int *role, const struct row *s, unsigned bits, int colors)
{
	unsigned attrs = s->ground == BARE && colors ? s->attrs : s->mono;
	if (s->role == UI_ROLE_DIM || s->role == UI_ROLE_RULE)
		attrs |= s->mono;
	if (bits & UI_HUE)
		attrs = 0;
	if (bits & UI_SELECTED)
		attrs = (attrs & ~(unsigned)UI_FAINT) ^ UI_REVERSE;
	return (struct ui_style_look){ colors ? role[UI_ROLE_16] : OWN, OWN, attrs };
}

/*
 * Fills cells or, for characters of a bar, shows the fill's colour on the terminal's own
 * background.
 */
static struct ui_style_look filled_look(const struct row *s, int fill, int on_fill, unsigned bits)
{
	if (bits & UI_HUE)
		return (struct ui_style_look){ fill, OWN, 0 };
	return (struct ui_style_look){ on_fill, fill, s->attrs };
}

struct ui_style_look ui_theme_look(const struct ui_theme *t, enum ui_ground ground,
	enum ui_style style, unsigned bits, int colors)
{
	const struct row *s = &rows[style < UI_STYLE_COUNT ? style : UI_PLAIN];
	const int(*all)[UI_ROLE_PARTS] = t->colour[ground];
	const int *role = all[s->role];
	if (colors < 256)
		return plain_look(role, s, bits, colors);
	if (bits & UI_SELECTED || s->ground == SELECT) /* a frame's hue is a fill */
		return (struct ui_style_look){
			all[s->ground == FILL && !(bits & UI_HUE) ? UI_ROLE_TEXT : s->role]
			   [UI_ROLE_SELECTED],
			all[UI_ROLE_SELECT][UI_ROLE_BARE], s->attrs
		};
	const int *panel = all[UI_ROLE_PANEL];
	if (s->ground == FILL)
		return filled_look(s, role[bits & UI_ALT ? UI_ROLE_ALT : UI_ROLE_FILL],
			role[UI_ROLE_ON_FILL], bits);
	if (s->ground == PANEL) /* the terminal's text may not stand out there */
		return filled_look(s, panel[bits & UI_ALT ? UI_ROLE_ALT : UI_ROLE_BARE],
			role[s->role == UI_ROLE_TEXT ? UI_ROLE_SELECTED : UI_ROLE_BARE], bits);
	return (struct ui_style_look){ role[UI_ROLE_BARE], OWN, s->attrs };
}

/* --- numbers of colours: 16 to 231 a cube of six steps, 232 to 255 greys, as xterm has them */

int ui_rgb_of(int number)
{
	static const int step[] = { 0, 95, 135, 175, 215, 255 };
	if (number >= 232)
		return (8 + (number - 232) * 10) * 0x10101;
	number -= 16;
	return step[number / 36] << 16 | step[number / 6 % 6] << 8 | step[number % 6];
}

static int distance(int a, int b)
{
	int sum = 0;
	for (int shift = 0; shift <= 16; shift += 8) {
		const int d = (a >> shift & 255) - (b >> shift & 255);
		sum += d * d;
	}
	return sum;
}

int ui_nearest_number(int rgb)
{
	int best = 16, least = INT_MAX;
	for (int i = 16; i < 256; i++)
		if (distance(ui_rgb_of(i), rgb) < least) {
			best = i;
			least = distance(ui_rgb_of(i), rgb);
		}
	return best;
}

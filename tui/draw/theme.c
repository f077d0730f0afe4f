#include "tui/draw/theme.h"

#include <string.h>

/*
 * Without colour everything that matters still differs: by attribute, and always by a sign or word
 * in the text. Red and green never stand for opposites; differences carry their sign.
 */
struct row {
	unsigned mono; /* attributes where there are no colours */
	short fg8, bg8;
	unsigned attrs8;
	short fg256, bg256;
	unsigned attrs256;
};

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, OWN = -1 };

static const struct row rows[UI_STYLE_COUNT] = {
	[UI_PLAIN] = { 0, OWN, OWN, 0, OWN, OWN, 0 },
	[UI_DIM] = { UI_FAINT, OWN, OWN, UI_FAINT, 245, OWN, 0 },
	[UI_STRONG] = { UI_BOLD, OWN, OWN, UI_BOLD, OWN, OWN, UI_BOLD },
	[UI_TITLE] = { UI_BOLD, CYAN, OWN, UI_BOLD, 44, OWN, UI_BOLD },
	[UI_HEADER] = { UI_REVERSE, BLACK, GREEN, 0, 253, 238, 0 },
	[UI_HEADER_ON] = { UI_REVERSE | UI_BOLD, BLACK, CYAN, 0, 16, 44, UI_BOLD },
	[UI_CURSOR] = { UI_REVERSE | UI_BOLD, BLACK, CYAN, 0, 16, 74, 0 },
	[UI_CURSOR_OFF] = { UI_UNDERLINE, OWN, OWN, UI_BOLD, OWN, 237, 0 },
	[UI_TAB] = { 0, OWN, OWN, 0, 250, 236, 0 },
	[UI_TAB_ON] = { UI_REVERSE | UI_BOLD, BLACK, CYAN, 0, 16, 44, UI_BOLD },
	[UI_KEYCAP] = { UI_BOLD, OWN, OWN, UI_BOLD, 44, OWN, UI_BOLD },
	[UI_KEYTEXT] = { UI_REVERSE, BLACK, CYAN, 0, 16, 74, 0 },
	[UI_FRAME] = { UI_FAINT, OWN, OWN, UI_FAINT, 240, OWN, 0 },
	[UI_BAR] = { 0, BLUE, OWN, UI_BOLD, 68, OWN, 0 },
	[UI_HEAP] = { 0, GREEN, OWN, 0, 72, OWN, 0 },
	[UI_MINOR] = { 0, OWN, OWN, 0, 250, OWN, 0 },
	[UI_MAJOR] = { UI_BOLD, YELLOW, OWN, UI_BOLD, 214, OWN, UI_BOLD },
	[UI_SHOT] = { UI_BOLD, MAGENTA, OWN, UI_BOLD, 176, OWN, UI_BOLD },
	[UI_LIVE] = { UI_BOLD, GREEN, OWN, UI_BOLD, 114, OWN, UI_BOLD },
	[UI_WAITING] = { UI_BOLD, YELLOW, OWN, UI_BOLD, 221, OWN, UI_BOLD },
	[UI_PAUSED] = { UI_REVERSE | UI_BOLD, BLACK, YELLOW, 0, 16, 214, UI_BOLD },
	[UI_WARN] = { UI_BOLD, YELLOW, OWN, 0, 221, OWN, 0 },
	[UI_BAD] = { UI_REVERSE | UI_BOLD, WHITE, RED, UI_BOLD, 231, 160, UI_BOLD },
	[UI_MORE] = { UI_BOLD, YELLOW, OWN, 0, 215, OWN, 0 },
	[UI_LESS] = { 0, CYAN, OWN, 0, 80, OWN, 0 },
	[UI_MATCH] = { UI_UNDERLINE | UI_BOLD, BLACK, YELLOW, 0, 16, 221, 0 },
	[UI_PROMPT] = { UI_BOLD, OWN, OWN, UI_BOLD, 231, 24, 0 },
	[UI_COVERAGE] = { 0, CYAN, OWN, 0, 109, OWN, 0 },
	[UI_FLAME_USER] = { 0, BLACK, GREEN, 0, 16, 114, 0 },
	[UI_FLAME_FRAMEWORK] = { 0, WHITE, BLUE, 0, 16, 110, 0 },
	[UI_FLAME_RUNTIME] = { 0, BLACK, WHITE, 0, 16, 139, 0 },
	[UI_FLAME_NATIVE] = { 0, BLACK, MAGENTA, 0, 16, 173, 0 },
	[UI_FLAME_OTHER] = { 0, OWN, OWN, UI_REVERSE, 254, 240, 0 },
	[UI_FLAME_MORE] = { UI_BOLD, WHITE, RED, UI_BOLD, 16, 216, UI_BOLD },
	[UI_FLAME_LESS] = { 0, BLACK, CYAN, 0, 16, 117, 0 },
	[UI_FLAME_SAME] = { UI_UNDERLINE | UI_BOLD, BLACK, WHITE, UI_BOLD | UI_UNDERLINE, 16, 229,
		UI_BOLD },
	[UI_LANE_RUNNING] = { UI_BOLD, BLACK, GREEN, 0, 16, 114, 0 },
	[UI_LANE_QUEUED] = { 0, BLACK, WHITE, 0, 16, 187, 0 },
	[UI_LANE_LOCK] = { UI_UNDERLINE, BLACK, MAGENTA, 0, 16, 176, 0 },
	[UI_LANE_IO] = { 0, WHITE, BLUE, 0, 16, 110, 0 },
	[UI_LANE_WAITING] = { UI_FAINT, OWN, OWN, 0, 247, 236, 0 },
	[UI_LANE_GC] = { UI_REVERSE, BLACK, YELLOW, UI_BOLD, 16, 214, UI_BOLD },
};

/* Those that differ from the usual ones; after the palette of Okabe and Ito. */
static const struct {
	enum ui_style style;
	struct row row;
} blind[] = {
	{ UI_HEADER, { UI_REVERSE, BLACK, WHITE, 0, 253, 238, 0 } },
	{ UI_HEAP, { 0, CYAN, OWN, 0, 74, OWN, 0 } },
	{ UI_LIVE, { UI_BOLD, CYAN, OWN, UI_BOLD, 117, OWN, UI_BOLD } },
	{ UI_BAD, { UI_REVERSE | UI_BOLD, BLACK, YELLOW, UI_BOLD, 16, 208, UI_BOLD } },
	{ UI_MORE, { UI_BOLD, YELLOW, OWN, UI_BOLD, 214, OWN, UI_BOLD } },
	{ UI_LESS, { 0, BLUE, OWN, UI_BOLD, 75, OWN, 0 } },
	{ UI_FLAME_USER, { 0, BLACK, YELLOW, 0, 16, 227, 0 } },
	{ UI_FLAME_FRAMEWORK, { 0, WHITE, BLUE, 0, 16, 117, 0 } },
	{ UI_FLAME_RUNTIME, { 0, BLACK, WHITE, 0, 16, 250, 0 } },
	{ UI_FLAME_NATIVE, { 0, BLACK, CYAN, 0, 16, 68, 0 } },
	{ UI_FLAME_MORE, { UI_BOLD, BLACK, YELLOW, UI_BOLD, 16, 214, UI_BOLD } },
	{ UI_FLAME_LESS, { 0, WHITE, BLUE, 0, 16, 75, 0 } },
	{ UI_LANE_RUNNING, { UI_BOLD, BLACK, CYAN, 0, 16, 74, 0 } },
};

enum ui_theme ui_theme_of(const char *name)
{
	static const char *const names[] = {
		[UI_THEME_USUAL] = "usual", [UI_THEME_BLIND] = "red-green-blind"
	};
	int theme = 0;
	while (theme < UI_THEMES && strcmp(name, names[theme]) != 0)
		theme++;
	return (enum ui_theme)theme;
}

static const struct row *row_of(enum ui_theme theme, enum ui_style style)
{
	for (size_t i = 0; theme == UI_THEME_BLIND && i < sizeof blind / sizeof blind[0]; i++)
		if (blind[i].style == style)
			return &blind[i].row;
	return &rows[style < UI_STYLE_COUNT ? style : UI_PLAIN];
}

struct ui_style_look ui_theme_look(enum ui_theme theme, enum ui_style style, int colors)
{
	const struct row *r = row_of(theme, style);
	if (colors >= 256)
		return (struct ui_style_look){ r->fg256, r->bg256, r->attrs256 };
	if (colors >= 8)
		return (struct ui_style_look){ r->fg8, r->bg8, r->attrs8 };
	return (struct ui_style_look){ OWN, OWN, r->mono };
}

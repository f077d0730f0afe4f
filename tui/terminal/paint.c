/* SPDX-License-Identifier: MIT */
/* Pairs of colours and attributes for the styles of cells, by theme and terminal. */
#include "tui/terminal/paint.h"

#include <ncurses.h>
#include <term.h>

/* Pairs given to curses. A terminal of eight colours has 64, fewer than there are styles. */
struct pairs {
	int colors;
	bool direct; /* a colour's number is red, green and blue */
	int n;
	int of[UI_BITS * UI_STYLE_COUNT][2];
};

static unsigned attributes(unsigned attrs)
{
	return (unsigned)((attrs & UI_BOLD ? A_BOLD : 0) | (attrs & UI_FAINT ? A_DIM : 0) |
			  (attrs & UI_REVERSE ? A_REVERSE : 0) |
			  (attrs & UI_UNDERLINE ? A_UNDERLINE : 0));
}

static int start_colours(struct pairs *p)
{
	if (!has_colors() || start_color() == ERR)
		return 0;
	use_default_colors();
	p->direct = tigetflag("RGB") > 0;
	return COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
}

static int colour_of(const struct pairs *p, int colour)
{
	if (colour < 0 || p->colors < 256)
		return colour;
	if (!p->direct)
		return colour & UI_RGB ? ui_nearest_number(colour & 0xffffff) : colour;
	/* the first eight numbers are the terminal's own there, too */
	return colour & UI_RGB ? colour & 0xffffff : colour < 16 ? colour & 7 : ui_rgb_of(colour);
}

static int pair_of(struct pairs *p, int fg, int bg)
{
	if (!p->colors || (fg < 0 && bg < 0))
		return 0;
	for (int i = 0; i < p->n; i++)
		if (p->of[i][0] == fg && p->of[i][1] == bg)
			return i + 1;
	p->of[p->n][0] = fg;
	p->of[p->n++][1] = bg;
	init_extended_pair(p->n, fg, bg);
	return p->n;
}

void ui_paint_open(
	struct ui_paint *p, const struct ui_theme *theme, enum ui_ground ground, bool wants_colour)
{
	const struct ui_theme usual = ui_theme_usual();
	struct pairs pairs = { .n = 0 };
	pairs.colors = wants_colour ? start_colours(&pairs) : 0;
	p->fills = pairs.colors >= 256;
	p->hues = pairs.colors > 0;
	for (int style = 0; style < UI_STYLE_COUNT; style++)
		for (unsigned bits = 0; bits < UI_BITS; bits++) {
			const struct ui_style_look look = ui_theme_look(theme ? theme : &usual,
				ground, (enum ui_style)style, bits, pairs.colors);
			p->brush[style][bits] =
				(struct ui_brush){ pair_of(&pairs, colour_of(&pairs, look.fg),
							   colour_of(&pairs, look.bg)),
					attributes(look.attrs) };
		}
}

const struct ui_brush *ui_paint_brush(const struct ui_paint *p, const struct ui_cell *cell)
{
	return &p->brush[cell->style][cell->bits % UI_BITS];
}

uint32_t ui_paint_code(const struct ui_paint *p, const struct ui_cell *cell)
{
	return cell->code == UI_EDGE && !p->fills ? ' ' : cell->code;
}

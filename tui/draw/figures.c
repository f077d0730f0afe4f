/* SPDX-License-Identifier: MIT */
/* The figures at the right of a graph: value, greatest value, height of the row. */
#include "tui/draw/figures.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text/showable.h"

/* The beginning of a figure's unit; cells before the blank in front of the unit. */
static const char *unit_in(const char *text)
{
	return text + strspn(text, "<-+0123456789. ");
}

static int digits_of(const char *text)
{
	int n = (int)(unit_in(text) - text);
	while (n > 0 && text[n - 1] == ' ')
		n--;
	return n;
}

/* Digits of a round figure without a zero fraction: "5", not "5.00". */
static int round_digits_of(const char *text)
{
	int n = digits_of(text);
	const char *point = strchr(text, '.');
	if (!point || point >= text + n)
		return n;
	while (n > 0 && text[n - 1] == '0')
		n--;
	return n - (n > 0 && text[n - 1] == '.');
}

/* Each unit once. */
static void say_top(const char *value, const char *most, const char *top, char *to, size_t size)
{
	const char *unit = unit_in(top);
	const bool same = strcmp(unit_in(most), unit) == 0;
	const bool said = same && strcmp(unit_in(value), unit) == 0;
	snprintf(to, size, "%.*s%s%s/%.*s%s%s", digits_of(most), most, same ? "" : " ",
		same ? "" : unit_in(most), round_digits_of(top), top, said ? "" : " ",
		said ? "" : unit);
}

/* The height without a greatest value: "top 10 000", or short "/10 000". */
static void say_height(struct ui_canvas *c, struct ui_rect r, const char *value, const char *top)
{
	const char *unit = strcmp(unit_in(value), unit_in(top)) == 0 ? "" : unit_in(top);
	char text[80];
	int n = snprintf(text, sizeof text, "top %.*s%s%s", round_digits_of(top), top,
		*unit ? " " : "", unit);
	if (n > r.w)
		snprintf(text, sizeof text, "/%.*s%s%s", round_digits_of(top), top,
			*unit ? " " : "", unit);
	ui_put(c, r, UI_DIM, text);
}

void ui_figures(
	struct ui_canvas *c, struct ui_rect r, const char *value, const char *most, const char *top)
{
	enum { DIGITS = 5, BOTH = 12, MAX = 4 };
	char text[160];
	snprintf(text, sizeof text, "%.*s", digits_of(value), value);
	const int digits = ui_max(DIGITS, pv_showable_cells(text)); /* none is ever cut */
	ui_put_right(c, ui_cols(r, 0, digits), UI_PLAIN, text);
	ui_put(c, ui_cols(r, digits + 1, r.w), UI_DIM, unit_in(value));
	if (!most || !top)
		return;
	say_top(value, most, top, text, sizeof text);
	const int room = r.w - BOTH - pv_showable_cells(text);
	if (room >= MAX)
		ui_printf(c, ui_cols(r, BOTH, r.w), UI_DIM, "max %s", text);
	else if (room >= 0)
		ui_put(c, ui_cols(r, BOTH, r.w), UI_DIM, text);
	else
		say_height(c, ui_cols(r, BOTH, r.w), value, top);
}

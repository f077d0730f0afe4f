/* SPDX-License-Identifier: MIT */
/*
 * Draws text, lines and boxes into the cells of a canvas, and replaces characters a screen lacks.
 */
#include "tui/draw/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/utf8.h"

enum { PRINTF_MAX = 512 };

static const char *const glyphs_words[UI_GLYPHS_COUNT] = {
	[UI_GLYPHS_BLOCK] = "block", [UI_GLYPHS_BRAILLE] = "braille", [UI_GLYPHS_ASCII] = "ascii"
};

enum ui_glyphs ui_glyphs_of(const char *word)
{
	enum ui_glyphs i = 0;
	while (i < UI_GLYPHS_COUNT && strcmp(glyphs_words[i], word) != 0)
		i++;
	return i;
}

const char *ui_glyphs_word(enum ui_glyphs glyphs)
{
	return glyphs_words[glyphs < UI_GLYPHS_COUNT ? glyphs : UI_GLYPHS_BLOCK];
}

bool ui_canvas_resize(struct ui_canvas *c, int w, int h)
{
	w = ui_max(w, 0);
	h = ui_max(h, 0);
	if (w != c->w || h != c->h || !c->cell) {
		struct ui_cell *cell = calloc((size_t)w * (size_t)h + 1, sizeof *cell);
		if (!cell)
			return false;
		free(c->cell);
		c->cell = cell;
		c->w = w;
		c->h = h;
	}
	ui_clear(c, ui_canvas_rect(c), UI_PLAIN);
	return true;
}

void ui_canvas_finish(struct ui_canvas *c)
{
	free(c->cell);
	*c = (struct ui_canvas){ 0 };
}

struct ui_rect ui_canvas_rect(const struct ui_canvas *c)
{
	return (struct ui_rect){ 0, 0, c->w, c->h };
}

static struct ui_cell *cell_at(struct ui_canvas *c, int x, int y)
{
	return &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
}

static struct ui_cell blank(uint8_t style)
{
	return (struct ui_cell){ ' ', { 0 }, 1, style, 0 };
}

/* Before a cell changes: if it is half of a wide character, the other half goes blank. */
static void split_wide(struct ui_canvas *c, int x, int y)
{
	struct ui_cell *at = cell_at(c, x, y);
	if (at->cells == 0 && x > 0)
		cell_at(c, x - 1, y)[0] = blank(at[-1].style);
	if (at->cells == 2 && x + 1 < c->w)
		at[1] = blank(at->style);
}

static struct ui_rect clip(const struct ui_canvas *c, struct ui_rect r)
{
	int x0 = ui_max(r.x, 0), y0 = ui_max(r.y, 0);
	int x1 = ui_min(r.x + r.w, c->w), y1 = ui_min(r.y + r.h, c->h);
	return (struct ui_rect){ x0, y0, ui_max(x1 - x0, 0), ui_max(y1 - y0, 0) };
}

void ui_clear(struct ui_canvas *c, struct ui_rect r, enum ui_style style)
{
	r = clip(c, r);
	for (int y = r.y; y < r.y + r.h; y++) {
		for (int x = r.x; x < r.x + r.w; x++) {
			if (x == r.x || x == r.x + r.w - 1)
				split_wide(c, x, y);
			*cell_at(c, x, y) = blank((uint8_t)style);
		}
	}
}

void ui_restyle(struct ui_canvas *c, struct ui_rect r, enum ui_style style)
{
	r = clip(c, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_at(c, x, y)->style = (uint8_t)style;
}

void ui_mark(struct ui_canvas *c, struct ui_rect r, enum ui_bits bit)
{
	r = clip(c, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_at(c, x, y)->bits |= (uint8_t)bit;
}

static const struct {
	uint32_t code;
	char ascii;
} ascii_of[] = {
	/* sparklines and columns, low to high */
	{ 0x2581, '_' },
	{ 0x2582, '.' },
	{ 0x2583, ':' },
	{ 0x2584, '-' },
	{ 0x2585, '=' },
	{ 0x2586, '+' },
	{ 0x2587, '#' },
	{ 0x2588, '#' },
	/* bars, full to empty */
	{ 0x2589, '=' },
	{ 0x258a, '=' },
	{ 0x258b, '=' },
	{ 0x258c, '-' },
	{ 0x258d, '-' },
	{ 0x258e, '.' },
	{ 0x258f, '.' },
	{ 0x2591, '.' },
	{ 0x2592, ':' },
	{ 0x2593, '+' },
	/* shares, and what is not read yet */
	{ 0x2501, '=' },
	{ 0x2578, '-' },
	{ 0x254c, '~' },
	/* lines */
	{ 0x2500, '-' },
	{ 0x2502, '|' },
	{ 0x250c, '+' },
	{ 0x2510, '+' },
	{ 0x2514, '+' },
	{ 0x2518, '+' },
	{ 0x2524, '+' },
	/* signs */
	{ 0x25b6, '>' },
	{ 0x25b8, '>' },
	{ 0x25b2, '^' },
	{ 0x25bc, 'v' },
	{ 0x25bd, 'v' },
	{ 0x25cf, '*' },
	{ 0x25cb, 'o' },
	{ 0x25a0, '#' },
	{ 0x24d8, 'i' },
	{ 0x2190, '<' },
	{ 0x2192, '>' },
	{ 0x2191, '^' },
	{ 0x2193, 'v' },
	{ 0x2026, '~' },
	{ 0xb7, '.' },
	{ 0xb1, '+' },
	{ 0xb5, 'u' },
	{ 0x2212, '-' },
	{ 0x394, 'd' },
	{ 0xa0, ' ' },
	{ 0xd7, 'x' },
};

/* The character shown in place of `code` on a screen with ASCII only. */
static uint32_t ascii_code(uint32_t code)
{
	for (size_t i = 0; i < sizeof ascii_of / sizeof ascii_of[0]; i++)
		if (ascii_of[i].code == code)
			return (uint32_t)ascii_of[i].ascii;
	return pv_utf8_width(code) == 0 ? code : '?';
}

/* Of the console's own font in place of ours: columns by halves, shares by double lines. */
static const struct {
	uint32_t code, shown;
} console_of[] = {
	{ 0x2581, '_' },
	{ 0x2582, '_' },
	{ 0x2583, 0x2584 },
	{ 0x2585, 0x2584 },
	{ 0x2586, 0x2588 },
	{ 0x2587, 0x2588 },
	{ 0x2589, ' ' },
	{ 0x2501, 0x2550 },
	{ 0x2578, 0x2500 },
	{ 0x254c, '~' },
	{ 0x2575, '\'' },
	{ 0x25b8, '>' },
	{ 0x25bd, 0x25bc },
	{ 0x25be, 0x25bc },
	{ 0x25cf, 0x2022 },
	{ 0x2016, 0x2551 },
	{ 0x24d8, 'i' },
	{ 0x2013, '-' },
	{ 0x2026, '~' },
	{ 0x2212, '-' },
	{ 0x394, 0x3b4 },
	{ 0xd7, 'x' },
};

static uint32_t console_code(uint32_t code)
{
	for (size_t i = 0; i < PV_COUNT_OF(console_of); i++)
		if (console_of[i].code == code)
			return console_of[i].shown;
	return code;
}

/* Characters put singly come from profview; hidden ones are replaced all the same. */
static uint32_t shown(const struct ui_canvas *c, uint32_t code)
{
	if (pv_showable_hides(code))
		code = PV_UTF8_BAD;
	if (c->ascii && code >= 0x7f)
		return ascii_code(code);
	return c->console && code >= 0x7f ? console_code(code) : code;
}

void ui_put_code(struct ui_canvas *c, int x, int y, enum ui_style style, uint32_t code)
{
	code = shown(c, code);
	int cells = pv_utf8_width(code);
	if (cells < 1 || x < 0 || y < 0 || y >= c->h || x + cells > c->w)
		return;
	for (int i = 0; i < cells; i++)
		split_wide(c, x + i, y);
	*cell_at(c, x, y) = (struct ui_cell){ code, { 0 }, (uint8_t)cells, (uint8_t)style, 0 };
	if (cells == 2)
		*cell_at(c, x + 1, y) = (struct ui_cell){ ' ', { 0 }, 0, (uint8_t)style, 0 };
}

static void put_mark(struct ui_canvas *c, int x, int y, uint32_t mark)
{
	if (c->ascii || x <= 0 || x > c->w || y < 0 || y >= c->h)
		return;
	struct ui_cell *at = cell_at(c, x - 1, y);
	if (at->cells == 0 && x >= 2)
		at--;
	for (size_t i = 0; i < PV_COUNT_OF(at->mark); i++) {
		if (!at->mark[i]) {
			at->mark[i] = mark;
			return;
		}
	}
}

/*
 * Puts one character of a text. False: no room; then the ellipsis replaces the character in the
 * last usable column.
 */
static bool put_shown(struct ui_canvas *c, struct ui_rect r, enum ui_style style,
	const struct pv_shown *one, int *x)
{
	const char *at = one->text, *end = at + one->n;
	for (size_t len; at < end; at += len) {
		uint32_t code = shown(c, pv_utf8_next(at, end, &len));
		int cells = pv_utf8_width(code);
		if (cells == 0) {
			put_mark(c, *x, r.y, code);
			continue;
		}
		if (*x + cells > r.x + r.w)
			return false;
		ui_put_code(c, *x, r.y, style, code);
		*x += cells;
	}
	return true;
}

static int put_line(
	struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text, bool ellipsis)
{
	struct pv_showable s = pv_showable_begin(text, strlen(text));
	struct pv_shown one;
	int x = r.x;
	if (r.w <= 0 || r.h <= 0)
		return 0;
	while (pv_showable_next(&s, &one)) {
		if (put_shown(c, r, style, &one, &x))
			continue;
		if (ellipsis)
			ui_put_code(c, ui_min(x, r.x + r.w - 1), r.y, style, 0x2026);
		return r.w;
	}
	return x - r.x;
}

int ui_put(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text)
{
	return put_line(c, r, style, text, true);
}

int ui_put_cut(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text)
{
	return put_line(c, r, style, text, false);
}

int ui_put_right(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text)
{
	int cells = pv_showable_cells(text);
	if (cells < r.w)
		r = ui_cols(r, r.w - cells, cells);
	return put_line(c, r, style, text, true);
}

int ui_printf(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *format, ...)
{
	char text[PRINTF_MAX];
	va_list args;
	va_start(args, format);
	if (vsnprintf(text, sizeof text, format, args) >= (int)sizeof text)
		pv_utf8_trim(text);
	va_end(args);
	return put_line(c, r, style, text, true);
}

void ui_hline(struct ui_canvas *c, struct ui_rect r)
{
	for (int x = 0; x < r.w && r.h > 0; x++)
		ui_put_code(c, r.x + x, r.y, UI_FRAME, 0x2500);
}

void ui_vline(struct ui_canvas *c, struct ui_rect r)
{
	for (int y = 0; y < r.h && r.w > 0; y++)
		ui_put_code(c, r.x, r.y + y, UI_FRAME, 0x2502);
}

struct ui_rect ui_box(struct ui_canvas *c, struct ui_rect r, const char *title)
{
	if (r.w < 2 || r.h < 2)
		return ui_inset(r, 1, 1);
	ui_hline(c, ui_rows(r, 0, 1));
	ui_hline(c, ui_rows(r, r.h - 1, 1));
	ui_vline(c, ui_cols(r, 0, 1));
	ui_vline(c, ui_cols(r, r.w - 1, 1));
	ui_put_code(c, r.x, r.y, UI_FRAME, 0x250c);
	ui_put_code(c, r.x + r.w - 1, r.y, UI_FRAME, 0x2510);
	ui_put_code(c, r.x, r.y + r.h - 1, UI_FRAME, 0x2514);
	ui_put_code(c, r.x + r.w - 1, r.y + r.h - 1, UI_FRAME, 0x2518);
	if (title && r.w > 6) {
		struct ui_rect at = ui_cols(r, 2, r.w - 5);
		at.x++, at.w--;
		int used = ui_put(c, at, UI_TITLE, title);
		ui_put_code(c, at.x - 1, r.y, UI_FRAME, ' ');
		ui_put_code(c, at.x + used, r.y, UI_FRAME, ' ');
	}
	return ui_inset(r, 1, 1);
}

static size_t put_cell_text(char *to, const struct ui_cell *cell)
{
	if (cell->cells == 0)
		return 0;
	size_t n = pv_utf8_put(to, cell->code);
	for (size_t i = 0; i < PV_COUNT_OF(cell->mark) && cell->mark[i]; i++)
		n += pv_utf8_put(to + n, cell->mark[i]);
	return n;
}

char *ui_canvas_text(const struct ui_canvas *c)
{
	char *text = malloc((size_t)c->h * ((size_t)c->w * 4 * (1 + PV_SHOWN_MARKS) + 1) + 1);
	if (!text)
		return NULL;
	size_t n = 0;
	for (int y = 0; y < c->h; y++) {
		size_t keep = n;
		for (int x = 0; x < c->w; x++) {
			const struct ui_cell *cell = &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
			n += put_cell_text(text + n, cell);
			if (cell->code != ' ' || cell->mark[0])
				keep = n;
		}
		n = keep;
		text[n++] = '\n';
	}
	text[n] = 0;
	return text;
}

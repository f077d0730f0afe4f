/* SPDX-License-Identifier: MIT */
/* Draws a list: header, rows with their cells, scroll position. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/showable.h"
#include "common/base/text/units.h"
#include "common/query/groups/code_kind.h"
#include "common/query/trends.h"
#include "tui/draw/clock_text.h"
#include "tui/chart/chart.h"
#include "tui/draw/figure.h"
#include "tui/list/list_tags.h"
#include "tui/draw/shorten.h"

enum { GUTTER = 2, CELL_MAX = 1024 };

static void keep_cursor_in_view(struct ui_list *l, int rows)
{
	size_t page = (size_t)ui_max(rows, 1), n = l->table ? l->table->rows : 0;
	l->page = (int)page;
	if (l->at < l->top)
		l->top = l->at;
	if (l->at >= l->top + page)
		l->top = l->at - page + 1;
	if (l->top + page > n)
		l->top = n > page ? n - page : 0;
}

static void draw_header(const struct ui_list *l, struct ui_canvas *c, struct ui_rect r)
{
	ui_clear(c, r, UI_HEADER);
	struct ui_rect in = ui_cols(r, GUTTER, r.w);
	for (size_t i = 0; i < l->columns.n; i++) {
		struct ui_column_place p = l->columns.at[i];
		const struct pv_column *column = &l->table->column[p.column];
		bool on = l->table->sort == (int)p.column;
		const char *sign = !on ? "" : l->table->descending ? "▼" : "▲";
		enum ui_style style = on ? UI_HEADER_ON : UI_HEADER;
		struct ui_rect at = ui_cols(in, p.x, p.w);
		const int w = pv_showable_cells(column->title), room = ui_max(0, p.w - 1);
		/* Above the digits; a longer title also above the unit. */
		int x = p.tail ? ui_max(0, p.w - p.tail - w) : ui_max(0, room - w);
		if (ui_column_is_text(column))
			x = 0;
		const int fits = ui_min(w, room - x);
		x += column->flags & PV_COLUMN_CODE
			     ? ui_put_cut(c, ui_cols(at, x, fits), style, column->title)
			     : ui_put(c, ui_cols(at, x, fits), style, column->title);
		ui_put(c, ui_cols(at, x, 1), style, sign);
	}
}

/* The start of the frame that ends at `end`. */
static const char *frame_before(const char *frames, const char *end)
{
	while (end > frames && end[-1] != '\n')
		end--;
	return end;
}

/*
 * A stack reads innermost first: the inner frames matter most, and must stay when the text is cut.
 * The runtime's own wrappers there say nothing about the program and share one sign.
 */
static const char *stack_text(const char *frames, char *buf, size_t size)
{
	static const char arrow[] = " ← ", wrapper[] = "(wrapper ";
	const char *end = frames + strlen(frames), *start = frame_before(frames, end);
	size_t n = 0;
	buf[0] = 0;
	while (start > frames && strncmp(start, wrapper, sizeof wrapper - 1) == 0) {
		n = (size_t)snprintf(buf, size, "(w)");
		end = start - 1;
		start = frame_before(frames, end);
	}
	while (end > frames) {
		int len = snprintf(
			buf + n, size - n, "%s%.*s", n ? arrow : "", (int)(end - start), start);
		if (len < 0 || (size_t)len >= size - n)
			break;
		n += (size_t)len;
		end = start > frames ? start - 1 : frames;
		start = frame_before(frames, end);
	}
	return buf;
}

static void mark_hits(
	const struct ui_list *l, struct ui_canvas *c, struct ui_rect at, const char *text)
{
	int hit = ui_find_text(text, l->search);
	if (hit < 0)
		return;
	char before[CELL_MAX];
	snprintf(before, sizeof before, "%.*s", hit, text);
	ui_restyle(
		c, ui_cols(at, pv_showable_cells(before), pv_showable_cells(l->search)), UI_MATCH);
}

/* Draws a tree row's indent, and the sign for its children. */
static struct ui_rect draw_branch(
	struct ui_canvas *c, struct ui_rect at, const struct pv_row *row, enum ui_style style)
{
	int depth = (int)(row->depth < 1000 ? row->depth : 1000);
	int most = at.w / 4 * 2; /* deep rows share the last indent, so names stay readable */
	int indent = ui_min(depth * 2, most);
	at = ui_cols(at, indent, at.w);
	const char *sign = row->flags & PV_ROW_OPEN           ? "▼ "
			   : row->flags & PV_ROW_HAS_CHILDREN ? "▶ "
							      : "· ";
	return ui_cols(at, ui_put_cut(c, at, style, sign), at.w);
}

/* The sign of a difference; 0: no difference. */
static int sign_of(const struct pv_column *column, const struct pv_cell *cell)
{
	if (column->unit == PV_UNIT_DELTA_BYTES || column->unit == PV_UNIT_DELTA_COUNT)
		return (cell->i > 0) - (cell->i < 0);
	if (!(column->flags & PV_COLUMN_SIGNED) || cell->state != PV_CELL_VALUE)
		return 0;
	if (column->unit == PV_UNIT_PERCENT || column->unit == PV_UNIT_NUMBER)
		return (cell->d > 0) - (cell->d < 0);
	return (cell->i > 0) - (cell->i < 0);
}

static enum ui_style cell_style(const struct pv_column *column, const struct pv_cell *cell)
{
	if (cell->state != PV_CELL_VALUE)
		return UI_DIM;
	int sign = sign_of(column, cell);
	return sign > 0 ? UI_MORE : sign < 0 ? UI_LESS : UI_PLAIN;
}

/* Names are shortened where they say least; other words just lose their end. */
static bool is_name(const struct pv_column *column)
{
	static const char *const ids[] = { "name", "method", "class" };
	for (size_t i = 0; i < PV_COUNT_OF(ids); i++)
		if (strcmp(column->id, ids[i]) == 0)
			return column->unit == PV_UNIT_TEXT;
	return false;
}

static const char *shown_text(
	const struct pv_column *col, const struct pv_cell *cell, char *buf, size_t size)
{
	if (cell->state != PV_CELL_VALUE)
		return pv_cell_text(cell, col->unit, buf, size);
	if (col->unit == PV_UNIT_LIST)
		return stack_text(cell->s ? cell->s : "", buf, size);
	return col->unit == PV_UNIT_TIME ? ui_clock_text(buf, size, cell->i)
					 : pv_cell_text(cell, col->unit, buf, size);
}

/* Digits end in the same cell in all rows; a longer number takes cells of the unit. */
static void draw_figure(struct ui_canvas *c, struct ui_rect at, int tail,
	const struct pv_column *col, const struct pv_cell *cell)
{
	const struct ui_figure f = ui_figure_of(cell, col->unit, col->flags);
	const int room =
		f.unit[0] || pv_showable_cells(f.digits) <= at.w - tail ? at.w - tail : at.w;
	const enum ui_style style = ui_figure_is_amount(&f) ? cell_style(col, cell) : UI_DIM;
	ui_put_right(c, ui_cols(at, 0, room), style, f.digits);
	ui_put(c, ui_cols(at, room + 1, tail - 1), UI_DIM, f.unit);
}

/* A list of whole numbers: drawn as a course, then the last number with its unit. */
static void draw_numbers(struct ui_canvas *c, struct ui_rect at, const struct pv_column *col,
	const struct pv_cell *cell)
{
	enum { FIGURE = 9, NUMBERS = 64 };
	double v[NUMBERS], max = 0;
	size_t n = 0;
	for (const char *from = cell->s ? cell->s : ""; *from; n++) {
		char *end;
		v[n % NUMBERS] = strtod(from, &end);
		max = v[n % NUMBERS] > max ? v[n % NUMBERS] : max;
		from = end + (*end != 0);
	}
	if (n == 0)
		return;
	if (strcmp(col->id, PV_TREND_COLUMN) == 0) {
		ui_spark(c, ui_cols(at, 0, ui_min((int)n, at.w)), UI_BAR,
			(struct ui_values){ .v = v, .n = n, .max = 100 });
		return;
	}
	const bool bytes = strstr(col->id, "bytes");
	const size_t first = n > NUMBERS ? n - NUMBERS : 0;
	double shown[NUMBERS];
	for (size_t i = first; i < n; i++)
		shown[i - first] = v[i % NUMBERS];
	int w = ui_min((int)(n - first), at.w - FIGURE - 1);
	char text[48];
	if (w > 0)
		ui_spark(c, ui_cols(at, 0, w), UI_BAR,
			(struct ui_values){ .v = shown, .n = n - first, .max = max });
	ui_put(c, ui_cols(at, w > 0 ? w + 1 : 0, at.w), UI_PLAIN,
		ui_value_text(shown[n - first - 1], bytes ? PV_UNIT_BYTES : PV_UNIT_COUNT, text,
			sizeof text));
}

/* The kind of code by its letter, in the colour of such frames in a flame graph. */
static void draw_code(struct ui_canvas *c, struct ui_rect at, const struct pv_cell *cell)
{
	static const struct {
		const char *kind;
		enum ui_style style;
	} rows[] = { { "user", UI_BAR }, { "framework", UI_MINOR }, { "runtime", UI_WAITS },
		{ "native", UI_HEAP } };
	const bool known = cell->state == PV_CELL_VALUE && cell->s && cell->s[0];
	enum ui_style style = UI_DIM;
	for (size_t i = 0; known && i < PV_COUNT_OF(rows); i++)
		style = strcmp(cell->s, rows[i].kind) == 0 ? rows[i].style : style;
	ui_put_code(
		c, at.x, at.y, style, known ? (uint32_t)toupper((unsigned char)cell->s[0]) : '-');
}

static void draw_cell(const struct ui_list *l, struct ui_canvas *c, struct ui_rect at,
	const struct pv_row *row, size_t column)
{
	const struct pv_column *col = &l->table->column[column];
	const struct pv_cell cell = pv_cell_shown(l->table, &row->cell[column]);
	const bool may_lack =
		col->flags & PV_COLUMN_SPARSE || strcmp(col->id, PV_TREND_COLUMN) == 0;
	if (may_lack && cell.state == PV_CELL_NULL)
		return;
	if (col->flags & PV_COLUMN_NUMBERS && cell.state == PV_CELL_VALUE) {
		draw_numbers(c, at, col, &cell);
		return;
	}
	if (col->flags & PV_COLUMN_CODE) {
		draw_code(c, at, &cell);
		return;
	}
	const int tail = ui_column_tail(col);
	if (tail) {
		draw_figure(c, at, tail, col, &cell);
		return;
	}
	char buf[CELL_MAX];
	const char *text = shown_text(col, &cell, buf, sizeof buf);
	char small[CELL_MAX];
	if (pv_view_is(l->view, PV_TRAIT_PAGED) && strcmp(col->id, "time") == 0) {
		if (ui_clock_on()) /* the view's first column */
			text = ui_clock_us(buf, sizeof buf, row->cell[0].i);
		snprintf(small, sizeof small, "%.*s", at.w,
			text); /* fewer digits: no sign of a cut */
		text = small;
	}
	enum ui_style style = cell_style(col, &cell);
	if (!ui_column_is_text(col)) {
		ui_put_right(c, at, style, text);
		return;
	}
	if (col->flags & PV_COLUMN_TREE)
		at = draw_branch(c, at, row, style);
	if (is_name(col))
		text = ui_shorten(text, at.w, small, sizeof small);
	ui_put(c, at, style, text);
	if (l->search[0])
		mark_hits(l, c, at, text);
}

/* The column whose text this row shows instead of `column`. */
static size_t shown_in(const struct ui_list *l, const struct pv_row *row, size_t column)
{
	int instead = l->columns.instead;
	bool here =
		instead >= 0 && (int)column == ui_columns_name(l->table->column, l->table->columns);
	return here && row->cell[instead].state == PV_CELL_VALUE ? (size_t)instead : column;
}

static void draw_row(const struct ui_list *l, struct ui_canvas *c, struct ui_rect r, size_t i)
{
	const struct pv_row *row = &l->table->row[i];
	struct ui_rect in = ui_cols(r, GUTTER, r.w);
	for (size_t k = 0; k < l->columns.n; k++) {
		struct ui_column_place p = l->columns.at[k];
		draw_cell(l, c, ui_cols(in, p.x, p.w), row, shown_in(l, row, p.column));
	}
	if (l->columns.bar_w) {
		const struct pv_cell *cell = &row->cell[l->columns.bar_column];
		if (cell->state == PV_CELL_VALUE)
			ui_bar(c, ui_cols(in, l->columns.bar_x, l->columns.bar_w), UI_BAR,
				cell->d / 100);
	}
	if (row->flags & PV_ROW_HOT)
		ui_restyle(c, r, UI_STRONG);
	if (row->flags & PV_ROW_WARN) {
		ui_restyle(c, r, UI_WARN);
		ui_put_code(c, r.x + 1, r.y, UI_WARN, '!');
	}
	if (l->tagged.n && ui_list_is_tagged(l, row->id)) {
		ui_restyle(c, r, UI_MATCH);
		ui_put_code(c, r.x + 1, r.y, UI_MATCH, '+');
	}
	if (row->flags & PV_ROW_MARKED || (l->marked && row->id == l->marked))
		ui_put_code(c, r.x + 1, r.y, UI_STRONG, row->flags & PV_ROW_MARKED ? '*' : 'B');
}

/* A title as inside a sentence: in small letters. */
static const char *in_small(const char *title, char *buf, size_t size)
{
	size_t n = 0;
	for (; title[n] && n + 1 < size; n++)
		buf[n] = (char)tolower((unsigned char)title[n]);
	buf[n] = 0;
	return buf;
}

const char *ui_list_exact(const struct ui_list *l, char *buf, size_t size)
{
	enum { ROUNDED_FROM = 1000 };
	const struct pv_row *row = ui_list_row(l);
	char digits[PV_UNIT_MAX], title[64];
	size_t n = 0;
	buf[0] = 0;
	for (size_t i = 0; row && i < l->table->columns && n < size; i++) {
		const struct pv_column *column = &l->table->column[i];
		const struct pv_cell *cell = &row->cell[i];
		if (column->unit != PV_UNIT_COUNT || column->flags & PV_COLUMN_SIGNED ||
			cell->state != PV_CELL_VALUE || cell->u < ROUNDED_FROM ||
			!ui_list_shows(l, i))
			continue;
		n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? ", " : "",
			pv_units_exact(digits, sizeof digits, cell->u),
			in_small(column->title, title, sizeof title));
	}
	return buf;
}

static void draw_cursor(struct ui_canvas *c, struct ui_rect r, bool focus)
{
	ui_put_code(c, r.x, r.y, focus ? UI_CURSOR : UI_CURSOR_OFF, focus ? 0x25b6 : 0x25b8);
	if (focus)
		ui_mark(c, r, UI_SELECTED);
}

/* Of more rows than are shown: where the cursor is, without the keys how many stand below. */
static void draw_more(const struct ui_list *l, struct ui_canvas *c, struct ui_rect r, bool focus)
{
	size_t seen = l->top + (size_t)l->page;
	size_t all = l->table->rows + (l->table->rows_all - l->all_rows);
	if (all <= (focus ? (size_t)l->page : seen) || r.w < 20)
		return;
	char text[64];
	if (focus)
		snprintf(text, sizeof text, " row %zu of %zu", l->at + 1, all);
	else
		snprintf(text, sizeof text, " … %zu more", all - seen);
	const int n = pv_showable_cells(text);
	ui_put(c, ui_cols(r, r.w - n, n), UI_HEADER, text);
}

void ui_list_draw(struct ui_list *l, struct ui_canvas *c, struct ui_rect r, bool focus)
{
	l->drawn = r;
	if (r.h < 1 || !l->table)
		return;
	struct ui_columns_wish wish = { ui_max(0, r.w - GUTTER), l->skip, l->silent | l->hidden };
	ui_columns_fit(l->table, wish, &l->columns);
	keep_cursor_in_view(l, r.h - 1);
	draw_header(l, c, ui_rows(r, 0, 1));
	draw_more(l, c, ui_rows(r, 0, 1), focus);
	for (int y = 1; y < r.h && l->top + (size_t)y - 1 < l->table->rows; y++) {
		size_t i = l->top + (size_t)y - 1;
		struct ui_rect at = ui_rows(r, y, 1);
		draw_row(l, c, at, i);
		if (i == l->at)
			draw_cursor(c, at, focus);
	}
	if (l->table->rows == 0 && r.h > 1)
		ui_put(c, ui_cols(ui_rows(r, 1, 1), GUTTER, r.w), UI_DIM,
			l->reading        ? "the range is being read ..."
			: l->filter[0]    ? "nothing matches the filter (Del removes it)"
			: l->none         ? l->none
			: l->table->about ? l->table->about
			: l->finished     ? "nothing"
					  : "nothing yet");
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/showable.h"
#include "common/query/trends.h"
#include "tui/draw/clock_text.h"
#include "tui/draw/chart.h"
#include "tui/draw/list_tags.h"
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
		char title[64];
		snprintf(title, sizeof title, "%s%s", column->title,
			!on                    ? ""
			: l->table->descending ? "▼"
					       : "▲");
		struct ui_rect at = ui_cols(in, p.x, p.w);
		enum ui_style style = on ? UI_HEADER_ON : UI_HEADER;
		if (ui_column_is_text(column))
			ui_put(c, at, style, title);
		else
			ui_put_right(c, at, style, title);
	}
}

/* The frame before `end`, and where it begins. */
static const char *frame_before(const char *frames, const char *end)
{
	while (end > frames && end[-1] != '\n')
		end--;
	return end;
}

/*
 * Innermost first is the order of interest in a stack, and what must stay when it is cut. The
 * runtime's own wrappers there say nothing of the program and share one sign.
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

/* The indent of a tree's row and the sign for what hangs below it. */
static struct ui_rect draw_branch(
	struct ui_canvas *c, struct ui_rect at, const struct pv_row *row, enum ui_style style)
{
	int depth = (int)(row->depth < 1000 ? row->depth : 1000);
	int most = at.w / 4 * 2; /* deep rows share the last indent, so that names stay readable */
	int indent = ui_min(depth * 2, most);
	at = ui_cols(at, indent, at.w);
	const char *sign = row->flags & PV_ROW_OPEN           ? "▼ "
			   : row->flags & PV_ROW_HAS_CHILDREN ? "▶ "
							      : "· ";
	return ui_cols(at, ui_put_cut(c, at, style, sign), at.w);
}

/* Of a difference; 0: it is none. */
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

/* A sign for more, too. */
static const char *figure_text(
	const struct pv_column *col, const struct pv_cell *cell, char *buf, size_t size)
{
	const bool time = col->unit == PV_UNIT_TIME && cell->state == PV_CELL_VALUE;
	const char *text =
		time ? ui_clock_text(buf, size, cell->i) : pv_cell_text(cell, col->unit, buf, size);
	size_t n = strlen(text);
	bool bare = col->flags & PV_COLUMN_SIGNED && sign_of(col, cell) > 0 && text[0] != '+';
	if (!bare || text != buf || n + 2 > size)
		return text;
	memmove(buf + 1, buf, n + 1);
	buf[0] = '+';
	return buf;
}

static const char *text_of(
	const struct pv_column *col, const struct pv_cell *cell, char *buf, size_t size)
{
	if (col->unit != PV_UNIT_LIST || cell->state != PV_CELL_VALUE)
		return figure_text(col, cell, buf, size);
	const char *list = cell->s ? cell->s : "";
	return stack_text(list, buf, size);
}

/* Whole numbers in their order: their course, and the last one with its unit. */
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
			(struct ui_values){ v, n, 100, false });
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
			(struct ui_values){ shown, n - first, max, false });
	ui_put(c, ui_cols(at, w > 0 ? w + 1 : 0, at.w), UI_PLAIN,
		ui_value_text(shown[n - first - 1], bytes ? PV_UNIT_BYTES : PV_UNIT_COUNT, text,
			sizeof text));
}

static void draw_cell(const struct ui_list *l, struct ui_canvas *c, struct ui_rect at,
	const struct pv_row *row, size_t column)
{
	const struct pv_column *col = &l->table->column[column];
	const struct pv_cell cell = pv_cell_shown(l->table, &row->cell[column]);
	if (strcmp(col->id, PV_TREND_COLUMN) == 0 && cell.state == PV_CELL_NULL)
		return;
	if (col->flags & PV_COLUMN_NUMBERS && cell.state == PV_CELL_VALUE) {
		draw_numbers(c, at, col, &cell);
		return;
	}
	char buf[CELL_MAX];
	const char *text = text_of(col, &cell, buf, sizeof buf);
	if (l->view == PV_VIEW_STREAM && ui_clock_on() && strcmp(col->id, "time") == 0)
		text = ui_clock_us(buf, sizeof buf, row->cell[0].i); /* the view's first column */
	enum ui_style style = cell_style(col, &cell);
	if (!ui_column_is_text(col)) {
		ui_put_right(c, at, style, text);
		return;
	}
	if (col->flags & PV_COLUMN_TREE)
		at = draw_branch(c, at, row, style);
	char small[CELL_MAX];
	if (is_name(col))
		text = ui_shorten(text, at.w, small, sizeof small);
	ui_put(c, at, style, text);
	if (l->search[0])
		mark_hits(l, c, at, text);
}

/* The column whose text stands in the place of this one. */
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

static void draw_cursor(struct ui_canvas *c, struct ui_rect r, bool focus)
{
	ui_restyle(c, r, focus ? UI_CURSOR : UI_CURSOR_OFF);
	ui_put_code(c, r.x, r.y, focus ? UI_CURSOR : UI_CURSOR_OFF, focus ? 0x25b6 : 0x25b8);
}

/* Says how many rows stand below the last one shown, in the place of that row. */
static void draw_more(const struct ui_list *l, struct ui_canvas *c, struct ui_rect r)
{
	size_t seen = l->top + (size_t)l->page;
	size_t all = l->table->rows + (l->table->rows_all - l->all_rows);
	if (all <= seen || r.w < 20)
		return;
	char text[48];
	int n = snprintf(text, sizeof text, " … %zu more ", all - seen);
	ui_put(c, ui_cols(r, r.w - n + 1, n), UI_HEADER, text);
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
	draw_more(l, c, ui_rows(r, 0, 1));
	for (int y = 1; y < r.h && l->top + (size_t)y - 1 < l->table->rows; y++) {
		size_t i = l->top + (size_t)y - 1;
		struct ui_rect at = ui_rows(r, y, 1);
		draw_row(l, c, at, i);
		if (i == l->at)
			draw_cursor(c, at, focus);
	}
	if (l->table->rows == 0 && r.h > 1)
		ui_put(c, ui_cols(ui_rows(r, 1, 1), GUTTER, r.w), UI_DIM,
			l->filter[0]  ? "nothing matches the filter (Del removes it)"
			: l->none     ? l->none
			: l->finished ? "nothing"
				      : "nothing yet");
}

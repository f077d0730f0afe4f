/* SPDX-License-Identifier: MIT */
/* Writes a table as aligned text. */
#include "common/base/mem.h"
#include "common/base/text/showable.h"
#include "common/base/text/units.h"
#include "common/report/lists.h"
#include "common/report/report_sections.h"

enum { CELL = 512, INDENT = 2, GAP = 2, COLUMNS = 24 };

const char *pv_report_cell(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size)
{
	struct pv_cell plain = *c;
	plain.scale = PV_SCALE_NONE;
	bool delta = unit == PV_UNIT_DELTA_COUNT || unit == PV_UNIT_DELTA_BYTES;
	if (c->state == PV_CELL_VALUE &&
		(unit == PV_UNIT_COUNT || unit == PV_UNIT_EXACT || unit == PV_UNIT_BYTES))
		return pv_units_exact(buf, size, c->u);
	if (c->state == PV_CELL_VALUE && delta && size > 1) {
		buf[0] = c->i < 0 ? '-' : '+';
		pv_units_exact(buf + 1, size - 1, c->i < 0 ? 0 - (uint64_t)c->i : (uint64_t)c->i);
		return c->i ? buf : buf + 1;
	}
	return pv_cell_text(&plain, unit, buf, size);
}

struct layout {
	int width[COLUMNS];
	bool shown[COLUMNS];
	size_t last; /* the last shown column is not padded */
};

static bool is_text_unit(enum pv_unit unit)
{
	return unit == PV_UNIT_TEXT || unit == PV_UNIT_LIST;
}

static const char *cell_text(const struct pv_table *t, size_t row, size_t column, char buf[CELL])
{
	const struct pv_cell shown = pv_cell_shown(t, &t->row[row].cell[column]);
	return pv_report_cell(&shown, t->column[column].unit, buf, CELL);
}

/* Whether any row has a value in the column; else the column would only take room. */
static bool says_something(const struct pv_table *t, size_t column)
{
	for (size_t i = 0; i < t->rows; i++)
		if (t->row[i].cell[column].state != PV_CELL_NULL)
			return true;
	return t->rows == 0;
}

static void measure(const struct pv_table *t, struct layout *l)
{
	char buf[CELL];
	*l = (struct layout){ 0 };
	for (size_t c = 0; c < t->columns && c < COLUMNS; c++) {
		if (t->column[c].flags & PV_COLUMN_HIDE_SCREEN || !says_something(t, c))
			continue;
		l->shown[c] = true;
		l->last = c;
		l->width[c] = pv_showable_cells(t->column[c].title);
		for (size_t i = 0; i < t->rows; i++) {
			int cells = pv_showable_cells(cell_text(t, i, c, buf));
			if (cells > l->width[c])
				l->width[c] = cells;
		}
	}
}

static void put_spaces(FILE *out, int n)
{
	for (int i = 0; i < n; i++)
		putc(' ', out);
}

static void put_padded_cell(
	FILE *out, const struct layout *l, size_t column, bool left, const char *text)
{
	int pad = l->width[column] - pv_showable_cells(text);
	if (!left)
		put_spaces(out, pad);
	pv_showable_put(out, text);
	if (left && column != l->last)
		put_spaces(out, pad);
	if (column != l->last)
		put_spaces(out, GAP);
}

static void put_titles(FILE *out, const struct pv_table *t, const struct layout *l)
{
	fputs("  ", out);
	for (size_t c = 0; c < t->columns; c++)
		if (l->shown[c])
			put_padded_cell(
				out, l, c, is_text_unit(t->column[c].unit), t->column[c].title);
	putc('\n', out);
}

static void put_text_row(FILE *out, const struct pv_table *t, const struct layout *l, size_t i)
{
	fputs("  ", out);
	for (size_t c = 0; c < t->columns; c++) {
		char buf[CELL];
		if (!l->shown[c])
			continue;
		if (t->column[c].flags & PV_COLUMN_TREE)
			put_spaces(
				out, INDENT * (int)(t->row[i].depth < 100 ? t->row[i].depth : 100));
		put_padded_cell(
			out, l, c, is_text_unit(t->column[c].unit), cell_text(t, i, c, buf));
	}
	putc('\n', out);
}

static void put_lines(FILE *out, const struct pv_table *t)
{
	char digits[PV_UNIT_MAX];
	struct layout l;
	measure(t, &l);
	put_titles(out, t, &l);
	for (size_t i = 0; i < t->rows; i++)
		put_text_row(out, t, &l, i);
	if (t->rows < t->rows_all)
		fprintf(out, "  %s more\n",
			pv_units_exact(digits, sizeof digits, t->rows_all - t->rows));
}

void pv_list_text(FILE *out, const struct pv_table *t)
{
	if (t->rows)
		put_lines(out, t);
	else
		fputs("  none\n", out);
}

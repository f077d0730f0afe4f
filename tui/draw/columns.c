/* SPDX-License-Identifier: MIT */
/* Chooses the columns of a table that fit the screen, with their places and widths. */
#include "tui/draw/columns.h"

#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/status.h"
#include "common/query/groups/code_kind.h"
#include "tui/draw/figure.h"
#include "tui/draw/rect.h"

enum {
	GAP = 2,
	NAME_LEAST = 10,
	NAME_MIN = 12,
	NAME_MOST = 40,
	NAME_GOOD = 28,
	BAR_W = 6,
	CLOCK_W = 13
};

static bool is_words(const struct pv_column *column)
{
	return column->unit == PV_UNIT_TEXT || column->unit == PV_UNIT_LIST;
}

bool ui_column_sorts(const struct pv_column *column)
{
	return !(column->unit == PV_UNIT_LIST && column->flags & PV_COLUMN_NUMBERS);
}

bool ui_column_is_text(const struct pv_column *column)
{
	return column->unit == PV_UNIT_TEXT || column->unit == PV_UNIT_LIST ||
	       column->unit == PV_UNIT_ADDRESS || column->unit == PV_UNIT_THREAD ||
	       column->unit == PV_UNIT_BOOL;
}

/* The text of a string says more than its class. */
static bool is_worth_the_name(const struct pv_column *column)
{
	return strcmp(column->id, "preview") == 0;
}

static bool is_shown(const struct pv_column *column)
{
	return !(column->flags & PV_COLUMN_HIDE_SCREEN);
}

int ui_columns_name(const struct pv_column *column, size_t n)
{
	int grows = -1, text = -1;
	for (size_t i = 0; i < n; i++) {
		if (column[i].flags & PV_COLUMN_TREE)
			return (int)i;
		if (!is_shown(&column[i]) || !is_words(&column[i]) ||
			column[i].flags & PV_COLUMN_REMARK)
			continue;
		if (grows < 0 && (column[i].flags & PV_COLUMN_GROWS))
			grows = (int)i;
		if (text < 0)
			text = (int)i;
	}
	return grows >= 0 ? grows : text;
}

/* Numbers that are no amounts: the first is 0, and none is rounded. */
static bool is_ordinal(const struct pv_column *column)
{
	static const char *const ids[] = { "generation", "number", "version", "index", "born_after",
		"born_before" };
	for (size_t i = 0; i < PV_COUNT_OF(ids); i++)
		if (column->unit == PV_UNIT_COUNT && strcmp(column->id, ids[i]) == 0)
			return true;
	return false;
}

static struct ui_figure_cells cells_of(const struct pv_column *column)
{
	return is_ordinal(column) ? (struct ui_figure_cells){ 0, 0 }
				  : ui_figure_cells(column->unit, column->flags);
}

int ui_column_tail(const struct pv_column *column)
{
	const struct ui_figure_cells f = cells_of(column);
	return f.digits || f.unit ? 1 + f.unit : 0;
}

/* The title and the sign of the sort order must fit. */
static int natural_width(const struct pv_column *column)
{
	const struct ui_figure_cells f = cells_of(column);
	int title = pv_showable_cells(column->title) + 1;
	int least = column->unit == PV_UNIT_TIME ? CLOCK_W : 0; /* times before zero have a sign */
	if (column->flags & PV_COLUMN_CODE)
		return 2; /* a letter, and the sign of the order */
	if (f.digits)
		return ui_max(f.digits + 1 + f.unit, title);
	return ui_max(ui_max(column->width, title), least);
}

/* A column without a unit ends in the cell of the order's sign, blank in all columns but one. */
static int gap_after(const struct pv_column *column)
{
	return ui_column_tail(column) == 1 || column->flags & PV_COLUMN_CODE ? GAP - 1 : GAP;
}

struct fit {
	const struct pv_column *column;
	size_t n;
	int name, name_w; /* least width of the name */
	int sort;         /* column sorted by, dropped last; -1: none */
	int words_most;   /* width of words that are never dropped */
	bool in[UI_COLUMNS_MAX];
};

static bool is_kept_words(const struct fit *f, size_t i)
{
	return f->in[i] && (int)i != f->name && f->column[i].drop == 0 && is_words(&f->column[i]);
}

static int width_of(const struct fit *f, size_t i)
{
	int natural = natural_width(&f->column[i]);
	if ((int)i == f->name)
		return f->name_w;
	return is_kept_words(f, i) ? ui_min(natural, f->words_most) : natural;
}

static int total_width(const struct fit *f)
{
	int sum = 0, gap = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (!f->in[i])
			continue;
		sum += gap + width_of(f, i);
		gap = gap_after(&f->column[i]);
	}
	return sum;
}

/* Drops the column with the highest `drop`, the rightmost among equals; with 0 only if `must`. */
static bool drop_one(struct fit *f, bool must)
{
	int worst = -1;
	for (size_t i = 0; i < f->n; i++)
		if (f->in[i] && (int)i != f->name && (int)i != f->sort &&
			(worst < 0 || f->column[i].drop >= f->column[worst].drop))
			worst = (int)i;
	if (worst < 0 && must && f->sort >= 0 && f->sort != f->name && f->in[f->sort])
		worst = f->sort;
	if (worst < 0 || (!must && f->column[worst].drop == 0))
		return false;
	f->in[worst] = false;
	return true;
}

/* As far as needed: a class cut short says more than none. */
static void shorten_words(struct fit *f, int width)
{
	while (total_width(f) > width && f->words_most > NAME_MIN)
		f->words_most--;
}

/* A few letters less of the name, if that keeps all the columns that are left. */
static void spare_name(struct fit *f, int width)
{
	const int whole = f->name_w;
	if (total_width(f) <= width)
		return;
	f->name_w = ui_min(whole, NAME_LEAST);
	if (total_width(f) > width)
		f->name_w = whole;
}

static void place_columns(const struct fit *f, int width, struct ui_columns *ret)
{
	int spare = width - total_width(f), x = 0;
	ret->bar_w = 0;
	int percent = -1;
	for (size_t i = 0; i < f->n && percent < 0; i++)
		if (f->in[i] && f->column[i].unit == PV_UNIT_PERCENT)
			percent = (int)i;
	if (percent >= 0 && f->name >= 0 &&
		spare + width_of(f, (size_t)f->name) >= NAME_GOOD + GAP + BAR_W) {
		ret->bar_w = BAR_W;
		ret->bar_column = (size_t)percent;
		spare -= BAR_W + 1;
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!f->in[i])
			continue;
		int w = width_of(f, i) + ((int)i == f->name ? spare : 0);
		ret->at[ret->n++] = (struct ui_column_place){ i, x, ui_max(0, ui_min(w, width - x)),
			ui_column_tail(&f->column[i]) };
		x += w + gap_after(&f->column[i]);
		if (ret->bar_w && (int)i == percent) {
			ret->bar_x = x - 1;
			x += BAR_W + 1;
		}
	}
}

/* Whether 0 in every row is nothing to see: not of differences, nor of what must be said. */
static bool counts(const struct pv_column *column)
{
	bool amount = column->unit == PV_UNIT_COUNT || column->unit == PV_UNIT_BYTES ||
		      column->unit == PV_UNIT_NS || column->unit == PV_UNIT_PERCENT;
	return amount && column->drop > 0 && !(column->flags & PV_COLUMN_SIGNED);
}

static bool is_nothing(const struct pv_column *column, const struct pv_cell *c)
{
	if (c->state != PV_CELL_VALUE)
		return c->state == PV_CELL_NULL;
	if (column->unit == PV_UNIT_TEXT)
		return column->drop > 0 && (!c->s || !c->s[0]);
	if (!counts(column))
		return false;
	return column->unit == PV_UNIT_PERCENT ? !(c->d > 0) : c->u == 0;
}

static bool says_something(const struct pv_table *t, size_t column)
{
	bool nulls = (int)column == t->sort; /* zeros are an order, too */
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = &t->row[i].cell[column];
		if (nulls ? c->state != PV_CELL_NULL : !is_nothing(&t->column[column], c))
			return true;
	}
	return t->rows == 0;
}

uint32_t ui_columns_silent(const struct pv_table *t)
{
	uint32_t silent = 0;
	for (size_t i = 0; i < t->columns && i < UI_COLUMNS_MAX; i++)
		if (!says_something(t, i))
			silent |= UINT32_C(1) << i;
	return silent;
}

void ui_columns_fit(const struct pv_table *t, struct ui_columns_wish wish, struct ui_columns *ret)
{
	const struct pv_column *column = t->column;
	size_t n = t->columns, skip = wish.skip;
	int width = wish.width;
	struct fit f = { .column = column,
		.n = n < UI_COLUMNS_MAX ? n : UI_COLUMNS_MAX,
		.sort = t->sort < UI_COLUMNS_MAX ? t->sort : -1,
		.words_most = UINT8_MAX };
	*ret = (struct ui_columns){ .instead = -1 };
	f.name = ui_columns_name(column, f.n);
	for (size_t i = 0; i < f.n; i++) {
		f.in[i] = is_shown(&column[i]) && !(wish.silent >> i & 1);
		if (f.in[i] && (int)i != f.name && skip > 0) {
			f.in[i] = false;
			skip--;
		}
	}
	/* A name of a few letters is of no use: expendable columns make room first. */
	int natural = f.name >= 0 ? natural_width(&column[f.name]) : 0;
	f.name_w = ui_min(natural, ui_max(NAME_MIN, ui_min(width * 2 / 5, NAME_MOST)));
	while (total_width(&f) > width && drop_one(&f, false))
		continue;
	f.name_w = ui_min(f.name_w, NAME_MIN);
	shorten_words(&f, width);
	spare_name(&f, width);
	while (total_width(&f) > width && drop_one(&f, true))
		continue;
	f.words_most = UINT8_MAX;
	shorten_words(&f, width);
	for (size_t i = 0; i < f.n; i++)
		if (!f.in[i] && is_shown(&column[i]) && is_worth_the_name(&column[i]))
			ret->instead = (int)i;
	place_columns(&f, width, ret);
}

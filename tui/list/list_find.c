/* SPDX-License-Identifier: MIT */
/* Search in a list: the next row with the text, in the table at hand or by a question. */
#include <string.h>

#include "tui/list/list.h"

static const struct pv_cell *name_cell(const struct ui_list *l, const struct pv_row *row)
{
	if (!l->table || !row)
		return NULL;
	int name = ui_columns_name(l->table->column, l->table->columns);
	if (name < 0 || row->cell[name].state != PV_CELL_VALUE)
		return NULL;
	enum pv_unit unit = l->table->column[name].unit;
	return unit == PV_UNIT_TEXT || unit == PV_UNIT_LIST ? &row->cell[name] : NULL;
}

const char *ui_list_name(const struct ui_list *l, const struct pv_row *row)
{
	const struct pv_cell *c = name_cell(l, row);
	return c ? c->s : NULL;
}

const char *ui_list_shown_name(const struct ui_list *l, const struct pv_row *row)
{
	const struct pv_cell *c = name_cell(l, row);
	return c ? pv_cell_shown(l->table, c).s : NULL;
}

/* Whether no row is missing from the table at hand. */
static bool complete(const struct ui_list *l)
{
	return !l->tree && (l->limit == 0 || l->table->rows_all <= l->all_rows);
}

static bool find_here(struct ui_list *l, const struct ui_aim *aim)
{
	size_t hit;
	if (!ui_aim_next(l->table, aim, l->at, &hit))
		return false;
	/* A nearer hit may lie beyond the rows at hand. */
	if (!complete(l) && (aim->dir < 0 || hit < l->at))
		return false;
	l->follow = false;
	ui_list_move_to(l, hit);
	return true;
}

void ui_list_find(struct ui_list *l, const struct ui_shared *s, int dir)
{
	struct ui_aim aim = { .text = l->search, .dir = dir };
	l->look = UI_LOOK_MISSED;
	l->look_tell |= dir != 0; /* while one types the prompt tells */
	if (!l->search[0])
		return;
	if (l->stale)
		ui_list_refresh(l, s);
	const bool rows_of_before = ui_list_asking(l);
	if (l->table && l->table->rows == 0 && !rows_of_before)
		return;
	if (l->table && !l->tree && !rows_of_before && find_here(l, &aim)) {
		l->look = UI_LOOK_FOUND;
	} else if (!l->table || rows_of_before || !complete(l)) {
		l->look = UI_LOOK_ASKED;
		l->look_dir = dir;
		l->stale = true;
		ui_list_refresh(l, s);
	}
}

bool ui_list_find_wanted(struct ui_list *l)
{
	struct ui_aim aim = { .text = l->want, .exact = true };
	const char *here = ui_list_name(l, ui_list_row(l));
	if (here && strcmp(here, l->want) == 0)
		return true;
	return l->table && !l->tree && (find_here(l, &aim) || complete(l));
}

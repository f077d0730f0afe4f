/* SPDX-License-Identifier: MIT */
/* Folds and unfolds rows of a tree. */
#include <string.h>

#include "tui/list/list.h"

static void set_open(struct ui_list *l, uint64_t id, bool open)
{
	size_t at = ui_ids_place(l->open.v, l->open.n, id);
	bool is = at < l->open.n && l->open.v[at] == id;
	if (is == open)
		return;
	if (open) {
		if (!pv_reserve(&l->open, 1))
			return;
		memmove(&l->open.v[at + 1], &l->open.v[at], (l->open.n - at) * sizeof *l->open.v);
		l->open.v[at] = id;
		l->open.n++;
	} else {
		l->open.n--;
		memmove(&l->open.v[at], &l->open.v[at + 1], (l->open.n - at) * sizeof *l->open.v);
	}
	l->stale = true;
}

static bool any_children(const struct ui_list *l)
{
	for (size_t i = 0; l->table && i < l->table->rows; i++)
		if (l->table->row[i].flags & PV_ROW_HAS_CHILDREN)
			return true;
	return false;
}

static void fold_all(struct ui_list *l)
{
	if (l->open.n == 0 && !any_children(l))
		return;
	l->unfold_next = l->open.n > 0 ? UI_UNFOLD_NOTHING : UI_UNFOLD_ALL;
	l->open.n = 0;
	l->stale = true;
}

static void to_parent(struct ui_list *l)
{
	const struct pv_row *row = ui_list_row(l);
	for (size_t i = l->at; row && i-- > 0;) {
		if (l->table->row[i].depth < row->depth) {
			ui_list_move_to(l, i);
			return;
		}
	}
}

/* Folding removes the rows below at once; unfolded rows come with the next answer. */
static void show_open(struct ui_list *l, bool open)
{
	struct pv_table *t = l->table;
	struct pv_row *row = &t->row[l->at];
	size_t below = l->at + 1;
	if (open) {
		row->flags |= PV_ROW_OPEN;
		return;
	}
	row->flags &= ~(uint32_t)PV_ROW_OPEN;
	while (below < t->rows && t->row[below].depth > row->depth)
		below++;
	memmove(row + 1, &t->row[below], (t->rows - below) * sizeof *row);
	t->rows -= below - l->at - 1;
	t->rows_all -= below - l->at - 1;
	l->all_rows = t->rows;
}

static void set_row_open(struct ui_list *l, bool open)
{
	const struct pv_row *row = ui_list_row(l);
	if (!row || (open && !(row->flags & PV_ROW_HAS_CHILDREN)))
		return;
	l->pinned = true;
	set_open(l, row->id, open);
	if (l->stale)
		show_open(l, open);
}

unsigned ui_list_tree_command(struct ui_list *l, enum ui_command cmd)
{
	const struct pv_row *row = ui_list_row(l);
	bool open = row && row->flags & PV_ROW_OPEN;
	switch (cmd) {
	case UI_CMD_UNFOLD:
		set_row_open(l, true);
		return UI_HANDLED;
	case UI_CMD_FOLD:
		l->folded = true;
		set_row_open(l, false);
		return UI_HANDLED;
	case UI_CMD_FOLD_ALL:
		l->folded = l->open.n > 0;
		fold_all(l);
		return UI_HANDLED;
	case UI_CMD_HOT_PATH:
		if (!row || !(row->flags & PV_ROW_HAS_CHILDREN))
			return UI_HANDLED;
		l->unfold_next = UI_UNFOLD_PATH;
		l->stale = true;
		return UI_HANDLED;
	case UI_CMD_RIGHT:
		if (open)
			ui_list_move_to(l, l->at + 1);
		else
			set_row_open(l, true);
		return UI_HANDLED;
	case UI_CMD_LEFT:
		l->folded = l->folded || open;
		if (open)
			set_row_open(l, false);
		else
			to_parent(l);
		return UI_HANDLED;
	case UI_CMD_ENTER:
		return UI_HANDLED | (row ? UI_DRILL : 0);
	default:
		return UI_IGNORED;
	}
}

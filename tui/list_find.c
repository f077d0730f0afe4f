#include <string.h>
#include <strings.h>

#include "tui/list.h"

int ui_find_text(const char *text, const char *part)
{
	size_t len = strlen(part);
	if (len == 0)
		return -1;
	for (const char *at = text; *at; at++)
		if (strncasecmp(at, part, len) == 0)
			return (int)(at - text);
	return -1;
}

struct aim {
	const char *text;
	bool exact;
	int dir;
};

static bool hits(const struct pv_cell *cell, const struct aim *aim)
{
	if (cell->state != PV_CELL_VALUE || !cell->s)
		return false;
	return aim->exact ? strcmp(cell->s, aim->text) == 0 : ui_find_text(cell->s, aim->text) >= 0;
}

/* Rows of a table in the order the eye meets them, from `from` on in one direction, once round. */
static bool next_hit(const struct pv_table *t, const struct aim *aim, size_t from, size_t *ret)
{
	int name = ui_columns_name(t->column, t->columns);
	if (name < 0 || t->rows == 0 ||
		(t->column[name].unit != PV_UNIT_TEXT && t->column[name].unit != PV_UNIT_LIST))
		return false;
	for (size_t step = aim->dir == 0 ? 0 : 1; step <= t->rows; step++) {
		size_t at = aim->dir < 0 ? (from + t->rows - step % t->rows) % t->rows
					 : (from + step) % t->rows;
		if (hits(&t->row[at].cell[name], aim)) {
			*ret = at;
			return true;
		}
	}
	return false;
}

static size_t row_of(const struct pv_table *t, uint64_t id)
{
	for (size_t i = 0; i < t->rows; i++)
		if (t->row[i].id == id)
			return i;
	return 0;
}

static void unfold_above(struct ui_list *l, const struct pv_table *whole, size_t at)
{
	uint32_t depth = whole->row[at].depth;
	while (at-- > 0 && depth > 0) {
		if (whole->row[at].depth >= depth)
			continue;
		depth = whole->row[at].depth;
		ui_list_set_open(l, whole->row[at].id, true);
	}
}

static bool find_in_tree(struct ui_list *l, const struct ui_shared *s, const struct aim *aim)
{
	struct pv_table *whole = ui_list_whole(l, s);
	size_t hit;
	bool found = whole && next_hit(whole, aim, row_of(whole, l->selected), &hit);
	if (found) {
		unfold_above(l, whole, hit);
		l->selected = whole->row[hit].id;
		l->pinned = true;
		l->follow = false;
		l->stale = true;
	}
	pv_table_destroy(whole);
	if (found)
		ui_list_refresh(l, s);
	return found;
}

static bool find(struct ui_list *l, const struct ui_shared *s, const struct aim *aim)
{
	if (!l->table || l->table->rows == 0)
		return false;
	if (l->tree)
		return find_in_tree(l, s, aim);
	if (l->table->rows < l->table->rows_all && l->limit) {
		l->limit = 0;
		l->stale = true;
		ui_list_refresh(l, s);
	}
	size_t hit;
	if (!next_hit(l->table, aim, l->at, &hit))
		return false;
	l->follow = false;
	ui_list_move_to(l, hit);
	return true;
}

bool ui_list_find(struct ui_list *l, const struct ui_shared *s, int dir)
{
	struct aim aim = { .text = l->search, .dir = dir };
	return l->search[0] && find(l, s, &aim);
}

bool ui_list_find_name(struct ui_list *l, const struct ui_shared *s, const char *name)
{
	struct aim aim = { .text = name, .exact = true };
	return find(l, s, &aim);
}

#include <string.h>

#include "tui/list.h"

enum { UNFOLD_MAX = 10000, FIRST_DEPTH = 12, HOT_DEPTH = 100 };

/* Index of the first open id that is not below `id`. */
static size_t place_of(const struct ui_list *l, uint64_t id)
{
	size_t low = 0, high = l->open.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (l->open.v[mid] < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool ui_list_is_open(const struct ui_list *l, uint64_t id)
{
	size_t at = place_of(l, id);
	return at < l->open.n && l->open.v[at] == id;
}

void ui_list_set_open(struct ui_list *l, uint64_t id, bool open)
{
	size_t at = place_of(l, id);
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

struct pv_table *ui_list_whole(const struct ui_list *l, const struct ui_shared *s)
{
	struct pv_query q = { .sort = l->sort,
		.invert = l->invert,
		.filter = l->filter,
		.window_ns = s->window_ns,
		.select = l->select,
		.base = l->base,
		.open_all = true,
		.hide_internal = true };
	return s->model ? pv_view_table(s->model, l->view, &q) : NULL;
}

/* The heaviest child of an open row, 0 when there is none: in the list's order it is the first. */
static uint64_t first_child(const struct pv_table *t, uint64_t id)
{
	for (size_t i = 0; t && i + 1 < t->rows; i++)
		if (t->row[i].id == id)
			return t->row[i + 1].depth > t->row[i].depth ? t->row[i + 1].id : 0;
	return 0;
}

/*
 * Level by level, so that of a tree of a million rows only those on the path and beside it are
 * asked for.
 */
static void unfold_hot(struct ui_list *l, const struct ui_shared *s, uint64_t id, int levels)
{
	for (int i = 0; i < levels && id; i++) {
		ui_list_set_open(l, id, true);
		struct pv_query q = { .sort = l->sort, .invert = l->invert, .filter = l->filter,
			.window_ns = s->window_ns, .select = l->select, .base = l->base,
			.open = l->open.v, .opens = l->open.n, .hide_internal = true };
		struct pv_table *t = s->model ? pv_view_table(s->model, l->view, &q) : NULL;
		id = first_child(t, id);
		pv_table_destroy(t);
	}
}

void ui_list_first_unfold(struct ui_list *l, const struct ui_shared *s)
{
	l->unfolded = true;
	if (l->unfold == UI_UNFOLD_ROOTS) {
		for (size_t i = 0; i < l->table->rows; i++)
			if (l->table->row[i].depth == 0)
				ui_list_set_open(l, l->table->row[i].id, true);
	} else if (l->unfold == UI_UNFOLD_HOT) {
		unfold_hot(l, s, l->table->row[0].id, FIRST_DEPTH);
	}
}

static void fold_all(struct ui_list *l, const struct ui_shared *s)
{
	l->stale = true;
	if (l->open.n > 0) {
		l->open.n = 0;
		return;
	}
	struct pv_table *whole = ui_list_whole(l, s);
	for (size_t i = 0; whole && i < whole->rows && l->open.n < UNFOLD_MAX; i++)
		if (whole->row[i].flags & PV_ROW_HAS_CHILDREN)
			ui_list_set_open(l, whole->row[i].id, true);
	pv_table_destroy(whole);
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

static void set_row_open(struct ui_list *l, bool open)
{
	const struct pv_row *row = ui_list_row(l);
	if (!row || (open && !(row->flags & PV_ROW_HAS_CHILDREN)))
		return;
	l->pinned = true;
	ui_list_set_open(l, row->id, open);
}

unsigned ui_list_tree_command(struct ui_list *l, const struct ui_shared *s, enum ui_command cmd)
{
	const struct pv_row *row = ui_list_row(l);
	bool open = row && row->flags & PV_ROW_OPEN;
	switch (cmd) {
	case UI_CMD_UNFOLD:
		set_row_open(l, true);
		return UI_HANDLED;
	case UI_CMD_FOLD:
		set_row_open(l, false);
		return UI_HANDLED;
	case UI_CMD_FOLD_ALL:
		fold_all(l, s);
		return UI_HANDLED;
	case UI_CMD_HOT_PATH:
		unfold_hot(l, s, l->selected, HOT_DEPTH);
		return UI_HANDLED;
	case UI_CMD_RIGHT:
		if (open)
			ui_list_move_to(l, l->at + 1);
		else
			set_row_open(l, true);
		return UI_HANDLED;
	case UI_CMD_LEFT:
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

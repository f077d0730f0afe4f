#include <string.h>

#include "tui/draw/list.h"

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
	/* Beyond the rows at hand there may be one that is nearer. */
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
	if (!l->search[0] || (l->table && l->table->rows == 0))
		return;
	if (l->table && !l->tree && find_here(l, &aim)) {
		l->look = UI_LOOK_FOUND;
	} else if (!l->table || !complete(l)) {
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

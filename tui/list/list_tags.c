/* SPDX-License-Identifier: MIT */
/* Tags on the rows of a list, and the sums of tagged rows. */
#include "tui/list/list_tags.h"

#include <stdio.h>
#include <string.h>

enum { TAGS_MAX = 10000 };

bool ui_list_is_tagged(const struct ui_list *l, uint64_t id)
{
	size_t at = ui_ids_place(l->tagged.v, l->tagged.n, id);
	return at < l->tagged.n && l->tagged.v[at] == id;
}

void ui_list_untag(struct ui_list *l)
{
	l->stale = l->stale || l->only_tagged;
	l->only_tagged = false;
	l->tagged.n = 0;
}

void ui_list_tag(struct ui_list *l, uint64_t id)
{
	size_t at = ui_ids_place(l->tagged.v, l->tagged.n, id);
	uint64_t *v = l->tagged.v;
	if (at < l->tagged.n && v[at] == id) {
		memmove(v + at, v + at + 1, (l->tagged.n - at - 1) * sizeof *v);
		l->tagged.n--;
	} else if (l->tagged.n < TAGS_MAX && pv_reserve(&l->tagged, 1)) {
		v = l->tagged.v;
		memmove(v + at + 1, v + at, (l->tagged.n - at) * sizeof *v);
		v[at] = id;
		l->tagged.n++;
	}
	if (l->tagged.n == 0)
		ui_list_untag(l);
	else
		l->stale = l->stale || l->only_tagged;
}

void ui_list_only_tagged(struct ui_list *l)
{
	if (l->tagged.n == 0)
		return;
	l->only_tagged = !l->only_tagged;
	l->stale = true;
}

/* --- sums --- */

static bool is_signed(enum pv_unit unit)
{
	return unit == PV_UNIT_NS || unit == PV_UNIT_DELTA_BYTES || unit == PV_UNIT_DELTA_COUNT;
}

/* False when no tagged row at hand says anything. */
static bool sum(const struct ui_list *l, size_t column, struct pv_cell *ret)
{
	enum pv_unit unit = l->table->column[column].unit;
	bool any = false;
	*ret = (struct pv_cell){ .state = PV_CELL_VALUE };
	for (size_t i = 0; i < l->table->rows; i++) {
		const struct pv_row *row = &l->table->row[i];
		const struct pv_cell *c = &row->cell[column];
		if (c->state != PV_CELL_VALUE || !ui_list_is_tagged(l, row->id))
			continue;
		any = true;
		if (unit == PV_UNIT_PERCENT)
			ret->d += c->d;
		else if (is_signed(unit))
			ret->i += c->i;
		else
			ret->u += c->u;
	}
	return any;
}

const char *ui_list_tags_text(const struct ui_list *l, char *buf, size_t size)
{
	size_t n = l->tagged.n, here = 0, used;
	buf[0] = 0;
	if (n == 0 || !l->table)
		return buf;
	for (size_t i = 0; i < l->table->rows; i++)
		here += ui_list_is_tagged(l, l->table->row[i].id);
	used = (size_t)snprintf(buf, size, "%zu tagged", n);
	if (here < n && used < size)
		used += (size_t)snprintf(buf + used, size - used, ", %zu of them here", here);
	const char *between = ": ";
	for (size_t c = 0; c < l->table->columns && used < size; c++) {
		const struct pv_column *column = &l->table->column[c];
		struct pv_cell all;
		char text[64];
		if (!(column->flags & PV_COLUMN_ADDS) || !ui_list_shows(l, c) || !sum(l, c, &all))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s %s", between, column->title,
			pv_cell_text(&all, column->unit, text, sizeof text));
		between = ", ";
	}
	return buf;
}

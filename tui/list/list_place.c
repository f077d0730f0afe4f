/* SPDX-License-Identifier: MIT */
/* Keeps and restores the user's place in a list. */
#include "tui/list/list_place.h"

#include <string.h>

void ui_list_keep(const struct ui_list *l, struct ui_list_place *ret)
{
	*ret = (struct ui_list_place){ .selected = l->selected,
		.at = l->at,
		.top = l->top,
		.skip = l->skip,
		.sort = l->sort,
		.pinned = l->pinned,
		.invert = l->invert,
		.chosen = l->chosen };
	memcpy(ret->filter, l->filter, sizeof ret->filter);
}

void ui_list_return(struct ui_list *l, const struct ui_list_place *to)
{
	if (strcmp(l->filter, to->filter) != 0)
		ui_list_set_filter(l, to->filter);
	l->sort = to->sort;
	l->invert = to->invert;
	l->chosen = to->chosen;
	l->selected = to->selected;
	l->pinned = to->pinned;
	l->at = to->at;
	l->top = to->top;
	l->skip = to->skip;
	l->stale = true;
}

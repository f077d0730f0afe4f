/* SPDX-License-Identifier: MIT */
/* Cursor, scroll, order and filter of a list, for the way back. The screen's thread. */
#ifndef UI_LIST_PLACE_H
#define UI_LIST_PLACE_H

#include "tui/list/list.h"

struct ui_list_place {
	uint64_t selected;
	size_t at, top, skip;
	const char *sort; /* a column's id, a constant */
	bool pinned, invert, chosen;
	char filter[UI_TEXT_MAX];
};
/* Copies, owning nothing. */
void ui_list_keep(const struct ui_list *l, struct ui_list_place *ret);
/* The list asks again. */
void ui_list_return(struct ui_list *l, const struct ui_list_place *to);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Rows of a list that the user has tagged, by id: tags survive sorting, filtering and growth. All
 * calls on the screen's thread.
 */
#ifndef UI_LIST_TAGS_H
#define UI_LIST_TAGS_H

#include "tui/list/list.h"

/* Whether the row of this id is tagged. */
bool ui_list_is_tagged(const struct ui_list *l, uint64_t id);
/* Tags the row of this id, or removes the tag. Out of memory: nothing changes. */
void ui_list_tag(struct ui_list *l, uint64_t id);
/* No row is tagged, and all rows are shown again. */
void ui_list_untag(struct ui_list *l);
/* Only tagged rows are shown, or all again; nothing changes while none is. */
void ui_list_only_tagged(struct ui_list *l);

/*
 * The number of tagged rows and the sums of additive figures: "3 tagged: SELF 1.20 s, CALLS 812",
 * cut to fit `buf`; "" without tags. Returns `buf`, the caller's, never NULL.
 */
const char *ui_list_tags_text(const struct ui_list *l, char *buf, size_t size);

#endif

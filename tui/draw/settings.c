/* SPDX-License-Identifier: MIT */
/* The user's settings for columns by view: parsing, and which columns to hide. */
#include "tui/draw/settings.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "tui/draw/columns.h"

enum pv_view ui_settings_view(const char *name)
{
	enum pv_view v = 0;
	while (v < PV_VIEW_COUNT && strcmp(pv_view_name(v), name) != 0)
		v++;
	return v;
}

/* The next word of a list; false: there is none. */
static bool next_word(const char **at, size_t *len)
{
	*at += strspn(*at, " \t,");
	*len = strcspn(*at, " \t,");
	return *len > 0;
}

static bool list_has_word(const char *list, const char *id)
{
	size_t len;
	for (; next_word(&list, &len); list += len)
		if (strlen(id) == len && memcmp(list, id, len) == 0)
			return true;
	return false;
}

static struct ui_column_set *set_of(struct ui_settings *s, enum pv_view view)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->set[i].view == view)
			return &s->set[i];
	if (s->n == UI_COLUMN_SETS)
		return NULL;
	s->set[s->n] = (struct ui_column_set){ .view = view };
	return &s->set[s->n++];
}

/* Whether the view can show a column of this id. */
static bool is_known(enum pv_view view, const char *word, size_t len)
{
	size_t n;
	const struct pv_column *column = pv_view_columns(view, &n);
	for (size_t i = 0; i < n; i++)
		if (!(column[i].flags & PV_COLUMN_HIDE_SCREEN) && strlen(column[i].id) == len &&
			memcmp(column[i].id, word, len) == 0)
			return true;
	return false;
}

bool ui_settings_columns(
	struct ui_settings *s, enum pv_view view, const char *words, char *why, size_t size)
{
	struct ui_column_set next = { .view = view };
	size_t used = 0, len;
	for (const char *at = words; next_word(&at, &len); at += len) {
		if (used == 0 && len == 3 && memcmp(at, "all", 3) == 0)
			break;
		if (!is_known(view, at, len)) {
			snprintf(why, size, "%s has no column %s", pv_view_name(view),
				PV_FIT_LEN(at, len, 40));
			return false;
		}
		if (used + len + 2 > sizeof next.ids) {
			snprintf(why, size, "too many columns");
			return false;
		}
		used += (size_t)snprintf(next.ids + used, sizeof next.ids - used, "%s%.*s",
			used ? " " : "", (int)len, at);
	}
	struct ui_column_set *set = set_of(s, view);
	if (!set) {
		snprintf(why, size, "columns of %d views are set, and that is all", UI_COLUMN_SETS);
		return false;
	}
	*set = next;
	return true;
}

uint32_t ui_settings_hidden(
	const struct ui_settings *s, enum pv_view view, const struct pv_column *column, size_t n)
{
	const char *ids = NULL;
	uint32_t hidden = 0;
	int name = ui_columns_name(column, n);
	for (size_t i = 0; s && i < s->n; i++)
		if (s->set[i].view == view && s->set[i].ids[0])
			ids = s->set[i].ids;
	for (size_t i = 0; ids && i < n && i < UI_COLUMNS_MAX; i++)
		if ((int)i != name && !list_has_word(ids, column[i].id))
			hidden |= UINT32_C(1) << i;
	return hidden;
}

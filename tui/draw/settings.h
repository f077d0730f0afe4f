/* SPDX-License-Identifier: MIT */
/*
 * Settings of the user for the screen, from profview.conf or since: units, characters, and columns by
 * view. The screen's thread; valid when zeroed.
 */
#ifndef UI_SETTINGS_H
#define UI_SETTINGS_H

#include "common/base/text/units.h"
#include "common/query/source_text.h"
#include "common/query/views.h"
#include "tui/draw/canvas.h"

enum { UI_COLUMN_SETS = 64, UI_COLUMN_SET = 400 };

struct ui_column_set {
	enum pv_view view;
	char ids[UI_COLUMN_SET]; /* of the columns to show, blanks between; "": all, as before */
};

struct ui_settings {
	enum pv_byte_units units;
	bool units_chosen; /* since the start, or by the file */
	enum ui_glyphs glyphs;
	bool glyphs_chosen; /* likewise */
	struct ui_column_set set[UI_COLUMN_SETS];
	size_t n;
	struct pv_source_maps maps; /* of --source first, then of the file */
	size_t maps_given;          /* how many of these are of --source */
	bool save;                  /* to be saved: cleared by the writer of the file */
};

/* The view of this name; PV_VIEW_COUNT: none. */
enum pv_view ui_settings_view(const char *name);
/*
 * Shows only the columns of `words`, ids with blanks or commas between; "" or "all": all of them.
 * The name of the rows always stays. False: nothing has changed, `why` says the reason.
 */
bool ui_settings_columns(
	struct ui_settings *s, enum pv_view view, const char *words, char *why, size_t size);
/* Bits of the columns, among these, not to be shown; `s` may be NULL. */
uint32_t ui_settings_hidden(
	const struct ui_settings *s, enum pv_view view, const struct pv_column *column, size_t n);

#endif

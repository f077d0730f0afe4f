/* SPDX-License-Identifier: MIT */
/* Writes the rows of a list, or a frame, into a file. */
#include "tui/screen/export_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/base/system/new_file.h"
#include "common/report/json_row.h"
#include "common/report/lists.h"
#include "tui/list/list_query.h"
#include "tui/screen/screen.h"

static const struct {
	const char *ending;
	enum pv_report_format format;
} endings[] = {
	{ ".csv", PV_REPORT_CSV },
	{ ".json", PV_REPORT_JSON },
	{ ".md", PV_REPORT_MARKDOWN },
	{ ".txt", PV_REPORT_TEXT },
};

static bool format_of(const char *path, enum pv_report_format *ret)
{
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < PV_COUNT_OF(endings); i++) {
		if (strcmp(dot, endings[i].ending) != 0)
			continue;
		*ret = endings[i].format;
		return true;
	}
	return false;
}

/* Keys of the columns with figures, as many as a row has room for. */
static void keys_of(const struct pv_table *t, const char *key[PV_MAX_KEYS + 1])
{
	uint32_t silent = ui_columns_silent(t);
	size_t n = 0;
	for (size_t i = 0; i < t->columns && n < PV_MAX_KEYS; i++)
		if (i >= UI_COLUMNS_MAX || !(silent >> i & 1))
			key[n++] = t->column[i].id;
	key[n] = NULL;
}

static bool put_table(FILE *out, const struct pv_table *t, enum pv_report_format format)
{
	const char *key[PV_MAX_KEYS + 1];
	keys_of(t, key);
	switch (format) {
	case PV_REPORT_TEXT:
		pv_list_text(out, t);
		return true;
	case PV_REPORT_JSON: {
		bool ok = pv_list_json(out, t, key);
		putc('\n', out);
		return ok;
	}
	default:
		return pv_list_csv(out, t, key, format == PV_REPORT_MARKDOWN);
	}
}

static void export_table(struct ui_screen *s, const struct pv_table *t, const char *path,
	enum pv_report_format format)
{
	struct pv_new_file f;
	struct pv_error err = { 0 };
	bool begun = pv_new_file_begin(&f, path, &err);
	bool ok = begun && put_table(f.out, t, format);
	if (begun && !ok)
		pv_fail(&err, PV_ENOMEM, 0, "out of memory");
	if (begun && pv_new_file_finish(&f, ok, &err))
		ui_screen_say(s, false, "%zu row%s written to %s", t->rows, t->rows == 1 ? "" : "s",
			path);
	else
		ui_screen_say(s, true, "%s: %s", path, PV_FIT(err.what, 120));
}

void ui_export(struct ui_screen *s, const char *path)
{
	enum pv_report_format format;
	char whole[UI_PROMPT_MAX];
	if (path[0] == '~' && path[1] == '/' && getenv("HOME")) { /* as in a shell */
		int n = snprintf(whole, sizeof whole, "%s%s", getenv("HOME"), path + 1);
		path = whole;
		if (n < 0 || (size_t)n >= sizeof whole) {
			ui_screen_say(s, true, "the file's name is too long");
			return;
		}
	}
	const char *dot = strrchr(path, '.');
	const struct ui_list *l = ui_screen_list(s);
	if (dot && strcmp(dot, ".frame") == 0) {
		snprintf(s->frame_to, sizeof s->frame_to, "%s", path);
		return;
	}
	if (!format_of(path, &format)) {
		ui_screen_say(
			s, true, "the ending says the format: .csv, .json, .md, .txt, or .frame");
		return;
	}
	if (!l || s->pane[s->current].flame || s->pane[s->current].timeline) {
		ui_screen_say(s, true, "there is no list of rows here; FILE.frame takes the frame");
		return;
	}
	struct pv_table *t = ui_list_whole(l, &s->shared);
	if (t)
		export_table(s, t, path, format);
	else
		ui_screen_say(s, true, "there are no rows yet");
	pv_table_destroy(t);
}

void ui_export_frame(struct ui_screen *s)
{
	struct pv_new_file f;
	struct pv_error err = { 0 };
	char path[UI_PROMPT_MAX];
	char *text = ui_canvas_text(&s->canvas);
	memcpy(path, s->frame_to, sizeof path);
	s->frame_to[0] = 0;
	if (!text) {
		ui_screen_say(s, true, "out of memory");
		return;
	}
	bool begun = pv_new_file_begin(&f, path, &err);
	if (begun)
		fwrite(text, 1, strlen(text), f.out);
	free(text);
	if (begun && pv_new_file_finish(&f, true, &err))
		ui_screen_say(s, false, "the frame is written to %s", path);
	else
		ui_screen_say(s, true, "%s: %s", path, PV_FIT(err.what, 120));
}

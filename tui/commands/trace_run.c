/* SPDX-License-Identifier: MIT */
/* `profview convert --to chrome`: reads a log again for its events in time, writes a timeline. */
#include "tui/commands/trace_run.h"

#include <stdlib.h>
#include <string.h>

#include "common/export/chrome.h"
#include "common/export/export_threads.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/app/export_format.h"
#include "tui/app/feed_of.h"
#include "tui/feed/feed_again.h"
#include "tui/app/options.h"
#include "tui/app/progress_line.h"

bool ui_trace_wanted(const struct ui_options *o)
{
	const struct pv_export_format *f = ui_export_format(o);
	return f && f->timed;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* For --thread the ids in the restricted model; NULL: all threads, or out of memory. */
static uint64_t *ids_of(struct pv_model *m, size_t *ret_n)
{
	struct pv_export_threads t;
	uint64_t *id = NULL;
	*ret_n = 0;
	if (pv_export_threads(m, &t) && (id = calloc(t.thread.n + 1, sizeof *id))) {
		for (size_t i = 0; i < t.thread.n; i++)
			id[(*ret_n)++] = t.thread.v[i].id;
		qsort(id, *ret_n, sizeof *id, ascending);
	}
	pv_export_threads_clear(&t);
	return id;
}

static bool write_out(const struct ui_options *o, const struct pv_chrome *c, struct pv_error *err)
{
	char text[200];
	bool ok = strcmp(o->output, "-") == 0 ? pv_chrome_write(c, stdout, err)
					      : pv_chrome_file(c, o->output, err);
	if (!ok)
		return false;
	pv_chrome_lacks(c, text, sizeof text);
	ui_complain(o->path, "not in the chrome output: %s", text);
	return true;
}

static bool trace(const struct ui_options *o, struct ui_feed *f, struct pv_error *err)
{
	struct pv_model *m = ui_feed_adopt(f);
	struct pv_export_about about = { .title = NULL };
	struct pv_timed_list timed = { .all = 0 };
	struct ui_timed_wish wish = { .from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.filter = o->report.filter && *o->report.filter ? o->report.filter : NULL,
		.raw_names = o->report.raw_names };
	uint64_t *ids = NULL;
	if (o->ranged) {
		wish.from_ns = o->from_ns;
		wish.to_ns = o->to_ns;
	}
	if (o->ranged && !ui_feed_range(f, o->relative, &wish.from_ns, &wish.to_ns, err))
		return false;
	bool ok = pv_export_about(m, o->path, &about);
	if (ok && o->thread)
		ok = (ids = ids_of(m, &wish.threads)) != NULL;
	wish.thread = ids;
	if (!ok)
		pv_fail(err, PV_ENOMEM, 0, "out of memory");
	ok = ok && ui_feed_read_timed(f, &wish, &timed, err) &&
	     write_out(o, &(struct pv_chrome){ &timed, m, &about }, err);
	free(ids);
	pv_timed_clear(&timed);
	pv_export_about_clear(&about);
	return ok;
}

int ui_trace_run(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	struct ui_feed_status s;
	ui_progress_begin();
	struct ui_feed *f = ui_feed_whole(o, o->path, o->thread, &err);
	if (ui_progress_stopped())
		return ui_exit_stopped(ui_output_name(o));
	if (!f)
		return ui_exit_complain(o->path, &err);
	ui_feed_status(f, &s);
	int code = ui_exit_status(o, f, s.exit_code);
	if (s.exit_code != EXIT_INPUT && !trace(o, f, &err))
		code = ui_exit_complain(err.code == PV_EOUTPUT ? ui_output_name(o) : o->path, &err);
	ui_feed_close(f);
	return strcmp(o->output, "-") == 0 ? ui_exit_output(code) : code;
}

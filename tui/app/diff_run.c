#include "tui/app/diff_run.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/compare/diff.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/app/feed.h"
#include "tui/app/folder.h"
#include "tui/app/options.h"

struct work {
	const struct ui_options *o;
	struct pv_diff *diff;
	int code;
};

static bool add_log(struct work *w, enum pv_diff_side side, const char *path)
{
	const struct ui_options *o = w->o;
	bool own = side == PV_DIFF_BASE && o->base_ranged;
	struct pv_error err = { 0 };
	const struct ui_feed_options fo = { .path = path,
		.spool_limit = o->spool_limit,
		.jobs = o->jobs,
		.patient = true,
		.ranged = own || o->ranged,
		.from_end = own ? o->base_from_end : o->from_end,
		.from_ns = own ? o->base_from_ns : o->from_ns,
		.to_ns = own ? o->base_to_ns : o->to_ns,
		.thread = o->thread,
		.waits = ui_exit_waits };
	struct ui_options named = *o;
	struct ui_feed_status s;
	struct ui_feed *f = ui_feed_open(&fo, &err);
	named.path = path;
	if (!f) {
		w->code = ui_exit_complain(path, &err);
		return false;
	}
	ui_feed_load(f, NULL);
	ui_feed_status(f, &s);
	bool ok = s.exit_code != EXIT_INPUT;
	int code = ui_exit_status(&named, f, s.exit_code);
	w->code = w->code > code && ok ? w->code : code;
	if (ok && !pv_diff_add(w->diff, side, path, ui_feed_adopt(f), &err)) {
		ok = false;
		w->code = ui_exit_complain(path, &err);
	}
	ui_feed_close(f);
	return ok;
}

/* Of a folder the log that is asked for, or whose process used most. */
static bool add_folder(struct work *w, enum pv_diff_side side, const char *path)
{
	struct ui_options in = *w->o;
	struct ui_folder f = { 0 };
	in.path = path;
	int code = ui_folder_enter(&in, &f);
	bool ok = !code && add_log(w, side, in.path);
	w->code = code ? code : w->code;
	ui_folder_close(&f);
	return ok;
}

/* A file of that name, or all that the pattern fits. */
static bool add_side(struct work *w, enum pv_diff_side side, const char *path)
{
	glob_t found = { 0 };
	bool ok = true;
	if (strcmp(path, "-") == 0 || access(path, F_OK) == 0 || !strpbrk(path, "*?["))
		return add_folder(w, side, path);
	if (glob(path, 0, NULL, &found) != 0) {
		ui_complain(path, "no file fits the pattern");
		w->code = EXIT_INPUT;
		ok = false;
	}
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = add_folder(w, side, found.gl_pathv[i]);
	globfree(&found);
	return ok;
}

int ui_diff_run(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	struct pv_diff_options d = { .raw_names = o->report.raw_names,
		.all = o->all,
		.sections = o->report.sections,
		.filter = o->report.filter,
		.format = o->report.format,
		.limit = o->report.limit,
		.limited = o->report.limited };
	if (o->per)
		pv_diff_per_of(o->per, &d);
	if (!pv_diff_check(&d, &err))
		return ui_exit_complain(NULL, &err);
	struct work w = { .o = o, .diff = pv_diff_create(&d) };
	if (!w.diff)
		return EXIT_OWN;
	bool ok = add_side(&w, PV_DIFF_BASE, o->path) &&
		  add_side(&w, PV_DIFF_NEW, o->path_new ? o->path_new : o->path);
	if (ok && !pv_diff_write(w.diff, stdout, &err))
		w.code = err.code == PV_EIO ? ui_exit_output(EXIT_OWN)
					    : ui_exit_complain(NULL, &err);
	pv_diff_destroy(w.diff);
	return ui_exit_output(w.code);
}

/* SPDX-License-Identifier: MIT */
/* `profview diff`: reads the logs of both sides, compares their figures, and prints the verdict. */
#include "tui/commands/diff_run.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/compare/diff.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/feed/feed.h"
#include "tui/app/folder.h"
#include "tui/app/options.h"

struct work {
	const struct ui_options *o;
	struct pv_diff *diff;
	int code;
};

static struct ui_feed *open_side(
	const struct ui_options *o, enum pv_diff_side side, const char *path, struct pv_error *err)
{
	bool base = side == PV_DIFF_BASE, own = base && o->base_ranged;
	bool ranged = o->ranged && (!base || o->verb == UI_VERB_DIFF);
	const struct ui_feed_options fo = { .path = path,
		.spool_limit = o->spool_limit,
		.jobs = o->jobs,
		.patient = true,
		.ranged = own || ranged,
		.relative = own ? o->base_relative : o->relative,
		.from_ns = own ? o->base_from_ns : o->from_ns,
		.to_ns = own ? o->base_to_ns : o->to_ns,
		.thread = o->thread,
		.requests = base && o->base_requests ? o->base_requests : o->requests,
		.waits = ui_exit_waits };
	return ui_feed_open(&fo, err);
}

static bool add_log(struct work *w, enum pv_diff_side side, const char *path)
{
	const struct ui_options *o = w->o;
	struct pv_error err = { 0 };
	struct ui_options named = *o;
	struct ui_feed_status s;
	struct ui_feed *f = open_side(o, side, path, &err);
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
	if (ok && (!ui_feed_knows_thread(f, &err) ||
			  !pv_diff_add(w->diff, side, path, ui_feed_adopt(f), &err))) {
		ok = false;
		w->code = ui_exit_complain(path, &err);
	}
	ui_feed_close(f);
	return ok;
}

/* Adds a folder's log: the one asked for, or the log of the process that used most. */
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

/* Adds the file of this name, or all files that match the pattern. */
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
		.waits = o->report.waits,
		.physical = o->report.physical,
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

/* --- the base of a viewer --- */

static int open_base(const struct ui_options *o, const char *path, struct ui_base_log *ret)
{
	struct pv_error err = { 0 };
	struct pv_diff_options d = { .raw_names = false };
	struct ui_options named = *o;
	struct ui_feed_status s;
	named.path = path;
	if (o->per)
		pv_diff_per_of(o->per, &d);
	ret->feed = open_side(o, PV_DIFF_BASE, path, &err);
	if (!ret->feed)
		return ui_exit_complain(path, &err);
	ui_feed_load(ret->feed, NULL);
	ui_feed_status(ret->feed, &s);
	int code = ui_exit_status(&named, ret->feed, s.exit_code);
	if (s.exit_code == EXIT_INPUT)
		return code;
	ret->against = (struct ui_against){ .of = pv_against_create(
						    ui_feed_adopt(ret->feed), path, &d, &err),
		.has = pv_against_has,
		.table = pv_against_table,
		.flame = pv_against_flame,
		.verdict = pv_against_verdict,
		.figures = pv_against_figures };
	return ret->against.of ? 0 : ui_exit_complain(NULL, &err);
}

int ui_base_open(const struct ui_options *o, struct ui_base_log *ret)
{
	struct ui_options in = *o;
	struct ui_folder f = { 0 };
	*ret = (struct ui_base_log){ .feed = NULL };
	in.path = o->base_path;
	int code = ui_folder_enter(&in, &f);
	code = code ? code : open_base(o, in.path, ret);
	ui_folder_close(&f);
	if (code)
		ui_base_close(ret);
	return code;
}

void ui_base_close(struct ui_base_log *b)
{
	pv_against_destroy(b->against.of);
	if (b->feed)
		ui_feed_close(b->feed);
	*b = (struct ui_base_log){ .feed = NULL };
}

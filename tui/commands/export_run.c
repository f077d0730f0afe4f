/* SPDX-License-Identifier: MIT */
/* `profview convert` to the formats of other programs: gathers the profile, writes the file. */
#include "tui/commands/export_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/export/export.h"
#include "common/export/export_threads.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/app/export_format.h"
#include "tui/app/feed_of.h"
#include "tui/app/folder.h"
#include "tui/feed/feed_again.h"
#include "tui/app/options.h"
#include "tui/app/progress_line.h"

/*
 * Threads read separately: each means one more reading of the log, restricted to the thread, so
 * that the figures equal a report's with --thread. Of more threads only the busiest are read so.
 */
enum { THREADS = 50 };

struct work {
	const struct ui_options *o;
	const struct pv_export_format *format;
	struct pv_profile profile;
	struct pv_export_about about;
	struct pv_export_threads threads;
	struct pv_timed_list timed;
	struct pv_error err;
	int code;         /* of the input: damaged, or not readable */
	const char *note; /* names threads that are not distinguished; NULL: none */
};

static bool export_no_memory(struct work *w)
{
	return pv_fail(&w->err, PV_ENOMEM, 0, "out of memory");
}

static bool is_a_file(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool read_thread(struct work *w, const struct pv_export_thread *t)
{
	char id[24];
	unsigned number;
	snprintf(id, sizeof id, "0x%" PRIx64, t->id);
	struct ui_feed *f = ui_feed_whole(w->o, w->o->path, id, &w->err);
	bool ok =
		f &&
		(pv_profile_thread(&w->profile, t->id, t->name, &number) || export_no_memory(w)) &&
		(pv_profile_add(&w->profile, ui_feed_adopt(f), number) || export_no_memory(w));
	ui_feed_close(f);
	return ok;
}

static bool read_threads(struct work *w)
{
	size_t n = w->threads.thread.n;
	if (n > 1 && !is_a_file(w->o->path)) {
		w->note = "threads: the input cannot be read once more for each";
		return true;
	}
	for (size_t i = 0; n > 1 && i < n && i < THREADS; i++) {
		char work[60];
		snprintf(work, sizeof work, "thread %zu of %zu", i + 1, n < THREADS ? n : THREADS);
		ui_progress_work(work);
		if (!read_thread(w, &w->threads.thread.v[i]))
			return false;
	}
	w->note = n > THREADS ? "threads beyond the 50 busiest" : NULL;
	return true;
}

/* A log of one thread needs no second reading: all figures are that thread's. */
static unsigned whose(struct work *w)
{
	unsigned number = 0;
	if (w->format->threads && w->threads.thread.n == 1 &&
		!pv_profile_thread(&w->profile, w->threads.thread.v[0].id,
			w->threads.thread.v[0].name, &number))
		return 0;
	return number;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static bool has_shot(struct work *w)
{
	return w->profile.groups ||
	       pv_fail(&w->err, PV_EUSAGE, 0, "the log has no heap shot %" PRIu32,
		       w->o->report.shot.index);
}

/* Waits, exceptions, spans and marks with their times; collections. */
static bool read_marks(struct work *w, struct ui_feed *f, struct pv_model *m)
{
	struct ui_timed_wish wish = { .from_ns = INT64_MIN, .to_ns = INT64_MAX, .no_calls = true };
	uint64_t *id = w->o->thread ? calloc(w->threads.thread.n + 1, sizeof *id) : NULL;
	wish.raw_names = w->o->report.raw_names;
	if (w->o->ranged) {
		wish.from_ns = w->o->from_ns;
		wish.to_ns = w->o->to_ns;
	}
	for (size_t i = 0; id && i < w->threads.thread.n; i++)
		id[wish.threads++] = w->threads.thread.v[i].id;
	if (id)
		qsort(id, wish.threads, sizeof *id, ascending);
	wish.thread = id;
	bool ok = (!w->o->ranged ||
			  ui_feed_range(f, w->o->relative, &wish.from_ns, &wish.to_ns, &w->err)) &&
		  (id || !w->o->thread || export_no_memory(w)) &&
		  ui_feed_read_timed(f, &wish, &w->timed, &w->err) &&
		  (pv_export_collections(m, &w->timed) || export_no_memory(w));
	free(id);
	return ok;
}

/* All processes of a folder: allocations, waits and exceptions are added up, too. */
static bool add_figures(struct work *w, struct pv_model *m)
{
	const struct ui_folder *f = w->o->folder;
	struct ui_merged read;
	if (!f || !*f->merged.path)
		return pv_profile_add(&w->profile, m, whose(w)) || export_no_memory(w);
	return ui_merged_profile(&w->profile, &read, w->o, f->path, f->list,
		f->process == PV_PROCESSES_EACH, &w->err);
}

static bool read_log(struct work *w)
{
	struct ui_feed_status s;
	struct ui_feed *f = ui_feed_whole(w->o, w->o->path, w->o->thread, &w->err);
	if (!f)
		return false;
	struct pv_model *m = ui_feed_adopt(f);
	ui_feed_status(f, &s);
	w->code = s.exit_code;
	bool ok = s.exit_code != EXIT_INPUT && ui_feed_knows_thread(f, &w->err);
	if (ok && !(pv_export_about(m, ui_input_name(w->o), &w->about) &&
			  pv_export_threads(m, &w->threads)))
		ok = export_no_memory(w);
	if (ok && w->o->report.has_shot)
		ok = pv_profile_add_shot(&w->profile, m, w->o->report.shot.index)
			     ? has_shot(w)
			     : export_no_memory(w);
	else if (ok)
		ok = add_figures(w, m);
	if (ok && w->format->marks && is_a_file(w->o->path))
		ok = read_marks(w, f, m);
	w->code = ui_exit_status(w->o, f, w->code);
	ui_feed_close(f);
	return ok;
}

static void say_lacks(struct work *w, const struct pv_export_options *eo)
{
	char text[600];
	pv_export_lacks(&w->profile, w->format, eo, text, sizeof text);
	if (w->note && *text)
		ui_complain(ui_input_name(w->o), "not in the %s output: %s; %s", w->format->name,
			text, w->note);
	else if (w->note || *text)
		ui_complain(ui_input_name(w->o), "not in the %s output: %s", w->format->name,
			w->note ? w->note : text);
}

static bool write_out(struct work *w)
{
	const struct ui_options *o = w->o;
	int measure = o->measure ? pv_measure_of(o->measure) : -1;
	const struct pv_export_options eo = { .about = &w->about,
		.measure = measure < 0 ? NULL : &pv_measures[measure],
		.timed = &w->timed,
		.stopped = ui_progress_stopped };
	bool ok = strcmp(o->output, "-") == 0
			  ? pv_export_write(&w->profile, w->format, &eo, stdout, &w->err)
			  : pv_export_file(&w->profile, w->format, &eo, o->output, &w->err);
	if (ok)
		say_lacks(w, &eo);
	return ok;
}

bool ui_export_wanted(const struct ui_options *o)
{
	return ui_export_format(o) != NULL;
}

int ui_export_run(const struct ui_options *o)
{
	struct work w = { .o = o, .format = ui_export_format(o) };
	ui_progress_begin();
	bool ok = pv_profile_init(&w.profile) || export_no_memory(&w);
	if (ok && o->report.filter && *o->report.filter)
		ok = pv_profile_filter(&w.profile, o->report.filter, &w.err);
	w.profile.lines = w.format->lines;
	w.profile.raw_names = o->report.raw_names;
	w.profile.waits = o->report.waits;
	w.profile.physical = o->report.physical;
	ok = ok && read_log(&w);
	bool of_all = o->folder && *o->folder->merged.path;
	if (ok && w.format->threads && !o->report.has_shot && !of_all)
		ok = read_threads(&w);
	if (ok && !pv_profile_finish(&w.profile))
		ok = export_no_memory(&w);
	ok = ok && write_out(&w);
	if (ui_progress_stopped())
		w.code = ui_exit_stopped(ui_output_name(o));
	else if (!ok && w.err.code != PV_OK)
		w.code = ui_exit_complain(
			w.err.code == PV_EOUTPUT ? ui_output_name(o) : ui_input_name(o), &w.err);
	pv_profile_clear(&w.profile);
	pv_export_about_clear(&w.about);
	pv_export_threads_clear(&w.threads);
	pv_timed_clear(&w.timed);
	return strcmp(o->output, "-") == 0 ? ui_exit_output(w.code) : w.code;
}

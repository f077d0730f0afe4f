/* SPDX-License-Identifier: MIT */
/* Feeds opened by the options of a command. */
#include "tui/app/feed_of.h"

#include "common/export/export.h"
#include "tui/app/exits.h"
#include "tui/app/export_format.h"
#include "tui/app/progress_line.h"

/* For a viewer the range is no restriction: the viewer reads everything, and the range as well. */
struct ui_feed *ui_feed_of(const struct ui_options *o, bool screen, struct pv_error *reterr)
{
	bool viewer = o->verb & (UI_VERB_VIEW | UI_VERB_RUN | UI_VERB_ATTACH | UI_VERB_LISTEN);
	struct ui_feed_options fo = { .path = o->path,
		.follow = o->follow,
		.record = o->record,
		.spool_limit = o->spool_limit,
		.jobs = o->jobs,
		.no_index = o->no_index,
		.readonly = o->readonly,
		.give_way = screen,
		.patient = o->verb & (UI_VERB_REPORT | UI_VERB_BRIEF),
		.ranges = viewer,
		.ranged = o->ranged && !viewer,
		.relative = o->relative,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.thread = o->thread,
		.requests = o->requests,
		.waits = ui_exit_waits };
	return ui_feed_open(&fo, reterr);
}

struct ui_feed *ui_feed_whole(
	const struct ui_options *o, const char *path, const char *thread, struct pv_error *reterr)
{
	const struct pv_export_format *format = ui_export_format(o);
	const struct ui_feed_options fo = { .path = path,
		.spool_limit = o->spool_limit,
		.jobs = o->jobs,
		.patient = true,
		.sample_times = format && format->marks,
		.ranged = o->ranged,
		.relative = o->relative,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.thread = thread,
		.requests = o->requests,
		.waits = ui_exit_waits,
		.reads = format ? ui_progress_tell : NULL };
	struct ui_feed *f = ui_progress_stopped() ? NULL : ui_feed_open(&fo, reterr);
	if (f)
		ui_feed_load(f, NULL);
	ui_progress_end();
	if (!ui_progress_stopped())
		return f;
	ui_feed_close(f);
	pv_fail(reterr, PV_ECANCELLED, 0, "stopped");
	return NULL;
}

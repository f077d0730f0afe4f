/* SPDX-License-Identifier: MIT */
/* `profview dump`: prints every event of a log. */
#include "tui/commands/dump_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/report/dump.h"
#include "common/report/dump_filter.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/feed/feed.h"

static void tell_dumped(const char *path, const struct pv_dump_totals *t)
{
	if (t->damages == 0)
		return;
	char more[64] = "";
	if (t->damages > 1)
		snprintf(more, sizeof more, " and %" PRIu64 " more places", t->damages - 1);
	ui_complain(path, "%s at byte %" PRIu64 " (%" PRIu64 " bytes)%s; the rest is shown",
		t->first.reason, t->first.offset, t->first.bytes, more);
}

/* Standard output, or a stream that filters into it; NULL: an error was complained about. */
static FILE *filtered(const struct pv_dump_wish *w)
{
	struct pv_filter_error wrong = { .no_memory = false };
	if (!pv_dump_wishes(w))
		return stdout;
	FILE *out = pv_dump_filter(stdout, w, &wrong);
	if (!out && wrong.no_memory) {
		ui_complain(NULL, "out of memory");
		return NULL;
	}
	if (!out)
		ui_complain(NULL, "--filter, character %zu: %s", wrong.at + 1, wrong.what);
	return out;
}

int ui_dump_run(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	struct pv_dump_totals totals = { 0 };
	volatile int *stop = ui_exit_caught();
	const struct pv_dump_input in = {
		.path = o->path, .follow = o->follow, .stop = stop, .waits = ui_exit_waits
	};
	const struct pv_dump_wish wish = { .filter = o->report.filter,
		.kind = o->kind,
		.thread = o->thread,
		.ranged = o->ranged,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.form = o->report.format == PV_REPORT_JSON  ? PV_DUMP_JSON
			: o->report.format == PV_REPORT_CSV ? PV_DUMP_CSV
							    : PV_DUMP_TEXT };
	FILE *out = filtered(&wish);
	if (!out)
		return EXIT_USAGE;
	bool ok = pv_dump_path(&in, out, &totals, &err);
	if (out != stdout && fclose(out) != 0 && ok)
		return ui_exit_output(EXIT_OWN);
	if (*stop)
		return ui_exit_output(128 + *stop);
	if (!ok)
		return err.code == PV_EIO && ferror(stdout) ? ui_exit_output(EXIT_OWN)
							    : ui_exit_complain(o->path, &err);
	tell_dumped(o->path, &totals);
	return ui_exit_output(totals.complete ? 0 : EXIT_DAMAGED);
}

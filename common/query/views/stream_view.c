/* SPDX-License-Identifier: MIT */
/* The rows of a page of events (pv_query.page), in the order of their times. */
#include <inttypes.h>

#include "common/base/status.h"
#include "common/model/event_page.h"
#include "common/query/groups/specs.h"

enum { S_NS, S_TIME, S_THREAD, S_KIND, S_LINE };

static const struct pv_column columns[] = {
	[S_NS] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN },
	[S_TIME] = { "time", "TIME", PV_UNIT_TEXT, 16, 0, .flags = PV_COLUMN_ASCENDING,
		.help = "When, since the recording began" },
	[S_THREAD] = { "thread", "THREAD", PV_UNIT_TEXT, 14, 2, .flags = PV_COLUMN_ASCENDING },
	[S_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 18, 0, PV_COLUMN_ASCENDING,
		.help = "Kind of the event; s shows only its kind" },
	[S_LINE] = { "event", "EVENT", PV_UNIT_TEXT, 40, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .help = "What happened" },
};

/* To the microsecond; the order of rows shows which event was first. */
static const char *clock_text(struct pv_build *b, int64_t ns)
{
	const uint64_t us = (ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns) / 1000, s = us / 1000000;
	return pv_build_printf(b, "%s%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%06" PRIu64,
		ns < 0 ? "-" : "", s / 3600, s / 60 % 60, s % 60, us % 1000000);
}

static void run_stream(struct pv_build *b, struct pv_model *m)
{
	const struct pv_event_page *p = b->query->page;
	pv_model_lock(m);
	pv_build_stamp(b, m);
	pv_model_unlock(m);
	b->filters = false; /* the page has only events that pass (event_filter.h) */
	for (size_t i = 0; p && i < p->rows; i++) {
		const struct pv_event_row *r = &p->row[i];
		struct pv_cell *c = pv_build_row(b, r->id);
		pv_cell_i(&c[S_NS], r->time_ns);
		pv_cell_s(&c[S_TIME], clock_text(b, r->time_ns));
		pv_cell_s(&c[S_THREAD], pv_build_text(b, r->thread));
		pv_cell_s(&c[S_KIND], pv_kind_name(r->kind));
		pv_cell_s(&c[S_LINE], pv_build_text(b, r->line));
	}
}

const struct pv_view_spec pv_spec_event_stream = {
	.column = columns, .columns = PV_COUNT_OF(columns), .sort = "time_ns", .run = run_stream
};

/* SPDX-License-Identifier: MIT */
/* The timeline of threads as a table: samples by state, and a letter for each part of the time. */
#include <string.h>

#include "common/base/status.h"
#include "common/query/coverage/thread_lanes.h"
#include "common/query/groups/specs.h"

enum { T_ID, T_SAMPLES, T_STATE, T_FROM = T_STATE + PV_STATES, T_CELL, T_NAME, T_LANE };
enum { LETTERS = 100 };

/* clang-format off */
static const struct pv_column columns[] = {
	[T_ID] = { "id", "ID", PV_UNIT_THREAD, 14, 12, PV_COLUMN_ASCENDING, .json = 1 },
	[T_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 1, .json = 3 },
	[T_STATE + PV_STATE_RUNNING] = { "running", "RUN", PV_UNIT_COUNT, 8, 2, .json = 4 },
	[T_STATE + PV_STATE_QUEUED] = { "runnable", "QUEUED", PV_UNIT_COUNT, 8, 6, .json = 5 },
	[T_STATE + PV_STATE_LOCK] = { "lock", "LOCK", PV_UNIT_COUNT, 8, 3, .json = 6 },
	[T_STATE + PV_STATE_POLL] = { "poll", "POLL", PV_UNIT_COUNT, 8, 7, .json = 7 },
	[T_STATE + PV_STATE_IO] = { "io", "IO", PV_UNIT_COUNT, 8, 4, .json = 8 },
	[T_STATE + PV_STATE_SLEEP] = { "sleep", "SLEEP", PV_UNIT_COUNT, 8, 5, .json = 9 },
	[T_STATE + PV_STATE_STOPPED] = { "stopped", "STOPPED", PV_UNIT_COUNT, 8, 8, .json = 10 },
	[T_STATE + PV_STATE_WAITING] = { "unknown", "UNKNOWN", PV_UNIT_COUNT, 8, 9, .json = 11 },
	[T_STATE + PV_STATE_GC] = { "gc", "GC", PV_UNIT_COUNT, 8, 13, .json = 12 },
	[T_STATE + PV_STATE_UNSURE] = { "unsure", "UNSURE", PV_UNIT_COUNT, 8, 14, .json = 16 },
	[T_FROM] = { "from_ns", "FROM", PV_UNIT_TIME, 12, 10, PV_COLUMN_ASCENDING, .json = 13 },
	[T_CELL] = { "cell_ns", "A LETTER", PV_UNIT_NS, 9, 11, PV_COLUMN_ASCENDING, .json = 14 },
	[T_NAME] = { "name", "NAME", PV_UNIT_TEXT, 16, 0, PV_COLUMN_ASCENDING, .json = 2 },
	[T_LANE] = { "lane", "LANE", PV_UNIT_TEXT, 20, 1, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 15 },
};
/* clang-format on */

static const char *lane_text(
	struct pv_build *b, const struct pv_lanes_answer *a, const struct pv_lanes_row *row)
{
	char text[LETTERS + 1];
	size_t i = 0;
	for (; i < a->cells && i < LETTERS; i++)
		text[i] = pv_lanes_letter(pv_lanes_mark(a, row, i));
	text[i] = 0;
	return pv_build_text(b, text);
}

static void put_lane_row(
	struct pv_build *b, const struct pv_lanes_answer *a, const struct pv_lanes_row *row)
{
	struct pv_cell *c = pv_build_row(b, row->id ? row->id : UINT64_MAX - 1);
	pv_cell_u_if(&c[T_ID], row->id != 0, row->native);
	pv_cell_u(&c[T_SAMPLES], row->all);
	for (unsigned s = 0; s < PV_STATES; s++)
		pv_cell_u(&c[T_STATE + s], row->samples[s]);
	pv_cell_i(&c[T_FROM], a->from_ns);
	pv_cell_i(&c[T_CELL], pv_lanes_time(a, 1) - a->from_ns);
	pv_cell_s(&c[T_NAME], pv_build_text(b, row->name));
	pv_cell_s(&c[T_LANE], lane_text(b, a, row));
}

static void run_timeline(struct pv_build *b, struct pv_model *m)
{
	struct pv_lanes_answer *a =
		pv_lanes_ask(m, &(struct pv_lanes_wish){ .cells = LETTERS,
					.hide_internal = b->query->hide_internal });
	if (!a) {
		pv_build_fail(b);
		return;
	}
	for (size_t i = 0; i < a->rows; i++)
		put_lane_row(b, a, &a->row[i]);
	const char *line = pv_build_text(b, a->coverage);
	if (b->table) {
		b->table->coverage = line;
		b->table->generation = a->generation;
	}
	pv_lanes_answer_destroy(a);
}

const struct pv_view_spec pv_spec_timeline = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "running",
	.then = "samples",
	.run = run_timeline };

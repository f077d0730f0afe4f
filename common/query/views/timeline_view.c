/* The timeline of threads as a table: samples by state, and a letter for each part of the time. */
#include <string.h>

#include "common/base/status.h"
#include "common/query/thread_lanes.h"
#include "common/query/specs.h"

enum { T_ID, T_SAMPLES, T_STATE, T_FROM = T_STATE + PV_STATES, T_CELL, T_NAME, T_LANE };
enum { LETTERS = 100 };

/* clang-format off */
static const struct pv_column columns[] = {
	[T_ID] = { "id", "ID", PV_UNIT_THREAD, 14, 12, PV_COLUMN_ASCENDING },
	[T_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 1, 0 },
	[T_STATE + PV_STATE_RUNNING] = { "running", "RUN", PV_UNIT_COUNT, 8, 2, 0 },
	[T_STATE + PV_STATE_QUEUED] = { "runnable", "QUEUED", PV_UNIT_COUNT, 8, 6, 0 },
	[T_STATE + PV_STATE_LOCK] = { "lock", "LOCK", PV_UNIT_COUNT, 8, 3, 0 },
	[T_STATE + PV_STATE_POLL] = { "poll", "POLL", PV_UNIT_COUNT, 8, 7, 0 },
	[T_STATE + PV_STATE_IO] = { "io", "IO", PV_UNIT_COUNT, 8, 4, 0 },
	[T_STATE + PV_STATE_SLEEP] = { "sleep", "SLEEP", PV_UNIT_COUNT, 8, 5, 0 },
	[T_STATE + PV_STATE_STOPPED] = { "stopped", "STOPPED", PV_UNIT_COUNT, 8, 8, 0 },
	[T_STATE + PV_STATE_WAITING] = { "unknown", "UNKNOWN", PV_UNIT_COUNT, 8, 9, 0 },
	[T_STATE + PV_STATE_GC] = { "gc", "GC", PV_UNIT_COUNT, 8, 13, 0 },
	[T_STATE + PV_STATE_UNSURE] = { "unsure", "UNSURE", PV_UNIT_COUNT, 8, 14, 0 },
	[T_FROM] = { "from_ns", "FROM", PV_UNIT_TIME, 12, 10, PV_COLUMN_ASCENDING },
	[T_CELL] = { "cell_ns", "A LETTER", PV_UNIT_NS, 9, 11, PV_COLUMN_ASCENDING },
	[T_NAME] = { "name", "NAME", PV_UNIT_TEXT, 16, 0, PV_COLUMN_ASCENDING },
	[T_LANE] = { "lane", "LANE", PV_UNIT_TEXT, 20, 1, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
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

static void put(struct pv_build *b, const struct pv_lanes_answer *a, const struct pv_lanes_row *row)
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

static void run(struct pv_build *b, struct pv_model *m)
{
	struct pv_lanes_answer *a =
		pv_lanes_ask(m, &(struct pv_lanes_wish){ .cells = LETTERS,
					.hide_internal = b->query->hide_internal });
	if (!a) {
		pv_build_fail(b);
		return;
	}
	for (size_t i = 0; i < a->rows; i++)
		put(b, a, &a->row[i]);
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
	.run = run };

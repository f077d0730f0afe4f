/* SPDX-License-Identifier: MIT */
/* Times and cell marks of a finished answer of lanes. */
#include "common/query/coverage/thread_lanes.h"

#include <stdlib.h>

void pv_lanes_answer_destroy(struct pv_lanes_answer *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->rows; i++)
		free(a->row[i].cell);
	free(a->row);
	free(a->stopped);
	free(a->spans);
	pv_arena_finish(&a->arena);
	free(a);
}

int64_t pv_lanes_time(const struct pv_lanes_answer *a, size_t cell)
{
	return cell >= a->cells ? a->to_ns
				: a->from_ns + (int64_t)((double)cell * pv_lanes_cell_ns(a));
}

static const struct {
	char letter;
	const char *word;
} marks[PV_LANE_MARKS] = {
	[PV_STATE_RUNNING] = { 'R', "running" },
	[PV_STATE_QUEUED] = { 'Q', "runnable" },
	[PV_STATE_LOCK] = { 'L', "lock" },
	[PV_STATE_POLL] = { 'P', "poll" },
	[PV_STATE_IO] = { 'I', "io" },
	[PV_STATE_SLEEP] = { 'S', "sleep" },
	[PV_STATE_STOPPED] = { 'T', "stopped" },
	[PV_STATE_WAITING] = { '?', "unknown" },
	[PV_STATE_GC] = { 'G', "gc" },
	[PV_STATE_UNSURE] = { 'U', "ran or waited" },
	[PV_LANE_NONE] = { '.', "" },
};

char pv_lanes_letter(unsigned mark)
{
	return marks[mark].letter;
}

const char *pv_lanes_word(unsigned mark)
{
	return marks[mark].word;
}

unsigned pv_lanes_mark(const struct pv_lanes_answer *a, const struct pv_lanes_row *row, size_t cell)
{
	const uint32_t *n = row->cell[cell].samples;
	unsigned best = 0;
	if (a->stopped[cell] >= 0.5)
		return PV_LANE_GC;
	if (row->cell[cell].locked >= 0.5F) /* before samples: recorded, not sampled */
		return PV_STATE_LOCK;
	for (unsigned s = 1; s < PV_STATES; s++)
		best = n[s] > n[best] ? s : best;
	return n[best] ? best : (unsigned)PV_LANE_NONE;
}

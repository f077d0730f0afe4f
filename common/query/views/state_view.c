/* SPDX-License-Identifier: MIT */
/* All samples by thread state: a row a state. */

#include "common/model/model.h"
#include "common/query/groups/specs.h"

enum { S_SHARE, S_SAMPLES, S_KNOWN, S_STATE, S_COLUMNS };

static const struct pv_column state_columns[] = {
	[S_SHARE] = { "samples_percent", "SAMPLE%", PV_UNIT_PERCENT, 7, 1,
		.flags = PV_COLUMN_ADDS },
	[S_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 9, 0, PV_COLUMN_ADDS, .json = 2 },
	[S_KNOWN] = { "known", "KNOWN", PV_UNIT_TEXT, 9, 2, PV_COLUMN_ASCENDING, .json = 3 },
	[S_STATE] = { "state", "STATE", PV_UNIT_TEXT, 10, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
};

/* Samples by state: as logged, and inferred from names. */
struct sums {
	uint64_t logged[PV_STATES], inferred[PV_STATES];
};

static bool sum_up_states(struct pv_model *m, struct sums *sums)
{
	const struct pv_tree_node *node = m->calls.node.v;
	const struct pv_lane_state *of = pv_lane_states(m);
	bool by_name = pv_call_samples_wait(m) && of && !m->lanes.judged->ran;
	for (size_t i = 1; of && i < m->calls.node.n; i++)
		(of[i].logged || (!by_name && of[i].state == PV_STATE_RUNNING)
				? sums->logged
				: sums->inferred)[of[i].state] += node[i].samples;
	return of != NULL;
}

static void put_state(struct pv_build *b, unsigned state, bool logged, uint64_t samples, double all)
{
	if (!samples)
		return;
	struct pv_cell *c = pv_build_row(b, 2 * state + logged + 1);
	pv_cell_share(&c[S_SHARE], (double)samples, all);
	pv_cell_u(&c[S_SAMPLES], samples);
	pv_cell_s(&c[S_KNOWN], state == PV_STATE_UNSURE ? "no" : logged ? "logged" : "by name");
	pv_cell_s(&c[S_STATE], pv_state_name(state));
}

static void copy_states(struct pv_build *b, struct pv_model *m)
{
	struct sums sums = { 0 };
	pv_build_stamp(b, m);
	if (!sum_up_states(m, &sums)) {
		pv_build_fail(b);
		return;
	}
	for (unsigned i = 0; i < PV_STATES; i++) {
		put_state(b, i, true, sums.logged[i], (double)m->calls.samples);
		put_state(b, i, false, sums.inferred[i], (double)m->calls.samples);
	}
}

#define STATES                                                                                     \
	{ .column = state_columns,                                                                 \
		.columns = S_COLUMNS,                                                              \
		.name = "state",                                                                   \
		.sort = "samples",                                                                 \
		.copy = copy_states }
const struct pv_view_spec pv_spec_sample_states = STATES, pv_spec_samples = STATES;

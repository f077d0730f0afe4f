/* SPDX-License-Identifier: MIT */
/*
 * Asks for lanes of threads (thread_lanes.h) on the worker's thread, for a strip or a timeline;
 * asks again for other cells, or when the model has grown. The screen's thread.
 */
#ifndef UI_LANES_ASK_H
#define UI_LANES_ASK_H

#include "common/query/coverage/thread_lanes.h"
#include "tui/draw/shared.h"

/* Valid when zeroed. */
struct ui_lanes_ask {
	struct ui_request slot;
	bool sum; /* answers have one row, the sum of all threads; no row without samples */
	/* the last question */
	const struct pv_model *of; /* compared only */
	struct pv_lanes_wish wish;
};

/* A finished answer not taken so far; the caller destroys the answer. NULL: none. */
struct pv_lanes_answer *ui_lanes_take(struct ui_lanes_ask *a);
/*
 * Asks `w` of the screen's model. Returns a finished answer like ui_lanes_take(); for a new
 * question waits a moment at most. NULL also if nothing is asked: the same question is under way,
 * or the answer on screen is up to date (while paused: any answer to this question). `shown`: the
 * generation of the answer on screen, NULL: none.
 */
struct pv_lanes_answer *ui_lanes_ask(struct ui_lanes_ask *a, const struct ui_shared *s,
	const struct pv_lanes_wish *w, const uint64_t *shown);
/* Nothing will come of the question; before the model is destroyed. */
void ui_lanes_forget(struct ui_lanes_ask *a);

#endif

/*
 * Asking for lanes of threads (thread_lanes.h) on the worker's thread: what a strip or a timeline
 * shows, asked again when it wants other cells or the model has grown. The screen's thread.
 */
#ifndef UI_LANES_ASK_H
#define UI_LANES_ASK_H

#include "common/query/thread_lanes.h"
#include "tui/draw/shared.h"

/* Valid when zeroed. */
struct ui_lanes_ask {
	struct ui_request slot;
	bool sum; /* answers have one row, of all threads; none where nothing was sampled */
	/* the last question */
	const struct pv_model *of; /* compared only */
	struct pv_lanes_wish wish;
};

/* A finished answer that has not been taken yet, which the caller destroys; NULL: none. */
struct pv_lanes_answer *ui_lanes_take(struct ui_lanes_ask *a);
/*
 * Asks `w` of the screen's model and returns the answer as ui_lanes_take() does; a question that is
 * new is waited for, a moment at most. NULL also where nothing needs to be asked: that question is
 * under way, or what is shown answers it and is of the model's generation (any one while paused).
 * `shown`: that of the answer on screen, NULL for none.
 */
struct pv_lanes_answer *ui_lanes_ask(struct ui_lanes_ask *a, const struct ui_shared *s,
	const struct pv_lanes_wish *w, const uint64_t *shown);
/* Nothing will come of the question; before the model is destroyed. */
void ui_lanes_forget(struct ui_lanes_ask *a);

#endif

/* SPDX-License-Identifier: MIT */
/* Jobs that ask for lanes of threads. */
#include "tui/panes/lanes_ask.h"

#include <stdlib.h>

/* Owns all its data but the model. */
struct job {
	struct ui_job job;
	struct pv_model *model;
	struct pv_lanes_wish wish;
	bool sum;
	struct pv_lanes_answer *answer;
};

static void sum_lanes(struct pv_lanes_answer *a)
{
	for (size_t row = 1; row < a->rows; row++)
		for (size_t i = 0; i < a->cells; i++)
			for (unsigned s = 0; s < PV_STATES; s++)
				a->row[0].cell[i].samples[s] += a->row[row].cell[i].samples[s];
}

static void run_lanes(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	q->answer = pv_lanes_ask(q->model, &q->wish);
	if (q->answer && q->sum)
		sum_lanes(q->answer);
}

static void drop_lanes(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	pv_lanes_answer_destroy(q->answer);
	free(q);
}

static struct pv_lanes_answer *answer_of(struct ui_job *done)
{
	struct job *q = (struct job *)done;
	struct pv_lanes_answer *got = q ? q->answer : NULL;
	free(q);
	return got;
}

struct pv_lanes_answer *ui_lanes_take(struct ui_lanes_ask *a)
{
	return answer_of(ui_slot_take(&a->slot));
}

static bool is_of(
	const struct ui_lanes_ask *a, const struct ui_shared *s, const struct pv_lanes_wish *w)
{
	return a->of == s->model && a->wish.from_ns == w->from_ns && a->wish.to_ns == w->to_ns &&
	       a->wish.cells == w->cells;
}

struct pv_lanes_answer *ui_lanes_ask(struct ui_lanes_ask *a, const struct ui_shared *s,
	const struct pv_lanes_wish *w, const uint64_t *shown)
{
	bool same = is_of(a, s, w);
	bool fresh = shown && (s->paused || *shown >= s->generation);
	if (same && (fresh || ui_slot_pending(&a->slot)))
		return NULL;
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return NULL;
	q->job = (struct ui_job){ .run = run_lanes, .drop = drop_lanes, .urgent = !same };
	q->model = s->model;
	q->wish = *w;
	q->sum = a->sum;
	a->of = s->model;
	a->wish = *w;
	ui_query_worker_post(s->worker, &a->slot, &q->job);
	return same ? ui_lanes_take(a) : answer_of(ui_slot_await(&a->slot));
}

void ui_lanes_forget(struct ui_lanes_ask *a)
{
	ui_slot_cancel(&a->slot);
	a->of = NULL;
}

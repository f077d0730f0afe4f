/* Asking for lanes: a job owns all that it needs. */
#include <stdlib.h>
#include <string.h>

#include "tui/panes/timeline_pane.h"

struct job {
	struct ui_job job;
	struct pv_model *model;
	struct pv_lanes_wish wish;
	struct pv_lanes_answer *answer;
};

static void run(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	q->answer = pv_lanes_ask(q->model, &q->wish);
}

static void drop(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	pv_lanes_answer_destroy(q->answer);
	free(q);
}

void ui_timeline_forget(struct ui_timeline *t)
{
	ui_slot_cancel(&t->slot);
	pv_lanes_answer_destroy(t->answer);
	t->answer = NULL;
	t->of = NULL;
}

void ui_timeline_destroy(struct ui_timeline *t)
{
	if (!t)
		return;
	ui_timeline_forget(t);
	free(t);
}

static void take(struct ui_timeline *t, struct ui_list *l, struct ui_job *done)
{
	struct job *q = (struct job *)done;
	if (!q)
		return;
	if (q->answer) {
		pv_lanes_answer_destroy(t->answer);
		t->answer = q->answer;
		q->answer = NULL;
		ui_timeline_find_cursor(t, l);
	}
	drop(&q->job);
}

/* The time that is seen; from >= to: all there is. */
static void wanted_time(
	struct ui_timeline *t, const struct ui_shared *s, int64_t *ret_from, int64_t *ret_to)
{
	const struct ui_range *g = &s->range;
	const int64_t end = s->duration_ns + 1;
	const bool from = g->on && g->from_ns != INT64_MIN, to = g->on && g->to_ns < end;
	*ret_from = from && g->from_ns > 0 ? g->from_ns : 0;
	*ret_to = to ? g->to_ns : end;
	t->all_ns = *ret_to - *ret_from;
	if (!from && !to)
		*ret_to = 0;
	if (!t->zoomed)
		return;
	*ret_from = t->from_ns;
	*ret_to = t->to_ns;
}

static void post(struct ui_timeline *t, const struct ui_shared *s, const struct pv_lanes_wish *w,
	bool urgent)
{
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run, .drop = drop, .urgent = urgent };
	q->model = s->model;
	q->wish = *w;
	t->of = s->model;
	t->of_from = w->from_ns;
	t->of_to = w->to_ns;
	t->of_cells = w->cells;
	ui_query_worker_post(s->worker, &t->slot, &q->job);
}

void ui_timeline_refresh(
	struct ui_timeline *t, const struct ui_shared *s, struct ui_list *l, struct ui_rect r)
{
	struct pv_lanes_wish w = { .hide_internal = true, .across = s->whole };
	if (!s->model)
		return;
	t->room = ui_max(1, r.w - ui_timeline_names(r));
	w.cells = (size_t)t->room;
	wanted_time(t, s, &w.from_ns, &w.to_ns);
	take(t, l, ui_slot_take(&t->slot));
	bool changed = t->of != s->model || t->of_from != w.from_ns || t->of_to != w.to_ns ||
		       t->of_cells != w.cells;
	bool pending = ui_slot_pending(&t->slot);
	bool fresh = s->paused || (t->answer && t->answer->generation == s->generation);
	if (changed || (!pending && (!t->answer || !fresh))) {
		post(t, s, &w, changed);
		take(t, l, changed ? ui_slot_await(&t->slot) : ui_slot_take(&t->slot));
	}
	if (strcmp(t->find, l->search) != 0 || l->look == UI_LOOK_ASKED)
		ui_timeline_find_cursor(t, l);
}

bool ui_timeline_awaits(const struct ui_timeline *t)
{
	return !t->answer && ui_slot_pending(&t->slot);
}

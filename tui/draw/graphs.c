#include "tui/draw/graphs.h"

#include <stdlib.h>

struct job {
	struct ui_job job;
	struct pv_model *model;
	enum pv_series_kind kind[UI_GRAPHS_MAX];
	size_t n, cells;
	uint64_t id;
	int64_t from_ns, to_ns;
	struct pv_series *series[UI_GRAPHS_MAX];
};

static void run(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	for (size_t i = 0; i < q->n; i++)
		q->series[i] =
			pv_view_series(q->model, q->kind[i], q->id, q->from_ns, q->to_ns, q->cells);
}

static void drop(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	for (size_t i = 0; i < q->n; i++)
		pv_series_destroy(q->series[i]);
	free(q);
}

static void drop_series(struct ui_graphs *g)
{
	for (size_t i = 0; i < UI_GRAPHS_MAX; i++) {
		pv_series_destroy(g->series[i]);
		g->series[i] = NULL;
	}
}

static void take(struct ui_graphs *g)
{
	struct job *q = (struct job *)ui_slot_take(&g->slot);
	if (!q)
		return;
	drop_series(g);
	for (size_t i = 0; i < q->n; i++) {
		g->series[i] = q->series[i];
		q->series[i] = NULL;
	}
	drop(&q->job);
}

/* The part of the recording that the graphs show; nothing: all of it. */
static void span(const struct ui_shared *s, const struct ui_graphs_wish *wish, int64_t *ret_from,
	int64_t *ret_to)
{
	const struct ui_range *r = &s->range;
	*ret_from = *ret_to = 0;
	if (!r->on || r->from_end || wish->all)
		return;
	*ret_from = r->from_ns == INT64_MIN ? 0 : r->from_ns;
	*ret_to = r->to_ns > s->duration_ns ? s->duration_ns : r->to_ns;
}

static void post(struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish)
{
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run, .drop = drop };
	q->job.urgent = g->id != wish->id || g->cells != wish->cells || !g->asked;
	q->model = s->whole;
	span(s, wish, &q->from_ns, &q->to_ns);
	q->n = wish->n < UI_GRAPHS_MAX ? wish->n : UI_GRAPHS_MAX;
	q->cells = wish->cells;
	q->id = wish->id;
	for (size_t i = 0; i < q->n; i++)
		q->kind[i] = wish->kind[i];
	if (g->id != wish->id)
		drop_series(g); /* of something else: better none than a wrong one */
	g->asked = true;
	g->from_ns = q->from_ns;
	g->to_ns = q->to_ns;
	g->generation = s->whole_generation;
	g->id = wish->id;
	g->cells = wish->cells;
	ui_query_worker_post(s->worker, &g->slot, &q->job);
}

void ui_graphs_refresh(
	struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish)
{
	take(g);
	if (!s->whole || wish->cells == 0)
		return;
	int64_t from, to;
	span(s, wish, &from, &to);
	bool moved_on =
		!s->paused && g->generation != s->whole_generation && !ui_slot_pending(&g->slot);
	bool same = g->id == wish->id && g->cells == wish->cells && g->from_ns == from &&
		    g->to_ns == to;
	if (g->asked && same && !moved_on)
		return;
	post(g, s, wish);
	take(g);
}

void ui_graphs_finish(struct ui_graphs *g)
{
	ui_slot_cancel(&g->slot);
	drop_series(g);
	*g = (struct ui_graphs){ 0 };
}

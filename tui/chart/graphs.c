/* SPDX-License-Identifier: MIT */
/* Series for a pane's graphs: asked for on the worker's thread, kept until the next answer. */
#include "tui/chart/graphs.h"

#include "tui/chart/chart.h"

#include <stdlib.h>
#include <string.h>

struct job {
	struct ui_job job;
	struct pv_model *model;
	enum pv_series_kind kind[UI_GRAPHS_MAX];
	size_t n, cells;
	uint64_t id;
	char *thrown;
	int64_t from_ns, to_ns;
	struct pv_series *series[UI_GRAPHS_MAX];
};

static void run_graphs(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	uint64_t id = q->thrown ? pv_view_thrown(q->model, q->thrown) : q->id;
	for (size_t i = 0; i < q->n && (id || !q->thrown); i++)
		q->series[i] =
			pv_view_series(q->model, q->kind[i], id, q->from_ns, q->to_ns, q->cells);
}

static void drop_graphs(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	for (size_t i = 0; i < q->n; i++)
		pv_series_destroy(q->series[i]);
	free(q->thrown);
	free(q);
}

static void drop_series(struct ui_graphs *g)
{
	for (size_t i = 0; i < UI_GRAPHS_MAX; i++) {
		pv_series_destroy(g->series[i]);
		g->series[i] = NULL;
	}
}

static void take_series(struct ui_graphs *g, const struct ui_shared *s)
{
	struct job *q = (struct job *)ui_slot_take(&g->slot);
	if (!q)
		return;
	drop_series(g);
	if (g->anew)
		memset(g->top, 0, sizeof g->top);
	g->anew = false;
	for (size_t i = 0; i < q->n; i++) {
		g->series[i] = q->series[i];
		q->series[i] = NULL;
		if (g->series[i])
			ui_top_follow(
				&g->top[i], g->series[i]->max, g->series[i]->unit, s->duration_ns);
	}
	drop_graphs(&q->job);
}

/* The part of the recording in the graphs; 0 to 0: all, to the last event. */
static void span(const struct ui_shared *s, const struct ui_graphs_wish *wish, int64_t *ret_from,
	int64_t *ret_to)
{
	const struct ui_range *r = &s->range;
	const size_t columns = wish->cells / ui_series_cells(s->dots, 1);
	*ret_from = 0;
	*ret_to = ui_has_ended(s) ? 0 : ui_time_end(s, (int)columns);
	if (!r->on || r->relative || wish->all)
		return;
	*ret_from = r->from_ns == INT64_MIN ? 0 : r->from_ns;
	*ret_to = r->to_ns > s->duration_ns ? s->duration_ns : r->to_ns;
}

/* For a class a hash of its name, the same in all models. */
static uint64_t wish_id(const struct ui_graphs_wish *wish)
{
	uint64_t id = wish->thrown ? UINT64_C(0xcbf29ce484222325) : wish->id;
	for (const char *at = wish->thrown; at && *at; at++)
		id = (id ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	return id;
}

/* Whether the last question was of the same figures in the same columns. */
static bool same_columns(const struct ui_graphs *g, const struct job *q)
{
	return g->id == q->id && g->cells == q->cells && g->from_ns == q->from_ns &&
	       g->to_ns == q->to_ns && g->n == q->n &&
	       memcmp(g->kind, q->kind, q->n * sizeof *q->kind) == 0;
}

static void take_kinds(struct job *q, const struct ui_graphs_wish *wish)
{
	q->n = wish->n < UI_GRAPHS_MAX ? wish->n : UI_GRAPHS_MAX;
	memcpy(q->kind, wish->kind, q->n * sizeof *q->kind);
}

static void post(struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish)
{
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run_graphs, .drop = drop_graphs };
	q->model = s->whole;
	q->cells = wish->cells;
	q->id = wish_id(wish);
	q->thrown = wish->thrown ? strdup(wish->thrown) : NULL;
	span(s, wish, &q->from_ns, &q->to_ns);
	take_kinds(q, wish);
	q->job.urgent = !g->asked || !same_columns(g, q);
	g->anew = g->anew || !same_columns(g, q);
	if (g->id != q->id)
		drop_series(g); /* of another subject: no series is better than a wrong one */
	g->asked = true;
	g->from_ns = q->from_ns;
	g->to_ns = q->to_ns;
	g->generation = s->whole_generation;
	g->id = q->id;
	g->cells = q->cells;
	g->n = q->n;
	memcpy(g->kind, q->kind, sizeof g->kind);
	ui_query_worker_post(s->worker, &g->slot, &q->job);
}

void ui_graphs_refresh(
	struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish)
{
	take_series(g, s);
	if (!s->whole || wish->cells == 0)
		return;
	struct job want = { .id = wish_id(wish), .cells = wish->cells };
	take_kinds(&want, wish);
	span(s, wish, &want.from_ns, &want.to_ns);
	const bool moved_on =
		!s->paused && g->generation != s->whole_generation && !ui_slot_pending(&g->slot);
	const bool same = same_columns(g, &want);
	if (g->asked && same && !moved_on)
		return;
	post(g, s, wish);
	take_series(g, s);
}

void ui_graphs_finish(struct ui_graphs *g)
{
	ui_slot_cancel(&g->slot);
	drop_series(g);
	*g = (struct ui_graphs){ 0 };
}

#include "tui/draw/graphs.h"

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

static void run(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	uint64_t id = q->thrown ? pv_view_thrown(q->model, q->thrown) : q->id;
	for (size_t i = 0; i < q->n && (id || !q->thrown); i++)
		q->series[i] =
			pv_view_series(q->model, q->kind[i], id, q->from_ns, q->to_ns, q->cells);
}

static void drop(struct ui_job *j)
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
	if (!r->on || r->relative || wish->all)
		return;
	*ret_from = r->from_ns == INT64_MIN ? 0 : r->from_ns;
	*ret_to = r->to_ns > s->duration_ns ? s->duration_ns : r->to_ns;
}

/* Of a class its name's, which is the same in all models. */
static uint64_t id_of(const struct ui_graphs_wish *wish)
{
	uint64_t id = wish->thrown ? UINT64_C(0xcbf29ce484222325) : wish->id;
	for (const char *at = wish->thrown; at && *at; at++)
		id = (id ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	return id;
}

/* Whether the last question was of the same columns. */
static bool is_same(const struct ui_graphs *g, const struct job *q)
{
	return g->id == q->id && g->cells == q->cells && g->from_ns == q->from_ns &&
	       g->to_ns == q->to_ns;
}

static void post(struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish)
{
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run, .drop = drop };
	q->model = s->whole;
	q->cells = wish->cells;
	q->id = id_of(wish);
	q->thrown = wish->thrown ? strdup(wish->thrown) : NULL;
	span(s, wish, &q->from_ns, &q->to_ns);
	q->job.urgent = !g->asked || !is_same(g, q);
	q->n = wish->n < UI_GRAPHS_MAX ? wish->n : UI_GRAPHS_MAX;
	for (size_t i = 0; i < q->n; i++)
		q->kind[i] = wish->kind[i];
	if (g->id != q->id)
		drop_series(g); /* of something else: better none than a wrong one */
	g->asked = true;
	g->from_ns = q->from_ns;
	g->to_ns = q->to_ns;
	g->generation = s->whole_generation;
	g->id = q->id;
	g->cells = q->cells;
	ui_query_worker_post(s->worker, &g->slot, &q->job);
}

void ui_graphs_refresh(
	struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish)
{
	take(g);
	if (!s->whole || wish->cells == 0)
		return;
	struct job want = { .id = id_of(wish), .cells = wish->cells };
	span(s, wish, &want.from_ns, &want.to_ns);
	const bool moved_on =
		!s->paused && g->generation != s->whole_generation && !ui_slot_pending(&g->slot);
	const bool same = is_same(g, &want);
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

/* SPDX-License-Identifier: MIT */
/*
 * Builds summaries: begins and ends segments, and moves their figures from the tree to the batch.
 */
#include "common/calls/mlpd_summary.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEW = 64,             /* segments before judgement ... */
	SHORT = 16,           /* ... by their average number of events */
	ENTERS_MAX = 1 << 18, /* of a segment that goes on in another batch */
	DEPTH_KEPT = 1 << 17, /* calls: deeper ones are begun anew with every run */
	AHEAD = 8,
	NOTED = 1 << 12, /* calls by which a run is judged */
	REST = 32,       /* runs */
};

#define FAR ((uint64_t)PV_SEGMENT_ANY) /* ns: times beyond are invalid */

/* --- a segment's paths */

static bool name_paths(struct mlpd_summary_builder *d)
{
	struct pv_call_summary *g = &d->home->summary;
	struct mlpd_tree *t = d->tree;
	if (!pv_reserve(&g->path, t->n - t->described))
		return false;
	if (g->path.n == 0)
		g->first_path = t->described;
	for (; t->described < t->n; t->described++)
		g->path.v[g->path.n++] = (struct pv_summary_path){ t->place[t->described].key,
			t->place[t->described].parent };
	return true;
}

static int64_t take_longest(const struct mlpd_tree *t, struct mlpd_node *n)
{
	uint32_t longest = n->longest_ns;
	n->longest_ns = 0;
	return longest > MLPD_LONG ? t->long_ns.v[longest - MLPD_LONG - 1] : longest;
}

/* Moves figures from the tree to the summary. */
static bool take_figures(struct mlpd_summary_builder *d)
{
	struct pv_call_summary *g = &d->home->summary;
	struct mlpd_tree *t = d->tree;
	size_t n = t->touched.n;
	if (!pv_reserve(&g->sum, n) || !pv_reserve(&g->exc, t->exc.n))
		return false;
	struct pv_summary_sum *to = g->sum.v + g->sum.n;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = t->touched.v[i];
		struct mlpd_node *from = &t->node[at];
		if (i + AHEAD < n)
			__builtin_prefetch(&t->node[t->touched.v[i + AHEAD]], 1);
		to[i] = (struct pv_summary_sum){ from->total_ns, take_longest(t, from), at,
			from->more_calls + 1 };
		from->total_ns = 0;
		from->more_calls = UINT32_MAX;
	}
	g->sum.n += n;
	for (size_t i = 0; i < t->exc.n; i++)
		g->exc.v[g->exc.n++] = t->exc.v[i].node;
	t->touched.n = t->exc.n = t->long_ns.n = 0;
	return true;
}

/* Number of outermost calls of the stream that were open before `from_ns`: their times ascend. */
static size_t count_kept(const struct mlpd_summary_builder *d, int64_t from_ns)
{
	const struct mlpd_open *calls = d->tree->open.v;
	size_t low = 0, high = d->depth;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (calls[mid].enter_ns < from_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Lists the stream's open calls, without the `kept` outermost. */
static bool list_open(struct mlpd_summary_builder *d, size_t kept)
{
	struct pv_call_summary *g = &d->home->summary;
	size_t more = d->depth - kept;
	uint32_t path = mlpd_summary_top(d);
	if (!pv_reserve(&g->open, more))
		return false;
	for (size_t i = more; i-- > 0; path = d->tree->place[path].parent)
		g->open.v[g->open.n + i] =
			(struct pv_summary_open){ path, d->tree->open.v[kept + i].enter_ns };
	g->open.n += more;
	return true;
}

/* --- segments */

static int64_t next_edge(int64_t time, int64_t origin, int64_t width)
{
	int64_t since = (int64_t)((uint64_t)time - (uint64_t)origin);
	int64_t n = since / width - (since % width < 0);
	return (int64_t)((uint64_t)origin + (uint64_t)(n + 1) * (uint64_t)width);
}

static void set_limit(struct mlpd_summary_builder *d, int64_t time)
{
	const struct pv_call_summary *g = &d->home->summary;
	int64_t edge = next_edge(time, g->cell_origin_ns, g->cell_ns);
	d->limit_ns = edge < d->end_ns ? edge : d->end_ns;
}

static bool begin_count(struct mlpd_summary_builder *d, int64_t time)
{
	struct pv_call_summary *g = &d->home->summary;
	if (!pv_reserve(&g->count, 1))
		return false;
	g->count.v[g->count.n++] = (struct pv_summary_count){ .time_ns = time };
	d->enters = d->leaves = d->exc_leaves = 0;
	set_limit(d, time);
	return true;
}

static void end_count(struct mlpd_summary_builder *d)
{
	struct pv_call_summary *g = &d->home->summary;
	struct pv_summary_count *c = &g->count.v[g->count.n - 1];
	c->enters = d->enters;
	c->leaves = d->leaves;
	c->exc_leaves = d->exc_leaves;
}

/* A segment is placed among the batch's events here, at the begin. */
static bool begin_segment(struct mlpd_summary_builder *d, int64_t time)
{
	struct pv_batch *b = d->batch;
	struct pv_call_summary *g = &b->summary;
	d->home = b;
	if (!mlpd_tree_begin(d->tree) || !mlpd_summary_number(d) || !pv_reserve(&g->segment, 1) ||
		!pv_batch_reserve(b, 1))
		return false;
	b->time[b->n] = (uint64_t)time;
	b->kind[b->n] = PV_BATCH_SEGMENT;
	b->key[b->n++] = g->segment.n;
	g->segment.v[g->segment.n++] = (struct pv_segment){ .from_ns = time,
		.sum = (uint32_t)g->sum.n,
		.exc = (uint32_t)g->exc.n,
		.count = (uint32_t)g->count.n,
		.open = (uint32_t)g->open.n,
		.number = ++d->number,
		.continues_previous = d->known };
	d->within = d->known = true;
	d->from_depth = d->depth;
	d->all_enters = 0;
	d->end_ns = next_edge(time, 0, b->summary.segment_ns);
	if (d->ends && d->ends_ns < d->end_ns)
		d->end_ns = d->ends_ns + 1;
	d->last_ns = time;
	return begin_count(d, time);
}

bool mlpd_summary_close(struct mlpd_summary_builder *d)
{
	struct pv_call_summary *g = &d->home->summary;
	if (!d->within)
		return true;
	struct pv_segment *s = &g->segment.v[g->segment.n - 1];
	size_t room = d->tree->open.room, deepest = d->from_depth + d->all_enters;
	d->within = false;
	end_count(d);
	s->still_open = (uint32_t)count_kept(d, s->from_ns);
	if (!name_paths(d) || !take_figures(d) || !list_open(d, s->still_open))
		return false;
	s->to_ns = d->last_ns;
	s->sums = (uint32_t)g->sum.n - s->sum;
	s->excs = (uint32_t)g->exc.n - s->exc;
	s->counts = (uint32_t)g->count.n - s->count;
	s->opened = (uint32_t)g->open.n - s->open;
	s->max_depth = (uint32_t)(deepest < room ? deepest : room);
	if (g->segment.n >= FEW && g->events / g->segment.n < SHORT)
		d->on = false;
	return true;
}

bool mlpd_summary_leave(struct mlpd_summary_builder *d)
{
	bool ok = mlpd_summary_close(d);
	d->known = false;
	d->depth = 0;
	d->at = MLPD_ROOT;
	d->ended = true;
	return ok;
}

void mlpd_summary_drop(struct mlpd_summary_builder *d)
{
	struct mlpd_tree *t = d->tree;
	for (size_t i = 0; i < t->touched.n; i++) {
		struct mlpd_node *n = &t->node[t->touched.v[i]];
		n->total_ns = n->longest_ns = 0;
		n->more_calls = UINT32_MAX;
	}
	t->touched.n = t->exc.n = t->long_ns.n = 0;
	t->described = d->run_named > MLPD_ROOT || t->n == 0 ? d->run_named : MLPD_ROOT + 1;
	d->within = d->known = false;
}

bool mlpd_summary_pass_edge(
	struct mlpd_summary_builder *d, int64_t time, bool enters, bool *ret_go_on)
{
	*ret_go_on = true;
	if (d->within && time < d->end_ns) {
		end_count(d);
		return begin_count(d, time);
	}
	if (d->within && !mlpd_summary_close(d))
		return false;
	if (!mlpd_summary_pass(d, time))
		return false;
	/* From here on times may be before those of open calls. */
	if (d->known && time < d->last_ns && !mlpd_summary_leave(d))
		return false;
	bool ended = d->ends && time > d->ends_ns;
	*ret_go_on = d->on && !ended && (enters || d->depth) && (uint64_t)time + FAR < 2 * FAR;
	return !*ret_go_on || begin_segment(d, time);
}

void mlpd_summary_begin(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b)
{
	d->tree = t;
	d->batch = d->home = b;
	b->summary.resting = b->summary.wanted && d->resting;
	d->on = b->summary.wanted && !d->resting;
	d->over = d->within = false;
	if (!d->known)
		mlpd_summary_leave(d);
	b->summary.stream = d->stream;
	b->summary.tree = d->trees;
}

/*
 * If nearly every call is a path of its own, summing up takes longer than applying: then runs come
 * event by event, and after a while summing up is tried again.
 */
static bool is_resting(struct mlpd_summary_builder *d, const struct mlpd_tree *t)
{
	uint32_t paths = t->n > d->run_paths ? t->n - d->run_paths : 0;
	if (d->run_enters > NOTED && paths > d->run_enters / 2)
		d->resting = REST;
	else if (d->resting)
		d->resting--;
	d->run_enters = 0;
	return d->resting > 0;
}

void mlpd_summary_run(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b)
{
	d->tree = t;
	d->within = false;
	if (is_resting(d, t) && d->known)
		mlpd_summary_leave(d);
	if (d->depth > DEPTH_KEPT || t->n > d->most)
		mlpd_summary_leave(d);
	if (t->n > d->most) {
		mlpd_tree_forget(t);
		d->trees++;
	}
	d->run_paths = t->n;
	d->run_named = t->described;
	mlpd_summary_begin(d, t, b);
}

bool mlpd_summary_next(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b)
{
	d->tree = t;
	/* Each call may be a path of its own: this bounds the memory of a segment. */
	if (d->all_enters > ENTERS_MAX && !mlpd_summary_close(d))
		return false;
	d->batch = b;
	b->summary.resting = b->summary.wanted && d->resting;
	d->on = b->summary.wanted && !d->over && !d->resting;
	b->summary.stream = d->stream;
	b->summary.tree = d->trees;
	return true;
}

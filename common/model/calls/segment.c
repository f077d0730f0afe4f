/* SPDX-License-Identifier: MIT */
/*
 * Adds segments of calls that a decode worker summed up to the call tree. A run has some thousand
 * sums for its hundred thousand events, nearly all of known paths: their nodes are kept by stream
 * and path.
 */
#include "common/model/calls/segment.h"

#include <string.h>

#include "common/base/invariant.h"
#include "common/format/run_end.h"
#include "common/model/ground/model_parts.h"
#include "common/model/ground/room.h"
#include "common/model/time/window_parts.h"

enum {
	PLACE_AHEAD = 16,       /* sums: the path's entry is fetched ... */
	NODE_AHEAD = 8,         /* ... and then the node */
	MADE_AT_ONCE = 1 << 10, /* nodes, half a millisecond at most */
};

static void finish_stream(struct pv_call_stream *s)
{
	pv_array_finish(&s->path);
	pv_array_finish(&s->node);
	pv_array_finish(&s->open);
}

void pv_segments_finish(struct pv_segments *s)
{
	for (size_t i = 0; i <= PV_STREAM_SINGLE_BUFFER; i++)
		finish_stream(&s->stream[i]);
	pv_array_finish(&s->climbed);
}

/* --- paths */

/* Paths are numbered anew: no earlier entry is valid. */
static void begin_tree(struct pv_call_stream *s, uint32_t tree)
{
	s->tree = tree;
	s->path.n = s->node.n = 0;
	s->shared = false;
}

static bool add_paths(struct pv_call_stream *s, const struct pv_call_summary *d)
{
	if (d->path.n == 0)
		return true;
	if (d->first_path == PV_PATH_FIRST)
		begin_tree(s, d->tree);
	size_t known = s->path.n ? s->path.n : PV_PATH_FIRST, more = d->path.n;
	if (!pv_reserve(&s->path, known + more - s->path.n) ||
		!pv_reserve(&s->node, known + more - s->node.n))
		return false;
	memset(s->node.v + s->node.n, 0, (known + more - s->node.n) * sizeof *s->node.v);
	memcpy(s->path.v + known, d->path.v, more * sizeof *d->path.v);
	s->path.n = s->node.n = known + more;
	return true;
}

/* Drops a set of streams (bits) whose paths are of no more use. */
static void drop_streams(struct pv_segments *p, uint64_t streams)
{
	for (size_t i = 0; streams; i++, streams >>= 1) {
		if (!(streams & 1))
			continue;
		finish_stream(&p->stream[i]);
		p->stream[i].thread = NULL;
	}
}

/* True if only the last batch may change the meaning of calls: damage, and any end, ends a run. */
__attribute__((unused)) static bool ends_last(struct pv_batch *const *b, size_t n)
{
	bool ends = false;
	for (size_t i = 0; i + 1 < n && !ends; i++) {
		ends = b[i]->damaged;
		for (size_t k = 0; k < b[i]->other_events.n && !ends; k++)
			ends = pv_ends_run(&b[i]->other_events.v[k]);
	}
	return !ends;
}

static void begin_run(struct pv_segments *p, struct pv_batch *const *b, size_t n)
{
	PV_INVARIANT(pv_segments_between_runs(p));
	PV_INVARIANT(n <= PV_MAX_STREAMS && (b[0]->summary.run_n <= 1 || b[0]->summary.run_n == n));
	PV_INVARIANT(ends_last(b, n));
	p->due_n = p->due_at = 0;
	for (size_t i = 0; i < n && i < PV_MAX_STREAMS; i++)
		p->due[p->due_n++] = b[i];
}

void pv_segments_next_batch(struct pv_segments *s, const struct pv_batch *b)
{
	PV_INVARIANT(s->due_at < s->due_n ? s->due[s->due_at] == b : b->summary.segment.n == 0);
	s->due_at += s->due_at < s->due_n;
}

bool pv_paths_register(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	struct pv_segments *p = &m->private->segments;
	bool ok = true;
	begin_run(p, b, n);
	for (size_t i = 0; i < n; i++) {
		const struct pv_call_summary *d = &b[i]->summary;
		drop_streams(p, d->dropped);
		ok = add_paths(&p->stream[d->stream], d) && ok;
	}
	return ok;
}

uint32_t pv_segment_find(struct pv_model *m, struct pv_call_stream *s, uint32_t path)
{
	struct pv_segments *p = &m->private->segments;
	uint32_t at = path;
	p->climbed.n = 0;
	for (; at != PV_PATH_BASE && s->node.v[at].turn != s->turn; at = s->path.v[at].parent) {
		if (!pv_reserve(&p->climbed, 1))
			return PV_MAP_NONE;
		p->climbed.v[p->climbed.n++] = at;
	}
	uint32_t node = at == PV_PATH_BASE ? s->base : s->node.v[at].node;
	while (p->climbed.n > 0) {
		at = p->climbed.v[--p->climbed.n];
		node = pv_calls_child(m, node, s->path.v[at].key, 0);
		if (node == PV_MAP_NONE || node == 0)
			return PV_MAP_NONE;
		s->node.v[at] = (struct pv_stream_node){ node, s->turn };
		s->shared |= m->calls.node.v[node].key == UINT64_MAX;
	}
	return node;
}

/* --- a segment */

struct applying {
	struct pv_model *m;
	struct pv_thread_calls *t;
	struct pv_call_stream *s;
	int64_t idle; /* while nothing was open */
};

/* Adds time to the self time of a node, and subtracts the time from its caller. */
static void give(struct applying *a, uint32_t node, int64_t ns)
{
	struct pv_tree_node *v = a->m->calls.node.v;
	uint32_t parent = v[node].parent;
	v[node].self_ns += ns;
	if (parent == 0) {
		a->idle -= ns;
		return;
	}
	pv_window_touch(a->m, parent);
	v[parent].self_ns -= ns;
}

static void fetch(const struct applying *a, const struct pv_stream_node *n)
{
	const struct pv_tree_node *at = &a->m->calls.node.v[n->node];
	if (n->turn != a->s->turn)
		return;
	__builtin_prefetch(at, 1);
	__builtin_prefetch((const char *)(at + 1) - 1, 1);
}

/* Adds calls that ended, from their beginnings; end_open() has subtracted the calls open before. */
static bool add_sums(struct applying *a, const struct pv_summary_sum *v, size_t n)
{
	const struct pv_stream_node *to = a->s->node.v;
	for (size_t i = 0; i < n; i++) {
		if (i + PLACE_AHEAD < n)
			__builtin_prefetch(&to[v[i + PLACE_AHEAD].path]);
		if (i + NODE_AHEAD < n)
			fetch(a, &to[v[i + NODE_AHEAD].path]);
		uint32_t at = pv_segment_node(a->m, a->s, v[i].path);
		if (at == PV_MAP_NONE)
			return false;
		pv_window_touch(a->m, at);
		struct pv_tree_node *node = &a->m->calls.node.v[at];
		node->calls += v[i].calls;
		node->total_ns = (int64_t)((uint64_t)node->total_ns + v[i].total_ns);
		if (v[i].max_ns > node->max_ns)
			node->max_ns = v[i].max_ns;
		give(a, at, (int64_t)v[i].total_ns);
	}
	return true;
}

/* Ends the frames that did not stay open, with their self time as paid so far. */
static void end_open(struct applying *a, size_t kept)
{
	for (size_t i = kept; i < a->t->stack.n; i++) {
		const struct pv_frame *f = &a->t->stack.v[i];
		pv_window_touch(a->m, f->node);
		a->m->calls.node.v[f->node].calls--;
		give(a, f->node, f->enter_ns - a->t->last_ns);
	}
	a->t->stack.n = kept;
}

static bool push_open_calls(
	struct applying *a, const struct pv_summary_open *v, size_t n, int64_t to_ns)
{
	if (!pv_reserve(&a->t->stack, n) || !pv_reserve(&a->s->open, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = pv_segment_node(a->m, a->s, v[i].path);
		if (at == PV_MAP_NONE)
			return false;
		pv_window_touch(a->m, at);
		a->m->calls.node.v[at].calls++;
		give(a, at, to_ns - v[i].enter_ns);
		a->t->stack.v[a->t->stack.n++] = (struct pv_frame){ at, v[i].enter_ns };
		a->s->open.v[a->s->open.n++] = v[i].path;
	}
	return true;
}

/* The innermost call that stays open, or idle time, gets all time that no other call has. */
static void pay_open_call(struct applying *a, int64_t ns)
{
	if (a->t->stack.n == 0) {
		a->idle += ns;
		return;
	}
	uint32_t top = a->t->stack.v[a->t->stack.n - 1].node;
	pv_window_touch(a->m, top);
	a->m->calls.node.v[top].self_ns += ns;
}

static bool add_exceptions(struct applying *a, const uint32_t *path, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t at = pv_segment_node(a->m, a->s, path[i]);
		if (at == PV_MAP_NONE)
			return false;
		a->m->calls.node.v[at].exc_leaves++;
	}
	return true;
}

/* Back at an earlier base, the paths found there are valid again. */
static void take_turn(struct pv_call_stream *s, uint32_t base, bool forget)
{
	struct pv_stream_base *b = &s->had[base % PV_STREAM_BASES];
	memset(s->had, 0, forget ? sizeof s->had : 0);
	if (b->turn == 0 || b->node != base)
		*b = (struct pv_stream_base){ base, ++s->turns };
	s->turn = b->turn;
}

/*
 * Finds the stream's base, and whether nodes are unchanged. If not, the stack has the nodes of
 * calls that stay open, whatever their keys mean by now.
 */
static void begin_segment(struct pv_model *m, struct pv_call_stream *s,
	const struct pv_thread_calls *t, const struct pv_segment *next)
{
	const struct pv_segments *p = &m->private->segments;
	if (s->resumes)
		s->base_depth = t->stack.n - s->open.n;
	s->resumes = false;
	size_t depth = next->continues_previous ? s->base_depth : t->stack.n;
	uint32_t base = depth ? t->stack.v[depth - 1].node : 0;
	s->open.n = next->still_open;
	if (base != s->base || s->changes != p->changes || s->shared || s->turn == 0) {
		take_turn(s, base, s->changes != p->changes || s->shared);
		s->shared = false;
		for (size_t i = 0; i < next->still_open; i++) {
			uint32_t node = t->stack.v[depth + i].node;
			s->node.v[s->open.v[i]] = (struct pv_stream_node){ node, s->turn };
			s->shared |= m->calls.node.v[node].key == UINT64_MAX;
		}
	}
	s->changes = p->changes;
	s->base = base;
	s->base_depth = depth;
}

/* Lets others have the lock, and large tables grow. */
static void pause(struct pv_model *m)
{
	if (!m->private->yield.may)
		return;
	pv_model_lock_release(m);
	pv_model_make_room(m);
	pv_model_lock_retake(m);
}

bool pv_segment_begin(struct pv_context *x, const struct pv_segment *s)
{
	const struct pv_call_summary *d = &x->batch->summary;
	struct pv_call_stream *stream = &x->m->private->segments.stream[d->stream];
	const struct pv_summary_sum *sum = &d->sum.v[s->sum];
	size_t made = 0;
	begin_segment(x->m, stream, &x->thread->stack, s);
	x->m->private->use_ns = s->from_ns;
	for (size_t i = 0; i < s->sums && s->sums > MADE_AT_ONCE; i++) {
		if (stream->node.v[sum[i].path].turn == stream->turn)
			continue;
		if (pv_segment_find(x->m, stream, sum[i].path) == PV_MAP_NONE)
			return false;
		if (++made % MADE_AT_ONCE == 0)
			pause(x->m);
	}
	if (made > MADE_AT_ONCE)
		pause(x->m);
	return true;
}

bool pv_segment_apply(struct pv_context *x, const struct pv_segment *s)
{
	const struct pv_call_summary *d = &x->batch->summary;
	struct pv_thread_calls *t = &x->thread->stack;
	struct pv_call_stream *stream = &x->m->private->segments.stream[d->stream];
	struct applying a = { .m = x->m, .t = t, .s = stream };
	end_open(&a, a.s->base_depth + s->still_open);
	pay_open_call(&a, s->to_ns - t->last_ns);
	if (!add_sums(&a, &d->sum.v[s->sum], s->sums) ||
		!add_exceptions(&a, &d->exc.v[s->exc], s->excs) ||
		!push_open_calls(&a, &d->open.v[s->open], s->opened, s->to_ns))
		return false;
	t->bucketed_ns += a.idle;
	t->last_ns = s->to_ns;
	a.s->number = s->number;
	a.s->thread = x->thread;
	a.s->depth = t->stack.n;
	a.s->top = t->stack.n ? t->stack.v[t->stack.n - 1] : (struct pv_frame){ 0 };
	return true;
}

bool pv_model_summarises(const struct pv_model *m, struct pv_call_summary *ret)
{
	if (m->private->timed || m->only.threaded || m->timeline.width_ns == 0)
		return false;
	ret->wanted = true;
	ret->cell_origin_ns = m->timeline.origin_ns;
	ret->cell_ns = m->timeline.width_ns;
	/* No cell of the window is narrower. */
	ret->segment_ns = m->window->off ? PV_SEGMENT_ANY : (int64_t)PV_WINDOW_CELL_MS * 1000000;
	return true;
}

/* --- a run that is applied event by event */

/* Takes the open calls from the segment, and no figure. */
static bool skip(
	struct pv_call_stream *s, const struct pv_call_summary *d, const struct pv_segment *next)
{
	size_t kept = next->continues_previous ? next->still_open : 0;
	s->open.n = kept < s->open.n ? kept : s->open.n;
	if (!pv_reserve(&s->open, next->opened))
		return false;
	for (size_t i = 0; i < next->opened; i++)
		s->open.v[s->open.n++] = d->open.v[next->open + i].path;
	s->number = next->number;
	s->resumes = true;
	s->turn = 0; /* nodes have to be found again */
	return true;
}

bool pv_calls_skip_summary(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	bool ok = true;
	for (size_t i = 0; i < n; i++) {
		const struct pv_call_summary *d = &b[i]->summary;
		struct pv_call_stream *s = &m->private->segments.stream[d->stream];
		for (size_t k = 0; k < d->segment.n; k++)
			ok = skip(s, d, &d->segment.v[k]) && ok;
	}
	return ok;
}

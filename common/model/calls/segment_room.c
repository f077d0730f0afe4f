/* SPDX-License-Identifier: MIT */
/*
 * Limits on the additions of a run of segments: near a cap the order decides what is distinguished.
 */
#include "common/model/ground/model_parts.h"

/* True if the stream's next segment will find its nodes unchanged. */
static bool stays(
	const struct pv_model *m, const struct pv_call_stream *s, const struct pv_thread *th)
{
	if (!th || s->turn == 0 || s->shared || s->changes != m->private->segments.changes ||
		s->base_depth > th->stack.stack.n)
		return false;
	return s->base == (s->base_depth ? th->stack.stack.v[s->base_depth - 1].node : 0);
}

/* Marks streams that begin on another base, somewhere in the run. */
static void note_bases(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	struct pv_segments *p = &m->private->segments;
	for (size_t i = 0; i < n; i++) {
		struct pv_call_stream *s = &p->stream[b[i]->summary.stream];
		bool moves = !stays(m, s, pv_summary_thread(m, b[i]));
		for (size_t k = 0; k < b[i]->summary.segment.n; k++)
			moves |= !b[i]->summary.segment.v[k].continues_previous;
		if (moves)
			s->moves = p->checks;
	}
}

/* Sums and open calls of a batch whose path has no node yet, as far as is known. */
static size_t new_paths(const struct pv_segments *p, const struct pv_call_summary *d)
{
	const struct pv_call_stream *s = &p->stream[d->stream];
	size_t n = 0;
	if (s->moves == p->checks)
		return d->sum.n + d->open.n;
	for (size_t i = 0; i < d->sum.n; i++)
		n += s->node.v[d->sum.v[i].path].turn != s->turn;
	for (size_t i = 0; i < d->open.n; i++)
		n += s->node.v[d->open.v[i].path].turn != s->turn;
	return n;
}

/* With so many more the tree may have to fold, or methods become one: then their order decides. */
static bool is_too_much(const struct pv_model *m, size_t more)
{
	return m->calls.node.n + more >= m->calls.cap ||
	       m->names.method.n + more >= m->names.method_cap;
}

bool pv_summaries_near_cap(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	struct pv_segments *p = &m->private->segments;
	size_t others = 0, paths = 0;
	p->checks++;
	for (size_t i = 0; i < n; i++) {
		/* Samples, and calls that are not summed up. */
		others += b[i]->pool.n + b[i]->n - b[i]->allocs.n;
		paths += b[i]->summary.sum.n + b[i]->summary.open.n;
	}
	if (!is_too_much(m, others + paths))
		return false;
	note_bases(m, b, n);
	paths = 0;
	for (size_t i = 0; i < n; i++)
		paths += new_paths(p, &b[i]->summary);
	return is_too_much(m, others + paths);
}

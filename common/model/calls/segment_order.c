/* SPDX-License-Identifier: MIT */
/*
 * Decides for the reorder window (reorder.h) whether the calls of a run can be applied summed up,
 * or their order among other events counts. Segments always continue their stream: see continues().
 */
#include "common/base/invariant.h"
#include "common/model/ground/model_parts.h"

const struct pv_thread *pv_summary_thread(const struct pv_model *m, const struct pv_batch *b)
{
	uint32_t at = pv_map_get(&m->threads.newest, b->thread);
	return at == PV_MAP_NONE ? NULL : m->threads.thread.v[at];
}

/* --- calls open before a segment */

/* After a run that was applied event by event: whether the stream's open calls are the thread's. */
static bool resumes(
	const struct pv_model *m, const struct pv_call_stream *s, const struct pv_thread *th)
{
	if (!th || th->stack.too_deep || th->stack.stack.n < s->open.n)
		return false;
	const struct pv_frame *f = &th->stack.stack.v[th->stack.stack.n - s->open.n];
	for (size_t i = 0; i < s->open.n; i++) {
		uint32_t method = m->calls.node.v[f[i].node].method;
		if (m->names.method.v[method].key != s->path.v[s->open.v[i]].key)
			return false;
	}
	return true;
}

/*
 * Always true by the cutting of runs (summariser.h), so a debug build asserts it. As a log is
 * foreign, a mistake there must not become a wrong figure in another build.
 */
static bool continues(struct pv_model *m, const struct pv_call_stream *s,
	const struct pv_thread *th, const struct pv_segment *next)
{
	bool same = th && s->thread == th && s->number + 1 == next->number &&
		    th->stack.stack.n == s->depth && next->still_open <= s->open.n;
	if (same && s->depth) {
		const struct pv_frame *top = &th->stack.stack.v[s->depth - 1];
		bool moved = s->changes != m->private->segments.changes; /* nodes, by a fold */
		same = top->enter_ns == s->top.enter_ns && (moved || top->node == s->top.node);
	}
	m->private->segments.broken += !same;
	PV_INVARIANT(same);
	return same;
}

/* True if the segment begins at a known depth, and does not become too deep. */
static bool segment_fits(
	struct pv_model *m, const struct pv_batch *b, const struct pv_segment *next)
{
	struct pv_segments *p = &m->private->segments;
	struct pv_call_stream *s = &p->stream[b->summary.stream];
	const struct pv_thread *th = pv_summary_thread(m, b);
	size_t depth = th ? th->stack.stack.n : 0;
	if (s->look != p->checks) {
		bool ok = !next->continues_previous ||
			  (s->resumes ? resumes(m, s, th) : continues(m, s, th, next));
		if (!ok)
			return false;
		s->look_depth = !next->continues_previous ? depth
				: s->resumes              ? depth - s->open.n
							  : s->base_depth;
	} else if (!next->continues_previous) {
		s->look_depth += s->look_max_depth;
	}
	s->look = p->checks;
	s->look_max_depth = next->max_depth;
	return s->look_depth + s->look_max_depth < PV_STACK_DEPTH;
}

static bool all_fit(struct pv_model *m, const struct pv_batch *b)
{
	const struct pv_thread *th = pv_summary_thread(m, b);
	if (b->summary.segment.n == 0)
		return true;
	if (th ? th->stack.too_deep > 0 : m->threads.thread.n > m->threads.cap)
		return false;
	for (size_t i = 0; i < b->summary.segment.n; i++)
		if (!segment_fits(m, b, &b->summary.segment.v[i]))
			return false;
	return true;
}

/* --- a thread that ends */

/* later: an event is after the end. beyond: a segment is on both sides of the end. */
static void look_at_end(const struct pv_batch *b, int64_t end_ns, bool *later, bool *beyond)
{
	for (size_t i = 0; i < b->n && !*later; i++)
		*later = (int64_t)b->time[i] > end_ns;
	for (size_t i = 0; i < b->summary.segment.n; i++) {
		const struct pv_segment *s = &b->summary.segment.v[i];
		*later |= s->to_ns > end_ns;
		*beyond |= s->continues_previous || (s->from_ns <= end_ns && s->to_ns > end_ns);
	}
}

/* True if the batch's thread ends within the run: another thread with its id may begin there. */
static bool ends_within(
	const struct pv_model *m, const struct pv_batch *one, struct pv_batch *const *b, size_t n)
{
	const struct pv_thread *th = pv_summary_thread(m, one);
	bool later = false, beyond = false;
	if (!th || th->end_ns == PV_NEVER)
		return false;
	for (size_t i = 0; i < n; i++)
		if (b[i]->thread == one->thread)
			look_at_end(b[i], th->end_ns, &later, &beyond);
	return later && beyond;
}

bool pv_calls_need_order(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	size_t segments = 0;
	for (size_t i = 0; i < n; i++)
		segments += b[i]->summary.segment.n;
	if (segments == 0)
		return false;
	if (pv_summaries_near_cap(m, b, n) || (m->threads.thread.n + n > m->threads.cap && n > 1))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!all_fit(m, b[i]) || ends_within(m, b[i], b, n))
			return true;
	return !pv_summaries_unambiguous(m, b, n);
}

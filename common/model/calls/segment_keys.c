/* SPDX-License-Identifier: MIT */
/*
 * Methods whose key has several meanings: a node must not stand for two of them, so a run with such
 * a method may have to be applied event by event. Descriptions that change a meaning end a run, so
 * each key has a single meaning within a run unless the model has heard of a later one.
 */
#include <string.h>

#include "common/model/ground/model_parts.h"

enum { OPEN_MOST = 1 << 12 }; /* calls checked for each batch */

static size_t shared_bit(uint64_t key)
{
	return pv_hash(key) % PV_SHARED_BITS;
}

static void set_shared(struct pv_segments *p, uint64_t key)
{
	size_t bit = shared_bit(key);
	p->shared_key[bit / 64] |= UINT64_C(1) << bit % 64;
	p->shared_any = true;
}

void pv_summaries_note_shared(struct pv_model *m, uint64_t key)
{
	set_shared(&m->private->segments, key);
}

static void note_shared(struct pv_model *m)
{
	struct pv_segments *p = &m->private->segments;
	memset(p->shared_key, 0, sizeof p->shared_key);
	p->shared_any = false;
	for (size_t i = 1; i < m->names.method.n; i++)
		if (m->names.method.v[i].shared)
			set_shared(p, m->names.method.v[i].key);
	p->shared_known = true;
}

struct times {
	int64_t from_ns, to_ns;
};

static bool is_key_unambiguous(const struct pv_model *m, uint64_t key, const struct times *t)
{
	size_t bit = shared_bit(key);
	if ((m->private->segments.shared_key[bit / 64] >> bit % 64 & 1) == 0)
		return true;
	return pv_names_is_unambiguous(&m->names, key, t->from_ns, t->to_ns);
}

/* Checks keys for all of the run: a call left open by a segment may end in the next. */
static bool is_unambiguous(
	const struct pv_model *m, const struct pv_call_summary *d, const struct times *t)
{
	const struct pv_summary_path *path = m->private->segments.stream[d->stream].path.v;
	for (size_t i = 0; i < d->sum.n; i++)
		if (!is_key_unambiguous(m, path[d->sum.v[i].path].key, t))
			return false;
	for (size_t i = 0; i < d->open.n; i++)
		if (!is_key_unambiguous(m, path[d->open.v[i].path].key, t))
			return false;
	return true;
}

/* Checks the calls open before the run, too: a sum has a single path for them. */
static bool open_are_unambiguous(
	const struct pv_model *m, const struct pv_batch *b, const struct times *run)
{
	const struct pv_call_stream *s = &m->private->segments.stream[b->summary.stream];
	const struct pv_thread *th = pv_summary_thread(m, b);
	if (!th || !b->summary.segment.v[0].continues_previous)
		return true;
	size_t base = s->resumes ? th->stack.stack.n - s->open.n : s->base_depth;
	if (th->stack.stack.n > base + OPEN_MOST)
		return false; /* checking all of them would take longer than the batch */
	for (size_t i = base; i < th->stack.stack.n; i++) {
		const struct pv_frame *f = &th->stack.stack.v[i];
		const struct pv_method *method =
			&m->names.method.v[m->calls.node.v[f->node].method];
		struct times t = *run;
		t.from_ns = f->enter_ns < t.from_ns ? f->enter_ns : t.from_ns;
		if (!is_key_unambiguous(m, method->key, &t))
			return false;
	}
	return true;
}

static struct times times_of(struct pv_batch *const *b, size_t n)
{
	struct times t = { INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < b[i]->summary.segment.n; k++) {
			const struct pv_segment *s = &b[i]->summary.segment.v[k];
			t.from_ns = s->from_ns < t.from_ns ? s->from_ns : t.from_ns;
			t.to_ns = s->to_ns > t.to_ns ? s->to_ns : t.to_ns;
		}
	}
	return t;
}

bool pv_summaries_unambiguous(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	if (!m->private->segments.shared_known)
		note_shared(m);
	if (!m->private->segments.shared_any)
		return true;
	const struct times t = times_of(b, n);
	for (size_t i = 0; i < n; i++) {
		if (b[i]->summary.segment.n && (!is_unambiguous(m, &b[i]->summary, &t) ||
						       !open_are_unambiguous(m, b[i], &t)))
			return false;
	}
	return true;
}

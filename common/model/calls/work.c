/* SPDX-License-Identifier: MIT */
/* Pieces of threads' time by the span that they worked for; see work.h. */
#include "common/model/calls/work.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/ground/model_parts.h"

/* --- pieces */

static struct pv_work_piece *newest_of(struct pv_works *w, const struct pv_thread *th)
{
	return th && th->piece ? pv_work_piece_of(w, th->piece) : NULL;
}

static void merge_sums(struct pv_work_piece *to, const struct pv_work_piece *from)
{
	to->to_ns = from->to_ns;
	to->allocations += from->allocations;
	to->bytes += from->bytes;
	to->wait_ns += from->wait_ns;
	to->ran += from->ran;
	to->waited += from->waited;
	to->unsure += from->unsure;
	to->waits += from->waits;
	to->thrown += from->thrown;
}

/*
 * Merges the newest piece into the piece directly before, if both are sure pieces of the same span.
 */
static bool take_newest(struct pv_works *w, struct pv_thread *th)
{
	struct pv_work_piece *p = newest_of(w, th);
	struct pv_work_piece *before = p && p->before ? pv_work_piece_of(w, p->before) : NULL;
	if (!before || !pv_piece_is_sure(p) || !pv_piece_is_sure(before) ||
		before->owner != p->owner || before->to_ns != p->from_ns)
		return false;
	merge_sums(before, p);
	return true;
}

static bool begin_piece(struct pv_context *x, uint64_t owner)
{
	struct pv_works *w = &x->m->runtime.works;
	struct pv_thread *th = x->thread;
	struct pv_work_piece new = { .from_ns = x->time,
		.to_ns = PV_NEVER,
		.thread = th->id,
		.owner = owner,
		.before = th->piece };
	if (take_newest(w, th)) {
		struct pv_work_piece *p = pv_work_piece_of(w, th->piece);
		new.before = p->before;
		*p = new;
		return true;
	}
	if (w->piece.n >= PV_PIECES_LIST) {
		w->beyond++;
		return true;
	}
	if (!pv_reserve(&w->piece, 1))
		return false;
	w->piece.v[w->piece.n++] = new;
	th->piece = (uint32_t)w->piece.n;
	return true;
}

static void end_piece(struct pv_context *x, uint64_t until)
{
	struct pv_work_piece *p = newest_of(&x->m->runtime.works, x->thread);
	if (!p || p->to_ns != PV_NEVER)
		return;
	p->to_ns = x->time > p->from_ns ? x->time : p->from_ns;
	p->until = until;
}

/*
 * The thread is in the span at this moment, whatever comes: a piece without length gets the next
 * event.
 */
static bool continue_span(struct pv_context *x, uint64_t id)
{
	struct pv_works *w = &x->m->runtime.works;
	end_piece(x, id);
	if (!begin_piece(x, id))
		return false;
	end_piece(x, id);
	if (!begin_piece(x, id))
		return false;
	w->exact = x->thread;
	return true;
}

bool pv_work_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_works *w = &x->m->runtime.works;
	const uint64_t id = e->work.id, parent = e->work.parent;
	w->exact = NULL;
	switch (e->work.step) {
	case PV_WORK_BEGINS:
		w->begun++;
		end_piece(x, parent);
		return begin_piece(x, id);
	case PV_WORK_ENDED:
		w->ended_id = id;
		w->ended_parent = parent;
		return true;
	case PV_WORK_ENDS:
		w->ended++;
		w->ended_id = id;
		w->ended_parent = parent;
		end_piece(x, id);
		return !parent || begin_piece(x, parent);
	case PV_WORK_GOES_ON:
		return continue_span(x, id);
	default:
		return true;
	}
}

void pv_work_gap(struct pv_model *m, struct pv_thread *th)
{
	struct pv_work_piece *p = newest_of(&m->runtime.works, th);
	if (p && p->to_ns == PV_NEVER)
		p->to_ns = th->last_ns != PV_NEVER && th->last_ns > p->from_ns ? th->last_ns
									       : p->from_ns;
}

struct pv_work_piece *pv_work_now(struct pv_context *x)
{
	struct pv_works *w = &x->m->runtime.works;
	struct pv_work_piece *p = newest_of(w, x->thread);
	const bool exact = w->exact == x->thread;
	w->exact = exact ? NULL : w->exact;
	if (!p || p->to_ns != PV_NEVER)
		return NULL;
	return exact && p->before ? pv_work_piece_of(w, p->before) : p;
}

void pv_work_allocated(struct pv_context *x, uint64_t objects, uint64_t bytes)
{
	struct pv_work_piece *p = pv_work_now(x);
	if (!p)
		return;
	p->allocations += objects;
	p->bytes += bytes;
}

uint64_t pv_work_left(const struct pv_works *w)
{
	uint64_t n = w->beyond;
	for (size_t i = 0; i < w->piece.n; i++)
		n += w->piece.v[i].to_ns != PV_NEVER && !pv_piece_is_sure(&w->piece.v[i]);
	return n;
}

/* --- samples */

static int by_hit_time(const void *a, const void *b)
{
	const struct pv_work_hit *x = a, *y = b;
	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* The thread's piece at a time, from `at` back; *at moves along. NULL: none. */
static struct pv_work_piece *piece_at(struct pv_works *w, uint32_t *at, int64_t time)
{
	struct pv_work_piece *p = *at ? pv_work_piece_of(w, *at) : NULL;
	while (p && p->from_ns > time) {
		*at = p->before;
		p = *at ? pv_work_piece_of(w, *at) : NULL;
	}
	return p && (p->to_ns == PV_NEVER || time < p->to_ns) ? p : NULL;
}

/* For the first n, which are sorted; latest first, so that each thread's pieces are passed once. */
static bool each_of(struct pv_model *m, size_t n, pv_work_hit_fn *each, void *ctx)
{
	struct pv_works *w = &m->runtime.works;
	const size_t threads = m->threads.thread.n;
	const struct pv_lane_state *of = n ? pv_lane_states(m) : NULL;
	uint32_t *at = n ? calloc(threads, sizeof *at) : NULL;
	for (size_t i = 1; at && i < threads; i++)
		at[i] = m->threads.thread.v[i]->piece;
	for (size_t i = n; at && of && i-- > 0;) {
		const struct pv_work_hit *h = &w->hit.v[i];
		struct pv_work_piece *p = piece_at(w, &at[h->thread], h->time_ns);
		if (p)
			each(ctx, p, (int)pv_ran_of(of[h->node].state), h->samples);
	}
	free(at);
	return n == 0 || (at && of);
}

bool pv_work_each_hit(struct pv_model *m, pv_work_hit_fn *each, void *ctx)
{
	struct pv_works *w = &m->runtime.works;
	if (w->hit.n)
		qsort(w->hit.v, w->hit.n, sizeof *w->hit.v, by_hit_time);
	return each_of(m, w->hit.n, each, ctx);
}

static void put_into_piece(void *ctx, struct pv_work_piece *p, int ran, uint32_t samples)
{
	(void)ctx;
	*(ran == PV_RAN ? &p->ran : ran == PV_WAITED ? &p->waited : &p->unsure) += samples;
}

/* Puts the older half of the samples into their pieces. */
static bool make_hit_room(struct pv_model *m)
{
	struct pv_works *w = &m->runtime.works;
	const size_t half = w->hit.n / 2;
	qsort(w->hit.v, w->hit.n, sizeof *w->hit.v, by_hit_time);
	if (!each_of(m, half, put_into_piece, NULL))
		return false;
	w->hit.n -= half;
	memmove(w->hit.v, w->hit.v + half, w->hit.n * sizeof *w->hit.v);
	return true;
}

bool pv_work_sample(struct pv_model *m, const struct pv_thread *th, uint32_t node, uint64_t samples,
	int64_t time)
{
	struct pv_works *w = &m->runtime.works;
	const struct pv_work_hit hit = { time, th ? th->index : 0, node,
		samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX };
	if (!hit.thread || !w->begun)
		return true;
	if ((w->hit.n >= PV_WORK_HITS && !make_hit_room(m)) || !pv_reserve(&w->hit, 1))
		return false;
	w->hit.v[w->hit.n++] = hit;
	return true;
}

void pv_work_finish(struct pv_works *w)
{
	pv_array_finish(&w->piece);
	pv_array_finish(&w->hit);
}

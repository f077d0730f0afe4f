/* SPDX-License-Identifier: MIT */
/* Finds the holders of locks that threads waited for, and cycles of waiting. */
#include "common/query/lock_waits.h"

#include <stdlib.h>

#include "common/base/saturate.h"
#include "common/model/locks/witnesses.h"
#include "common/model/model.h"

/* --- waits */

static int by_thread(const void *a, const void *b)
{
	const struct pv_lock_wait *x = a, *y = b;
	if (x->at.thread != y->at.thread)
		return x->at.thread < y->at.thread ? -1 : 1;
	if (x->at.start_ns != y->at.start_ns)
		return x->at.start_ns < y->at.start_ns ? -1 : 1;
	return x->at.lock < y->at.lock ? -1 : x->at.lock > y->at.lock;
}

static bool add_lock_wait(struct pv_lock_waits *w, const struct pv_waited *at, bool aside)
{
	if (!pv_reserve(&w->one, 1))
		return false;
	w->one.v[w->one.n++] = (struct pv_lock_wait){ .at = *at, .aside = aside };
	return true;
}

static bool add_open_waits(
	struct pv_lock_waits *w, const struct pv_model *m, const struct pv_thread *th)
{
	for (size_t i = 0; i < th->wait.n; i++) {
		const struct pv_wait *x = &th->wait.v[i];
		if (!pv_locks_open_counts(m, th, x))
			continue;
		int64_t end = m->last_ns > x->start_ns ? m->last_ns : x->start_ns;
		const struct pv_waited at = { x->start_ns, end, x->holder, th->index, x->lock,
			x->stack, PV_WAIT_OPEN };
		if (!add_lock_wait(w, &at, !th->selected))
			return false;
	}
	return true;
}

/* --- holders */

struct got {
	uint32_t lock, wait;
	int64_t end_ns;
};

static int by_lock_and_end(const void *a, const void *b)
{
	const struct got *x = a, *y = b;
	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return x->wait < y->wait ? -1 : x->wait > y->wait;
}

static bool index_by_lock(struct pv_lock_waits *w)
{
	struct got *got = malloc((w->one.n + 1) * sizeof *got);
	size_t n = 0;
	for (uint32_t i = 0; got && i < w->one.n; i++) {
		const struct pv_waited *at = &w->one.v[i].at;
		if (at->ended == PV_WAIT_GOT && at->lock)
			got[n++] = (struct got){ at->lock, i, at->end_ns };
	}
	if (got && n)
		qsort(got, n, sizeof *got, by_lock_and_end);
	bool ok = got && pv_reserve(&w->by_lock, n);
	for (size_t i = 0; ok && i < n; i++)
		w->by_lock.v[w->by_lock.n++] = got[i].wait;
	free(got);
	return ok;
}

/* The first wait in by_lock for this lock that ended after `ns`. */
static size_t first_after(const struct pv_lock_waits *w, uint32_t lock, int64_t ns)
{
	size_t from = 0, to = w->by_lock.n;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const struct pv_waited *x = &w->one.v[w->by_lock.v[mid]].at;
		if (x->lock < lock || (x->lock == lock && x->end_ns <= ns))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static void infer(struct pv_lock_waits *w, struct pv_lock_wait *x)
{
	if (!x->at.lock)
		return;
	size_t next = first_after(w, x->at.lock, x->at.start_ns);
	const struct pv_waited *after =
		next < w->by_lock.n ? &w->one.v[w->by_lock.v[next]].at : NULL;
	const struct pv_waited *last = next > 0 ? &w->one.v[w->by_lock.v[next - 1]].at : NULL;
	if (last && last->lock == x->at.lock && last->thread != x->at.thread) {
		x->holder = last->thread;
		x->from = PV_HOLDER_LAST;
	}
	if (after && after->lock == x->at.lock && after->thread != x->at.thread &&
		after->end_ns < x->at.end_ns) {
		x->holder = after->thread;
		x->from = PV_HOLDER_AFTER;
	}
}

/* The thread's wait around a time; NULL: the thread did not wait for a lock then. */
static const struct pv_lock_wait *wait_at(
	const struct pv_lock_waits *w, uint32_t thread, int64_t ns, bool ended)
{
	size_t from = 0, to = w->one.n;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const struct pv_waited *x = &w->one.v[mid].at;
		if (x->thread < thread || (x->thread == thread && x->start_ns <= ns))
			from = mid + 1;
		else
			to = mid;
	}
	const struct pv_lock_wait *x = from > 0 ? &w->one.v[from - 1] : NULL;
	if (!x || x->at.thread != thread)
		return NULL;
	return ended || x->at.ended == PV_WAIT_OPEN || ns < x->at.end_ns ? x : NULL;
}

/* The stack of the holder's wait for another lock then, else of its last wait for this lock. */
static uint32_t stack_of_holder(const struct pv_lock_waits *w, const struct pv_lock_wait *x)
{
	const struct pv_lock_wait *then = wait_at(w, x->holder, pv_sat_add(x->at.end_ns, -1), true);
	const struct pv_lock_wait *before = wait_at(w, x->holder, x->at.start_ns, true);
	if (then && then->at.end_ns > x->at.start_ns && then->at.lock != x->at.lock)
		return then->at.stack;
	if (x->from == PV_HOLDER_AFTER)
		before = then;
	bool same = before && before->at.lock == x->at.lock && before->at.ended == PV_WAIT_GOT;
	return same ? before->at.stack : 0;
}

/* A wait whose holder is said. */
struct said {
	uint64_t holder;
	int64_t start_ns;
	uint32_t wait;
};

static int latest_first(const void *a, const void *b)
{
	const struct said *x = a, *y = b;
	if (x->holder != y->holder)
		return x->holder < y->holder ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? -1 : 1;
	return x->wait < y->wait ? -1 : x->wait > y->wait;
}

/*
 * Very many threads may have had one id, in turn. Waits come latest first, and each search goes on
 * from the thread found before, so that no thread is passed twice.
 */
static void name_holders(
	struct pv_lock_waits *w, const struct pv_model *m, const struct said *said, size_t n)
{
	uint32_t at = 0;
	for (size_t i = 0; i < n; i++) {
		struct pv_lock_wait *x = &w->one.v[said[i].wait];
		bool same = i > 0 && said[i].holder == said[i - 1].holder;
		if (!same)
			at = pv_threads_at(&m->threads, said[i].holder, said[i].start_ns);
		else if (at)
			at = pv_threads_back(&m->threads, at, said[i].start_ns);
		x->from = PV_HOLDER_SAID;
		x->holder = at;
	}
}

static bool find_holders(struct pv_lock_waits *w, const struct pv_model *m)
{
	struct said *said = malloc((w->one.n + 1) * sizeof *said);
	size_t n = 0;
	for (uint32_t i = 0; said && i < w->one.n; i++) {
		struct pv_lock_wait *x = &w->one.v[i];
		if (x->at.holder)
			said[n++] = (struct said){ x->at.holder, x->at.start_ns, i };
		else
			infer(w, x);
	}
	if (said && n)
		qsort(said, n, sizeof *said, latest_first);
	if (said)
		name_holders(w, m, said, n);
	free(said);
	return said != NULL;
}

bool pv_lock_waits_make(struct pv_lock_waits *w, const struct pv_model *m)
{
	*w = (struct pv_lock_waits){ 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < m->locks.waits.one.n; i++)
		ok = add_lock_wait(w, &m->locks.waits.one.v[i], false);
	const struct pv_waits *witnesses = pv_locks_witnesses(m);
	for (size_t i = 0; ok && i < witnesses->one.n; i++)
		ok = add_lock_wait(w, &witnesses->one.v[i], true);
	for (size_t i = 1; ok && i < m->threads.thread.n; i++)
		ok = add_open_waits(w, m, m->threads.thread.v[i]);
	if (!ok)
		return false;
	if (w->one.n)
		qsort(w->one.v, w->one.n, sizeof *w->one.v, by_thread);
	if (!index_by_lock(w) || !find_holders(w, m))
		return false;
	for (size_t i = 0; i < w->one.n; i++)
		if (w->one.v[i].holder)
			w->one.v[i].holder_stack = stack_of_holder(w, &w->one.v[i]);
	return true;
}

void pv_lock_waits_finish(struct pv_lock_waits *w)
{
	pv_array_finish(&w->one);
	pv_array_finish(&w->by_lock);
}

/* --- cycles */

/*
 * Follows who waits for whom when wait `first` begins, the last of the cycle to begin, until its
 * thread is met again. False: the chain ends, or does not lead there.
 */
static bool follow_waits(const struct pv_lock_waits *w, uint32_t first, struct pv_lock_cycle *c)
{
	const struct pv_waited *begin = &w->one.v[first].at;
	const struct pv_lock_wait *x = &w->one.v[first];
	c->said = true;
	for (c->n = 0; x && c->n < PV_CYCLE_MOST;) {
		c->wait[c->n++] = (uint32_t)(x - w->one.v);
		c->said &= x->from == PV_HOLDER_SAID;
		if (!x->holder || x->from == PV_HOLDER_AFTER)
			return false; /* a thread got the lock: no deadlock */
		if (x->holder == begin->thread)
			return c->n > 1;
		x = wait_at(w, x->holder, begin->start_ns, false);
		if (x && x->at.start_ns == begin->start_ns && x->at.thread < begin->thread)
			return false; /* found from the other wait */
	}
	return false;
}

/*
 * Threads that wait for each other get nothing until one gives up. If the first wait to end got the
 * lock, the lock was free and there was no deadlock, unless this wait was the last to begin: then
 * the holder waited all the time. (.NET has one event for both ends.)
 */
static bool is_knot(const struct pv_lock_waits *w, struct pv_lock_cycle *c)
{
	const struct pv_waited *first = NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct pv_waited *x = &w->one.v[c->wait[i]].at;
		if (!first || (x->ended != PV_WAIT_OPEN && first->ended == PV_WAIT_OPEN) ||
			(x->ended != PV_WAIT_OPEN && x->end_ns < first->end_ns))
			first = x;
	}
	bool meant = false;
	for (uint32_t i = 0; i < c->n; i++)
		meant |= !w->one.v[c->wait[i]].aside;
	c->open = first->ended == PV_WAIT_OPEN;
	c->end_ns = first->end_ns;
	bool last_began = first == &w->one.v[c->wait[0]].at;
	return meant && (last_began || first->ended != PV_WAIT_GOT) && c->end_ns > c->start_ns;
}

static int by_cycle_start(const void *a, const void *b)
{
	const struct pv_lock_cycle *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->wait[0] < y->wait[0] ? -1 : x->wait[0] > y->wait[0];
}

bool pv_lock_cycles_find(struct pv_lock_cycles *all, const struct pv_lock_waits *w)
{
	*all = (struct pv_lock_cycles){ 0 };
	for (uint32_t i = 0; i < w->one.n; i++) {
		struct pv_lock_cycle c = { .start_ns = w->one.v[i].at.start_ns };
		if (!follow_waits(w, i, &c) || !is_knot(w, &c))
			continue;
		if (!pv_reserve(&all->one, 1))
			return false;
		all->one.v[all->one.n++] = c;
	}
	if (all->one.n)
		qsort(all->one.v, all->one.n, sizeof *all->one.v, by_cycle_start);
	return true;
}

void pv_lock_cycles_finish(struct pv_lock_cycles *c)
{
	pv_array_finish(&c->one);
}

/* SPDX-License-Identifier: MIT */
/*
 * Bytes that were allocated after the newest known collection. Allocations of one thread within a
 * short time are a run; runs wait for the collection after them.
 */
#include <string.h>

#include "common/model/objects/gc_parts.h"

enum { RUNS = 65536 };

/* The oldest collection that starts at or after `time`; there must be one. */
static struct pv_collection *next_after(struct pv_gc *gc, int64_t time)
{
	return &gc->collections.v[pv_order_at_least(&gc->by_start, time)];
}

static void merge_runs(struct pv_gc_pending *p)
{
	size_t to = 0;
	for (size_t i = 0; i + 1 < p->run.n; i += 2) {
		struct pv_gc_run a = p->run.v[i];
		a.last_ns = p->run.v[i + 1].last_ns;
		a.bytes += p->run.v[i + 1].bytes;
		p->run.v[to++] = a;
	}
	p->run.n = to;
}

bool pv_gc_allocated(struct pv_gc *gc, const struct pv_thread *th, int64_t time, uint64_t bytes)
{
	if (gc->collections.n && gc->latest_ns >= time) {
		next_after(gc, time)->allocated += bytes;
		return true;
	}
	if (pv_gc_allocated_on(gc, th, time, bytes))
		return true;
	struct pv_gc_pending *p = gc->pending;
	if (p->run.n >= RUNS)
		merge_runs(p);
	if (!pv_reserve(&p->run, 1))
		return false;
	p->run.v[p->run.n++] = (struct pv_gc_run){ time, time, bytes, th };
	return true;
}

/* --- runs that begin after the newest collection, the first on top */

static void put_later(struct pv_gc_pending *p, size_t at, const struct pv_gc_run *r)
{
	struct pv_gc_run *v = p->later.v;
	for (; at > 0 && v[(at - 1) / 2].first_ns > r->first_ns; at = (at - 1) / 2)
		v[at] = v[(at - 1) / 2];
	v[at] = *r;
}

/* Halves the heap when full: each run is merged with its neighbour in the array. */
static void merge_later(struct pv_gc_pending *p)
{
	struct pv_gc_run *v = p->later.v;
	size_t n = p->later.n / 2;
	p->later.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct pv_gc_run a = v[2 * i];
		const struct pv_gc_run *b = &v[2 * i + 1];
		a.first_ns = a.first_ns < b->first_ns ? a.first_ns : b->first_ns;
		a.last_ns = a.last_ns > b->last_ns ? a.last_ns : b->last_ns;
		a.bytes += b->bytes;
		put_later(p, p->later.n++, &a);
	}
}

static bool add_later(struct pv_gc_pending *p, const struct pv_gc_run *r)
{
	if (p->later.n >= RUNS)
		merge_later(p);
	if (!pv_reserve(&p->later, 1))
		return false;
	put_later(p, p->later.n++, r);
	return true;
}

static uint64_t take_first(struct pv_gc_pending *p)
{
	struct pv_gc_run *v = p->later.v;
	uint64_t bytes = v[0].bytes;
	size_t n = --p->later.n, at = 0;
	struct pv_gc_run last = v[n];
	for (size_t next; (next = 2 * at + 1) < n; at = next) {
		next += next + 1 < n && v[next + 1].first_ns < v[next].first_ns;
		if (v[next].first_ns >= last.first_ns)
			break;
		v[at] = v[next];
	}
	v[at] = last;
	return bytes;
}

/* The run at hand may still grow, and stays. */
uint64_t pv_gc_take_pending(struct pv_gc *gc, int64_t start)
{
	struct pv_gc_pending *p = gc->pending;
	uint64_t bytes = 0;
	size_t to = 0;
	for (size_t i = 0; i < p->run.n; i++) {
		if (p->run.v[i].first_ns <= start)
			bytes += p->run.v[i].bytes;
		else if (i + 1 == p->run.n || !add_later(p, &p->run.v[i]))
			p->run.v[to++] = p->run.v[i];
	}
	p->run.n = to;
	while (p->later.n && p->later.v[0].first_ns <= start)
		bytes += take_first(p);
	return bytes;
}

bool pv_gc_unite_runs(struct pv_gc_pending *p)
{
	size_t n = p->later.n;
	if (!pv_reserve(&p->run, n))
		return false;
	if (p->run.n)
		memmove(p->run.v + n, p->run.v, p->run.n * sizeof *p->run.v);
	if (n)
		memcpy(p->run.v, p->later.v, n * sizeof *p->run.v);
	p->run.n += n;
	p->later.n = 0;
	return true;
}

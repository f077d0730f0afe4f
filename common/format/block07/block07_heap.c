/* SPDX-License-Identifier: MIT */
/* HEAP blocks (objects, dead and alive) and HEAP_SUMMARY blocks (figures by class). */
#include "common/format/block07/block07_parts.h"

enum { HEAD, ITEMS, REFS };

static bool push_edge(
	struct b07 *d, enum pv_kind kind, uint64_t counter, uint64_t collection, bool summary)
{
	struct pv_event e = { .kind = (uint8_t)kind };
	e.shot.collection = collection;
	e.shot.summary = summary;
	return b07_push(d, &e, b07_clock_ns(&d->clock, counter));
}

/* The job's own pairs come first; from stage B on the collection and the usual clock follow. */
static enum b07_step heap_head(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct b07_pair start = b07_pair(&b->c), end = b07_pair(&b->c);
	uint64_t collection = 0;
	if (d->stage > B07_A) {
		collection = b07_var(&b->c);
		b07_pair(&b->c);
	}
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	b->counter = start.counter;
	b->end_counter = end.counter;
	b->phase = ITEMS;
	return push_edge(d, PV_KIND_HEAP_START, start.counter, collection, false) ? B07_AGAIN
										  : B07_NOMEM;
}

/* Adds some or all of the references left; an event of size 0 continues its object. */
static enum b07_step references(struct b07 *d, uint64_t size, bool unsized)
{
	struct b07_block *b = &d->block;
	struct pv_batch *batch = &d->out->batch;
	size_t n = b->refs < B07_REFS ? (size_t)b->refs : B07_REFS;
	struct pv_event e = { .kind = PV_KIND_HEAP_OBJECT };
	e.heap_object.object = b->object;
	e.heap_object.type = b->type;
	e.heap_object.size = size;
	e.heap_object.unsized = unsized;
	if (batch->pool.n > UINT32_MAX - 2 * B07_REFS || !pv_reserve(&batch->pool, 2 * n))
		return B07_NOMEM;
	e.heap_object.refs = (struct pv_span){ (uint32_t)batch->pool.n, (uint32_t)(2 * n) };
	for (size_t i = 0; i < n; i++) {
		batch->pool.v[batch->pool.n++] = 0; /* the offset in the object was not recorded */
		batch->pool.v[batch->pool.n++] = b07_var(&b->c);
	}
	if (!pv_cursor_ok(&b->c)) {
		batch->pool.n = e.heap_object.refs.at;
		return B07_BAD;
	}
	b->refs -= n;
	b->phase = b->refs ? REFS : ITEMS;
	return b07_push(d, &e, b07_clock_ns(&d->clock, b->counter)) ? B07_AGAIN : B07_NOMEM;
}

static enum b07_step live(struct b07 *d, uint64_t address)
{
	struct b07_block *b = &d->block;
	bool unsized = d->stage == B07_A;
	b->object = address;
	b->type = unsized ? 0 : b07_var(&b->c);
	uint64_t size = unsized ? 0 : b07_var(&b->c);
	b->refs = b07_var(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	if (b->refs > pv_cursor_left(&b->c))
		return b07_bad(d, "more references than its block could hold");
	return references(d, size, unsized);
}

static enum b07_step dead(struct b07 *d, uint64_t class)
{
	struct b07_block *b = &d->block;
	struct pv_event e = { .kind = PV_KIND_HEAP_DEAD };
	e.heap_object.type = class;
	e.heap_object.size = b07_var(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	return b07_push(d, &e, b07_clock_ns(&d->clock, b->counter)) ? B07_AGAIN : B07_NOMEM;
}

enum b07_step b07_heap(struct b07 *d)
{
	struct b07_block *b = &d->block;
	if (b->phase == HEAD)
		return heap_head(d);
	if (b->phase == REFS)
		return references(d, 0, false);
	uint64_t v = b07_var(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	if ((v & 3) == 1)
		return live(d, v - 1);
	if ((v & 3) == 2)
		return dead(d, v >> 2);
	if (v != 0)
		return b07_bad(d, "neither a live nor a dead object");
	b07_pair(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	return push_edge(d, PV_KIND_HEAP_END, b->end_counter, 0, false) ? B07_DONE : B07_NOMEM;
}

enum b07_step b07_summary(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_cursor *c = &b->c;
	if (b->phase == HEAD) {
		b->counter = b07_pair(c).counter;
		uint64_t collection = b07_var(c);
		b->phase = ITEMS;
		if (!pv_cursor_ok(c))
			return B07_BAD;
		return push_edge(d, PV_KIND_HEAP_START, b->counter, collection, true) ? B07_AGAIN
										      : B07_NOMEM;
	}
	struct pv_event e = { .kind = PV_KIND_HEAP_SUMMARY };
	e.heap_class.type = b07_var(c);
	if (e.heap_class.type == 0) {
		uint64_t end = b07_pair(c).counter;
		if (!pv_cursor_ok(c))
			return B07_BAD;
		return push_edge(d, PV_KIND_HEAP_END, end, 0, true) ? B07_DONE : B07_NOMEM;
	}
	e.heap_class.objects = b07_var(c);
	e.heap_class.bytes = b07_var(c);
	e.heap_class.dead_objects = b07_var(c);
	e.heap_class.dead_bytes = b07_var(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	return b07_push(d, &e, b07_clock_ns(&d->clock, b->counter)) ? B07_AGAIN : B07_NOMEM;
}

/* SPDX-License-Identifier: MIT */
/*
 * The second reading: takes buffers by the time of their first relevant event, and events of all
 * open buffers by their own times. Memory holds the relevant part of open buffers: about one a
 * thread.
 */
#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "common/ingest/again/identity_read_parts.h"

enum { RECENT = 64 << 20 }; /* buffers of other threads are not far away */
enum { LARGE = 16 << 20 };  /* larger buffers are taken in one go when due */

/* An open buffer: its relevant part, and the position in it. */
struct stream {
	uint64_t offset;
	struct pv_batch b; /* events only, names and stacks already looked up */
	size_t at;
	uint32_t shot;           /* number of the next shot that begins here */
	uint32_t open;           /* stack of the thread's open calls after the kept events */
	PV_ARRAY(uint32_t) path; /* the same at each of b.allocs */
	int64_t time_ns;         /* of event `at`, at least the time of earlier ones */
};

struct merge {
	struct pv_identity_read *r;
	PV_ARRAY(struct stream *) heap; /* the earliest event first */
	PV_ARRAY(struct stream *) spare;
	struct stream *filling;
	bool large;
	size_t next; /* in r->buffer */
	uint64_t done, all, reported;
};

/* --- the heap */

static bool earlier(const struct stream *a, const struct stream *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->offset < b->offset;
}

static void sink(struct merge *m)
{
	struct stream **v = m->heap.v, *s = v[0];
	size_t i = 0, n = m->heap.n;
	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && earlier(v[kid + 1], v[kid]))
			kid++;
		if (!earlier(v[kid], s))
			break;
		v[i] = v[kid];
	}
	v[i] = s;
}

static bool push(struct merge *m, struct stream *s)
{
	if (!pv_reserve(&m->heap, 1))
		return false;
	size_t i = m->heap.n++;
	for (; i > 0 && earlier(s, m->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
		m->heap.v[i] = m->heap.v[(i - 1) / 2];
	m->heap.v[i] = s;
	return true;
}

static struct stream *spare(struct merge *m)
{
	struct stream *s;
	if (m->spare.n)
		return m->spare.v[--m->spare.n];
	if (!pv_reserve(&m->spare, 1))
		return NULL;
	s = calloc(1, sizeof *s);
	return s;
}

static void discard(struct stream *s)
{
	if (!s)
		return;
	pv_batch_finish(&s->b);
	pv_array_finish(&s->path);
	free(s);
}

static void drop_stream(struct merge *m, struct stream *s)
{
	pv_batch_reset(&s->b);
	if (m->spare.n < m->spare.room) {
		m->spare.v[m->spare.n++] = s;
		return;
	}
	discard(s);
}

/* --- events */

static bool take_event_of(struct merge *m, struct stream *s)
{
	struct pv_identity_read *r = m->r;
	bool alloc = s->b.kind[s->at] == PV_KIND_ALLOC;
	bool ok = pv_identity_event(r, &s->b, s->at,
		(struct pv_identity_where){ s->shot, alloc ? s->path.v[s->b.key[s->at]] : 0 });
	s->shot += s->b.kind[s->at] == PV_KIND_HEAP_START;
	if (++s->at < s->b.n && (int64_t)s->b.time[s->at] > s->time_ns)
		s->time_ns = (int64_t)s->b.time[s->at];
	return ok;
}

/* Takes the earliest event of all open buffers. */
static bool take_first(struct merge *m)
{
	struct stream *s = m->heap.v[0];
	if (!take_event_of(m, s))
		return false;
	if (s->at == s->b.n) {
		m->heap.v[0] = m->heap.v[--m->heap.n];
		drop_stream(m, s);
	}
	if (m->heap.n)
		sink(m);
	return true;
}

/* Whether the next buffer is due before any open one. */
static bool is_due(const struct merge *m)
{
	const struct pv_identity_read *r = m->r;
	if (m->next == r->buffer.n)
		return false;
	const struct pv_identity_buffer *b = &r->buffer.v[m->next];
	const struct stream *s = m->heap.n ? m->heap.v[0] : NULL;
	if (!s || b->from_ns != s->time_ns)
		return !s || b->from_ns < s->time_ns;
	return b->offset < s->offset;
}

static bool begin_stream(struct merge *m, struct pv_reread_part *ret)
{
	struct pv_identity_read *r = m->r;
	const struct pv_identity_buffer *b = &r->buffer.v[m->next++];
	struct stream *s = spare(m);
	if (!s)
		return pv_identity_nomem(r);
	s->offset = b->offset;
	s->at = 0;
	s->shot = b->shots;
	s->open = b->path;
	s->path.n = 0;
	s->time_ns = b->from_ns;
	m->filling = s;
	m->large = b->bytes > LARGE;
	m->done += b->bytes;
	*ret = (struct pv_reread_part){ b->offset, b->bytes };
	if (m->done - m->reported > LARGE / 4) {
		m->reported = m->done;
		pv_identity_report(r, "following objects", m->done, m->all);
	}
	return !pv_background_stopping(&r->job);
}

/* Opens the buffer just read, unless it was taken already. */
static bool file(struct merge *m)
{
	struct stream *s = m->filling;
	m->filling = NULL;
	if (!s)
		return true;
	if (s->at < s->b.n)
		return push(m, s);
	drop_stream(m, s);
	return true;
}

static bool on_next(void *ctx, struct pv_reread_part *ret)
{
	struct merge *m = ctx;
	bool ok = file(m);
	while (ok && !m->r->identity.done && !is_due(m) && m->heap.n)
		ok = take_first(m);
	if (!ok)
		return pv_identity_nomem(m->r);
	return !m->r->identity.done && is_due(m) && begin_stream(m, ret);
}

/* --- buffers */

static bool keep_span(struct stream *s, const struct pv_batch *b, struct pv_span *span)
{
	if (!pv_reserve(&s->b.pool, span->n))
		return false;
	if (span->n)
		memcpy(s->b.pool.v + s->b.pool.n, b->pool.v + span->at,
			span->n * sizeof *b->pool.v);
	span->at = (uint32_t)s->b.pool.n;
	s->b.pool.n += span->n;
	return true;
}

static bool keep_alloc(struct stream *s, const struct pv_batch *b, size_t i)
{
	struct pv_alloc a = b->allocs.v[b->key[i]];
	if (!keep_span(s, b, &a.stack) || !pv_batch_reserve(&s->b, 1) ||
		!pv_reserve(&s->b.allocs, 1) || !pv_reserve(&s->path, 1))
		return false;
	s->path.v[s->path.n++] = s->open;
	s->b.time[s->b.n] = b->time[i];
	s->b.kind[s->b.n] = PV_KIND_ALLOC;
	s->b.key[s->b.n++] = s->b.allocs.n;
	s->b.allocs.v[s->b.allocs.n++] = a;
	return true;
}

/* Keeps an event without its lists. */
static bool keep_rare(struct stream *s, const struct pv_batch *b, size_t i)
{
	struct pv_event e;
	pv_batch_copy_event(b, i, &e);
	if (e.kind == PV_KIND_GC_MOVE && !keep_span(s, b, &e.moves.pairs))
		return false;
	return pv_batch_put_event(&s->b, &e, b->time[i]);
}

/* Follows a call or a return, for allocations without a stack. */
static bool follow_calls(
	struct pv_identity_read *r, struct stream *s, const struct pv_batch *b, size_t i)
{
	int64_t t = (int64_t)b->time[i];
	if (!r->bare || b->kind[i] > PV_KIND_METHOD_EXC_LEAVE)
		return true;
	s->open = (b->kind[i] == PV_KIND_METHOD_ENTER ? pv_identity_enter : pv_identity_leave)(
		r->model, t, s->open, b->key[i]);
	return s->open != PV_MAP_NONE;
}

static bool keep_events(struct pv_identity_read *r, struct stream *s, const struct pv_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		bool alloc = b->kind[i] == PV_KIND_ALLOC;
		if (!alloc && !follow_calls(r, s, b, i))
			return false;
		if (!pv_identity_matters(b->kind[i]))
			continue;
		if (!(alloc ? keep_alloc(s, b, i) : keep_rare(s, b, i)))
			return false;
	}
	return true;
}

static bool on_merge_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct merge *m = ctx;
	struct stream *s = m->filling;
	(void)h;
	if (!s || (!b->continues && b->offset != s->offset)) /* from another buffer's tail */
		return true;
	s->b.thread = b->thread;
	bool ok = keep_events(m->r, s, b);
	while (ok && m->large && s->at < s->b.n)
		ok = take_event_of(m, s);
	if (m->large) {
		uint64_t thread = s->b.thread;
		pv_batch_reset(&s->b);
		s->b.thread = thread;
		s->at = s->path.n = 0;
	}
	return (ok || pv_identity_nomem(m->r)) && !pv_background_stopping(&m->r->job);
}

static void finish_merge(struct merge *m)
{
	for (size_t i = 0; i < m->heap.n; i++)
		discard(m->heap.v[i]);
	for (size_t i = 0; i < m->spare.n; i++)
		discard(m->spare.v[i]);
	discard(m->filling);
	pv_array_finish(&m->heap);
	pv_array_finish(&m->spare);
}

/* --- other families: in the order of the file */

struct in_order {
	struct pv_identity_read *r;
	uint32_t shots;      /* met so far */
	uint64_t collection; /* of the last shot */
	bool summary;
};

/* The number of a beginning shot; a shot that begins twice has one number. */
static uint32_t shot_number(struct in_order *o, const struct pv_event *e)
{
	bool summary = e->shot.summary != 0;
	bool same = o->shots && e->shot.collection && e->shot.collection == o->collection &&
		    summary != o->summary;
	o->shots += !same;
	o->collection = e->shot.collection;
	o->summary = summary;
	return o->shots - 1;
}

static bool on_old_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct in_order *o = ctx;
	(void)h;
	pv_identity_batch(o->r->model);
	for (size_t i = 0; i < b->n; i++) {
		uint32_t shot = 0;
		if (!pv_identity_matters(b->kind[i]))
			continue;
		if (b->kind[i] == PV_KIND_HEAP_START)
			shot = shot_number(o, pv_batch_event(b, i));
		if (!pv_identity_event(o->r, b, i, (struct pv_identity_where){ shot, 0 }))
			return pv_identity_nomem(o->r);
	}
	return !o->r->identity.done && !pv_background_stopping(&o->r->job);
}

static bool read_old(struct pv_identity_read *r, struct pv_source *source)
{
	struct in_order o = { .r = r };
	struct pv_reread to = { .ctx = &o, .buffer = on_old_buffer, .err = &r->error };
	return pv_reread_source(&to, source) || r->identity.done;
}

static bool read_new(struct pv_identity_read *r, struct pv_source *source)
{
	struct merge m = { .r = r };
	struct pv_reread to = {
		.ctx = &m, .buffer = on_merge_buffer, .next = on_next, .err = &r->error
	};
	for (size_t i = 0; i < r->buffer.n; i++)
		m.all += r->buffer.v[i].bytes;
	bool ok = pv_reread_parts(&to, source, &r->format) && r->error.code == PV_OK;
	for (ok = ok && file(&m); ok && !r->identity.done && m.heap.n;)
		ok = take_first(&m) || pv_identity_nomem(r);
	finish_merge(&m);
	return ok && !pv_background_stopping(&r->job);
}

bool pv_identity_merge(struct pv_identity_read *r)
{
	struct pv_source *source = pv_source_again(r->in->source, &r->error);
	struct pv_ingest_status s;
	pv_ingest_status(r->in, &s);
	if (source && s.source.compressed && !r->other_family)
		pv_source_remember(source, RECENT, 0); /* failure only takes time */
	bool ok = source && (r->other_family ? read_old : read_new)(r, source);
	pv_source_close(source);
	return ok;
}

/* SPDX-License-Identifier: MIT */
/* The first reading: places of relevant events, the shots, and all names. */
#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "common/ingest/again/identity_read_parts.h"
#include "common/model/persist.h"

enum { TELL_BYTES = 8 << 20 };

bool pv_identity_matters(unsigned kind)
{
	return kind == PV_KIND_ALLOC || kind == PV_KIND_GC_MOVE || kind == PV_KIND_GC_EVENT ||
	       kind == PV_KIND_HEAP_START || kind == PV_KIND_HEAP_END ||
	       kind == PV_KIND_HEAP_OBJECT;
}

/* Another recording replaces the earlier one. */
static bool begin_recording(struct pv_identity_read *r)
{
	const struct pv_restrict nothing = {
		.ranged = true, .from_ns = INT64_MIN, .to_ns = INT64_MIN
	};
	pv_model_destroy(r->model);
	r->model = pv_model_create(&nothing);
	r->buffer.n = r->shot.n = r->writer.n = 0;
	pv_map_clear(&r->writer_of);
	r->allocs = r->moves = r->collections = 0;
	bool ok = r->model && (!r->seed || pv_model_copy_names(r->seed, r->model));
	return (ok && pv_model_begin(r->model, &r->target)) || pv_identity_nomem(r);
}

static bool on_plan_header(void *ctx, const struct mlpd_header *h)
{
	struct pv_identity_read *r = ctx;
	if (r->begun && h->pid == r->recording_pid && h->start_time_ms == r->recording_ms)
		return true;
	r->begun = true;
	r->recording_pid = h->pid;
	r->recording_ms = h->start_time_ms;
	return begin_recording(r);
}

/* --- shots */

/*
 * The same collection, already listed: a log of 2007 may have one twice, summed up and by object.
 */
static struct pv_identity_listed *said_already(struct pv_identity_read *r, const struct pv_event *e)
{
	struct pv_identity_listed *s = r->shot.n ? &r->shot.v[r->shot.n - 1] : NULL;
	bool same = s && s->whole && e->shot.collection && s->collection == e->shot.collection;
	return same && s->summary != (e->shot.summary != 0) ? s : NULL;
}

static bool note_shot(struct pv_identity_read *r, const struct pv_event *e)
{
	struct pv_identity_listed *said = said_already(r, e);
	if (said) {
		said->summary &= e->shot.summary != 0;
		said->whole = false;
		return true;
	}
	if (!pv_reserve(&r->shot, 1))
		return false;
	r->shot.v[r->shot.n++] = (struct pv_identity_listed){ .time_ns = (int64_t)e->time,
		.collection = e->shot.collection,
		.summary = e->shot.summary != 0 };
	return true;
}

static bool note_rare(struct pv_identity_read *r, const struct pv_event *e)
{
	struct pv_identity_listed *s = r->shot.n ? &r->shot.v[r->shot.n - 1] : NULL;
	switch (e->kind) {
	case PV_KIND_GC_MOVE:
		r->moves++;
		return true;
	case PV_KIND_GC_EVENT:
		r->collections += e->gc.step == PV_GC_START;
		return true;
	case PV_KIND_HEAP_START:
		return note_shot(r, e);
	case PV_KIND_HEAP_END:
		if (s)
			s->whole = true;
		return true;
	case PV_KIND_HEAP_OBJECT:
		if (s && e->heap_object.size)
			s->objects++;
		return true;
	default:
		return true;
	}
}

/* --- buffers */

/* The entry of a thread, or of the heap shots under its name. */
static struct pv_identity_thread *writer(struct pv_identity_read *r, uint64_t thread)
{
	uint64_t id = r->listing ? thread ^ UINT64_C(1) << 63 : thread;
	uint32_t at = pv_map_get(&r->writer_of, id);
	if (at != PV_MAP_NONE)
		return &r->writer.v[at];
	at = (uint32_t)r->writer.n;
	if (!pv_reserve(&r->writer, 1) || !pv_map_set(&r->writer_of, id, at))
		return NULL;
	r->writer.v[r->writer.n++] = (struct pv_identity_thread){ id, INT64_MIN };
	return &r->writer.v[at];
}

/* Time span of the relevant events; *ret_from > *ret_to: none. */
static bool find_relevant_span(
	struct pv_identity_read *r, const struct pv_batch *b, int64_t *ret_from, int64_t *ret_to)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	for (size_t i = 0; i < b->n; i++) {
		int64_t t = (int64_t)b->time[i];
		r->calls |= b->kind[i] == PV_KIND_METHOD_ENTER;
		if (!pv_identity_matters(b->kind[i]))
			continue;
		if (from == INT64_MAX)
			from = t;
		to = t > to ? t : to;
		if (b->kind[i] == PV_KIND_ALLOC) {
			r->allocs++;
			r->bare |= b->allocs.v[b->key[i]].stack.n == 0;
		} else if (!note_rare(r, pv_batch_event(b, i))) {
			return false;
		}
	}
	*ret_from = from;
	*ret_to = to;
	return true;
}

/* Whether the batch has only lists of a heap shot: roots and names do not matter here. */
static bool only_lists(const struct pv_batch *b)
{
	bool any = false;
	for (size_t i = 0; i < b->n; i++) {
		bool list = b->kind[i] == PV_KIND_HEAP_START || b->kind[i] == PV_KIND_HEAP_END ||
			    b->kind[i] == PV_KIND_HEAP_OBJECT;
		if (!list && pv_identity_matters(b->kind[i]))
			return false;
		any |= list;
	}
	return any;
}

/*
 * A thread's buffers come in the order of their times, so none is due before the end of the
 * previous one, unless id 0 stands for many threads. Our probes write a shot into separate buffers,
 * maybe before the buffers with its collection.
 */
static bool note_buffer(struct pv_identity_read *r, const struct pv_batch *b)
{
	uint64_t end =
		b->offset + MLPD_BUFFER_HEADER + b->bytes.n; /* includes bytes carried over */
	uint32_t shots = (uint32_t)r->shot.n;
	r->listing = b->continues ? r->listing : only_lists(b);
	struct pv_identity_thread *w = writer(r, b->thread);
	int64_t from, to;
	if (!w || !find_relevant_span(r, b, &from, &to) || !pv_reserve(&r->buffer, 1))
		return false;
	if (!b->continues)
		r->head =
			(struct pv_identity_buffer){ b->offset, 0, INT64_MAX, shots, r->head.path };
	if (r->head.from_ns == INT64_MAX && from != INT64_MAX) {
		r->head.from_ns = b->thread && from < w->last_ns ? w->last_ns : from;
		r->buffer.v[r->buffer.n++] = r->head;
	}
	if (r->head.from_ns != INT64_MAX)
		r->buffer.v[r->buffer.n - 1].bytes = end - r->head.offset;
	if (to > w->last_ns)
		w->last_ns = to;
	return true;
}

static bool on_plan_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct pv_identity_read *r = ctx;
	size_t at = 0;
	(void)h;
	if (!b->continues)
		r->head.path = r->calls ? pv_identity_path(r->model, b->thread) : 0;
	if (r->head.path == PV_MAP_NONE)
		return pv_identity_nomem(r);
	if (!pv_model_apply(r->model, b, &at, 0) || !note_buffer(r, b))
		return pv_identity_nomem(r);
	r->reached = b->offset + b->bytes_len;
	if (r->reached - r->reported > TELL_BYTES) {
		struct pv_ingest_status s;
		r->reported = r->reached;
		pv_ingest_status(r->in, &s);
		pv_identity_report(r, "looking for objects", r->reached, s.stream_bytes);
	}
	return !pv_background_stopping(&r->job);
}

static int by_buffer_time(const void *a, const void *b)
{
	const struct pv_identity_buffer *x = a, *y = b;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

bool pv_identity_plan(struct pv_identity_read *r)
{
	const struct mlpd_format format = { r->target.rules ? r->target.rules
							    : r->target.data_version,
		r->target.header_major, r->target.pointer_size, 0 };
	struct pv_reread to = { .ctx = r,
		.header = on_plan_header,
		.buffer = on_plan_buffer,
		.err = &r->error,
		.found = r->seed ? &format : NULL };
	struct pv_source *source = pv_source_again(r->in->source, &r->error);
	bool ok = source && pv_reread_source(&to, source);
	pv_source_close(source);
	r->format = to.format;
	r->other_family = to.other_family;
	r->damaged = to.damaged;
	if (ok && !r->model)
		ok = begin_recording(r);
	if (ok && r->buffer.n)
		qsort(r->buffer.v, r->buffer.n, sizeof *r->buffer.v, by_buffer_time);
	return ok;
}

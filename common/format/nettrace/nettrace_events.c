/* SPDX-License-Identifier: MIT */
/* The runtime's events in the neutral vocabulary. Layouts: ClrEtwAll.man of dotnet/runtime. */
#include <inttypes.h>
#include <stdio.h>

#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_process.h"
#include "common/format/nettrace/nettrace_six.h"
#include "common/format/nettrace/nettrace_value.h"

enum {
	ALLOC_PERIOD = 102400, /* bytes on average between samples of allocations */
	JITTED = 8,            /* flag of a loaded method */
	GENERATIONS = 4,       /* the three generations, and large objects */
	PINNED = 4,            /* index after the generations */
	LOST_COUNTER = 0x4e54,
	PAUSED_COUNTER
};
enum { FIELDS_TEXT = 1024 /* bytes of one event's text */, FULL_NAME = 264 };
enum { STOP_FOR_GC = 1, STOP_GC_PREPARES = 6 };

/* --- collections */

static void gc_step(struct pv_stream *s, uint64_t step, uint64_t generation, uint64_t offset)
{
	struct pv_event *e = nt_add(s, PV_KIND_GC_EVENT, offset);
	if (!e)
		return;
	e->gc.step = step;
	e->gc.generation = generation;
}

void nt_flush_end(struct pv_stream *s, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	if (!d->end.due)
		return;
	uint64_t now = d->now;
	d->now = d->end.time;
	gc_step(s, PV_GC_END, d->end.generation, offset);
	d->now = now;
	d->end.due = false;
}

/* One region at the end of a collection: bytes left, and bytes promoted. */
static void left_in(struct pv_stream *s, unsigned region, const uint64_t left[2], uint64_t offset)
{
	struct pv_event *e = nt_add(s, PV_KIND_EXT_GENERATION, offset);
	if (!e)
		return;
	e->left.collected = nt_of(s)->end.generation;
	e->left.region = region;
	e->left.bytes = left[0];
	e->left.promoted = left[1];
}

/* Sizes of all generations, and of pinned objects after the counts, at the end of a collection. */
static void sizes(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	uint64_t bytes = 0, left[PV_REGIONS][2] = { 0 };
	for (int i = 0; i < GENERATIONS; i++) {
		left[i][0] = pv_get_u64(c);
		left[i][1] = pv_get_u64(c);
		bytes += left[i][0];
	}
	(void)pv_get_bytes(c, 2 * 8 + 3 * 4 + 2);
	if (!pv_cursor_ok(c))
		return;
	if (pv_cursor_left(c) >= 8)
		bytes += left[PINNED][0] = pv_get_u64(c);
	if (pv_cursor_left(c) >= 8)
		left[PINNED][1] = pv_get_u64(c);
	uint64_t now = d->now;
	d->now = d->end.due ? d->end.time : now;
	for (unsigned i = 0; d->end.due && i < PV_REGIONS; i++)
		left_in(s, i, left[i], b->offset);
	struct pv_event *e = nt_add(s, PV_KIND_GC_RESIZE, b->offset);
	if (e)
		e->resize.bytes = bytes;
	d->now = now;
	nt_flush_end(s, b->offset);
}

/*
 * The event's thread, if it suspends the others for a collection: the sampler suspends for each
 * sample.
 */
static struct nt_thread *stops_for_gc(struct nettrace *d, const struct nt_blob *b)
{
	struct nt_thread *t = nt_thread_of(d, b->thread);
	bool gc = t && (t->stop_reason == STOP_FOR_GC || t->stop_reason == STOP_GC_PREPARES);
	return gc ? t : NULL;
}

static void stopping(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!t)
		return;
	t->stop_reason = pv_get_u32(c);
	t->stop_from = d->now;
	t->stop_stood = 0;
	if (stops_for_gc(d, b)) {
		gc_step(s, PV_GC_PRE_STOP, 0, b->offset);
		gc_step(s, PV_GC_PRE_STOP_LOCKED, 0, b->offset);
	}
}

static void stopped(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	struct nt_thread *t = stops_for_gc(d, b);
	if (!t)
		return;
	t->stop_stood = d->now;
	gc_step(s, PV_GC_POST_STOP, 0, b->offset);
}

static void going(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	struct nt_thread *t = stops_for_gc(d, b);
	if (!t || !t->stop_stood)
		return;
	struct pv_event *e = nt_add(s, PV_KIND_EXT_SUSPENSION, b->offset);
	if (e) {
		e->stop.reason = t->stop_reason == STOP_FOR_GC ? PV_STOP_GC : PV_STOP_GC_PREPARES;
		e->stop.wait_ns = t->stop_stood > t->stop_from ? t->stop_stood - t->stop_from : 0;
		e->stop.stopped_ns = d->now > t->stop_stood ? d->now - t->stop_stood : 0;
	}
	gc_step(s, PV_GC_PRE_START, 0, b->offset);
}

static void gone_on(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	const struct nt_thread *who = nt_thread_of(d, b->thread);
	struct nt_thread *t = stops_for_gc(d, b);
	nt_flush_end(s, b->offset);
	if (who && !t && who->stop_from && d->now > who->stop_from)
		d->stood.ns += d->now - who->stop_from;
	if (!t)
		return;
	gc_step(s, PV_GC_POST_START, 0, b->offset);
	gc_step(s, PV_GC_POST_START_UNLOCKED, 0, b->offset);
	t->stop_reason = 0;
}

static void gc_start(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	nt_flush_end(s, b->offset);
	pv_get_u32(c); /* collection number */
	uint32_t generation = pv_get_u32(c);
	if (!pv_cursor_ok(c))
		return;
	gc_step(s, PV_GC_START, generation, b->offset);
	uint32_t reason = pv_get_u32(c), type = pv_get_u32(c);
	struct pv_event *e = pv_cursor_ok(c) ? nt_add(s, PV_KIND_EXT_COLLECTION, b->offset) : NULL;
	if (e) {
		e->collection.reason = (uint64_t)reason + PV_WHY_FIRST;
		e->collection.how = (uint64_t)type + PV_HOW_BLOCKING;
	}
}

static void gc_end(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	nt_flush_end(s, b->offset);
	pv_get_u32(c);
	uint32_t generation = pv_get_u32(c);
	nt_end_shot(s, b->offset);
	if (pv_cursor_ok(c))
		d->end = (struct nt_end){ d->now, generation, true };
}

/* --- allocations, locks */

static void add_allocation(
	struct pv_stream *s, const struct nt_blob *b, uint32_t name, uint64_t size)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	uint64_t type = nt_class_key(s, name, b->offset);
	struct pv_span stack = nt_stack(s, b, true);
	if (!pv_batch_reserve(to, 1) || !pv_reserve(&to->allocs, 1) ||
		(s->want_offsets && !pv_reserve(&s->offsets, 1))) {
		d->nomem = true;
		return;
	}
	to->alloc_period = ALLOC_PERIOD;
	to->time[to->n] = d->now;
	to->kind[to->n] = PV_KIND_ALLOC;
	to->key[to->n++] = to->allocs.n;
	if (s->want_offsets)
		s->offsets.v[s->offsets.n++] = b->offset;
	to->allocs.v[to->allocs.n++] =
		(struct pv_alloc){ .type = type, .object = 0, .size = size, .stack = stack };
}

/*
 * Comes about every 100 KiB, and is weighted like a random sample, but is not random: classes
 * allocated in step with the period come out wrong. Before version 4 the object's size is not
 * known: the bytes since the last tick stand for it.
 */
static void tick(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	(void)pv_get_bytes(c, 4 + 4 + 2);
	uint64_t bytes = pv_get_u64(c);
	nt_pointer(d, c);
	if (!pv_cursor_ok(c))
		return;
	uint32_t name = nt_class_name(d, c);
	(void)pv_get_bytes(c, 4); /* heap */
	nt_pointer(d, c);
	uint64_t size = pv_get_u64(c);
	add_allocation(s, b, name, pv_cursor_ok(c) ? size : bytes);
}

/* A random sample of the allocated bytes, since .NET 10. */
static void sampled(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	(void)pv_get_bytes(c, 4 + 2);
	nt_pointer(d, c);
	uint32_t name = nt_class_name(d, c);
	nt_pointer(d, c);
	uint64_t size = pv_get_u64(c);
	if (pv_cursor_ok(c))
		add_allocation(s, b, name, size);
}

/*
 * Keys a lock by the runtime's number of the lock, since a collection may move the lock's object.
 */
static void contended(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	(void)pv_get_bytes(c, 1 + 2);
	uint64_t lock = pv_cursor_left(c) ? nt_pointer(d, c) : 0;
	uint64_t object = lock && pv_cursor_left(c) ? nt_pointer(d, c) : 0;
	uint64_t holder = object && pv_cursor_left(c) ? nt_pointer(d, c) : 0;
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!t || !pv_cursor_ok(c))
		return;
	t->lock = lock ? lock : NT_OBJECT;
	struct pv_span stack = nt_stack(s, b, true);
	struct pv_event *e = holder ? nt_add(s, PV_KIND_EXT_HOLDER, b->offset) : NULL;
	if (e) {
		e->holder.object = t->lock;
		e->holder.thread = holder;
	}
	e = nt_add(s, PV_KIND_MONITOR_CONTENTION, b->offset);
	if (e) {
		e->monitor.object = t->lock;
		e->monitor.stack = stack;
	}
}

static void acquired(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!t || !t->lock)
		return;
	struct pv_event *e = nt_add(s, PV_KIND_MONITOR_DONE, b->offset);
	if (e)
		e->monitor.object = t->lock;
	t->lock = 0;
}

/* --- methods */

static void jit_start(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!t)
		return;
	t->jit_method = pv_get_u64(c);
	t->jit_from = d->now;
}

static void add_method_body(
	struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c, bool here)
{
	struct nettrace *d = nt_of(s);
	uint64_t id = pv_get_u64(c);
	uint64_t module = pv_get_u64(c), start = pv_get_u64(c);
	uint32_t size = pv_get_u32(c), token = pv_get_u32(c);
	uint32_t flags = pv_get_u32(c);
	if (!pv_cursor_ok(c))
		return;
	uint32_t name = nt_method_name(d, c);
	nt_add_code(d, id, start, size, name);
	nt_il_loaded(s, &(struct nt_body){ .method = id,
				.module = module,
				.start = start,
				.size = size,
				.token = token });
	struct nt_thread *t = here ? NULL : nt_thread_of(d, b->thread);
	if (here || !(flags & JITTED))
		return;
	struct pv_event *e = nt_add(s, PV_KIND_METHOD_JIT, b->offset);
	if (!e)
		return;
	e->jit.method = id;
	e->jit.code = start;
	e->jit.size = size;
	e->jit.name = nt_text_of(d, name);
	if (t && t->jit_method == id)
		e->jit.started = t->jit_from;
}

/* Precompiled code; the size is not known. */
static void entry(struct pv_stream *s, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	uint64_t id = pv_get_u64(c);
	uint32_t name = nt_method_name(d, c);
	uint64_t start = pv_get_u64(c);
	if (pv_cursor_ok(c) && name)
		nt_add_code(d, id, start, 0, name);
}

/* --- losses */

/* A counter, as in logs of our probes: events of a kind since the last report. */
static void tell_counter(
	struct pv_stream *s, uint64_t index, const char *name, uint64_t more, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *b = &s->batch;
	if (!pv_reserve(&b->descs, 1) || !pv_reserve(&b->values, 1)) {
		d->nomem = true;
		return;
	}
	struct pv_event *e = nt_add(s, PV_KIND_COUNTERS_DESCRIBE, offset);
	if (e)
		e->counters.list = (struct pv_span){ (uint32_t)b->descs.n, 1 };
	b->descs.v[b->descs.n++] = (struct pv_counter_desc){ .section = PV_SECTION_PROFILER,
		.type = PV_COUNTER_LONG,
		.index = index,
		.name = { name, strlen(name) } };
	e = nt_add(s, PV_KIND_COUNTERS_SAMPLE, offset);
	if (e)
		e->counters.list = (struct pv_span){ (uint32_t)b->values.n, 1 };
	b->values.v[b->values.n++] =
		(struct pv_counter_value){ .index = index, .type = PV_COUNTER_LONG, .raw = more };
}

void nt_tell_lost(struct pv_stream *s, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	if (d->lost != d->said_lost)
		tell_counter(s, LOST_COUNTER, "lost events", d->lost - d->said_lost, offset);
	if (d->pauses != d->said_pauses)
		tell_counter(s, PAUSED_COUNTER, "paused", d->pauses - d->said_pauses, offset);
	d->said_lost = d->lost;
	d->said_pauses = d->pauses;
}

/* --- */

/* Provider, name, fields and labels: for a dump of single events. Good until the next batch. */
static struct pv_text described(struct nettrace *d, const struct nt_blob *b)
{
	const struct nt_kind *k = &d->kind.v[b->kind];
	char text[FIELDS_TEXT];
	int head = snprintf(text, sizeof text, "%.80s/%.80s", pv_intern_text(&d->text, k->provider),
		pv_intern_text(&d->text, k->name));
	size_t n = head < 0 ? 0 : (size_t)head;
	n += nt_fields_text(d, b, text + n, sizeof text - n);
	n += nt_label_text(d, b->labels, text + n, sizeof text - n);
	const char *kept = pv_arena_copy(&d->said, text, n);
	d->nomem |= !kept;
	return (struct pv_text){ kept ? kept : "", kept ? n : 0 };
}

/* "Provider/Name", "Provider/12" for an event without a name; made at first use. */
static uint32_t full_name(struct nettrace *d, struct nt_kind *k)
{
	char text[FULL_NAME];
	const char *provider = pv_intern_text(&d->text, k->provider);
	if (k->full)
		return k->full;
	int n = k->name ? snprintf(text, sizeof text, "%.150s/%.100s", provider,
				  pv_intern_text(&d->text, k->name))
			: snprintf(text, sizeof text, "%.150s/%" PRIu32, provider, k->id);
	return k->full = nt_intern(d, text, n > 0 ? (size_t)n : 0);
}

/* `known`: by its provider and number, but without a neutral event. */
static void unknown(struct pv_stream *s, const struct nt_blob *b, bool known)
{
	struct nettrace *d = nt_of(s);
	struct nt_kind *k = &d->kind.v[b->kind];
	struct pv_event *e = nt_add(s, PV_KIND_EXT_UNKNOWN, b->offset);
	if (!e)
		return;
	e->ext.family = known;
	e->ext.kind = k->id;
	e->ext.value = b->len;
	e->ext.text = s->want_offsets ? described(d, b) : nt_text_of(d, full_name(d, k));
}

/* Whether the event reports an occurrence, rather than an existing state. */
static bool happened(enum nt_event_kind what)
{
	return what != NT_UNKNOWN && what != NT_QUIET && what != NT_METHOD_HERE &&
	       what != NT_THREAD_TIME && what != NT_PROCESS && what != NT_SETTINGS &&
	       what != NT_MODULE && what != NT_IL_MAP && what != NT_IL_MAP_HERE;
}

/* Whether the runtime writes the event on the thread, and in the activity, of the occurrence. */
static bool is_of_activity(enum nt_event_kind what)
{
	return what == NT_ALLOC_TICK || what == NT_ALLOC_SAMPLED || what == NT_THROWN ||
	       what == NT_CONTENDED || what == NT_ACQUIRED;
}

void nt_event(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	struct pv_cursor c = { .at = b->payload, .end = b->payload + b->len };
	d->now = b->time;
	if (!d->speaks && happened(d->kind.v[b->kind].what)) {
		d->speaks = true;
		d->pauses += d->spoken; /* nothing was recorded between two streams */
	}
	if (d->span.n)
		nt_spans_due(s, b);
	if (is_of_activity(d->kind.v[b->kind].what))
		nt_span_goes_on(s, b);
	switch (d->kind.v[b->kind].what) {
	case NT_SAMPLE:
		nt_sample(s, b, &c);
		break;
	case NT_GC_START:
		gc_start(s, b, &c);
		break;
	case NT_GC_END:
		gc_end(s, b, &c);
		break;
	case NT_GC_SIZES:
		sizes(s, b, &c);
		break;
	case NT_STOPPING:
		stopping(s, b, &c);
		break;
	case NT_STOPPED:
		stopped(s, b);
		break;
	case NT_GOING:
		going(s, b);
		break;
	case NT_GONE_ON:
		gone_on(s, b);
		break;
	case NT_ALLOC_TICK:
		tick(s, b, &c);
		break;
	case NT_ALLOC_SAMPLED:
		sampled(s, b, &c);
		break;
	case NT_THROWN:
		nt_thrown(s, b, &c);
		break;
	case NT_CATCH:
	case NT_FINALLY:
	case NT_FILTER:
		nt_handled(s, b, &c);
		break;
	case NT_CATCH_ENDS:
		nt_catch_ends(d, b);
		break;
	case NT_CONTENDED:
		contended(s, b, &c);
		break;
	case NT_ACQUIRED:
		acquired(s, b);
		break;
	case NT_JIT_START:
		jit_start(s, b, &c);
		break;
	case NT_METHOD_LOAD:
		add_method_body(s, b, &c, false);
		break;
	case NT_METHOD_ENTRY:
		if (s->want_offsets) /* a dump has each event */
			unknown(s, b, true);
		entry(s, &c);
		break;
	case NT_METHOD_HERE:
		add_method_body(s, b, &c, true);
		break;
	case NT_MODULE:
		nt_il_module(s, &c);
		unknown(s, b, true);
		break;
	case NT_IL_MAP:
	case NT_IL_MAP_HERE:
		if (s->want_offsets)
			unknown(s, b, true);
		nt_il_map(s, &c, d->kind.v[b->kind].what == NT_IL_MAP_HERE);
		break;
	case NT_COUNTERS:
		nt_counters(s, b);
		break;
	case NT_POOL_ADJUSTED:
		nt_pool_adjusted(s, b, &c);
		break;
	case NT_POOL_WORKERS:
		nt_pool_workers(s, b, &c);
		break;
	case NT_METER_RATE:
	case NT_METER_LEVEL:
	case NT_METER_CHANGES:
	case NT_METER_SPREAD:
	case NT_METER_TIME:
	case NT_METER_SAYS:
		nt_meter(s, b, &c);
		break;
	case NT_TYPES:
	case NT_NODES:
	case NT_EDGES:
	case NT_ROOTS:
	case NT_DEPENDENTS:
	case NT_STATICS:
		nt_heap(s, b, &c);
		break;
	case NT_SPAN:
		nt_span(s, b);
		break;
	case NT_THREAD_TIME:
		nt_thread_time(d, b, &c);
		break;
	case NT_PROCESS:
		nt_process(s, &c);
		unknown(s, b, true);
		break;
	case NT_SETTINGS:
		nt_settings(s, b, &c);
		break;
	case NT_QUIET:
	case NT_UNKNOWN:
		unknown(s, b, d->kind.v[b->kind].what == NT_QUIET);
		break;
	}
}

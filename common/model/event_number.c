/* SPDX-License-Identifier: MIT */
/* Reads the numbers of events for filters. */
#include "common/model/event_number.h"

#include <stddef.h>
#include <string.h>

#include "common/format/batch_event.h"

const struct pv_filter_column pv_event_columns[PV_EVENT_NUMBERS] = {
	[PV_EVENT_BYTES] = { "bytes", PV_FILTER_BYTES, PV_EVENT_BYTES },
	[PV_EVENT_TOOK] = { "took_ns", PV_FILTER_NS, PV_EVENT_TOOK },
	[PV_EVENT_FRAMES] = { "frames", PV_FILTER_PLAIN, PV_EVENT_FRAMES },
	[PV_EVENT_SAMPLES] = { "samples", PV_FILTER_PLAIN, PV_EVENT_SAMPLES },
	[PV_EVENT_GENERATION] = { "generation", PV_FILTER_PLAIN, PV_EVENT_GENERATION },
};

/* Offset and size of the numbers in an event, by kind; offset 0: no such number. */
#define NUMBER(MEMBER)                                                                             \
	{ offsetof(struct pv_event, MEMBER), sizeof(((struct pv_event *)NULL)->MEMBER) }
static const struct place {
	uint16_t at, size;
} places[PV_KIND_COUNT][PV_EVENT_NUMBERS] = {
	[PV_KIND_ALLOC][PV_EVENT_BYTES] = NUMBER(alloc.size),
	[PV_KIND_GC_RESIZE][PV_EVENT_BYTES] = NUMBER(resize.bytes),
	[PV_KIND_METHOD_JIT][PV_EVENT_BYTES] = NUMBER(jit.size),
	[PV_KIND_HEAP_OBJECT][PV_EVENT_BYTES] = NUMBER(heap_object.size),
	[PV_KIND_HEAP_DEAD][PV_EVENT_BYTES] = NUMBER(heap_object.size),
	[PV_KIND_HEAP_SUMMARY][PV_EVENT_BYTES] = NUMBER(heap_class.bytes),
	[PV_KIND_JIT_HELPER][PV_EVENT_BYTES] = NUMBER(helper.size),
	[PV_KIND_EXT_BODY][PV_EVENT_BYTES] = NUMBER(body.size),
	[PV_KIND_EXT_SURVIVED][PV_EVENT_BYTES] = NUMBER(survived.bytes),
	[PV_KIND_EXT_SPAN][PV_EVENT_TOOK] = NUMBER(span.took_ns),
	[PV_KIND_EXT_SUSPENSION][PV_EVENT_TOOK] = NUMBER(stop.stopped_ns),
	[PV_KIND_EXT_JIT_TIME][PV_EVENT_TOOK] = NUMBER(jit.started),
	[PV_KIND_EXT_JIT_FAILED][PV_EVENT_TOOK] = NUMBER(jit.started),
	[PV_KIND_EXT_TRANSITION][PV_EVENT_TOOK] = NUMBER(transition.took_ns),
	[PV_KIND_ALLOC][PV_EVENT_FRAMES] = NUMBER(alloc.stack.n),
	[PV_KIND_EXCEPTION_THROW][PV_EVENT_FRAMES] = NUMBER(thrown.stack.n),
	[PV_KIND_MONITOR_CONTENTION][PV_EVENT_FRAMES] = NUMBER(monitor.stack.n),
	[PV_KIND_MONITOR_DONE][PV_EVENT_FRAMES] = NUMBER(monitor.stack.n),
	[PV_KIND_MONITOR_FAIL][PV_EVENT_FRAMES] = NUMBER(monitor.stack.n),
	[PV_KIND_GC_HANDLE_CREATED][PV_EVENT_FRAMES] = NUMBER(handle.stack.n),
	[PV_KIND_GC_HANDLE_DESTROYED][PV_EVENT_FRAMES] = NUMBER(handle.stack.n),
	[PV_KIND_SAMPLE_HIT][PV_EVENT_FRAMES] = NUMBER(hit.frames.n),
	[PV_KIND_EXT_WAITED][PV_EVENT_FRAMES] = NUMBER(hit.frames.n),
	[PV_KIND_SAMPLE_HIT][PV_EVENT_SAMPLES] = NUMBER(hit.weight),
	[PV_KIND_EXT_WAITED][PV_EVENT_SAMPLES] = NUMBER(hit.times),
	[PV_KIND_GC_EVENT][PV_EVENT_GENERATION] = NUMBER(gc.generation),
};

bool pv_event_kind_has(unsigned kind, enum pv_event_number number)
{
	return kind < PV_KIND_COUNT && places[kind][number].at;
}

static uint64_t number_at(const struct pv_event *e, const struct place *p)
{
	const char *at = (const char *)e + p->at;
	uint64_t wide = 0;
	uint32_t n = 0;
	if (p->size == sizeof wide)
		memcpy(&wide, at, sizeof wide);
	else
		memcpy(&n, at, sizeof n);
	return wide + n;
}

bool pv_event_number(const struct pv_batch *b, size_t i, enum pv_event_number number, uint64_t *ret)
{
	struct pv_event e;
	if (!pv_event_kind_has(b->kind[i], number))
		return false;
	if (b->kind[i] == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		*ret = number == PV_EVENT_BYTES ? a->size : a->stack.n;
		return true;
	}
	pv_batch_copy_event(b, i, &e);
	*ret = number_at(&e, &places[e.kind][number]);
	if (e.kind == PV_KIND_HEAP_OBJECT || e.kind == PV_KIND_HEAP_DEAD)
		return !e.heap_object.unsized;
	if (number == PV_EVENT_FRAMES && *ret == 0 &&
		(e.kind == PV_KIND_SAMPLE_HIT || e.kind == PV_KIND_EXT_WAITED))
		*ret = e.hit.ips.n;
	if (number == PV_EVENT_SAMPLES && *ret == 0 && e.kind == PV_KIND_SAMPLE_HIT)
		*ret = 1;
	return true;
}

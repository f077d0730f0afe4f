/* SPDX-License-Identifier: MIT */
/* Reads the numbers of events for filters. */
#include "common/model/event_number.h"

#include "common/format/batch_event.h"

const struct pv_filter_column pv_event_columns[PV_EVENT_NUMBERS] = {
	[PV_EVENT_BYTES] = { "bytes", PV_FILTER_BYTES, PV_EVENT_BYTES },
	[PV_EVENT_TOOK] = { "took_ns", PV_FILTER_NS, PV_EVENT_TOOK },
	[PV_EVENT_FRAMES] = { "frames", PV_FILTER_PLAIN, PV_EVENT_FRAMES },
	[PV_EVENT_SAMPLES] = { "samples", PV_FILTER_PLAIN, PV_EVENT_SAMPLES },
	[PV_EVENT_GENERATION] = { "generation", PV_FILTER_PLAIN, PV_EVENT_GENERATION },
};

static bool bytes_of(const struct pv_event *e, uint64_t *ret)
{
	switch (e->kind) {
	case PV_KIND_GC_RESIZE:
		*ret = e->resize.bytes;
		return true;
	case PV_KIND_METHOD_JIT:
		*ret = e->jit.size;
		return true;
	case PV_KIND_HEAP_OBJECT:
	case PV_KIND_HEAP_DEAD:
		*ret = e->heap_object.size;
		return !e->heap_object.unsized;
	case PV_KIND_HEAP_SUMMARY:
		*ret = e->heap_class.bytes;
		return true;
	case PV_KIND_JIT_HELPER:
		*ret = e->helper.size;
		return true;
	case PV_KIND_EXT_BODY:
		*ret = e->body.size;
		return true;
	case PV_KIND_EXT_SURVIVED:
		*ret = e->survived.bytes;
		return true;
	default:
		return false;
	}
}

static bool took_of(const struct pv_event *e, uint64_t *ret)
{
	switch (e->kind) {
	case PV_KIND_EXT_SPAN:
		*ret = e->span.took_ns;
		return true;
	case PV_KIND_EXT_SUSPENSION:
		*ret = e->stop.stopped_ns;
		return true;
	case PV_KIND_EXT_JIT_TIME:
	case PV_KIND_EXT_JIT_FAILED:
		*ret = e->jit.started;
		return true;
	case PV_KIND_EXT_TRANSITION:
		*ret = e->transition.took_ns;
		return true;
	default:
		return false;
	}
}

static bool frames_of(const struct pv_event *e, uint64_t *ret)
{
	switch (e->kind) {
	case PV_KIND_EXCEPTION_THROW:
		*ret = e->thrown.stack.n;
		return true;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		*ret = e->monitor.stack.n;
		return true;
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		*ret = e->handle.stack.n;
		return true;
	case PV_KIND_SAMPLE_HIT:
	case PV_KIND_EXT_WAITED:
		*ret = e->hit.frames.n ? e->hit.frames.n : e->hit.ips.n;
		return true;
	default:
		return false;
	}
}

static bool member_number(const struct pv_event *e, enum pv_event_number number, uint64_t *ret)
{
	switch (number) {
	case PV_EVENT_BYTES:
		return bytes_of(e, ret);
	case PV_EVENT_TOOK:
		return took_of(e, ret);
	case PV_EVENT_FRAMES:
		return frames_of(e, ret);
	case PV_EVENT_SAMPLES:
		*ret = e->kind == PV_KIND_EXT_WAITED ? e->hit.times
		       : e->hit.weight               ? e->hit.weight
						     : 1;
		return e->kind == PV_KIND_SAMPLE_HIT || e->kind == PV_KIND_EXT_WAITED;
	case PV_EVENT_GENERATION:
		*ret = e->gc.generation;
		return e->kind == PV_KIND_GC_EVENT;
	default:
		return false;
	}
}

bool pv_event_kind_has(unsigned kind, enum pv_event_number number)
{
	const struct pv_event e = { .kind = (uint8_t)kind };
	uint64_t any;
	if (kind == PV_KIND_ALLOC)
		return number == PV_EVENT_BYTES || number == PV_EVENT_FRAMES;
	return member_number(&e, number, &any);
}

bool pv_event_number(const struct pv_batch *b, size_t i, enum pv_event_number number, uint64_t *ret)
{
	if (!pv_event_kind_has(b->kind[i], number))
		return false;
	if (b->kind[i] != PV_KIND_ALLOC) {
		struct pv_event e;
		pv_batch_copy_event(b, i, &e);
		return member_number(&e, number, ret);
	}
	const struct pv_alloc *a = &b->allocs.v[b->key[i]];
	*ret = number == PV_EVENT_BYTES ? a->size : a->stack.n;
	return true;
}

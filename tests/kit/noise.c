/* SPDX-License-Identifier: MIT */
#include "tests/kit/noise.h"

#include <check.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "tests/kit/logkit.h"

static uint64_t state;

static uint64_t number(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 11;
}

/* Mostly small, so that things meet; now and then an extreme. */
static uint64_t odd(void)
{
	static const uint64_t extreme[] = { 0, 1, UINT32_MAX, INT64_MAX, UINT64_C(1) << 63,
		UINT64_MAX };
	return number() % 50 == 0 ? extreme[number() % PV_COUNT_OF(extreme)] : number() % 40 * 8;
}

static struct pv_span span(struct pv_batch *b, uint32_t most, uint32_t multiple)
{
	struct pv_span s = { (uint32_t)b->pool.n, (uint32_t)(number() % most) * multiple };
	ck_assert(pv_reserve(&b->pool, s.n + 1));
	for (uint32_t i = 0; i < s.n; i++)
		b->pool.v[b->pool.n++] = odd();
	return s;
}

static struct pv_text text(void)
{
	static const char *const name[] = { "", "a", "b", "lost events", "paused", "worker" };
	const char *t = name[number() % PV_COUNT_OF(name)];
	return (struct pv_text){ t, strlen(t) };
}

static void fill_counters(struct pv_batch *b, struct pv_event *e)
{
	ck_assert(pv_reserve(&b->descs, 1) && pv_reserve(&b->values, 1));
	e->counters.list.n = 1;
	if (e->kind == PV_KIND_COUNTERS_DESCRIBE) {
		e->counters.list.at = (uint32_t)b->descs.n;
		b->descs.v[b->descs.n++] = (struct pv_counter_desc){ .index = odd(),
			.type = number() % 9,
			.section = number() % 2 ? 0x10000 : 0x8000,
			.name = text(),
			.section_name = text() };
	} else {
		e->counters.list.at = (uint32_t)b->values.n;
		b->values.v[b->values.n++] = (struct pv_counter_value){
			.index = odd(), .type = number() % 9, .raw = odd(), .text = text()
		};
	}
}

static struct pv_event event(struct pv_batch *b, uint8_t kind, uint64_t time)
{
	struct pv_event e = { .kind = kind, .time = time };
	switch (kind) {
	case PV_KIND_METHOD_JIT:
		e.jit.method = odd(), e.jit.code = odd(), e.jit.size = odd(), e.jit.name = text();
		break;
	case PV_KIND_GC_EVENT:
		e.gc.step = number() % 12, e.gc.generation = odd() % 5;
		break;
	case PV_KIND_GC_RESIZE:
		e.resize.bytes = odd();
		break;
	case PV_KIND_GC_MOVE:
		e.moves.pairs = span(b, 700, 2);
		break;
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		e.handle.type = odd(), e.handle.object = odd(), e.handle.stack = span(b, 4, 1);
		break;
	case PV_KIND_EXCEPTION_THROW:
		e.thrown.object = odd(), e.thrown.stack = span(b, 80, 1);
		break;
	case PV_KIND_EXCEPTION_CLAUSE:
		e.clause.type = odd();
		break;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		e.monitor.object = odd(), e.monitor.stack = span(b, 4, 1);
		break;
	case PV_KIND_HEAP_OBJECT:
		e.heap_object.object = odd(), e.heap_object.type = odd();
		e.heap_object.size = odd(), e.heap_object.refs = span(b, 9, 2);
		break;
	case PV_KIND_HEAP_ROOTS:
		e.roots.width = 2 + number() % 2, e.roots.roots = span(b, 9, 6);
		break;
	case PV_KIND_SAMPLE_HIT:
		e.hit.thread = odd(), e.hit.timestamp = odd();
		e.hit.ips = span(b, 3, 1), e.hit.frames = span(b, 30, 1);
		break;
	case PV_KIND_EXT_WAITED:
		e.hit.thread = odd(), e.hit.state = number() % 9, e.hit.times = number() % 99;
		e.hit.frames = span(b, 30, 1);
		break;
	case PV_KIND_SAMPLE_SYMBOL:
		e.symbol.address = odd(), e.symbol.size = odd(), e.symbol.name = text();
		break;
	case PV_KIND_COUNTERS_DESCRIBE:
	case PV_KIND_COUNTERS_SAMPLE:
		fill_counters(b, &e);
		break;
	case PV_KIND_JIT_HELPER:
		e.helper.type = odd(), e.helper.size = odd();
		break;
	case PV_KIND_COVERAGE_ASSEMBLY:
	case PV_KIND_COVERAGE_METHOD:
	case PV_KIND_COVERAGE_STATEMENT:
	case PV_KIND_COVERAGE_CLASS:
	case PV_KIND_EXT_COVERED_ASSEMBLY:
	case PV_KIND_EXT_COVERED_METHOD:
	case PV_KIND_EXT_COVERED_STATEMENT:
	case PV_KIND_EXT_COVERED_CLASS:
		e.coverage.method_id = odd(), e.coverage.il = odd(), e.coverage.assembly = text();
		break;
	case PV_KIND_EXT_LINES:
		e.lines.method = odd(), e.lines.file = text(), e.lines.pairs = span(b, 20, 2);
		break;
	case PV_KIND_EXT_IL_MAP:
		e.il_map.code = odd(), e.il_map.size = odd(), e.il_map.method = odd();
		e.il_map.image = odd(), e.il_map.token = odd(), e.il_map.pairs = span(b, 20, 2);
		break;
	case PV_KIND_EXT_PLACE:
		e.code_place.address = odd(), e.code_place.method = odd();
		break;
	case PV_KIND_EXT_FIELD:
		e.field.owner = odd(), e.field.offset = odd(), e.field.is_static = number() % 2;
		e.field.type = text(), e.field.name = text();
		break;
	case PV_KIND_EXT_PARENT:
		e.class_parent.owner = odd(), e.class_parent.parent = odd();
		break;
	case PV_KIND_EXT_ELEMENTS:
		e.elements.owner = odd(), e.elements.first = odd(), e.elements.size = odd();
		break;
	case PV_KIND_EXT_TREE_CALL:
		e.tree.back = number() % 5, e.tree.method = odd(), e.tree.calls = odd();
		e.tree.self_ns = odd(), e.tree.max_ns = odd(), e.tree.exc_leaves = odd();
		break;
	case PV_KIND_EXT_JIT_TIME:
	case PV_KIND_EXT_JIT_FAILED:
		e.jit.method = odd(), e.jit.started = odd(), e.jit.name = text();
		break;
	case PV_KIND_EXT_SUSPENSION:
		e.stop.reason = number() % 12, e.stop.wait_ns = odd(), e.stop.stopped_ns = odd();
		break;
	case PV_KIND_EXT_BODY:
	case PV_KIND_EXT_CODE_GONE:
		e.body.method = odd(), e.body.code = odd(), e.body.size = odd();
		e.body.tier = number() % 12, e.body.version = odd(), e.body.why = number() % 4;
		break;
	case PV_KIND_EXT_TRANSITION:
		e.transition.method = odd(), e.transition.into = number() % 3;
		e.transition.took_ns = odd();
		break;
	case PV_KIND_EXT_SURVIVED:
		e.survived.generation = odd(), e.survived.ranges = odd();
		e.survived.bytes = odd(), e.survived.moved_bytes = odd();
		break;
	case PV_KIND_EXT_COLLECTION:
		e.collection.reason = odd(), e.collection.how = odd();
		break;
	case PV_KIND_EXT_GENERATION:
		e.left.collected = odd(), e.left.region = odd();
		e.left.bytes = odd(), e.left.promoted = odd();
		break;
	case PV_KIND_EXT_SPAN:
		e.span.took_ns = odd(), e.span.what = text(), e.span.name = text();
		e.span.stack = span(b, 20, 1);
		break;
	case PV_KIND_EXT_WORK:
		e.work.id = number() % 20, e.work.parent = number() % 20;
		e.work.step = number() % 4;
		break;
	case PV_KIND_EXT_HELD:
		e.held.number = number() % 40, e.held.live = odd(), e.held.live_bytes = odd();
		e.held.allocations = odd(), e.held.bytes = odd(), e.held.most_bytes = odd();
		e.held.stack = span(b, 20, 1);
		break;
	case PV_KIND_EXT_HELD_ALL:
		e.held.live_bytes = odd(), e.held.most_bytes = odd();
		break;
	case PV_KIND_EXT_STRING:
		e.string.object = odd(), e.string.length = odd(), e.string.text = text();
		break;
	case PV_KIND_EXT_CLASS_OF:
		e.class_of.object = odd(), e.class_of.type = odd();
		break;
	case PV_KIND_EXT_HOLDER:
		e.holder.object = odd(), e.holder.thread = odd();
		break;
	case PV_KIND_EXT_LOCK:
		e.lock.object = odd(), e.lock.id = odd();
		break;
	case PV_KIND_EXT_MESSAGE:
		e.string.object = odd(), e.string.length = odd(), e.string.text = text();
		break;
	case PV_KIND_AOT_ID:
		e.aot.id = text();
		break;
	default: /* names, and kinds without fields */
		e.meta.key = odd(), e.meta.image = odd(), e.meta.domain = odd();
		e.meta.owner = odd(), e.meta.name = text(), e.meta.mvid = text();
	}
	return e;
}

static void push(struct pv_batch *b, uint64_t time)
{
	unsigned roll = (unsigned)(number() % 10);
	uint8_t kind = roll < 6 ? (uint8_t)(roll % 4) : (uint8_t)(number() % PV_KIND_COUNT);
	if (kind > PV_KIND_METHOD_EXC_LEAVE) {
		struct pv_event e = event(b, kind, time);
		ck_assert(pv_batch_put_event(b, &e, time));
		return;
	}
	size_t i = b->n++;
	b->time[i] = time;
	b->kind[i] = kind;
	b->key[i] = odd();
	if (kind == PV_KIND_ALLOC) {
		ck_assert(pv_reserve(&b->allocs, 1));
		b->key[i] = b->allocs.n;
		b->allocs.v[b->allocs.n++] =
			(struct pv_alloc){ odd(), odd(), odd(), span(b, 40, 1) };
	}
}

void noise_seed(uint64_t seed)
{
	state = seed;
}

void noise_batch(struct pv_batch *b, size_t n, uint64_t *time, bool wild)
{
	pv_batch_reset(b);
	ck_assert(pv_batch_reserve(b, n));
	b->bytes_len = 1;
	b->thread = odd() % 5 * 8;
	b->time_base = *time;
	b->bytes_lost_before = number() % 20 == 0;
	b->damaged = number() % 20 == 0;
	for (size_t i = 0; i < n; i++) {
		*time += number() % 10000;
		push(b, wild && number() % 100 == 0 ? odd() * number() : *time);
	}
}

/* SPDX-License-Identifier: MIT */
/* EVENTS blocks of stages A to D, and the events common to these and the draft. */
#include <string.h>

#include "common/format/block07/block07_parts.h"

enum { ENTER = 1, LEAVE = 3, ALLOCATION = 4, METHOD = 5, CLASS = 6, OTHER = 7 };
enum { JIT_ALLOCATION = 8, STACK_SECTION = 9 };

/* --- common to all events */

uint64_t b07_advance(struct b07 *d, uint64_t diff)
{
	struct b07_block *b = &d->block;
	uint64_t counter = b->counter + diff;
	/* Stage A kept differences in 26 bits: a time after the block's end is garbage. */
	bool corrupt = d->stage == B07_A && b->have_to && counter > b->to.counter;
	if (counter < b->counter)
		counter = UINT64_MAX;
	if (!corrupt)
		b->counter = counter;
	return b07_clock_ns(&d->clock, b->counter);
}

/* Remembers a start until its end. */
static void note_begin(struct b07 *d, uint8_t kind, uint64_t id, uint64_t time)
{
	d->begun[d->next_begun++ % B07_BEGUN] =
		(struct b07_begun){ d->block.thread, id, time, kind };
}

/* Time of the start that the event ends, for `started`; 0: unknown. */
static uint64_t begun_at(struct b07 *d, uint8_t kind, uint64_t id)
{
	for (unsigned i = 1; i <= B07_BEGUN; i++) {
		struct b07_begun *x = &d->begun[(d->next_begun - i) % B07_BEGUN];
		if (x->kind == kind && x->id == id && x->thread == d->block.thread) {
			x->kind = 0;
			return x->time;
		}
	}
	return 0;
}

static bool place_frame(struct b07 *d, uint64_t method, uint32_t caller)
{
	struct pv_batch *b = &d->out->batch;
	if (b->frames.n >= UINT32_MAX - 1 || !pv_reserve(&b->frames, 1))
		return false;
	b->frames.v[b->frames.n++] = (struct pv_batch_frame){ method, caller };
	return true;
}

/* Frames already in the batch stay in place: a section may add one frame to very many. */
static bool place_stack(struct b07 *d)
{
	if (!pv_reserve(&d->placed, d->stack.n - d->placed.n))
		return false;
	while (d->placed.n < d->stack.n) {
		size_t n = d->placed.n;
		if (!place_frame(d, d->stack.v[n], n ? d->placed.v[n - 1] + 1 : 0))
			return false;
		d->placed.v[d->placed.n++] = (uint32_t)d->out->batch.frames.n - 1;
	}
	return true;
}

/*
 * A section is written for the next allocation or contention. A section without frames says
 * nothing: every block opens with one, whether or not stacks are recorded.
 */
static bool take_stack(struct b07 *d, uint64_t caller, struct pv_span *ret)
{
	struct b07_block *b = &d->block;
	*ret = (struct pv_span){ 0, 0 };
	if (b->fresh && d->stack.n) {
		if (!place_stack(d))
			return false;
		*ret = (struct pv_span){ d->placed.v[d->stack.n - 1], (uint32_t)d->stack.n };
		return true;
	}
	/* In a log of all calls, the open calls say more than one frame. */
	if (caller == 0 || d->calls || (d->flags & PV_MASK07_CALLS))
		return true;
	*ret = (struct pv_span){ (uint32_t)d->out->batch.frames.n, 1 };
	return place_frame(d, caller, 0);
}

/* --- by subject */

bool b07_method_event(struct b07 *d, unsigned code, bool end, bool failed, uint64_t id)
{
	uint64_t time = b07_clock_ns(&d->clock, d->block.counter);
	struct pv_event e = { .kind = PV_KIND_METHOD_FREE };
	e.jit.method = id;
	e.jit.name.at = "";
	if (code > 1)
		return b07_other(d, METHOD, code, id);
	if (code == 0 && !end) {
		e.kind = PV_KIND_METHOD_JIT_START;
		note_begin(d, e.kind, id, time);
	} else if (code == 0) {
		e.kind = failed ? PV_KIND_METHOD_JIT_FAIL : PV_KIND_METHOD_JIT;
		e.jit.started = begun_at(d, PV_KIND_METHOD_JIT_START, id);
	}
	return b07_push(d, &e, time);
}

static struct pv_text class_text(const struct b07 *d, uint64_t id)
{
	uint32_t name = pv_map_get(&d->classes, id);
	const char *text = name == PV_MAP_NONE ? "" : pv_intern_text(&d->text, name);
	return (struct pv_text){ text, strlen(text) };
}

/* No section is written for a throw. */
static bool thrown(struct b07 *d, uint64_t class, uint64_t time)
{
	struct pv_event e = { .kind = PV_KIND_EXCEPTION_THROW };
	e.thrown.type = class;
	return b07_push(d, &e, time);
}

bool b07_class_event(struct b07 *d, unsigned code, bool end, bool failed, uint64_t id)
{
	uint64_t time = b07_clock_ns(&d->clock, d->block.counter);
	struct pv_event e = { 0 };
	if (code == 2)
		return thrown(d, id, time);
	if (code > 2)
		return b07_other(d, CLASS, code, id);
	uint8_t start = code == 0 ? PV_KIND_CLASS_LOAD_START : PV_KIND_CLASS_UNLOAD_START;
	e.kind = start;
	e.meta.key = id;
	e.meta.name = class_text(d, id);
	uint32_t assembly = pv_map_get(&d->assemblies, id);
	e.meta.owner = assembly == PV_MAP_NONE ? 0 : assembly;
	e.meta.mvid.at = "";
	if (!end) {
		note_begin(d, start, id, time);
		return b07_push(d, &e, time);
	}
	e.meta.failed = failed;
	e.meta.started = begun_at(d, start, id);
	e.kind = code == 1 ? PV_KIND_CLASS_UNLOAD
		 : failed  ? PV_KIND_CLASS_LOAD_FAIL
			   : PV_KIND_CLASS_LOAD;
	return b07_push(d, &e, time);
}

bool b07_gc_event(struct b07 *d, unsigned step, uint64_t generation, uint64_t collection)
{
	struct pv_event e = { .kind = PV_KIND_GC_EVENT };
	e.gc.step = step;
	e.gc.generation = generation;
	e.gc.collection = collection;
	return b07_push(d, &e, b07_clock_ns(&d->clock, d->block.counter));
}

bool b07_resize_event(struct b07 *d, uint64_t bytes, uint64_t collection, uint64_t time)
{
	struct pv_event e = { .kind = PV_KIND_GC_RESIZE };
	e.resize.bytes = bytes;
	e.resize.collection = collection;
	return b07_push(d, &e, time);
}

bool b07_thread_event(struct b07 *d, bool end, uint64_t thread)
{
	struct pv_event e = { .kind = end ? PV_KIND_THREAD_END : PV_KIND_THREAD_START };
	e.meta.key = thread;
	e.meta.name.at = "";
	return b07_push(d, &e, b07_clock_ns(&d->clock, d->block.counter));
}

bool b07_other(struct b07 *d, unsigned group, unsigned code, uint64_t data)
{
	struct pv_event e = { .kind = PV_KIND_EXT_UNKNOWN };
	e.ext.family = group;
	e.ext.kind = code;
	e.ext.value = data;
	e.ext.text.at = "";
	return b07_push(d, &e, b07_clock_ns(&d->clock, d->block.counter));
}

/* --- stages A to D */

/* The key of a frame in which `method` was being compiled; named at first use. */
static bool compiling(struct b07 *d, uint64_t method, uint64_t *ret_key)
{
	uint32_t at = pv_map_get(&d->methods, method);
	*ret_key = B07_COMPILING | method;
	if (pv_map_get(&d->named, *ret_key) != PV_MAP_NONE)
		return true;
	char *name = at == PV_MAP_NONE
			     ? pv_arena_printf(&d->texts, "(method not recorded, being compiled)")
			     : pv_arena_printf(&d->texts, "%s (being compiled)",
				       pv_intern_text(&d->text, at));
	uint64_t time = b07_clock_ns(&d->clock, d->block.counter);
	return name && pv_map_set(&d->named, *ret_key, 1) &&
	       b07_push_name(d, *ret_key, 0, (struct pv_text){ name, strlen(name) }, time);
}

enum caller { NO_CALLER, CALLER, COMPILING_CALLER };

/* Class and size are read; caller and object follow if the directives say so. */
static enum b07_step allocation(struct b07 *d, uint64_t class, uint64_t size, enum caller has)
{
	struct pv_cursor *c = &d->block.c;
	uint64_t caller = has ? b07_var(c) : 0;
	struct pv_alloc a = { .type = class, .size = size };
	a.object = d->directives & B07_OBJECT_ID ? b07_var(c) : 0;
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if (has == COMPILING_CALLER && caller && !compiling(d, caller, &caller))
		return B07_NOMEM;
	uint64_t time = b07_clock_ns(&d->clock, d->block.counter);
	return take_stack(d, caller, &a.stack) && b07_push_alloc(d, &a, time) ? B07_AGAIN
									      : B07_NOMEM;
}

/* Reads a frame: the method, and whether it was being compiled. */
static enum b07_step take_method_frame(struct b07 *d, uint64_t *ret_key)
{
	uint64_t v = b07_var(&d->block.c);
	if (!pv_cursor_ok(&d->block.c))
		return B07_BAD;
	*ret_key = v >> 1;
	return !(v & 1) || compiling(d, v >> 1, ret_key) ? B07_AGAIN : B07_NOMEM;
}

/* Frames come topmost first, the stack is kept outermost first. */
static enum b07_step stack_section(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_cursor *c = &b->c;
	uint64_t valid = b07_var(c), n = b07_var(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if (valid > d->stack.n || n > pv_cursor_left(c) || valid + n > B07_DEEPEST)
		return b07_bad(d, "a stack section that does not fit what was there before");
	if (!pv_reserve(&d->stack, (size_t)n))
		return B07_NOMEM;
	d->stack.n = (size_t)(valid + n);
	if (d->placed.n > valid)
		d->placed.n = (size_t)valid;
	enum b07_step step = B07_AGAIN;
	for (size_t i = d->stack.n; i > valid && step == B07_AGAIN; i--)
		step = take_method_frame(d, &d->stack.v[i - 1]);
	b->fresh = step == B07_AGAIN;
	return step;
}

static enum b07_step monitor(struct b07 *d, uint64_t class, uint64_t diff)
{
	struct pv_cursor *c = &d->block.c;
	uint64_t what = b07_var(c), object = b07_var(c);
	static const uint8_t kinds[] = { PV_KIND_MONITOR_CONTENTION, PV_KIND_MONITOR_DONE,
		PV_KIND_MONITOR_FAIL };
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if (what < 1 || what > PV_COUNT_OF(kinds))
		return b07_bad(d, "a monitor event that is not known");
	struct pv_event e = { .kind = kinds[what - 1] };
	e.monitor.object = object;
	e.monitor.type = class;
	uint64_t time = b07_advance(d, diff);
	if (e.kind == PV_KIND_MONITOR_CONTENTION && !take_stack(d, 0, &e.monitor.stack))
		return B07_NOMEM;
	return b07_push(d, &e, time) ? B07_AGAIN : B07_NOMEM;
}

static enum b07_step class_event(
	struct b07 *d, unsigned code, bool end, uint64_t id, uint64_t value)
{
	if (code == 3)
		return monitor(d, id, value);
	b07_advance(d, value);
	bool failed = code >= 4 && code < 8;
	return b07_class_event(d, failed ? code - 4 : code, end, failed, id) ? B07_AGAIN
									     : B07_NOMEM;
}

static enum b07_step other_event(
	struct b07 *d, unsigned code, bool end, uint64_t data, uint64_t value)
{
	/* generation only in stage A */
	bool numbered = d->stage > B07_A;
	uint64_t generation = numbered ? data & 0xff : data, collection = numbered ? data >> 8 : 0;
	static const uint8_t step[][2] = { [2] = { PV_GC_START, PV_GC_END },
		[3] = { PV_GC_MARK_START, PV_GC_MARK_END },
		[4] = { PV_GC_SWEEP_START, PV_GC_SWEEP_END },
		[6] = { PV_GC_PRE_STOP, PV_GC_POST_STOP },
		[7] = { PV_GC_PRE_START, PV_GC_POST_START } };
	bool ok;
	if (code == JIT_ALLOCATION)
		return allocation(d, data, value, COMPILING_CALLER);
	if (code == 5)
		ok = b07_resize_event(d, data, value, b07_clock_ns(&d->clock, d->block.counter));
	else if (b07_advance(d, value), code == 1)
		ok = b07_thread_event(d, end, data);
	else if (code >= 2 && code <= 7)
		ok = b07_gc_event(d, step[code][end], generation, collection);
	else
		ok = b07_other(d, OTHER, code, data);
	return ok ? B07_AGAIN : B07_NOMEM;
}

static enum b07_step full_event(struct b07 *d, unsigned byte)
{
	struct pv_cursor *c = &d->block.c;
	unsigned code = byte >> 3 & 0xf;
	bool end = byte >> 7;
	if ((byte & 7) == OTHER && code == STACK_SECTION)
		return stack_section(d);
	uint64_t data = b07_var(c), value = b07_var(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if ((byte & 7) == CLASS)
		return class_event(d, code, end, data, value);
	if ((byte & 7) == OTHER)
		return other_event(d, code, end, data, value);
	b07_advance(d, value);
	bool failed = code >= 4 && code < 8;
	return b07_method_event(d, failed ? code - 4 : code, end, failed, data) ? B07_AGAIN
										: B07_NOMEM;
}

static enum b07_step packed_event(struct b07 *d, unsigned byte)
{
	struct pv_cursor *c = &d->block.c;
	uint64_t id = b07_var(c) << 5 | byte >> 3, value = b07_var(c);
	unsigned code = byte & 7;
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if (code == ALLOCATION)
		return allocation(d, id, value, d->directives & B07_CALLER ? CALLER : NO_CALLER);
	if (code != ENTER && code != LEAVE)
		return b07_bad(d, "an event code that no profiler has written");
	d->calls = true;
	enum pv_kind kind = code == ENTER ? PV_KIND_METHOD_ENTER : PV_KIND_METHOD_LEAVE;
	return b07_push_call(d, kind, id, b07_advance(d, value)) ? B07_AGAIN : B07_NOMEM;
}

enum b07_step b07_events(struct b07 *d)
{
	struct b07_block *b = &d->block;
	if (b->phase == 0) {
		b07_pair(&b->c);
		b->thread = b07_var(&b->c);
		b->counter = b07_var(&b->c);
		b->phase = 1;
		d->stack.n = d->placed.n = 0; /* blocks can be read separately */
		return b07_ok(d, B07_AGAIN);
	}
	unsigned byte = pv_get_u8(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	if (byte == 0) {
		b07_pair(&b->c);
		return b07_ok(d, B07_DONE);
	}
	bool packed = (byte & 7) < METHOD;
	enum b07_step step = packed ? packed_event(d, byte) : full_event(d, byte);
	/* Until stage D one section may serve several allocations. */
	bool section = (byte & 7) == OTHER && (byte >> 3 & 0xf) == STACK_SECTION;
	bool again = (byte & 7) == ALLOCATION && d->stage < B07_D;
	if (!section && !again)
		b->fresh = false;
	return step;
}

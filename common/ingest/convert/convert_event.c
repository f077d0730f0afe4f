/* SPDX-License-Identifier: MIT */
/* Chooses the events to keep, and rewrites them for the output's data version. */
#include "common/format/batch_event.h"
#include "common/ingest/convert/convert_parts.h"

#include "common/model/calls/own_time.h"

enum { KEPT = 1, LEFT_OUT = 2, UNSAID = 3, NS_PER_MS = 1000000 };

/* --- choice of events --- */

/* Events with names, areas and units: needed whatever the range. */
static bool is_name(unsigned kind)
{
	switch (kind) {
	case PV_KIND_METHOD_NAME:
	case PV_KIND_CLASS_NAME:
	case PV_KIND_METHOD_JIT:
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_VTABLE_LOAD:
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_DOMAIN_LOAD:
	case PV_KIND_DOMAIN_NAME:
	case PV_KIND_THREAD_NAME:
	case PV_KIND_CONTEXT_LOAD:
	case PV_KIND_HEAP_ROOT_REGISTER:
	case PV_KIND_SAMPLE_SYMBOL:
	case PV_KIND_SAMPLE_BINARY:
	case PV_KIND_COUNTERS_DESCRIBE:
	case PV_KIND_AOT_ID:
		return true;
	default:
		return false;
	}
}

/* Events that end a name: needed before the range's end, as keys are used again. */
static bool ends_name(unsigned kind)
{
	return kind == PV_KIND_IMAGE_UNLOAD || kind == PV_KIND_ASSEMBLY_UNLOAD ||
	       kind == PV_KIND_DOMAIN_UNLOAD || kind == PV_KIND_CONTEXT_UNLOAD ||
	       kind == PV_KIND_HEAP_ROOT_UNREGISTER;
}

static bool in_range(const struct pv_convert *c, const struct pv_event *e)
{
	int64_t time = pv_own_time(e, c->rules.data_version, c->zero);
	return time >= c->from && time < c->to;
}

static bool keep_text(struct pv_convert_counter *counter, struct pv_text t)
{
	counter->text.n = 0;
	if (!pv_reserve(&counter->text, t.len + 1))
		return false;
	memcpy(counter->text.v, t.at, t.len + 1);
	counter->text.n = t.len + 1;
	return true;
}

/* Adds a value to its counter; NULL when out of memory. */
static struct pv_convert_counter *count_value(
	struct pv_convert *c, const struct pv_counter_value *v)
{
	uint32_t at = pv_map_get(&c->counter_at, v->index);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)c->counters.n;
		if (!pv_reserve(&c->counters, 1) || !pv_map_set(&c->counter_at, v->index, at))
			return NULL;
		c->counters.v[c->counters.n++] = (struct pv_convert_counter){ .index = v->index };
	}
	struct pv_convert_counter *counter = &c->counters.v[at];
	bool value = v->type == PV_COUNTER_DOUBLE || v->type == PV_COUNTER_STRING ||
		     pv_map_get(&c->absolute, v->index) != PV_MAP_NONE;
	if (v->type == PV_COUNTER_STRING && v->raw && !keep_text(counter, v->text))
		return NULL;
	counter->type = v->type;
	counter->value = value ? v->raw : counter->value + v->raw;
	if (v->type == PV_COUNTER_INT || (v->type == PV_COUNTER_WORD && c->rules.pointer_size == 4))
		counter->value = (uint64_t)(int64_t)(int32_t)(uint32_t)counter->value;
	else if (v->type == PV_COUNTER_UINT)
		counter->value = (uint32_t)counter->value;
	return counter;
}

/*
 * Whether newer logs can have the shot: not one summed up by class, or with objects without sizes.
 */
static bool can_say_shot(
	const struct pv_convert *c, const struct pv_batch *b, const struct pv_event *start)
{
	if (!c->reread->other_family)
		return true;
	for (size_t i = 0; i < b->n; i++)
		if (b->kind[i] == PV_KIND_HEAP_OBJECT && pv_batch_event(b, i)->heap_object.unsized)
			return false;
	return !start->shot.summary;
}

static void leave_out_event(struct pv_convert *c, struct pv_event *e)
{
	c->totals.left_out++;
	c->totals.left_out_kind[e->kind]++;
	e->kind = PV_KIND_COUNT;
}

/* A shot is kept or left out as a whole, by its start. */
static bool keeps_shot(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e)
{
	uint32_t state = pv_map_get(&c->in_shot, b->thread);
	if (e->kind == PV_KIND_HEAP_START) {
		state = in_range(c, e) && pv_convert_thread(c, b->thread, e->time) ? KEPT
										   : LEFT_OUT;
		if (state == KEPT && !can_say_shot(c, b, e))
			state = UNSAID;
		if (!pv_map_set(&c->in_shot, b->thread, state))
			return false;
	} else if (e->kind == PV_KIND_HEAP_END) {
		pv_map_set(&c->in_shot, b->thread, 0);
	}
	if (state == UNSAID)
		leave_out_event(c, e);
	if (state == KEPT || state == LEFT_OUT || state == UNSAID)
		return state == KEPT;
	return in_range(c, e) && pv_convert_thread(c, b->thread, e->time);
}

bool pv_convert_keeps(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e)
{
	bool sample = e->kind == PV_KIND_SAMPLE_HIT || e->kind == PV_KIND_EXT_WAITED;
	uint64_t thread = sample && e->hit.thread ? e->hit.thread : b->thread;
	if (is_name(e->kind)) {
		/* A name after its use must not extend the log beyond the range. */
		if (c->to != INT64_MAX && (int64_t)e->time >= c->to)
			e->time = (uint64_t)(c->to - 1);
		return true;
	}
	if (ends_name(e->kind))
		return (int64_t)e->time < c->to;
	if (e->kind == PV_KIND_THREAD_START || e->kind == PV_KIND_THREAD_END)
		return (int64_t)e->time < c->to && pv_convert_thread(c, e->meta.key, e->time);
	if (e->kind == PV_KIND_HEAP_START || e->kind == PV_KIND_HEAP_END ||
		e->kind == PV_KIND_HEAP_OBJECT || e->kind == PV_KIND_HEAP_ROOTS ||
		e->kind == PV_KIND_HEAP_DEAD || e->kind == PV_KIND_HEAP_SUMMARY)
		return keeps_shot(c, b, e);
	bool kept = in_range(c, e) && pv_convert_thread(c, thread, e->time);
	if (e->kind == PV_KIND_COUNTERS_SAMPLE && !kept)
		for (uint32_t i = 0; i < e->counters.list.n; i++)
			count_value(c, &b->values.v[e->counters.list.at + i]);
	return kept;
}

/* --- rewriting --- */

/* The first written sample has every counter's value, as a difference from 0. */
static bool restart_counters(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e)
{
	pv_batch_reset(&c->pools);
	for (uint32_t i = 0; i < e->counters.list.n; i++)
		if (!count_value(c, &b->values.v[e->counters.list.at + i]))
			return false;
	if (!pv_reserve(&c->pools.values, c->counters.n))
		return false;
	for (size_t i = 0; i < c->counters.n; i++) {
		const struct pv_convert_counter *counter = &c->counters.v[i];
		c->pools.values.v[c->pools.values.n++] =
			(struct pv_counter_value){ .index = counter->index,
				.type = counter->type,
				.raw = counter->value,
				.text = { counter->text.n ? counter->text.v : "",
					counter->text.n ? counter->text.n - 1 : 0 } };
	}
	e->counters.list = (struct pv_span){ 0, (uint32_t)c->pools.values.n };
	c->counted = true;
	return true;
}

/* Allocations have classes up to 14, vtables from 15 on. */
static uint64_t allocated_type_of(const struct pv_convert *c, uint64_t type)
{
	if (c->rules.data_version < 15 || c->says.data_version >= 15)
		return type;
	uint32_t at = pv_map_get(&c->vtables, type);
	return at == PV_MAP_NONE ? type : c->owners.v[at];
}

static void renumber_helper(const struct pv_convert *c, struct pv_event *e)
{
	bool from_old = c->rules.data_version <= 13, to_old = c->says.data_version <= 13;
	if (to_old && !from_old)
		e->helper.type++;
	else if (from_old && !to_old && e->helper.type > 0)
		e->helper.type--;
	if (mlpd_helper_named(e->helper.type, to_old ? MLPD_OLD_NUMBERS : MLPD_PLAIN) &&
		!e->helper.name.at)
		e->helper.name = (struct pv_text){ "", 0 };
}

static void change_time(const struct pv_convert *c, struct pv_event *e)
{
	bool from_old = c->rules.data_version < 13, to_old = c->says.data_version < 13;
	if (e->kind == PV_KIND_COUNTERS_SAMPLE && to_old && !from_old)
		e->counters.ms = ((int64_t)e->time > c->zero)
					 ? (e->time - (uint64_t)c->zero) / NS_PER_MS
					 : 0;
	else if (e->kind == PV_KIND_SAMPLE_HIT && to_old && !from_old)
		e->hit.timestamp = e->time;
	else if (from_old && !to_old)
		e->time = (uint64_t)pv_own_time(e, c->rules.data_version, c->zero);
	if (e->kind == PV_KIND_SAMPLE_HIT && e->hit.type == 0)
		e->hit.type = 1;
}

static bool failed_load(const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_DOMAIN_LOAD:
	case PV_KIND_THREAD_NAME:
		return e->meta.failed;
	default:
		return false;
	}
}

enum { ROOT_SOURCE = 0xff, ROOT_OTHER = 3 };

/* A root's source is a number up to version 13 and a bit in 14; flags stand above both. */
static uint64_t root_type(uint64_t type, bool to_bits)
{
	uint64_t source = type & ROOT_SOURCE, n = 0;
	if (to_bits)
		return (type & ~(uint64_t)ROOT_SOURCE) |
		       UINT64_C(1) << (source <= 4 ? source : ROOT_OTHER);
	while (source >> n > 1)
		n++;
	return (type & ~(uint64_t)ROOT_SOURCE) | n;
}

static bool new_roots(const struct mlpd_format *f)
{
	return f->data_version >= 15 || f->layout & MLPD_NEW_ROOTS;
}

/* The two forms of roots have different contents; neither can be made from the other. */
static bool say_roots(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e,
	const struct pv_batch **pools)
{
	bool to_bits = c->says.data_version == 14, bits = c->rules.data_version == 14;
	const struct pv_span from = e->roots.roots;
	if (new_roots(&c->says) != (e->roots.width == 2)) {
		leave_out_event(c, e);
		return true;
	}
	if (e->roots.width == 2 || bits == to_bits)
		return true;
	pv_batch_reset(&c->pools);
	if (!pv_reserve(&c->pools.pool, from.n))
		return false;
	for (uint32_t i = 0; i < from.n; i++) {
		uint64_t v = b->pool.v[from.at + i];
		c->pools.pool.v[c->pools.pool.n++] = i % 3 == 1 ? root_type(v, to_bits) : v;
	}
	e->roots.roots.at = 0;
	*pools = &c->pools;
	return true;
}

/* Joins name and code, which only OpenPSS has in separate events. */
static void say_jit(const struct pv_convert *c, struct pv_event *e)
{
	uint32_t name = pv_map_get(&c->jit_names, e->jit.method);
	if (c->says.layout & MLPD_OPEN_PSS || name == PV_MAP_NONE)
		return;
	if (e->kind == PV_KIND_METHOD_JIT_START) {
		e->kind = PV_KIND_COUNT;
	} else if (e->jit.name.len == 0) {
		const char *text = pv_intern_text(&c->text, name);
		e->jit.name = (struct pv_text){ text, strlen(text) };
	}
}

/* Time of the event that the name is about, within the range. */
static uint64_t time_of_subject(
	const struct pv_convert *c, const struct pv_map *of, uint64_t key, uint64_t time)
{
	uint32_t at = pv_map_get(of, key);
	bool known = at != PV_MAP_NONE && (int64_t)c->times.v[at] < c->to;
	return known ? c->times.v[at] : time;
}

/* Counts classes and durations, which these events lack in the newer format. */
static void count_lost(struct pv_convert *c, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_EXCEPTION_THROW:
		c->totals.classes_left_out += e->thrown.type != 0;
		return;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		c->totals.classes_left_out += e->monitor.type != 0;
		return;
	case PV_KIND_METHOD_JIT:
		c->totals.durations_left_out += e->jit.started != 0;
		return;
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_IMAGE_UNLOAD:
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_ASSEMBLY_UNLOAD:
	case PV_KIND_DOMAIN_LOAD:
	case PV_KIND_DOMAIN_UNLOAD:
		c->totals.durations_left_out += e->meta.started && !e->meta.failed;
		return;
	default:
		return;
	}
}

/* Rewrites events of the 2007 family for newer logs, or leaves them out. */
static void say_2007(struct pv_convert *c, struct pv_event *e)
{
	struct pv_text name = e->meta.name;
	uint64_t key = e->meta.key;
	count_lost(c, e);
	switch (e->kind) {
	case PV_KIND_METHOD_NAME:
		*e = (struct pv_event){ .time = time_of_subject(c, &c->compiled, key, e->time),
			.kind = PV_KIND_METHOD_JIT,
			.jit = { .method = key, .name = name } };
		return;
	case PV_KIND_CLASS_NAME:
		e->kind = PV_KIND_CLASS_LOAD;
		e->time = time_of_subject(c, &c->loaded, key, e->time);
		return;
	case PV_KIND_METHOD_JIT: /* written with the name */
		e->kind = PV_KIND_COUNT;
		return;
	case PV_KIND_CLASS_LOAD: /* likewise, but for streams of .NET */
		if (!name.len)
			e->kind = PV_KIND_COUNT;
		return;
	case PV_KIND_CLASS_UNLOAD:
		leave_out_event(c, e);
		return;
	case PV_KIND_DIRECTIVES:
		e->kind = PV_KIND_COUNT;
		return;
	default:
		return;
	}
}

static struct pv_span *stack_of(struct pv_event *e)
{
	return e->kind == PV_KIND_ALLOC                ? &e->alloc.stack
	       : e->kind == PV_KIND_MONITOR_CONTENTION ? &e->monitor.stack
						       : NULL;
}

/* Expands shared frames into a stack of the event's own, of the innermost ones. */
static bool say_stack(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e,
	const struct pv_batch **pools)
{
	struct pv_span *stack = stack_of(e);
	if (!stack || stack->n == 0 || b->frames.n == 0)
		return true;
	if (stack->n > PV_CONVERT_FRAMES) {
		stack->n = PV_CONVERT_FRAMES;
		c->totals.stacks_cut++;
	}
	pv_batch_reset(&c->pools);
	if (!pv_reserve(&c->pools.pool, stack->n))
		return false;
	pv_batch_stack(b, *stack, c->pools.pool.v);
	c->pools.pool.n = stack->n;
	stack->at = 0;
	*pools = &c->pools;
	return true;
}

bool pv_convert_event(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e,
	const struct pv_batch **pools, struct pv_event *more)
{
	more->kind = PV_KIND_COUNT;
	if (e->kind == PV_KIND_COUNTERS_SAMPLE && !c->counted) {
		if (!restart_counters(c, b, e))
			return false;
		*pools = &c->pools;
	}
	if (!say_stack(c, b, e, pools))
		return false;
	if (c->reread->other_family)
		say_2007(c, e);
	change_time(c, e);
	if (e->kind == PV_KIND_HEAP_ROOTS)
		return say_roots(c, b, e, pools);
	if (e->kind == PV_KIND_METHOD_JIT || e->kind == PV_KIND_METHOD_JIT_START)
		say_jit(c, e);
	else if (e->kind == PV_KIND_ALLOC)
		e->alloc.type = allocated_type_of(c, e->alloc.type);
	else if (e->kind == PV_KIND_HEAP_OBJECT)
		e->heap_object.type = allocated_type_of(c, e->heap_object.type);
	else if (e->kind == PV_KIND_JIT_HELPER)
		renumber_helper(c, e);
	else if (failed_load(e))
		leave_out_event(c, e); /* in the output this would be a successful load */
	else if (e->kind == PV_KIND_CLASS_LOAD && c->says.data_version >= 15 &&
		 (c->rules.data_version < 15 || c->reread->other_family))
		*more = (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			.time = e->time,
			.meta = { .key = e->meta.key, .owner = e->meta.key } };
	return true;
}

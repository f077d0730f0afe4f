/* SPDX-License-Identifier: MIT */
/* Distributes events to their stores. */
#include "common/model/apply_event.h"

#include "common/format/batch_event.h"
#include "common/model/names/early_definitions.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/time/window_parts.h"

static bool rare_names(struct pv_context *x, const struct pv_event *e)
{
	struct pv_names *n = &x->m->names;
	if (x->thread->last_ns != PV_NEVER && x->thread->last_ns > n->applied_ns)
		n->applied_ns = x->thread->last_ns;
	if (!x->batch->definitions_applied && !pv_names_take(x->m, e))
		return false;
	if (e->kind == PV_KIND_METHOD_JIT && pv_names_is_place(n, e))
		return true; /* nothing was compiled */
	return (e->kind != PV_KIND_METHOD_JIT || pv_helpers_apply(x, e)) && pv_loads_apply(x, e);
}

static bool counters(struct pv_context *x, const struct pv_event *e)
{
	x->gap = false;
	bool ok = pv_counters_apply(x, e);
	if (x->gap)
		pv_model_gap(x->m, x->thread);
	return ok;
}

bool pv_apply_event(struct pv_context *x, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_GC_EVENT:
	case PV_KIND_GC_RESIZE:
	case PV_KIND_GC_MOVE:
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
	case PV_KIND_GC_FINALIZE_START:
	case PV_KIND_GC_FINALIZE_END:
	case PV_KIND_GC_FINALIZE_OBJECT_START:
	case PV_KIND_GC_FINALIZE_OBJECT_END:
	case PV_KIND_HEAP_ROOT_REGISTER:
	case PV_KIND_HEAP_ROOT_UNREGISTER:
	case PV_KIND_EXT_COLLECTION:
	case PV_KIND_EXT_GENERATION:
		return pv_gc_apply(x, e);
	case PV_KIND_HEAP_START:
	case PV_KIND_HEAP_END:
	case PV_KIND_HEAP_OBJECT:
	case PV_KIND_HEAP_ROOTS:
	case PV_KIND_HEAP_DEAD:
	case PV_KIND_HEAP_SUMMARY:
		return pv_shots_apply(x, e);
	case PV_KIND_THREAD_START:
	case PV_KIND_THREAD_END:
	case PV_KIND_THREAD_NAME:
		return pv_threads_apply(x->m, e);
	case PV_KIND_EXCEPTION_THROW:
	case PV_KIND_EXCEPTION_CLAUSE:
		return pv_exceptions_apply(x, e);
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		return pv_locks_apply(x, e);
	case PV_KIND_SAMPLE_HIT:
		return pv_notes_apply(x, e) && pv_samples_apply(x, e);
	case PV_KIND_EXT_WAITED:
		return pv_samples_apply(x, e);
	case PV_KIND_SAMPLE_SYMBOL:
	case PV_KIND_SAMPLE_BINARY:
		return pv_notes_apply(x, e) && rare_names(x, e);
	case PV_KIND_COUNTERS_DESCRIBE:
	case PV_KIND_COUNTERS_SAMPLE:
		return counters(x, e);
	case PV_KIND_JIT_HELPER:
	case PV_KIND_COVERAGE_ASSEMBLY:
	case PV_KIND_COVERAGE_CLASS:
	case PV_KIND_COVERAGE_METHOD:
	case PV_KIND_COVERAGE_STATEMENT:
	case PV_KIND_EXT_COVERED_ASSEMBLY:
	case PV_KIND_EXT_COVERED_CLASS:
	case PV_KIND_EXT_COVERED_METHOD:
	case PV_KIND_EXT_COVERED_STATEMENT:
		return pv_helpers_apply(x, e);
	case PV_KIND_SYNC_POINT:
	case PV_KIND_EXT_MARK:
	case PV_KIND_EXT_UNKNOWN:
		return pv_notes_apply(x, e);
	case PV_KIND_EXT_JIT_TIME:
	case PV_KIND_EXT_JIT_FAILED:
	case PV_KIND_EXT_LOAD_FAILED:
		return pv_loads_apply_extension(x, e);
	case PV_KIND_EXT_LINES:
		return pv_lines_apply(x, e);
	case PV_KIND_EXT_IL_MAP:
		return pv_il_maps_apply(x, e);
	case PV_KIND_EXT_SUSPENSION:
	case PV_KIND_EXT_BODY:
	case PV_KIND_EXT_CODE_GONE:
	case PV_KIND_EXT_TRANSITION:
	case PV_KIND_EXT_SURVIVED:
	case PV_KIND_EXT_CONTEXT_NAME:
	case PV_KIND_EXT_ASSEMBLY_IN:
	case PV_KIND_EXT_SPAN:
	case PV_KIND_EXT_WORK:
		return pv_runtime_apply(x, e);
	case PV_KIND_EXT_FIELD:
	case PV_KIND_EXT_PARENT:
	case PV_KIND_EXT_ELEMENTS:
		return pv_fields_apply(x, e);
	case PV_KIND_EXT_CLASS_OF:
	case PV_KIND_EXT_MESSAGE:
	case PV_KIND_EXT_HOLDER:
	case PV_KIND_EXT_LOCK:
		return pv_said_apply(x, e);
	case PV_KIND_EXT_HELD:
	case PV_KIND_EXT_HELD_ALL:
		return pv_held_apply(x, e);
	case PV_KIND_EXT_STRING:
		return true; /* read when the object graph is built */
	case PV_KIND_EXT_TREE_CALL:
	case PV_KIND_EXT_TREE_CPU:
	case PV_KIND_EXT_CPU:
		return pv_tree_sums_apply(x, e);
	case PV_KIND_AOT_ID:
		return pv_intern_add(&x->m->names.text, e->aot.id.at, e->aot.id.len, &x->m->aot_id);
	default:
		return rare_names(x, e);
	}
}

/* --- plain events in a row */

/* Events of one cell of the timeline, from `from` to before `to`. */
struct cell {
	int64_t from, to;
	uint64_t count; /* events that the timeline does not have yet */
};

static void count_cell(struct pv_context *x, struct cell *c)
{
	if (c->count)
		pv_timeline_add(&x->m->timeline, PV_TRACK_EVENTS, c->from, c->count);
	c->count = 0;
}

static void change_cell(struct pv_context *x, struct cell *c, int64_t time)
{
	count_cell(x, c);
	pv_timeline_cell(&x->m->timeline, time, &c->from, &c->to);
}

static bool apply(struct pv_context *x, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_GC_MOVE:
		return pv_gc_moves(x, e);
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		return pv_handles_apply(x, e);
	case PV_KIND_GC_FINALIZE_OBJECT_START:
	case PV_KIND_GC_FINALIZE_OBJECT_END:
		return pv_finalizers_apply(x, e);
	case PV_KIND_EXCEPTION_THROW:
	case PV_KIND_EXCEPTION_CLAUSE:
		return pv_exceptions_apply(x, e);
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		return pv_locks_apply(x, e);
	default:
		return pv_apply_event(x, e);
	}
}

bool pv_plain_run(struct pv_context *x, size_t *at, size_t end, struct pv_plain_run *ret)
{
	const struct pv_batch *b = x->batch;
	struct pv_model *m = x->m;
	struct cell cell = { 0 };
	size_t i = *at;
	bool ok = true;
	*ret = (struct pv_plain_run){ .oldest = INT64_MAX, .newest = INT64_MIN };
	if (b->kind[i] == PV_KIND_HEAP_OBJECT)
		return pv_shots_run(x, at, end, ret);
	if (m->target.rules < 13 && !m->target.logging2007)
		return true; /* events may have their own times there */
	for (; ok && i < end && pv_kind_is_plain(b->kind[i]); i++) {
		const struct pv_event *e = (const void *)&b->plain_events.v[b->key[i]];
		int64_t time = (int64_t)e->time;
		if (b->kind[i] == PV_KIND_HEAP_OBJECT)
			break;
		if (time < cell.from || time >= cell.to)
			change_cell(x, &cell, time);
		cell.count++;
		m->kinds[e->kind]++;
		if (m->last_ns != PV_NEVER && time > m->last_ns)
			m->last_ns = time;
		ret->newest = time > ret->newest ? time : ret->newest;
		ret->oldest = time < ret->oldest ? time : ret->oldest;
		x->time = time;
		x->place = b->offset + pv_batch_number(b, i);
		ok = apply(x, e);
	}
	count_cell(x, &cell);
	ret->n = i - *at;
	*at = i;
	return ok;
}

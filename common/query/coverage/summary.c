/* SPDX-License-Identifier: MIT */
/* Facts and totals of a whole log: the first page, and the head of a report. */
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/objects/allocs.h"
#include "common/model/objects/gc.h"
#include "common/model/names/jit.h"
#include "common/model/locks/locks.h"
#include "common/model/model.h"
#include "common/model/objects/shots.h"
#include "common/model/calls/threads.h"
#include "common/model/objects/exceptions.h"
#include "common/query/sample_weight.h"
#include "common/query/groups/call_copy.h"
#include "common/query/coverage/coverage.h"
#include "common/query/facts.h"
#include "common/query/log_end.h"
#include "common/query/running.h"
#include "common/query/groups/specs.h"

static const char *text(const char *t)
{
	return t ? t : "";
}

static int64_t duration(const struct pv_model *m)
{
	/* A damaged header may put the zero after every event. */
	return m->events ? pv_sat_span(m->zero_ns, m->last_ns) : 0;
}

/* The counted part of the duration. */
static int64_t counted(const struct pv_model *m)
{
	int64_t from = 0, to = duration(m);
	if (m->only.ranged && m->only.from_ns > from)
		from = m->only.from_ns;
	if (m->only.ranged && m->only.to_ns < to)
		to = m->only.to_ns;
	return to > from ? to - from : 0;
}

/* ".../shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll" */
static void find_version(const struct pv_model *m, char *to, size_t room)
{
	static const char folder[] = "/Microsoft.NETCore.App/",
			  file[] = "/System.Private.CoreLib.dll";
	for (size_t i = 1; !*to && i < m->names.entity[PV_ENTITY_IMAGE].n; i++) {
		const char *path =
			pv_intern_text(&m->names.text, m->names.entity[PV_ENTITY_IMAGE].v[i].name);
		const char *at = strstr(path, folder);
		at = at ? at + strlen(folder) : "";
		size_t n = strcspn(at, "/");
		if (n > 0 && n < room && strcmp(at + n, file) == 0)
			snprintf(to, room, "%.*s", (int)n, at);
	}
}

/*
 * Only .NET's server GC, with a heap for each processor, collects on threads of its own: without
 * such threads the GC is the workstation GC, if all threads are known.
 */
static const char *find_gc_mode(const struct pv_model *m)
{
	bool named = false,
	     whole = !m->only.ranged && !pv_restricts_threads(&m->only) && !m->target.joined;
	for (size_t i = 1; i < m->threads.thread.n; i++) {
		const char *name = pv_intern_text(&m->names.text, m->threads.thread.v[i]->name);
		if (strcmp(name, ".NET Server GC") == 0)
			return "server";
		named |= strcmp(name, ".NET Finalizer") == 0;
	}
	return whole && named && m->gc.collections.n ? "workstation" : NULL;
}

void pv_view_facts(struct pv_model *m, struct pv_facts *ret)
{
	pv_model_lock(m);
	const struct pv_target_info *t = &m->target;
	*ret = (struct pv_facts){ .logging2007 = t->logging2007,
		.text = t->text,
		.stage = t->stage,
		.data_version = t->data_version,
		.event_mask = t->event_mask,
		.pointer_size = t->pointer_size,
		.start_time_ms = t->start_time_ms,
		.timer_overhead_ns = t->timer_overhead_ns,
		.alloc_period = m->allocs.period,
		.pid = t->pid,
		.port = t->port,
		.children = pv_coverage_children(m),
		.args = text(t->args),
		.arch = text(t->arch),
		.os = text(t->os),
		.command = text(t->command),
		.gc_mode = find_gc_mode(m),
		.duration_ns = duration(m),
		.counted_ns = counted(m),
		.buffers = m->buffers,
		.recordings = m->recordings,
		.damaged = m->damaged,
		.events = m->events,
		.ended = m->ended,
		.complete = m->complete,
		.joined = t->joined,
		.header_major = t->header_major,
		.header_minor = t->header_minor,
		.rules = t->rules ? t->rules : t->data_version,
		.startup_ns = t->startup_ns,
		.aot_id = m->aot_id ? pv_intern_text(&m->names.text, m->aot_id) : NULL,
		.generation = pv_model_generation(m) };
	find_version(m, ret->runtime_version, sizeof ret->runtime_version);
	pv_log_end_line(m, ret->end, sizeof ret->end);
	memcpy(ret->sync_points, m->notes.sync, sizeof ret->sync_points);
	memcpy(ret->hits, m->notes.hits, sizeof ret->hits);
	pv_model_unlock(m);
}

static void sum_handles(const struct pv_model *m, struct pv_totals *t)
{
	for (size_t i = 0; i < PV_HANDLE_TYPES; i++) {
		t->handles_created += m->handles.type[i].created;
		t->handles_destroyed += m->handles.type[i].destroyed;
		t->handles_live += m->handles.type[i].live;
	}
}

/* Methods whose code is known. Functions are among them only where the log names files. */
static uint64_t compiled(const struct pv_model *m)
{
	const bool codeless = m->target.logging2007, functions = m->names.symbols.range.n > 0;
	uint64_t n = 0;
	for (size_t i = 1; i < m->names.method.n; i++) {
		const struct pv_method *of = &m->names.method.v[i];
		n += of->jits && !of->native && (of->code || codeless) &&
		     (!functions || pv_names_compiled(&m->names, (uint32_t)i, codeless));
	}
	return n;
}

void pv_view_totals(struct pv_model *m, struct pv_totals *ret)
{
	pv_model_lock(m);
	*ret = (struct pv_totals){ .known = pv_groups_known(m),
		.samples = m->calls.samples,
		.thrown = m->throws.thrown,
		.gc_resizes = m->gc.resizes,
		.max_heap_bytes = m->gc.max_heap_bytes,
		.moved_objects = m->gc.moved,
		.objects_finalized = m->finalizers.ended,
		.finalizer_runs = m->finalizers.runs.objects,
		.finalizing_ns = m->finalizers.runs.total_ns,
		.contentions = m->locks.contentions,
		.acquired = m->locks.acquired,
		.failed = m->locks.failed,
		.wait_ns = pv_sat_add(m->locks.wait_ns, pv_locks_open_sum(m)),
		.jit_methods = compiled(m),
		.code_bytes = m->helpers.code_bytes,
		.helpers = m->helpers.count,
		.helper_bytes = m->helpers.bytes,
		.jit_failed = m->loads.compiles_failed,
		.jit_ns = m->loads.compile_ns,
		.jit_max_ns = m->loads.compile_max_ns,
		.loads = m->loads.loads,
		.loads_failed = m->loads.failed };
	sum_handles(m, ret);
	pv_model_unlock(m);
}

static void sum_log(const struct pv_model *m, struct pv_summary *s)
{
	const struct pv_target_info *t = &m->target;
	if (t->text)
		snprintf(s->format, sizeof s->format, "%s", t->text);
	else if (t->logging2007)
		snprintf(s->format, sizeof s->format, "logging 2007 %s", text(t->stage));
	else
		snprintf(s->format, sizeof s->format, "mlpd %u", t->data_version);
	snprintf(s->runtime, sizeof s->runtime, "%s%s%s", text(t->arch),
		t->arch && t->arch[0] && t->os && t->os[0] ? " " : "", text(t->os));
	snprintf(s->args, sizeof s->args, "%s", text(t->args));
	s->pid = t->pid;
	s->port = t->port;
	s->start_time_ms = t->start_time_ms;
	s->joined = t->joined;
	s->pair_ns = pv_call_pair_ns(m);
	s->duration_ns = duration(m);
	s->events = m->events;
	s->buffers = m->buffers;
	s->damaged = m->damaged;
	s->damaged_bytes = m->damaged_bytes;
	s->recorder = pv_recorder_of(m);
	s->end = pv_model_log_end(m);
	s->written = m->ending.written;
	s->lost_events = m->lost_events;
	s->dropped = m->dropped;
	s->recordings = m->recordings;
	s->recorded = pv_groups_recorded(m);
	s->works = m->runtime.works.begun > 0;
	s->enabled = pv_groups_enabled(m);
	s->generation = pv_model_generation(m);
}

static void sum_memory(const struct pv_model *m, struct pv_summary *s)
{
	const struct pv_gc *gc = &m->gc;
	s->allocations = m->allocs.count;
	s->allocated_bytes = m->allocs.bytes;
	for (size_t i = 0; i < PV_GC_GENERATIONS; i++)
		s->collections[i] = gc->started[i];
	s->pauses = gc->pause_count;
	s->logging2007 = m->target.logging2007;
	s->pauses_recorded = !s->logging2007 || pv_stage_at_least(m, 'B');
	s->pause_ns = (uint64_t)gc->pause_ns;
	s->pause_max_ns = (uint64_t)gc->pause_max_ns;
	s->moved_objects = gc->moved;
	s->heap_bytes = gc->heap_bytes;
	s->heap_max_bytes = gc->max_heap_bytes;
	s->shots = m->shots.shot.n;
	s->shot_open = s->shots && m->shots.shot.v[s->shots - 1].open;
	const struct pv_shot *newest = pv_shots_newest(&m->shots);
	s->shot = newest ? newest->index : 0;
	s->shot_objects = newest ? newest->objects : 0;
	s->shot_bytes = newest ? newest->bytes : 0;
}

void pv_view_summary(struct pv_model *m, struct pv_summary *ret)
{
	*ret = (struct pv_summary){ 0 };
	pv_model_lock(m);
	sum_log(m, ret);
	sum_memory(m, ret);
	ret->calls = m->calls.calls;
	ret->samples = m->calls.samples;
	ret->sample_weight = pv_sample_weight(m);
	ret->thrown = m->throws.thrown;
	ret->contentions = m->locks.contentions;
	ret->wait_ns = (uint64_t)pv_sat_add(m->locks.wait_ns, pv_locks_open_sum(m));
	struct pv_thread_counts threads = pv_threads_count(m);
	ret->threads = threads.program;
	ret->threads_ended = threads.ended;
	ret->threads_profiler = threads.profiler;
	ret->methods_jitted = compiled(m);
	ret->code_bytes = m->helpers.code_bytes;
	pv_running_of(m, &ret->running);
	for (size_t i = 0; i < m->allocs.class_use.n; i++)
		ret->classes += m->allocs.class_use.v[i].count > 0;
	pv_model_unlock(m);
}

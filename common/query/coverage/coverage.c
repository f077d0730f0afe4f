/* SPDX-License-Identifier: MIT */
/* Computes the gaps in a log, subject by subject. */
#include "common/query/coverage/coverage.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/model/objects/allocs.h"
#include "common/model/time/counters.h"
#include "common/model/time/notes.h"
#include "common/model/objects/runtime.h"
#include "common/model/objects/gc.h"
#include "common/model/names/jit.h"
#include "common/model/locks/locks.h"
#include "common/model/model.h"
#include "common/model/objects/shots.h"
#include "common/model/calls/threads.h"
#include "common/model/objects/exceptions.h"
#include "common/query/groups/groups_kept.h"
#include "common/query/log_end.h"
#include "common/query/groups/specs.h"

const char *pv_what_text(enum pv_what what)
{
	static const char *const text[PV_WHATS] = { "calls", "allocations", "allocation_stacks",
		"gc", "moves", "handles", "finalizers", "heap_shots", "roots", "exceptions",
		"locks", "samples", "threads", "jit", "counters", "code_coverage", "spans", "marks",
		"suspensions", "transitions", "names", "losses", "damage" };
	return text[what];
}

const char *pv_coverage_text(enum pv_coverage_state state)
{
	static const char *const text[] = { "complete", "partial", "not recorded", "lost",
		"inferred", "bypassed" };
	return text[state];
}

static uint64_t kind(const struct pv_model *m, enum pv_kind k)
{
	return m->kinds[k];
}

/* A count with a noun: "41 207 enters". */
static void say_count(struct pv_coverage *c, uint64_t n, const char *one, const char *many)
{
	char digits[PV_UNIT_MAX];
	pv_coverage_say(c, "%s %s", pv_units_exact(digits, sizeof digits, n), n == 1 ? one : many);
}

/* "site{s} folded" in the singular or plural, and "lea{f|ves}"; braces are always closed. */
static void in_number(const char *what, bool one, char *to, size_t room)
{
	size_t n = 0;
	while (*what && n + 1 < room) {
		if (*what != '{') {
			to[n++] = *what++;
			continue;
		}
		const char *end = strchr(what, '}'), *bar = memchr(what, '|', (size_t)(end - what));
		const char *from = one ? what + 1 : bar ? bar + 1 : what + 1;
		const char *stop = !one ? end : bar ? bar : from;
		for (; from < stop && n + 1 < room; from++)
			to[n++] = *from;
		what = end + 1;
	}
	to[n] = 0;
}

/* The same for a flaw; a count of 0 says nothing. */
static void flaw(struct pv_coverage *c, uint64_t n, enum pv_coverage_state state, const char *what)
{
	char digits[PV_UNIT_MAX], text[120];
	if (n == 0)
		return;
	c->state = c->state == PV_COMPLETE ? state : c->state;
	in_number(what, n == 1, text, sizeof text);
	pv_coverage_say(c, "%s %s", pv_units_exact(digits, sizeof digits, n), text);
}

/* Whether anything of the group was met; otherwise the entry is finished here. */
static bool is_group_met(const struct pv_model *m, unsigned group, struct pv_coverage *c)
{
	if (pv_groups_recorded(m) & group)
		return true;
	c->state = PV_NOT_RECORDED;
	if (pv_groups_enabled(m) & group) {
		bool gaps = m->damaged || m->lost_events;
		c->state = gaps ? PV_PARTIAL : PV_COMPLETE;
		pv_coverage_say(c, "%s", gaps ? "none met in what there is" : pv_coverage_none(m));
	}
	return false;
}

/* Likewise; .NET's event stream does not say whether these events were asked for. */
static bool met_in_stream(const struct pv_model *m, unsigned group, struct pv_coverage *c)
{
	if (is_group_met(m, group, c))
		return true;
	if (c->state == PV_NOT_RECORDED && pv_target_is_event_stream(&m->target))
		pv_coverage_say(
			c, "or none happened: the stream does not say what it was asked for");
	return false;
}

static void of_calls(const struct pv_model *m, struct pv_coverage *c)
{
	if (!is_group_met(m, PV_GROUP_CALLS, c))
		return;
	uint64_t enters = kind(m, PV_KIND_METHOD_ENTER);
	if (m->tree_sums.nodes)
		say_count(c, m->calls.calls - enters, "call summed up by the probe",
			"calls summed up by the probe");
	if (enters || !m->tree_sums.nodes) {
		say_count(c, enters, "enter", "enters");
		say_count(c, kind(m, PV_KIND_METHOD_LEAVE), "leave", "leaves");
	}
	flaw(c, m->tree_sums.lost, PV_PARTIAL, "node{s} without a parent");
	if (kind(m, PV_KIND_METHOD_EXC_LEAVE))
		say_count(c, kind(m, PV_KIND_METHOD_EXC_LEAVE), "by exception", "by exceptions");
	flaw(c, m->calls.stray_leaves, PV_PARTIAL, "lea{f|ves} without an enter");
	flaw(c, m->calls.missing_leaves, PV_PARTIAL, "enter{s} without a leave");
	flaw(c, m->calls.gap_closed, PV_PARTIAL, "call{s} cut by gaps");
	flaw(c, m->calls.folded, PV_PARTIAL, "call path{s} folded into (other)");
}

/* The probe's sums, where no single allocation was written. */
static void of_held(const struct pv_model *m, struct pv_coverage *c)
{
	char bytes[PV_UNIT_MAX], most[PV_UNIT_MAX];
	uint64_t n = 0, all = 0;
	for (size_t i = 1; i < m->held.one.n; i++) {
		n += m->held.one.v[i].allocations;
		all += m->held.one.v[i].bytes;
	}
	say_count(
		c, n, "allocation summed up by its stack", "allocations summed up by their stacks");
	pv_coverage_say(c, "%s", pv_units_bytes(bytes, sizeof bytes, all));
	pv_coverage_say(c, "at most %s held at once, %s at the end",
		pv_units_bytes(most, sizeof most, m->held.most_bytes),
		pv_units_bytes(bytes, sizeof bytes, m->held.live_bytes));
	flaw(c, m->held.left_out, PV_PARTIAL, "sum{s} of further stacks left out");
}

static void of_allocations(const struct pv_model *m, struct pv_coverage *c)
{
	if (!is_group_met(m, PV_GROUP_ALLOC | PV_GROUP_HELD, c))
		return;
	char bytes[PV_UNIT_MAX];
	if (!m->allocs.samples && m->held.readings) {
		of_held(m, c);
		return;
	}
	say_count(c, m->allocs.count, "allocation", "allocations");
	pv_coverage_say(c, "%s", pv_units_bytes(bytes, sizeof bytes, m->allocs.bytes));
	if (m->allocs.period == 0)
		return;
	double off = 1.96 * sqrt(m->allocs.variance);
	pv_coverage_say(c, "+-%.1f %%", m->allocs.bytes ? 100 * off / (double)m->allocs.bytes : 0);
	pv_coverage_say(c, "one every %s", pv_units_bytes(bytes, sizeof bytes, m->allocs.period));
	flaw(c, m->allocs.samples, PV_INFERRED, "sample{s} scaled up");
}

static void of_allocation_stacks(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_allocs *a = &m->allocs;
	if (!is_group_met(m, PV_GROUP_ALLOC | PV_GROUP_HELD, c))
		return;
	if (!a->samples && m->held.readings) {
		say_count(c, m->held.one.n ? m->held.one.n - 1 : 0, "stack", "stacks");
		flaw(c, m->stacks.folded, PV_PARTIAL, "stack{s} cut by the limit");
		return;
	}
	uint64_t with = a->with_backtrace + a->with_path;
	if (with == 0) {
		c->state = PV_NOT_RECORDED;
		return;
	}
	if (a->with_backtrace)
		say_count(c, a->with_backtrace, "with its stack", "with their stacks");
	flaw(c, a->with_path, PV_INFERRED, "placed on the calls open at the time");
	flaw(c, a->count > with ? a->count - with : 0, PV_PARTIAL, "without a stack");
	flaw(c, a->sites.folded, PV_PARTIAL, "site{s} folded into (other)");
	flaw(c, m->stacks.folded, PV_PARTIAL, "stack{s} cut by the limit");
}

static void of_gc(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_gc *gc = &m->gc;
	if (!is_group_met(m, PV_GROUP_GC, c))
		return;
	uint64_t n = 0;
	for (size_t i = 0; i < PV_GC_GENERATIONS; i++)
		n += gc->started[i];
	say_count(c, n, "collection", "collections");
	say_count(c, gc->pause_count, "pause", "pauses");
	say_count(c, gc->resizes, "heap size", "heap sizes");
	if (gc->resizes == 0 || (n && kind(m, PV_KIND_GC_EVENT) == 0))
		c->state = PV_PARTIAL;
	flaw(c, gc->forced, PV_COMPLETE, "more by the profiler, for {a heap shot|heap shots}");
	flaw(c, gc->with_shots, PV_COMPLETE, "stop{s} with a heap shot inside, no pause{s}");
	flaw(c, gc->folded, PV_PARTIAL, "entr{y|ies} merged to save memory");
	int64_t ms = pv_gc_exit_ns(gc) / 1000000;
	if (ms)
		pv_coverage_say(c, "%" PRId64 " ms of the profiler's at exit left out", ms);
}

static void of_moves(const struct pv_model *m, struct pv_coverage *c)
{
	if (is_group_met(m, PV_GROUP_MOVES, c))
		say_count(c, m->gc.moved, "object moved", "objects moved");
}

static void of_handles(const struct pv_model *m, struct pv_coverage *c)
{
	if (!is_group_met(m, PV_GROUP_HANDLES, c))
		return;
	const struct pv_handles *h = &m->handles;
	uint64_t created = 0, live = 0;
	for (size_t i = 0; i < PV_HANDLE_TYPES; i++) {
		created += h->type[i].created;
		live += h->type[i].live;
	}
	say_count(c, created, "created", "created");
	say_count(c, kind(m, PV_KIND_GC_HANDLE_DESTROYED), "destroyed", "destroyed");
	say_count(c, live, "alive", "alive");
	flaw(c, h->owed, PV_PARTIAL, "made again without an end");
	flaw(c, h->unknown_class, PV_PARTIAL, "of a class not recorded");
	flaw(c, h->without_stack, PV_PARTIAL, "without a stack");
	flaw(c, h->folded, PV_PARTIAL, "beyond the limit: not known whether alive");
	flaw(c, h->folded_sites, PV_PARTIAL, "site{s} folded into (other)");
}

static void of_finalizers(const struct pv_model *m, struct pv_coverage *c)
{
	if (!is_group_met(m, PV_GROUP_FINALIZERS, c))
		return;
	say_count(c, kind(m, PV_KIND_GC_FINALIZE_START), "run", "runs");
	say_count(c, kind(m, PV_KIND_GC_FINALIZE_OBJECT_START), "object", "objects");
	uint64_t ends = kind(m, PV_KIND_GC_FINALIZE_END);
	uint64_t object_ends = kind(m, PV_KIND_GC_FINALIZE_OBJECT_END);
	uint64_t runs = kind(m, PV_KIND_GC_FINALIZE_START);
	uint64_t objects = kind(m, PV_KIND_GC_FINALIZE_OBJECT_START);
	flaw(c, runs > ends ? runs - ends : ends - runs, PV_PARTIAL, "run{s} unpaired");
	flaw(c, objects > object_ends ? objects - object_ends : object_ends - objects, PV_PARTIAL,
		"objects unpaired");
	flaw(c, m->finalizers.unknown_class, PV_PARTIAL, "of a class not recorded");
}

static void of_heap_shots(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_heap_shots *s = &m->shots;
	if (!s->discarded && !is_group_met(m, PV_GROUP_SHOTS, c))
		return;
	uint64_t torn = 0, open = 0;
	const bool goes_on = pv_model_goes_on(m);
	for (size_t i = 0; i < s->shot.n; i++) {
		torn += s->shot.v[i].torn || (s->shot.v[i].open && !goes_on);
		open += s->shot.v[i].open && goes_on;
	}
	say_count(c, s->shot.n, "shot", "shots");
	say_count(c, kind(m, PV_KIND_HEAP_OBJECT), "object event", "object events");
	if (pv_shots_content(m) == PV_SHOTS_GARBAGE)
		flaw(c, s->shot.n, PV_PARTIAL, "with garbage included");
	flaw(c, torn, PV_PARTIAL, "cut off");
	flaw(c, open, PV_PARTIAL, "not at its end yet");
	flaw(c, s->discarded, PV_LOST, "discarded by the probe");
	flaw(c, s->stray_objects, PV_PARTIAL, "object{s} outside any shot");
	flaw(c, s->folded, PV_PARTIAL, "without their classes to save memory");
}

static void of_roots(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_roots *r = &m->roots;
	uint64_t unknown = r->source[PV_ROOT_UNKNOWN].roots.all;
	if (!is_group_met(m, PV_GROUP_ROOTS, c))
		return;
	say_count(c, r->lists, "list", "lists");
	if (pv_roots_are_statics(m))
		flaw(c, r->source[PV_ROOT_STATIC].roots.all, PV_PARTIAL,
			"static fields, the other roots inferred");
	if (r->lists == 0 && !(pv_groups_enabled(m) & PV_GROUP_ROOTS))
		c->state = PV_PARTIAL;
	if (!r->old_form) {
		say_count(c, kind(m, PV_KIND_HEAP_ROOT_REGISTER), "area registered",
			"areas registered");
		say_count(c, kind(m, PV_KIND_HEAP_ROOT_UNREGISTER), "unregistered", "unregistered");
	}
	flaw(c, unknown, PV_PARTIAL,
		r->old_form ? "of an unknown type" : "in no area that was told");
	flaw(c, r->stray_unregistered, PV_PARTIAL, "unregistered without a beginning");
	flaw(c, r->folded, PV_PARTIAL, "area{s} or slot{s} beyond the limit");
}

static void of_exceptions(const struct pv_model *m, struct pv_coverage *c)
{
	if (!met_in_stream(m, PV_GROUP_EXCEPTIONS, c))
		return;
	uint64_t clauses = kind(m, PV_KIND_EXCEPTION_CLAUSE);
	say_count(c, m->throws.thrown, "thrown", "thrown");
	if (!m->target.logging2007)
		say_count(c, clauses, "clause entered", "clauses entered");
	flaw(c, m->throws.unknown_class, PV_PARTIAL, "of a class not recorded");
	flaw(c, m->throws.sites.folded, PV_PARTIAL, "site{s} folded into (other)");
}

static void of_locks(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_locks *l = &m->locks;
	if (!met_in_stream(m, PV_GROUP_LOCKS, c))
		return;
	say_count(c, l->contentions, "contention", "contentions");
	say_count(c, l->acquired, "acquired", "acquired");
	say_count(c, l->failed, "failed", "failed");
	uint64_t ended = l->acquired + l->failed - l->unpaired;
	flaw(c, l->contentions > ended ? l->contentions - ended : 0, PV_PARTIAL,
		"waits without an end");
	flaw(c, l->unpaired, PV_PARTIAL, "end{s} without a contention");
	flaw(c, l->unknown_class, PV_PARTIAL, "of a class not recorded");
	flaw(c, l->folded, PV_PARTIAL, "lock{s} folded into (other)");
	flaw(c, l->by_lock.folded + l->sites.folded, PV_PARTIAL, "site{s} folded into (other)");
}

static void of_samples(const struct pv_model *m, struct pv_coverage *c)
{
	if (!is_group_met(m, PV_GROUP_SAMPLES, c))
		return pv_coverage_none_sampled(m, c);
	char digits[PV_UNIT_MAX];
	uint64_t hits = kind(m, PV_KIND_SAMPLE_HIT);
	bool perf = pv_target_is_perf_text(&m->target);
	/* A folded stack stands for many samples. */
	say_count(c, m->target.text && !perf ? m->calls.samples : hits, "sample", "samples");
	if (perf && m->calls.samples != hits)
		pv_coverage_say(
			c, "of weight %s", pv_units_exact(digits, sizeof digits, m->calls.samples));
	if (m->target.text && !pv_target_is_event_stream(&m->target) && m->target.args &&
		*m->target.args && strcmp(m->target.text, "merged processes") != 0)
		pv_coverage_say(c, "%s", m->target.args);
	if (pv_target_is_event_stream(&m->target)) {
		c->state = PV_INFERRED;
		pv_coverage_say(c,
			m->kinds[PV_KIND_EXT_WAITED]
				? "at safe points: who waited is inferred from names, and from how "
				  "long threads ran where that is known"
				: "at safe points: who waits is inferred from names");
	}
	uint64_t native =
		perf ? 0 : kind(m, PV_KIND_SAMPLE_SYMBOL) + kind(m, PV_KIND_SAMPLE_BINARY);
	if (native)
		say_count(c, native, "native symbol", "native symbols");
	if (!(pv_groups_recorded(m) & PV_GROUP_CALLS))
		flaw(c, m->calls.folded, PV_PARTIAL, "call path{s} folded into (other)");
}

/*
 * Threads without a start. Not counted: a program's first thread, whose start our probes need not
 * see, and later epochs, written by threads after their end.
 */
static uint64_t without_start(const struct pv_model *m)
{
	const struct pv_threads *t = &m->threads;
	bool ours = m->target.args && strncmp(m->target.args, "profview:", 9) == 0;
	uint64_t n = 0;
	for (size_t i = 1; i < t->thread.n; i++)
		n += t->thread.v[i]->epoch == 1 && t->thread.v[i]->start_ns == PV_NEVER &&
		     !(ours && t->thread.v[i]->id == m->target.pid);
	return n;
}

static void of_threads(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_threads *t = &m->threads;
	struct pv_thread_counts n = pv_threads_count(m);
	if (!is_group_met(m, PV_GROUP_THREADS, c))
		return;
	say_count(c, n.program, "thread", "threads");
	if (n.profiler)
		say_count(c, n.profiler, "of the profiler besides", "of the profiler besides");
	say_count(c, kind(m, PV_KIND_THREAD_START), "start", "starts");
	say_count(c, kind(m, PV_KIND_THREAD_END), "end", "ends");
	if (!m->target.logging2007)
		say_count(c, kind(m, PV_KIND_THREAD_NAME), "name", "names");
	if (kind(m, PV_KIND_THREAD_START) == 0 && m->buffers)
		c->state = PV_INFERRED;
	else if (!m->target.joined)
		flaw(c, without_start(m), PV_PARTIAL, "without a start");
	if (t->thread.n == 2 && t->thread.v[1]->id == 0) {
		c->state = PV_INFERRED;
		pv_coverage_say(c, "the log tells no threads apart");
	}
	flaw(c, t->ends_out_of_order, PV_INFERRED, "end{s} told after events behind {it|them}");
	flaw(c, t->folded, PV_PARTIAL, "counted in an earlier thread of their id");
}

static void of_jit(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_helpers *h = &m->helpers;
	if (!is_group_met(m, PV_GROUP_JIT, c))
		return;
	say_count(c, h->jitted, "method described", "methods described");
	if (m->target.logging2007)
		return;
	say_count(c, h->count, "helper", "helpers");
	if (h->count == 0 && !(pv_groups_enabled(m) & PV_GROUP_JIT)) {
		c->state = PV_PARTIAL;
		pv_coverage_say(c, "helpers not recorded");
	}
	flaw(c, h->bad_sizes, PV_PARTIAL, "impossible code size{s} left out");
}

static void of_counters(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_counters *k = &m->counters;
	if (!is_group_met(m, PV_GROUP_COUNTERS, c))
		return;
	uint64_t undescribed = 0;
	for (size_t i = 1; i < k->counter.n; i++)
		undescribed += !k->counter.v[i].described;
	say_count(c, k->counter.n > 1 ? k->counter.n - 1 : 0, "counter", "counters");
	say_count(c, kind(m, PV_KIND_COUNTERS_SAMPLE), "reading", "readings");
	flaw(c, undescribed, PV_PARTIAL, "counter{s} without a description");
	flaw(c, k->folded, PV_PARTIAL, "value{s} merged to save memory");
}

static void of_code_coverage(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_helpers *h = &m->helpers;
	if (!is_group_met(m, PV_GROUP_CODE_COVERAGE, c))
		return;
	say_count(c, h->methods.n, "method", "methods");
	say_count(c, kind(m, PV_KIND_COVERAGE_STATEMENT) + kind(m, PV_KIND_EXT_COVERED_STATEMENT),
		"statement", "statements");
	say_count(c, h->assemblies.n, "assembly", "assemblies");
	say_count(c, h->classes.n, "class", "classes");
	flaw(c, h->statements_dropped, PV_PARTIAL, "statement{s} beyond the limit");
	flaw(c, h->stray_statements, PV_PARTIAL, "statement{s} of unknown methods");
}

static void of_spans(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_runtime *r = &m->runtime;
	bool only_routes = r->spans == 0 && m->counters.routes;
	if (!is_group_met(m, PV_GROUP_SPANS, c))
		return;
	c->state = only_routes ? PV_PARTIAL : c->state;
	if (only_routes)
		return pv_coverage_say(c, "routes by counters, no single spans");
	say_count(c, r->spans, "span", "spans");
	flaw(c, r->spans - r->work.n, PV_PARTIAL, "beyond the limit, not listed");
	flaw(c, pv_work_left(&r->works), PV_PARTIAL, "time{s} of a thread given to no span");
}

static void of_marks(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_notes *n = &m->notes;
	if (!is_group_met(m, PV_GROUP_MARKS, c))
		return;
	say_count(c, n->marks, "mark", "marks");
	flaw(c, n->marks - n->mark.n, PV_PARTIAL, "beyond the limit, not listed");
}

static void of_suspensions(const struct pv_model *m, struct pv_coverage *c)
{
	uint64_t failed = 0;
	if (!is_group_met(m, PV_GROUP_STOPS, c))
		return;
	for (size_t i = 0; i < PV_STOP_REASONS; i++)
		failed += m->runtime.stop[i].failed;
	say_count(c, m->runtime.stops, "stop of all threads", "stops of all threads");
	if (failed)
		say_count(c, failed, "of them given up", "of them given up");
}

static void of_transitions(const struct pv_model *m, struct pv_coverage *c)
{
	if (is_group_met(m, PV_GROUP_TRANSITIONS, c))
		say_count(c, m->runtime.crossings, "call between managed and native code",
			"calls between managed and native code");
}

static void of_names(const struct pv_model *m, struct pv_coverage *c)
{
	const struct pv_names *n = &m->names;
	uint64_t nameless[PV_GROUPED_KINDS];
	pv_groups_nameless(c->groups, m, nameless);
	say_count(c, n->method.n > 1 ? n->method.n - 1 : 0, "method", "methods");
	say_count(c, n->class_use.n - (n->class_use.n > 0) - n->classes_folded, "class", "classes");
	flaw(c, n->ambiguous_ends, PV_INFERRED,
		"end{s} or new meaning{s} told after uses that {it|they} may concern");
	flaw(c, nameless[PV_GROUPED_METHODS], PV_PARTIAL, "method{s} without a name");
	if (nameless[PV_GROUPED_METHODS] && pv_target_is_event_stream(&m->target) &&
		!kind(m, PV_KIND_METHOD_NAME) && !kind(m, PV_KIND_METHOD_JIT))
		pv_coverage_say(c, "the stream has no rundown, which names them");
	flaw(c, nameless[PV_GROUPED_CLASSES], PV_PARTIAL, "class{es} without a name");
	flaw(c, n->classes_folded, PV_PARTIAL, "class{es} folded into (other)");
	flaw(c, n->undefined, PV_PARTIAL, "name{s} of classes beyond the limit");
	flaw(c, n->text.cut, PV_PARTIAL,
		n->text.cut == 1 ? "very long text cut" : "very long texts cut");
	flaw(c, n->folded_uses, PV_PARTIAL, "use{s} of classes and methods beyond the limit");
	flaw(c, n->uninlined, PV_PARTIAL, "sampled address{es} not looked for among inlined code");
	flaw(c, n->unlined, PV_PARTIAL, "method{s} whose source lines were not read");
	if (n->unloads)
		say_count(c, n->unloads, "unload", "unloads");
	if (n->epochs)
		say_count(c, n->epochs, "address used again", "addresses used again");
}

/* How often the log reached the size limit, by the probe's counter. */
static uint64_t times_full(const struct pv_model *m)
{
	uint64_t n = 0;
	for (size_t i = 0; i < m->counters.counter.n; i++)
		if (m->counters.counter.v[i].role == PV_COUNTER_FULL)
			n += m->counters.counter.v[i].raw;
	return n;
}

static void of_losses(const struct pv_model *m, struct pv_coverage *c)
{
	flaw(c, m->lost_events, PV_LOST,
		pv_target_is_perf_text(&m->target) ? "event{s} lost by perf"
						   : "event{s} lost by the probe");
	flaw(c, m->pauses, PV_NOT_RECORDED, "stretch{es} in which recording was paused");
	flaw(c, times_full(m), PV_NOT_RECORDED, "end at the size allowed: nothing later is here");
	if (m->target.joined) {
		c->state = PV_PARTIAL;
		pv_coverage_say(
			c, "joined after the beginning: earlier events and names are missing");
	}
	if (m->recordings > 1) {
		c->state = PV_PARTIAL;
		pv_coverage_say(
			c, "the last of %" PRIu64 " recordings in this input", m->recordings);
	}
	pv_coverage_say_children(m, c);
	pv_coverage_say_unread(m, c, false);
	if (c->state == PV_COMPLETE)
		pv_coverage_say(c, "none");
	pv_coverage_say_unread(m, c, true);
	if (m->sync_points)
		say_count(c, m->sync_points, "sync point", "sync points");
}

static void of_damage(const struct pv_model *m, struct pv_coverage *c)
{
	flaw(c, m->damaged, PV_LOST, "place{s}");
	flaw(c, m->damaged_bytes, PV_LOST, "byte{s} that could not be read");
	if (m->cut || m->gone) {
		char text[100];
		c->state = PV_PARTIAL;
		pv_coverage_say(c, "%s", pv_coverage_cut_text(m, text, sizeof text));
	} else if (m->ended && !m->complete && m->damaged == 0) {
		c->state = PV_PARTIAL;
		pv_coverage_say(c, "the input ends early");
	} else if (pv_model_log_end(m) == PV_LOG_CUT_OFF || m->ending.written) {
		char line[PV_LOG_END_LINE];
		c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
		pv_coverage_say(c, "%s", pv_log_end_line(m, line, sizeof line));
	}
	if (c->state == PV_COMPLETE)
		pv_coverage_say(c, "none");
}

void pv_coverage_of(const struct pv_model *m, struct pv_groups_cache *groups, enum pv_what what,
	struct pv_coverage *ret)
{
	static void (*const of[PV_WHATS])(
		const struct pv_model *, struct pv_coverage *) = { [PV_WHAT_CALLS] = of_calls,
		[PV_WHAT_ALLOCATIONS] = of_allocations,
		[PV_WHAT_ALLOCATION_STACKS] = of_allocation_stacks,
		[PV_WHAT_GC] = of_gc,
		[PV_WHAT_MOVES] = of_moves,
		[PV_WHAT_HANDLES] = of_handles,
		[PV_WHAT_FINALIZERS] = of_finalizers,
		[PV_WHAT_HEAP_SHOTS] = of_heap_shots,
		[PV_WHAT_ROOTS] = of_roots,
		[PV_WHAT_EXCEPTIONS] = of_exceptions,
		[PV_WHAT_LOCKS] = of_locks,
		[PV_WHAT_SAMPLES] = of_samples,
		[PV_WHAT_THREADS] = of_threads,
		[PV_WHAT_JIT] = of_jit,
		[PV_WHAT_COUNTERS] = of_counters,
		[PV_WHAT_CODE_COVERAGE] = of_code_coverage,
		[PV_WHAT_SPANS] = of_spans,
		[PV_WHAT_MARKS] = of_marks,
		[PV_WHAT_SUSPENSIONS] = of_suspensions,
		[PV_WHAT_TRANSITIONS] = of_transitions,
		[PV_WHAT_NAMES] = of_names,
		[PV_WHAT_LOSSES] = of_losses,
		[PV_WHAT_DAMAGE] = of_damage };
	*ret = (struct pv_coverage){ .state = PV_COMPLETE, .groups = groups };
	of[what](m, ret);
	(m->target.logging2007 ? pv_coverage07 : pv_coverage_probe)(m, what, ret);
	pv_coverage_outside(m, what, ret);
	pv_coverage_deep(m, what, ret);
	pv_coverage_requests(m, what, ret);
}

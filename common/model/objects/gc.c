/* SPDX-License-Identifier: MIT */
/*
 * Applies collections and stops of the world: pairs starts with ends, and stops with the
 * collections inside them.
 */
#include "common/model/objects/gc.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

bool pv_gc_init(struct pv_gc *gc)
{
	*gc = (struct pv_gc){ .heap_ns = PV_NEVER, .latest_ns = INT64_MIN };
	for (unsigned i = 0; i < PV_GC_GENERATIONS; i++)
		gc->phase_ns[0][i] = gc->phase_ns[1][i] = PV_NEVER;
	gc->pending = calloc(1, sizeof *gc->pending);
	return gc->pending != NULL;
}

void pv_gc_finish(struct pv_gc *gc)
{
	pv_array_finish(&gc->collections);
	pv_array_finish(&gc->pauses);
	pv_array_finish(&gc->sizes);
	pv_order_finish(&gc->by_start);
	for (unsigned i = 0; i < PV_GC_GENERATIONS; i++)
		pv_order_finish(&gc->of_generation[i]);
	if (gc->pending) {
		pv_array_finish(&gc->pending->run);
		pv_array_finish(&gc->pending->later);
	}
	free(gc->pending);
	gc->pending = NULL;
}

/* --- collections */

static uint8_t generation_of(const struct pv_event *e)
{
	return (uint8_t)(e->gc.generation < PV_GC_GENERATIONS ? e->gc.generation
							      : PV_GC_GENERATIONS - 1);
}

static void sum_pauses(struct pv_collection *c)
{
	bool one = c->start_stop && c->start_stop == c->end_stop;
	c->pause_ns = pv_sat_add(c->start_pause_ns, one ? 0 : c->end_pause_ns);
	c->stand_ns = c->start_stand_ns;
	if (!one && c->end_stand_ns != PV_NEVER)
		c->stand_ns =
			pv_sat_add(c->stand_ns == PV_NEVER ? 0 : c->stand_ns, c->end_stand_ns);
}

static void set_end(struct pv_collection *c, const struct pv_gc_end *e)
{
	c->end_ns = e->time_ns;
	c->over_ns = e->over_ns;
	c->end_stop = e->stop;
	c->end_pause_ns = e->pause_ns;
	c->end_stand_ns = e->stand_ns;
	c->concurrent = c->start_stop != e->stop;
	c->duration_ns = pv_sat_span(c->start_ns, e->time_ns);
	sum_pauses(c);
}

static struct pv_gc_end take_end(struct pv_collection *c)
{
	struct pv_gc_end e = { c->end_ns, c->end_pause_ns, c->over_ns, c->end_stand_ns, c->end_stop,
		c->generation };
	c->end_ns = c->end_stand_ns = PV_NEVER;
	c->duration_ns = c->end_pause_ns = 0;
	c->end_stop = 0;
	c->concurrent = false;
	sum_pauses(c);
	return e;
}

/*
 * An end goes with the latest start of its generation before it. Buffers may bring the two in any
 * order, so an end may turn out to be an earlier collection's, or wait for its start.
 */
static void place_end(struct pv_gc *gc, struct pv_gc_end e)
{
	struct pv_collection *c;
	while ((c = pv_gc_newest_of(gc, e.generation, e.time_ns))) {
		if (c->end_ns == PV_NEVER) {
			set_end(c, &e);
			return;
		}
		if (c->end_ns <= e.time_ns)
			break;
		struct pv_gc_end later = take_end(c);
		set_end(c, &e);
		e = later;
	}
	if (gc->pending->ends < PV_GC_EARLY_ENDS)
		gc->pending->early[gc->pending->ends++] = e;
}

/* The end of a start may be here already, with the collection before it in its generation. */
static void place_start(struct pv_gc *gc, struct pv_collection *c, struct pv_collection *before)
{
	struct pv_gc_pending *p = gc->pending;
	if (before && before->end_ns != PV_NEVER && before->end_ns > c->start_ns) {
		struct pv_gc_end e = take_end(before);
		set_end(c, &e);
		return;
	}
	size_t best = p->ends;
	for (size_t i = 0; i < p->ends; i++)
		if (p->early[i].generation == c->generation && p->early[i].time_ns >= c->start_ns &&
			(best == p->ends || p->early[i].time_ns < p->early[best].time_ns))
			best = i;
	if (best == p->ends)
		return;
	set_end(c, &p->early[best]);
	p->early[best] = p->early[--p->ends];
}

static bool note_edge(struct pv_thread *th, int64_t time, uint8_t generation, bool end)
{
	if (!th->stop || th->edge.n == PV_EDGES_MAX)
		return true;
	if (!pv_reserve(&th->edge, 1))
		return false;
	th->edge.v[th->edge.n++] = (struct pv_gc_edge){ time, generation, end };
	return true;
}

/* A collection that the profiler made. */
static void forced_starts(struct pv_context *x)
{
	struct pv_thread *th = x->thread;
	th->forces = false;
	th->forced = true;
	th->began = false; /* the size said next is of no collection listed */
	th->stop_forced = th->stop != 0;
	x->m->gc.roots_since_gc = 0;
	x->m->gc.forced += x->counts;
}

static bool collection_starts(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc *gc = &x->m->gc;
	if (x->thread->forces) {
		forced_starts(x);
		return true;
	}
	struct pv_collection c = { .start_ns = x->time,
		.end_ns = PV_NEVER,
		.merged = 1,
		.over_ns = PV_NEVER,
		.stand_ns = PV_NEVER,
		.start_stand_ns = PV_NEVER,
		.end_stand_ns = PV_NEVER,
		.generation = generation_of(e),
		.number = e->gc.collection,
		.start_stop = x->thread->stop };
	if (gc->collections.n == 0 || gc->latest_ns <= x->time)
		c.allocated = pv_gc_take_pending(gc, x->time);
	gc->roots_since_gc = 0;
	if (!x->counts)
		return true;
	struct pv_collection *before = NULL, *it = pv_gc_add_collection(gc, &c, &before);
	if (!it)
		return false;
	gc->started[c.generation]++;
	pv_timeline_add(
		&x->m->timeline, c.generation == 0 ? PV_TRACK_MINOR : PV_TRACK_MAJOR, x->time, 1);
	place_start(gc, it, before);
	return note_edge(x->thread, x->time, c.generation, false);
}

static bool collection_ends(struct pv_context *x, const struct pv_event *e)
{
	if (x->thread->forced) { /* a blocking collection: no other ends on its thread before */
		x->thread->forced = false;
		return true;
	}
	struct pv_gc_end end = { .time_ns = x->time,
		.over_ns = x->time,
		.stand_ns = PV_NEVER,
		.stop = x->thread->stop,
		.generation = generation_of(e) };
	place_end(&x->m->gc, end);
	return note_edge(x->thread, x->time, end.generation, true);
}

/* --- stops of the world */

/* Adds the stop's length to the collection that starts or ends inside. */
static void finish_edge(struct pv_gc *gc, const struct pv_thread *th, const struct pv_gc_edge *edge,
	int64_t now, bool with_shot)
{
	int64_t ns = pv_sat_span(th->stop_ns, now);
	bool stood = th->stood_ns != PV_NEVER && gc->exit.stop != th->stop;
	int64_t stand = stood ? pv_sat_span(th->stop_ns, th->stood_ns) : PV_NEVER;
	struct pv_collection *c = pv_gc_newest_of(gc, edge->generation, edge->time_ns);
	if (c && !edge->end && c->start_stop == th->stop) {
		c->start_pause_ns = ns;
		c->start_stand_ns = stand;
	}
	if (c && edge->end && c->end_stop == th->stop) {
		c->end_pause_ns = ns;
		c->end_stand_ns = stand;
		c->over_ns = now;
	}
	if (c && (c->start_stop == th->stop || c->end_stop == th->stop))
		c->with_shot |= with_shot;
	if (c)
		sum_pauses(c);
	for (size_t i = 0; edge->end && i < gc->pending->ends; i++) {
		struct pv_gc_end *e = &gc->pending->early[i];
		if (e->stop == th->stop) {
			e->pause_ns = ns;
			e->stand_ns = stand;
			e->over_ns = now;
		}
	}
}

bool pv_gc_shots_have_their_own(const struct pv_model *m)
{
	static const char word[] = "heapshot=";
	const char *at = m->target.args ? strstr(m->target.args, word) : NULL;
	size_t n = at ? strcspn(at + sizeof word - 1, ", ") : 0;
	if (pv_target_is_event_stream(&m->target))
		return true;
	return n >= 2 && strncmp(at + sizeof word - 1 + n - 2, "gc", 2) != 0;
}

/* A stop in which a heap shot was made, for the profiler: no work of the collector. */
static bool is_of_shot(const struct pv_model *m, int64_t from, int64_t to)
{
	enum { NEWEST = 4 };
	const size_t n = m->shots.shot.n;
	for (size_t i = n; i > 0 && n - i < NEWEST; i--) {
		const struct pv_shot *s = &m->shots.shot.v[i - 1];
		if (s->start_ns >= from && s->start_ns <= to)
			return pv_gc_shots_have_their_own(m);
	}
	return false;
}

static bool world_starts(struct pv_context *x)
{
	struct pv_thread *th = x->thread;
	struct pv_gc *gc = &x->m->gc;
	th->collected = false;
	if (!th->stop)
		return true; /* the beginning of the stop was missed */
	pv_gc_stop_ends(x);
	int64_t start = th->stop_ns;
	bool with_shot = is_of_shot(x->m, start, x->time), ours = th->stop_forced || with_shot;
	for (size_t i = 0; i < th->edge.n; i++)
		finish_edge(gc, th, &th->edge.v[i], x->time, with_shot);
	gc->with_shots += with_shot && th->edge.n > 0 && pv_counts_at(x->m, th, start);
	th->stop = 0;
	th->edge.n = 0;
	th->stop_forced = false;
	if (ours || !pv_counts_at(x->m, th, start))
		return true;
	pv_timeline_span(&x->m->timeline, PV_TRACK_PAUSE_NS, start, x->time);
	return pv_gc_add_pause(gc, start, pv_sat_span(start, x->time));
}

static void world_stops(struct pv_context *x)
{
	struct pv_thread *th = x->thread;
	pv_gc_exit_was_not(x->m);
	th->stop = ++x->m->gc.stops;
	th->stop_ns = x->time;
	th->stood_ns = PV_NEVER;
	th->edge.n = 0;
	th->stop_forced = false;
}

static bool apply_gc_step(struct pv_context *x, const struct pv_event *e)
{
	switch (e->gc.step) {
	case PV_GC_START:
		x->thread->began = x->counts;
		pv_gc_addresses(x);
		return collection_starts(x, e);
	case PV_GC_END:
		x->thread->began = false;
		x->thread->collected = true;
		return collection_ends(x, e);
	case PV_GC_MARK_START:
	case PV_GC_MARK_END:
	case PV_GC_SWEEP_START:
	case PV_GC_SWEEP_END:
		pv_gc_phase(x, e);
		return true;
	case PV_GC_PRE_STOP:
		world_stops(x);
		return true;
	case PV_GC_POST_STOP:
		x->thread->stood_ns = x->time;
		return true;
	case PV_GC_POST_START:
		return world_starts(x);
	default:
		return true;
	}
}

bool pv_gc_apply(struct pv_context *x, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_GC_EVENT:
		return apply_gc_step(x, e);
	case PV_KIND_GC_RESIZE:
		return pv_gc_resize(x, e);
	case PV_KIND_GC_MOVE:
		return pv_gc_moves(x, e);
	case PV_KIND_EXT_COLLECTION:
		pv_gc_why(x, e);
		return true;
	case PV_KIND_EXT_GENERATION:
		pv_gc_left(x, e);
		return true;
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		return pv_handles_apply(x, e);
	case PV_KIND_HEAP_ROOT_REGISTER:
	case PV_KIND_HEAP_ROOT_UNREGISTER:
		return pv_roots_apply(x, e);
	default:
		return pv_finalizers_apply(x, e);
	}
}

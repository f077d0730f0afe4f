#include "common/model/gc.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/gc_parts.h"
#include "common/model/model_parts.h"
#include "common/model/window_parts.h"

enum { RUNS = 65536 };

bool pv_gc_init(struct pv_gc *gc)
{
	*gc = (struct pv_gc){ .heap_ns = PV_NEVER };
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
	if (gc->pending)
		pv_array_finish(&gc->pending->run);
	free(gc->pending);
	gc->pending = NULL;
}

/* Threads are pointers here and numbers in an archive. */
static void archive_thread(struct pv_archive *a, struct pv_model *m, const struct pv_thread **th)
{
	const struct pv_threads *t = &m->threads;
	bool known = !a->loading && *th;
	size_t at = known ? pv_map_get(&t->newest, (*th)->id) : 0;
	while (known && at && at < t->thread.n && t->thread.v[at] != *th)
		at = t->thread.v[at]->before;
	at = pv_archive_count(a, at, t->thread.n - 1);
	if (a->loading)
		*th = at ? t->thread.v[at] : NULL;
}

void pv_gc_archive_pending(struct pv_archive *a, struct pv_model *m)
{
	struct pv_gc_pending *p = m->gc.pending;
	pv_archive_array(a, &p->run);
	for (size_t i = 0; i < p->run.n && !a->failed; i++)
		archive_thread(a, m, &p->run.v[i].thread);
	p->ends = pv_archive_count(a, p->ends, PV_GC_EARLY_ENDS);
	pv_archive_bytes(a, p->early, p->ends * sizeof *p->early);
}

/* --- allocations between collections */

/* The oldest collection that starts at or after `time`; NULL when none is known yet. */
static struct pv_collection *next_after(const struct pv_gc *gc, int64_t time)
{
	size_t i = gc->collections.n;
	while (i > 0 && gc->collections.v[i - 1].start_ns >= time)
		i--;
	return i < gc->collections.n ? &gc->collections.v[i] : NULL;
}

static void merge_runs(struct pv_gc_pending *p)
{
	size_t to = 0;
	for (size_t i = 0; i + 1 < p->run.n; i += 2) {
		struct pv_gc_run a = p->run.v[i];
		a.last_ns = p->run.v[i + 1].last_ns;
		a.bytes += p->run.v[i + 1].bytes;
		p->run.v[to++] = a;
	}
	p->run.n = to;
}

bool pv_gc_allocated(struct pv_gc *gc, const struct pv_thread *th, int64_t time, uint64_t bytes)
{
	size_t n = gc->collections.n;
	if (n && gc->collections.v[n - 1].start_ns >= time) {
		next_after(gc, time)->allocated += bytes;
		return true;
	}
	if (pv_gc_allocated_on(gc, th, time, bytes))
		return true;
	struct pv_gc_pending *p = gc->pending;
	if (p->run.n >= RUNS)
		merge_runs(p);
	if (!pv_reserve(&p->run, 1))
		return false;
	p->run.v[p->run.n++] = (struct pv_gc_run){ time, time, bytes, th };
	return true;
}

uint64_t pv_gc_allocated_pending(const struct pv_gc *gc)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < gc->pending->run.n; i++)
		bytes += gc->pending->run.v[i].bytes;
	return bytes;
}

/* --- lists */

static void fold_duration(struct pv_gc *gc, const struct pv_collection *c)
{
	if (c->merged > 1)
		return;
	gc->folded_total_ns[c->generation] += c->duration_ns;
	if (c->duration_ns > gc->folded_max_ns[c->generation])
		gc->folded_max_ns[c->generation] = c->duration_ns;
}

static void merge_collections(
	struct pv_gc *gc, struct pv_collection *b, const struct pv_collection *a)
{
	fold_duration(gc, b);
	fold_duration(gc, a);
	b->end_ns = a->end_ns;
	b->settled_ns = a->settled_ns;
	b->pause_ns += a->pause_ns;
	b->duration_ns += a->duration_ns;
	b->allocated += a->allocated;
	b->merged += a->merged;
	b->concurrent |= a->concurrent;
	b->phases |= a->phases;
	b->mark_ns += a->mark_ns;
	b->sweep_ns += a->sweep_ns;
	b->start_stop = b->end_stop = 0;
	gc->folded++;
}

/* Neighbours of one generation become one entry; what is still open stays as it is. */
static void halve_collections(struct pv_gc *gc)
{
	struct pv_collection *v = gc->collections.v;
	size_t half[PV_GC_GENERATIONS] = { 0 }, to = 0;
	for (size_t i = 0; i < gc->collections.n; i++) {
		struct pv_collection *a = &v[i];
		if (a->end_ns == PV_NEVER) {
			v[to++] = *a;
			continue;
		}
		size_t *open = &half[a->generation];
		if (*open == 0) {
			v[to++] = *a;
			*open = to;
			continue;
		}
		merge_collections(gc, &v[*open - 1], a);
		*open = 0;
	}
	gc->collections.n = to;
}

static bool insert_collection(struct pv_gc *gc, const struct pv_collection *c, size_t *ret_at)
{
	if (gc->collections.n >= PV_GC_LIST)
		halve_collections(gc);
	if (!pv_reserve(&gc->collections, 1))
		return false;
	struct pv_collection *v = gc->collections.v;
	size_t at = gc->collections.n++;
	for (; at > 0 && v[at - 1].start_ns > c->start_ns; at--)
		v[at] = v[at - 1];
	v[at] = *c;
	*ret_at = at;
	return true;
}

static void halve_pauses(struct pv_gc *gc)
{
	struct pv_pause *v = gc->pauses.v;
	size_t to = 0;
	for (size_t i = 0; i + 1 < gc->pauses.n; i += 2) {
		struct pv_pause a = v[i];
		a.duration_ns += v[i + 1].duration_ns;
		a.merged += v[i + 1].merged;
		v[to++] = a;
		gc->folded++;
	}
	gc->pauses.n = to;
}

static bool add_pause(struct pv_gc *gc, int64_t start, int64_t duration)
{
	if (gc->pauses.n >= PV_GC_LIST)
		halve_pauses(gc);
	if (!pv_reserve(&gc->pauses, 1))
		return false;
	struct pv_pause *v = gc->pauses.v;
	size_t at = gc->pauses.n++;
	for (; at > 0 && v[at - 1].start_ns > start; at--)
		v[at] = v[at - 1];
	v[at] = (struct pv_pause){ start, duration, 1 };
	gc->pause_count++;
	gc->pause_ns = pv_sat_add(gc->pause_ns, duration);
	if (duration > gc->pause_max_ns)
		gc->pause_max_ns = duration;
	return true;
}

/* --- collections */

static uint8_t generation_of(const struct pv_event *e)
{
	return (uint8_t)(e->gc.generation < PV_GC_GENERATIONS ? e->gc.generation
							      : PV_GC_GENERATIONS - 1);
}

static void recount(struct pv_gc *gc, uint8_t generation)
{
	struct pv_generation *g = &gc->generation[generation];
	g->total_ns = gc->folded_total_ns[generation];
	g->max_ns = gc->folded_max_ns[generation];
	for (size_t i = 0; i < gc->collections.n; i++) {
		const struct pv_collection *c = &gc->collections.v[i];
		if (c->generation != generation || c->merged > 1)
			continue;
		g->total_ns = pv_sat_add(g->total_ns, c->duration_ns);
		if (c->duration_ns > g->max_ns)
			g->max_ns = c->duration_ns;
	}
}

static void sum_pauses(struct pv_collection *c)
{
	bool one = c->start_stop && c->start_stop == c->end_stop;
	c->pause_ns = pv_sat_add(c->start_pause_ns, one ? 0 : c->end_pause_ns);
}

static void set_end(struct pv_gc *gc, struct pv_collection *c, const struct pv_gc_end *e)
{
	struct pv_generation *g = &gc->generation[c->generation];
	c->end_ns = e->time_ns;
	c->settled_ns = e->settled_ns;
	c->end_stop = e->stop;
	c->end_pause_ns = e->pause_ns;
	c->concurrent = c->start_stop != e->stop;
	c->duration_ns = pv_sat_span(c->start_ns, e->time_ns);
	sum_pauses(c);
	g->total_ns = pv_sat_add(g->total_ns, c->duration_ns);
	if (c->duration_ns > g->max_ns)
		g->max_ns = c->duration_ns;
}

static struct pv_gc_end take_end(struct pv_gc *gc, struct pv_collection *c)
{
	struct pv_gc_end e = { c->end_ns, c->end_pause_ns, c->settled_ns, c->end_stop, c->generation };
	c->end_ns = PV_NEVER;
	c->duration_ns = c->end_pause_ns = 0;
	c->end_stop = 0;
	c->concurrent = false;
	sum_pauses(c);
	recount(gc, c->generation);
	return e;
}

/*
 * An end belongs to the latest start of its generation before it. Buffers may bring the two in
 * any order, so an end may turn out to be that of an earlier collection, or wait for its start.
 */
static void place_end(struct pv_gc *gc, struct pv_gc_end e)
{
	for (size_t i = gc->collections.n; i > 0; i--) {
		struct pv_collection *c = &gc->collections.v[i - 1];
		if (c->generation != e.generation || c->start_ns > e.time_ns || c->merged > 1)
			continue;
		if (c->end_ns == PV_NEVER) {
			set_end(gc, c, &e);
			return;
		}
		if (c->end_ns <= e.time_ns)
			break;
		struct pv_gc_end later = take_end(gc, c);
		set_end(gc, c, &e);
		e = later;
		i = gc->collections.n + 1;
	}
	if (gc->pending->ends < PV_GC_EARLY_ENDS)
		gc->pending->early[gc->pending->ends++] = e;
}

/* A start may find its end here already: the next one of its generation. */
static void place_start(struct pv_gc *gc, size_t at)
{
	struct pv_collection *c = &gc->collections.v[at];
	struct pv_gc_pending *p = gc->pending;
	for (size_t i = at; i > 0; i--) {
		struct pv_collection *b = &gc->collections.v[i - 1];
		if (b->generation != c->generation || b->merged > 1)
			continue;
		if (b->end_ns == PV_NEVER || b->end_ns <= c->start_ns)
			break;
		struct pv_gc_end e = take_end(gc, b);
		set_end(gc, c, &e);
		return;
	}
	size_t best = p->ends;
	for (size_t i = 0; i < p->ends; i++)
		if (p->early[i].generation == c->generation && p->early[i].time_ns >= c->start_ns &&
			(best == p->ends || p->early[i].time_ns < p->early[best].time_ns))
			best = i;
	if (best == p->ends)
		return;
	set_end(gc, c, &p->early[best]);
	p->early[best] = p->early[--p->ends];
}

/* The share of the waiting allocations that lie before this collection. */
static uint64_t take_pending(struct pv_gc *gc, int64_t start)
{
	struct pv_gc_pending *p = gc->pending;
	uint64_t bytes = 0;
	size_t to = 0;
	for (size_t i = 0; i < p->run.n; i++) {
		if (p->run.v[i].first_ns <= start)
			bytes += p->run.v[i].bytes;
		else
			p->run.v[to++] = p->run.v[i];
	}
	p->run.n = to;
	return bytes;
}

static void note_edge(struct pv_thread *th, int64_t time, uint8_t generation, bool end)
{
	if (th->stop && th->edges < PV_EDGES_MAX)
		th->edge[th->edges++] = (struct pv_gc_edge){ time, generation, end };
}

static bool collection_starts(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc *gc = &x->m->gc;
	struct pv_collection c = { .start_ns = x->time,
		.end_ns = PV_NEVER,
		.merged = 1,
		.settled_ns = PV_NEVER,
		.generation = generation_of(e),
		.number = e->gc.collection,
		.start_stop = x->thread->stop };
	size_t n = gc->collections.n, at;
	if (n == 0 || gc->collections.v[n - 1].start_ns <= x->time)
		c.allocated = take_pending(gc, x->time);
	gc->roots_since_gc = 0;
	if (!x->counts)
		return true;
	if (!insert_collection(gc, &c, &at))
		return false;
	gc->generation[c.generation].count++;
	pv_timeline_add(
		&x->m->timeline, c.generation == 0 ? PV_TRACK_MINOR : PV_TRACK_MAJOR, x->time, 1);
	note_edge(x->thread, x->time, c.generation, false);
	place_start(gc, at);
	return true;
}

static void collection_ends(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc_end end = { .time_ns = x->time,
		.settled_ns = x->time,
		.stop = x->thread->stop,
		.generation = generation_of(e) };
	note_edge(x->thread, x->time, end.generation, true);
	place_end(&x->m->gc, end);
}

/* --- stops of the world */

/* Tells the collection that starts or ends inside the stop how long that took. */
static void settle(
	struct pv_gc *gc, const struct pv_thread *th, const struct pv_gc_edge *edge, int64_t now)
{
	int64_t ns = pv_sat_span(th->stop_ns, now);
	for (size_t i = gc->collections.n; i > 0; i--) {
		struct pv_collection *c = &gc->collections.v[i - 1];
		if (c->generation != edge->generation || c->start_ns > edge->time_ns)
			continue;
		if (!edge->end && c->start_stop == th->stop)
			c->start_pause_ns = ns;
		if (edge->end && c->end_stop == th->stop) {
			c->end_pause_ns = ns;
			c->settled_ns = now;
		}
		sum_pauses(c);
		break;
	}
	for (size_t i = 0; edge->end && i < gc->pending->ends; i++) {
		struct pv_gc_end *e = &gc->pending->early[i];
		if (e->stop == th->stop) {
			e->pause_ns = ns;
			e->settled_ns = now;
		}
	}
}

static bool world_starts(struct pv_context *x)
{
	struct pv_thread *th = x->thread;
	struct pv_gc *gc = &x->m->gc;
	th->collected = false;
	if (!th->stop)
		return true; /* its beginning was missed */
	pv_gc_stop_ends(x);
	for (unsigned i = 0; i < th->edges; i++)
		settle(gc, th, &th->edge[i], x->time);
	int64_t start = th->stop_ns;
	th->stop = 0;
	th->edges = 0;
	if (!th->selected || !pv_in_range(x->m, start))
		return true;
	pv_timeline_span(&x->m->timeline, PV_TRACK_PAUSE_NS, start, x->time);
	return add_pause(gc, start, pv_sat_span(start, x->time));
}

static void world_stops(struct pv_context *x)
{
	struct pv_thread *th = x->thread;
	pv_gc_exit_was_not(x->m);
	th->stop = ++x->m->gc.stops;
	th->stop_ns = x->time;
	th->stood_ns = PV_NEVER;
	th->edges = 0;
}

static bool step(struct pv_context *x, const struct pv_event *e)
{
	switch (e->gc.step) {
	case PV_GC_START:
		x->thread->began = x->counts;
		pv_gc_addresses(x);
		return collection_starts(x, e);
	case PV_GC_END:
		x->thread->began = false;
		x->thread->collected = true;
		collection_ends(x, e);
		return true;
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
		return step(x, e);
	case PV_KIND_GC_RESIZE:
		return pv_gc_resize(x, e);
	case PV_KIND_GC_MOVE:
		return pv_gc_moves(x, e);
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

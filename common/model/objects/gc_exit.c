/* SPDX-License-Identifier: MIT */
/*
 * The stock profiler's second at exit. When the runtime shuts down, the world is stopped once more,
 * and the log profiler's own helper thread, which sits in a poll() of a second, has to answer, too.
 * All of the program has ended by then, so this second is no pause of the program.
 *
 * Formats: Mono 4 to 6, mono/profiler/log.c (helper_thread: poll() with a timeout of 1000 ms).
 */
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/ground/inside.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/time/window_parts.h"

#define POLL_NS    INT64_C(900000000)  /* less than the poll takes, more than a program's stop */
#define AFTERWARDS INT64_C(1000000000) /* ns in which a runtime still acts after its last stop */

enum { NEAR = 64 }; /* newest entries that are searched */

static bool is_stock(const struct pv_target_info *t)
{
	return !t->logging2007 && t->args && strncmp(t->args, "log", 3) == 0 &&
	       (t->args[3] == 0 || t->args[3] == ':');
}

void pv_gc_stop_ends(struct pv_context *x)
{
	struct pv_thread *th = x->thread;
	struct pv_gc_exit *e = &x->m->gc.exit;
	pv_gc_exit_was_not(x->m);
	if (!is_stock(&x->m->target) || th->stood_ns == PV_NEVER ||
		pv_sat_span(th->stop_ns, th->stood_ns) < POLL_NS)
		return;
	*e = (struct pv_gc_exit){ .stop = th->stop,
		.from_ns = th->stop_ns,
		.to_ns = th->stood_ns,
		.over_ns = x->time,
		.counts = pv_counts_at(x->m, th, th->stop_ns) };
	th->stop_ns = th->stood_ns;
}

static void lengthen_pause(struct pv_gc *gc, const struct pv_gc_exit *e, int64_t ns)
{
	size_t far = gc->pauses.n > NEAR ? gc->pauses.n - NEAR : 0;
	for (size_t i = gc->pauses.n; i > far; i--) {
		struct pv_pause *p = &gc->pauses.v[i - 1];
		if (p->start_ns != e->to_ns || p->merged > 1)
			continue;
		p->start_ns = e->from_ns;
		gc->unsorted |= PV_GC_PAUSES;
		p->duration_ns = pv_sat_add(p->duration_ns, ns);
		if (p->duration_ns > gc->pause_max_ns)
			gc->pause_max_ns = p->duration_ns;
		break;
	}
	gc->pause_ns = pv_sat_add(gc->pause_ns, ns);
}

static void lengthen_collections(struct pv_gc *gc, uint64_t stop, int64_t ns)
{
	size_t far = gc->collections.n > NEAR ? gc->collections.n - NEAR : 0;
	for (size_t i = gc->collections.n; i > far; i--) {
		struct pv_collection *c = &gc->collections.v[i - 1];
		if (c->start_stop != stop && c->end_stop != stop)
			continue;
		if (c->start_stop == stop) {
			c->start_pause_ns = pv_sat_add(c->start_pause_ns, ns);
			c->start_stand_ns = ns;
		}
		if (c->end_stop == stop) {
			c->end_pause_ns = pv_sat_add(c->end_pause_ns, ns);
			c->end_stand_ns = ns;
		}
		c->stand_ns = pv_sat_add(c->stand_ns == PV_NEVER ? 0 : c->stand_ns, ns);
		c->pause_ns = pv_sat_add(c->pause_ns, ns);
		break;
	}
}

void pv_gc_exit_was_not(struct pv_model *m)
{
	struct pv_gc *gc = &m->gc;
	const struct pv_gc_exit e = gc->exit;
	int64_t ns = pv_sat_span(e.from_ns, e.to_ns);
	gc->exit = (struct pv_gc_exit){ 0 };
	if (!e.stop)
		return;
	lengthen_collections(gc, e.stop, ns);
	if (!e.counts)
		return;
	lengthen_pause(gc, &e, ns);
	pv_timeline_span(&m->timeline, PV_TRACK_PAUSE_NS, e.from_ns, e.to_ns);
}

void pv_gc_exit_until(struct pv_model *m, int64_t time)
{
	const struct pv_gc_exit *e = &m->gc.exit;
	if (e->stop && time != PV_NEVER && time > pv_sat_add(e->over_ns, AFTERWARDS))
		pv_gc_exit_was_not(m);
}

int64_t pv_gc_exit_ns(const struct pv_gc *gc)
{
	return gc->exit.stop && gc->exit.counts ? pv_sat_span(gc->exit.from_ns, gc->exit.to_ns) : 0;
}

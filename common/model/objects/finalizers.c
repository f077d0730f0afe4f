/* SPDX-License-Identifier: MIT */
/* Applies runs of finalizers and the objects in them, paired by thread and object. */
#include "common/model/objects/finalizers.h"

#include <string.h>

#include "common/base/map.h"
#include "common/base/seed.h"
#include "common/model/ground/inside.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"

#define RUN UINT64_MAX /* in place of an object */

/* --- open finalizers */

static struct pv_finalizing *slot(struct pv_finalizers *f, uint32_t link)
{
	return &f->open.v[link - 1];
}

/*
 * The hash has two secret numbers and a third for the thread: no input can foresee collisions
 * (seed.h).
 */
static uint32_t *bucket(struct pv_finalizers *f, uint32_t thread, uint64_t object)
{
	uint32_t hash = pv_hash_spread(pv_hash_sum(object) + thread * pv_secret.parent);
	return &f->bucket[(hash ^ hash >> 15) % PV_FINALIZING_MAX];
}

/* Link to the open finalizer of a thread and object; 0: none. */
static uint32_t find_finalizing(
	struct pv_finalizers *f, const struct pv_thread *th, uint64_t object)
{
	uint32_t link = th->finalizing;
	if (!link || slot(f, link)->object == object)
		return link;
	if (slot(f, link)->object == RUN && !slot(f, link)->before)
		return 0; /* a run has begun, and none of its objects is open */
	link = *bucket(f, th->index, object);
	while (link && (slot(f, link)->at != th->index || slot(f, link)->object != object))
		link = slot(f, link)->in_bucket;
	return link;
}

static void leave_bucket(struct pv_finalizers *f, uint32_t link)
{
	const struct pv_finalizing *x = slot(f, link);
	uint32_t *place = bucket(f, x->at, x->object);
	while (*place != link)
		place = &slot(f, *place)->in_bucket;
	*place = x->in_bucket;
}

static void leave_ages(struct pv_finalizers *f, uint32_t link)
{
	const struct pv_finalizing *x = slot(f, link);
	*(x->older ? &slot(f, x->older)->newer : &f->oldest) = x->newer;
	*(x->newer ? &slot(f, x->newer)->older : &f->newest) = x->older;
}

static void forget_finalizing(struct pv_model *m, uint32_t link)
{
	struct pv_finalizers *f = &m->finalizers;
	struct pv_finalizing *x = slot(f, link);
	struct pv_thread *th = m->threads.thread.v[x->at];
	leave_bucket(f, link);
	leave_ages(f, link);
	*(x->after ? &slot(f, x->after)->before : &th->finalizing) = x->before;
	if (x->before)
		slot(f, x->before)->after = x->after;
	x->object = 0;
	x->newer = f->unused;
	f->unused = link;
}

static void link_it(struct pv_model *m, uint32_t link)
{
	struct pv_finalizers *f = &m->finalizers;
	struct pv_finalizing *x = slot(f, link);
	struct pv_thread *th = m->threads.thread.v[x->at];
	uint32_t *place = bucket(f, x->at, x->object);
	x->in_bucket = *place;
	x->older = f->newest;
	x->newer = x->after = 0;
	x->before = th->finalizing;
	if (x->before)
		slot(f, x->before)->after = link;
	*(f->newest ? &slot(f, f->newest)->newer : &f->oldest) = link;
	*place = f->newest = th->finalizing = link;
}

static bool is_full(const struct pv_finalizers *f)
{
	return !f->unused && f->open.n >= PV_FINALIZING_MAX;
}

/* A free slot, 0 when out of memory. */
static uint32_t make_slot(struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	if (is_full(f))
		forget_finalizing(m, f->oldest);
	uint32_t link = f->unused;
	if (link) {
		f->unused = slot(f, link)->newer;
		return link;
	}
	return pv_reserve(&f->open, 1) ? (uint32_t)++f->open.n : 0;
}

/* Gives the last finalizer a slot. False: out of memory. */
static bool give_slot(struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	if (!f->lasting)
		return true;
	uint32_t link = make_slot(m);
	if (!link)
		return false;
	*slot(f, link) = f->last;
	f->lasting = false;
	link_it(m, link);
	return true;
}

void pv_finalizers_link(struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	memset(f->bucket, 0, sizeof f->bucket);
	f->oldest = f->newest = f->unused = 0;
	for (size_t i = 1; i < m->threads.thread.n; i++)
		m->threads.thread.v[i]->finalizing = 0;
	for (uint32_t link = 1; link <= f->open.n; link++)
		link_it(m, link);
}

bool pv_finalizers_order(struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	if (!give_slot(m))
		return false;
	struct pv_finalizing by_age[PV_FINALIZING_MAX];
	size_t n = 0;
	for (uint32_t link = f->oldest; link; link = slot(f, link)->newer)
		by_age[n++] = *slot(f, link);
	if (n)
		memcpy(f->open.v, by_age, n * sizeof *by_age);
	f->open.n = n;
	pv_finalizers_link(m);
	return true;
}

static bool begin_finalizer(struct pv_context *x, uint64_t object)
{
	struct pv_finalizers *f = &x->m->finalizers;
	if (!give_slot(x->m))
		return false;
	uint32_t link = find_finalizing(f, x->thread, object);
	if (link)
		forget_finalizing(x->m, link); /* the end was missed */
	bool full = is_full(f);
	f->last = (struct pv_finalizing){ .thread = x->thread->id,
		.epoch = x->thread->epoch,
		.object = object,
		.start_ns = x->time,
		.at = x->thread->index,
		.class_use = pv_class_of_address_at(x, object) };
	f->lasting = true;
	return !full || give_slot(x->m); /* then the oldest goes at once */
}

/* --- ended finalizers */

/* Adds an ended finalizer to a sum; without a time if its beginning was missed. */
static void add_finalized(
	struct pv_context *x, struct pv_finalized *to, const struct pv_finalizing *open)
{
	to->objects += x->counts;
	if (!open || !x->thread->selected)
		return;
	int64_t ns = pv_clipped(x->m, x->thread, open->start_ns, x->time);
	to->timed += x->counts;
	to->total_ns += ns;
	if (ns > to->max_ns)
		to->max_ns = ns;
}

static struct pv_finalized *of_class(struct pv_finalizers *f, uint32_t class_use)
{
	if (class_use < f->of_class.n)
		return &f->of_class.v[class_use];
	size_t more = class_use + 1 - f->of_class.n;
	if (!pv_reserve(&f->of_class, more))
		return NULL;
	memset(f->of_class.v + f->of_class.n, 0, more * sizeof *f->of_class.v);
	f->of_class.n += more;
	return &f->of_class.v[class_use];
}

/* Takes the open finalizer that ends now into *ret; false: its beginning was missed. */
static bool take_finalizing(struct pv_context *x, uint64_t object, struct pv_finalizing *ret)
{
	struct pv_finalizers *f = &x->m->finalizers;
	if (f->lasting && f->last.object == object && f->last.at == x->thread->index) {
		*ret = f->last;
		f->lasting = false;
		return true;
	}
	uint32_t link = find_finalizing(f, x->thread, object);
	if (!link)
		return false;
	*ret = *slot(f, link);
	forget_finalizing(x->m, link);
	return true;
}

static bool object_ends(struct pv_context *x, uint64_t object)
{
	struct pv_finalizers *f = &x->m->finalizers;
	struct pv_finalizing open;
	bool begun = take_finalizing(x, object, &open);
	uint32_t class_use = begun ? open.class_use : pv_class_of_address_at(x, object);
	struct pv_finalized *sum = of_class(f, class_use);
	if (!sum)
		return false;
	add_finalized(x, sum, begun ? &open : NULL);
	f->ended += x->counts;
	f->unknown_class += x->counts && class_use == 0;
	return true;
}

static void run_ends(struct pv_context *x)
{
	struct pv_finalizing open;
	if (take_finalizing(x, RUN, &open))
		add_finalized(x, &x->m->finalizers.runs, &open);
}

bool pv_finalizers_apply(struct pv_context *x, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_GC_FINALIZE_START:
		return begin_finalizer(x, RUN);
	case PV_KIND_GC_FINALIZE_END:
		run_ends(x);
		return true;
	case PV_KIND_GC_FINALIZE_OBJECT_START:
		x->m->finalizers.started += x->counts;
		return begin_finalizer(x, e->finalize.object);
	default:
		return object_ends(x, e->finalize.object);
	}
}

void pv_finalizers_gap(struct pv_model *m, struct pv_thread *th)
{
	struct pv_finalizers *f = &m->finalizers;
	f->lasting = f->lasting && f->last.at != th->index;
	while (th->finalizing)
		forget_finalizing(m, th->finalizing);
}

void pv_finalizers_finish(struct pv_finalizers *f)
{
	pv_array_finish(&f->of_class);
	pv_array_finish(&f->open);
}

#include "common/model/objects/finalizers.h"

#include <string.h>

#include "common/base/map.h"
#include "common/base/seed.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"

#define RUN UINT64_MAX /* in place of an object */

/* --- open finalizers */

static struct pv_finalizing *slot(struct pv_finalizers *f, uint32_t link)
{
	return &f->open.v[link - 1];
}

static uint32_t *bucket(struct pv_finalizers *f, uint32_t thread, uint64_t object)
{
	uint64_t hash = pv_hash_word(pv_hash_part(1, thread), object);
	return &f->bucket[hash % PV_FINALIZING_MAX];
}

/* Of this thread and object; 0 when there is none. */
static uint32_t find(struct pv_finalizers *f, const struct pv_thread *th, uint64_t object)
{
	uint32_t link = *bucket(f, th->index, object);
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

static void forget(struct pv_model *m, uint32_t link)
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

/* A free slot, 0 when out of memory. */
static uint32_t make_slot(struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	if (!f->unused && f->open.n >= PV_FINALIZING_MAX)
		forget(m, f->oldest);
	uint32_t link = f->unused;
	if (link) {
		f->unused = slot(f, link)->newer;
		return link;
	}
	return pv_reserve(&f->open, 1) ? (uint32_t)++f->open.n : 0;
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

void pv_finalizers_order(struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	struct pv_finalizing by_age[PV_FINALIZING_MAX];
	size_t n = 0;
	for (uint32_t link = f->oldest; link; link = slot(f, link)->newer)
		by_age[n++] = *slot(f, link);
	if (n)
		memcpy(f->open.v, by_age, n * sizeof *by_age);
	f->open.n = n;
	pv_finalizers_link(m);
}

static bool begin(struct pv_context *x, uint64_t object)
{
	struct pv_finalizers *f = &x->m->finalizers;
	uint32_t link = find(f, x->thread, object);
	if (link)
		forget(x->m, link); /* its end was missed */
	link = make_slot(x->m);
	if (!link)
		return false;
	*slot(f, link) = (struct pv_finalizing){ .thread = x->thread->id,
		.epoch = x->thread->epoch,
		.object = object,
		.start_ns = x->time,
		.at = x->thread->index,
		.class_use = pv_class_of_address_at(x, object) };
	link_it(x->m, link);
	return true;
}

/* --- ended finalizers */

/* Adds to `to`, whose beginning may have been missed. */
static void add(struct pv_context *x, struct pv_finalized *to, const struct pv_finalizing *open)
{
	to->objects += x->counts;
	if (!open || !x->thread->selected)
		return;
	int64_t ns = pv_clipped(x->m, open->start_ns, x->time);
	to->timed += x->counts;
	to->total_ns += ns;
	if (ns > to->max_ns)
		to->max_ns = ns;
}

static struct pv_finalized *of_class(struct pv_finalizers *f, uint32_t class_use)
{
	size_t more = class_use < f->of_class.n ? 0 : class_use + 1 - f->of_class.n;
	if (!pv_reserve(&f->of_class, more))
		return NULL;
	if (more)
		memset(f->of_class.v + f->of_class.n, 0, more * sizeof *f->of_class.v);
	f->of_class.n += more;
	return &f->of_class.v[class_use];
}

static bool object_ends(struct pv_context *x, uint64_t object)
{
	struct pv_finalizers *f = &x->m->finalizers;
	uint32_t link = find(f, x->thread, object);
	const struct pv_finalizing *open = link ? slot(f, link) : NULL;
	uint32_t class_use = open ? open->class_use : pv_class_of_address_at(x, object);
	struct pv_finalized *sum = of_class(f, class_use);
	if (!sum)
		return false;
	add(x, sum, open);
	f->ended += x->counts;
	f->unknown_class += x->counts && class_use == 0;
	if (link)
		forget(x->m, link);
	return true;
}

static void run_ends(struct pv_context *x)
{
	struct pv_finalizers *f = &x->m->finalizers;
	uint32_t link = find(f, x->thread, RUN);
	if (!link)
		return;
	add(x, &f->runs, slot(f, link));
	forget(x->m, link);
}

bool pv_finalizers_apply(struct pv_context *x, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_GC_FINALIZE_START:
		return begin(x, RUN);
	case PV_KIND_GC_FINALIZE_END:
		run_ends(x);
		return true;
	case PV_KIND_GC_FINALIZE_OBJECT_START:
		x->m->finalizers.started += x->counts;
		return begin(x, e->finalize.object);
	default:
		return object_ends(x, e->finalize.object);
	}
}

void pv_finalizers_gap(struct pv_model *m, struct pv_thread *th)
{
	while (th->finalizing)
		forget(m, th->finalizing);
}

void pv_finalizers_finish(struct pv_finalizers *f)
{
	pv_array_finish(&f->of_class);
	pv_array_finish(&f->open);
}

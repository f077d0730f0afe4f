#include "common/model/finalizers.h"

#include <string.h>

#include "common/model/gc_parts.h"
#include "common/model/recall_parts.h"

#define RUN UINT64_MAX /* in place of an object */

static void forget(struct pv_finalizers *f, size_t at)
{
	f->open.n--;
	memmove(f->open.v + at, f->open.v + at + 1, (f->open.n - at) * sizeof *f->open.v);
}

static bool is_of(const struct pv_finalizing *f, const struct pv_thread *th)
{
	return f->thread == th->id && f->epoch == th->epoch;
}

/* The newest of this thread and object; open.n when there is none. */
static size_t find(const struct pv_finalizers *f, const struct pv_thread *th, uint64_t object)
{
	for (size_t i = f->open.n; i-- > 0;)
		if (is_of(&f->open.v[i], th) && f->open.v[i].object == object)
			return i;
	return f->open.n;
}

static bool begin(struct pv_context *x, uint64_t object)
{
	struct pv_finalizers *f = &x->m->finalizers;
	size_t at = find(f, x->thread, object);
	if (at < f->open.n)
		forget(f, at); /* its end was missed */
	else if (f->open.n >= PV_FINALIZING_MAX)
		forget(f, 0);
	if (!pv_reserve(&f->open, 1))
		return false;
	f->open.v[f->open.n++] = (struct pv_finalizing){ .thread = x->thread->id,
		.epoch = x->thread->epoch,
		.object = object,
		.start_ns = x->time,
		.class_use = pv_class_at(x, object) };
	return true;
}

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
	size_t at = find(f, x->thread, object);
	bool met = at < f->open.n;
	uint32_t class_use = met ? f->open.v[at].class_use
				 : pv_class_at(x, object);
	struct pv_finalized *sum = of_class(f, class_use);
	if (!sum)
		return false;
	add(x, sum, met ? &f->open.v[at] : NULL);
	f->ended += x->counts;
	f->unknown_class += x->counts && class_use == 0;
	if (met)
		forget(f, at);
	return true;
}

static void run_ends(struct pv_context *x)
{
	struct pv_finalizers *f = &x->m->finalizers;
	size_t at = find(f, x->thread, RUN);
	if (at == f->open.n)
		return;
	add(x, &f->runs, &f->open.v[at]);
	forget(f, at);
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

void pv_finalizers_gap(struct pv_finalizers *f, const struct pv_thread *th)
{
	for (size_t i = f->open.n; i-- > 0;)
		if (is_of(&f->open.v[i], th))
			forget(f, i);
}

void pv_finalizers_finish(struct pv_finalizers *f)
{
	pv_array_finish(&f->of_class);
	pv_array_finish(&f->open);
}

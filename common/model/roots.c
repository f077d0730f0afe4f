#include "common/model/roots.h"

#include <string.h>

#include "common/model/gc_parts.h"

static void add(struct pv_root_count *c, uint64_t n, uint64_t list)
{
	if (c->list < list)
		*c = (struct pv_root_count){ c->all, 0, list };
	c->newest += c->list == list ? n : 0;
	c->all += n;
}

static void take(struct pv_root_count *c, const struct pv_root_count *from)
{
	if (c->list < from->list)
		*c = (struct pv_root_count){ c->all, 0, from->list };
	c->newest += c->list == from->list ? from->newest : 0;
	c->all += from->all;
}

/* --- areas */

/* A pseudo area has no size, but its start is a slot. */
static bool holds(const struct pv_root_area *a, uint64_t slot)
{
	return slot == a->start || (slot > a->start && slot - a->start < a->size);
}

static bool holds_at(const struct pv_root_area *a, uint64_t slot, int64_t time)
{
	return holds(a, slot) && a->registered_ns <= time && time <= a->unregistered_ns;
}

/* Number of live areas that start at or before `start`. */
static size_t live_before(const struct pv_roots *r, uint64_t start)
{
	size_t low = 0, high = r->live.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->area.v[r->live.v[mid]].start <= start)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The area a slot lies in, index + 1; 0 when none is known. Areas do not overlap but for stacks. */
static uint32_t area_of(struct pv_roots *r, uint64_t slot, int64_t time)
{
	enum { LOOK_BACK = 64 };
	if (r->recent && holds_at(&r->area.v[r->recent - 1], slot, time))
		return r->recent;
	size_t at = live_before(r, slot);
	for (size_t i = at; i > 0 && at - i < LOOK_BACK; i--)
		if (holds_at(&r->area.v[r->live.v[i - 1]], slot, time))
			return r->recent = r->live.v[i - 1] + 1;
	if (!r->any_end || time > r->latest_end_ns)
		return 0;
	for (size_t i = r->area.n; i > 0; i--)
		if (holds_at(&r->area.v[i - 1], slot, time))
			return r->recent = (uint32_t)i;
	return 0;
}

/* The stack a slot lies in that had ended by then, index + 1. */
static uint32_t gone_stack(const struct pv_roots *r, uint64_t slot, int64_t time)
{
	for (size_t i = 0; i < PV_ROOT_GONE; i++) {
		const struct pv_root_area *a = &r->area.v[r->gone[i] ? r->gone[i] - 1 : 0];
		if (r->gone[i] && holds(a, slot) && a->unregistered_ns <= time)
			return r->gone[i];
	}
	return 0;
}

/* Something else stands there now. */
static void forget_gone(struct pv_roots *r, const struct pv_root_area *by)
{
	for (size_t i = 0; i < PV_ROOT_GONE; i++) {
		const struct pv_root_area *a = &r->area.v[r->gone[i] ? r->gone[i] - 1 : 0];
		if (r->gone[i] && (holds(a, by->start) || holds(by, a->start)))
			r->gone[i] = 0;
	}
}

static void unregister(struct pv_roots *r, size_t at, int64_t time)
{
	struct pv_root_area *a = &r->area.v[r->live.v[at]];
	struct pv_root_sum *s = &r->source[a->source];
	a->unregistered_ns = time;
	if (a->source == PV_ROOT_STACK)
		r->gone[r->gone_next++ % PV_ROOT_GONE] = r->live.v[at] + 1;
	s->live--;
	s->live_bytes -= a->size;
	r->live.n--;
	memmove(r->live.v + at, r->live.v + at + 1, (r->live.n - at) * sizeof *r->live.v);
	if (!r->any_end || time > r->latest_end_ns)
		r->latest_end_ns = time;
	r->any_end = true;
}

/* The live area that starts there; live.n when there is none. */
static size_t live_at(const struct pv_roots *r, uint64_t start)
{
	size_t at = live_before(r, start);
	return at && r->area.v[r->live.v[at - 1]].start == start ? at - 1 : r->live.n;
}

/* What slots of an area that had ended, or of none, were counted for is not that. */
static void uncount(struct pv_root_count *c, const struct pv_root_count *less)
{
	c->all -= less->all;
	c->newest -= c->list == less->list ? less->newest : 0;
}

static enum pv_root_source source_counted(const struct pv_roots *r, uint32_t counted)
{
	return counted ? (enum pv_root_source)r->area.v[counted - 1].source : PV_ROOT_UNKNOWN;
}

/* Slots that waited for this area. */
static bool settle(struct pv_roots *r, struct pv_root_area *a)
{
	size_t to = 0;
	for (size_t i = 0; i < r->waiting.n; i++) {
		const struct pv_root_waiting *w = &r->waiting.v[i];
		if (!holds_at(a, w->slot, w->time_ns)) {
			r->waiting.v[to++] = *w;
			continue;
		}
		uncount(&r->source[source_counted(r, w->counted)].roots, &w->roots);
		if (w->counted)
			uncount(&r->area.v[w->counted - 1].roots, &w->roots);
		take(&a->roots, &w->roots);
		take(&r->source[a->source].roots, &w->roots);
	}
	if (to == r->waiting.n)
		return true;
	r->waiting.n = to;
	pv_map_clear(&r->waiting_of);
	for (size_t i = 0; i < to; i++)
		if (!pv_map_set(&r->waiting_of, r->waiting.v[i].slot, (uint32_t)i))
			return false;
	return true;
}

static bool registered(struct pv_context *x, const struct pv_event *e)
{
	struct pv_roots *r = &x->m->roots;
	struct pv_root_area a = { .start = e->root_area.start,
		.size = e->root_area.size,
		.key = e->root_area.key,
		.number = (uint8_t)e->root_area.source,
		.registered_ns = x->time,
		.unregistered_ns = PV_NEVER };
	a.source = a.number <= PV_ROOT_TOGGLEREF ? a.number : PV_ROOT_UNKNOWN;
	struct pv_root_sum *s = &r->source[a.source];
	s->registered += x->counts;
	if (r->area.n >= PV_ROOT_AREAS_CAP) {
		r->folded++;
		return true;
	}
	if (!pv_intern_add(&x->m->names.text, e->root_area.name.at, e->root_area.name.len, &a.name))
		return false;
	size_t again = live_at(r, a.start);
	if (again < r->live.n)
		unregister(r, again, x->time); /* its end was not told */
	if (!pv_reserve(&r->area, 1) || !pv_reserve(&r->live, 1))
		return false;
	size_t at = live_before(r, a.start);
	memmove(r->live.v + at + 1, r->live.v + at, (r->live.n - at) * sizeof *r->live.v);
	r->live.v[at] = (uint32_t)r->area.n;
	r->live.n++;
	s->live++;
	s->live_bytes += a.size;
	r->area.v[r->area.n++] = a;
	forget_gone(r, &a);
	return settle(r, &r->area.v[r->area.n - 1]);
}

static void unregistered(struct pv_context *x, const struct pv_event *e)
{
	struct pv_roots *r = &x->m->roots;
	size_t at = live_at(r, e->root_area.start);
	if (at == r->live.n) {
		r->stray_unregistered += x->counts;
		return;
	}
	r->source[r->area.v[r->live.v[at]].source].unregistered += x->counts;
	unregister(r, at, x->time);
}

/* --- roots */

/* Until data version 13 the low byte is a number, in 14 it is bits. */
enum pv_root_source pv_root_old_source(uint8_t rules, uint64_t type)
{
	static const enum pv_root_source of[] = { PV_ROOT_STACK, PV_ROOT_FINALIZER, PV_ROOT_HANDLE,
		PV_ROOT_OTHER, PV_ROOT_MISC };
	uint64_t low = type & 0xff;
	if (rules <= 13)
		return low < PV_COUNT_OF(of) ? of[low] : PV_ROOT_UNKNOWN;
	for (size_t i = 0; i < PV_COUNT_OF(of); i++)
		if (low >> i & 1)
			return of[i];
	return PV_ROOT_UNKNOWN;
}

static void old_root(struct pv_context *x, uint64_t type)
{
	struct pv_roots *r = &x->m->roots;
	struct pv_root_sum *s = &r->source[pv_root_old_source(x->m->target.rules, type)];
	r->old_form = true;
	r->flags |= x->m->target.rules != 13; /* there the type is one byte */
	add(&s->roots, 1, r->list);
	s->pinning += (type & PV_ROOT_OLD_PINNING) != 0;
	s->weak += (type & PV_ROOT_OLD_WEAK) != 0;
	s->interior += (type & PV_ROOT_OLD_INTERIOR) != 0;
}

static bool wait_for_area(struct pv_roots *r, uint64_t slot, int64_t time)
{
	uint32_t at = pv_map_get(&r->waiting_of, slot);
	uint32_t counted = gone_stack(r, slot, time);
	add(&r->source[source_counted(r, counted)].roots, 1, r->list);
	if (counted)
		add(&r->area.v[counted - 1].roots, 1, r->list);
	if (at == PV_MAP_NONE) {
		if (r->waiting.n >= PV_ROOT_WAITING_CAP) {
			r->folded++;
			return true;
		}
		at = (uint32_t)r->waiting.n;
		if (!pv_reserve(&r->waiting, 1) || !pv_map_set(&r->waiting_of, slot, at))
			return false;
		r->waiting.v[r->waiting.n++] = (struct pv_root_waiting){ .slot = slot };
	}
	if (r->waiting.v[at].counted != counted)
		r->waiting.v[at].roots = (struct pv_root_count){ 0 }; /* as they were counted */
	r->waiting.v[at].counted = counted;
	r->waiting.v[at].time_ns = time;
	add(&r->waiting.v[at].roots, 1, r->list);
	return true;
}

static bool new_root(struct pv_context *x, uint64_t slot)
{
	struct pv_roots *r = &x->m->roots;
	uint32_t at = area_of(r, slot, x->time);
	if (!at)
		return wait_for_area(r, slot, x->time);
	struct pv_root_area *a = &r->area.v[at - 1];
	add(&a->roots, 1, r->list);
	add(&r->source[a->source].roots, 1, r->list);
	return true;
}

static bool list(struct pv_context *x, const struct pv_event *e)
{
	struct pv_roots *r = &x->m->roots;
	const uint64_t *v = x->batch->pool.v + e->roots.roots.at;
	uint64_t width = e->roots.width;
	bool ok = true;
	if (!x->counts || width < 2)
		return true;
	if (r->list == 0 || x->m->gc.roots_since_gc == 0) {
		r->list++;
		r->lists++;
	}
	for (uint32_t i = 0; ok && i + width <= e->roots.roots.n; i += (uint32_t)width) {
		if (width == 2)
			ok = new_root(x, v[i]);
		else
			old_root(x, v[i + 1]);
	}
	return ok;
}

bool pv_roots_apply(struct pv_context *x, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_HEAP_ROOT_REGISTER:
		return registered(x, e);
	case PV_KIND_HEAP_ROOT_UNREGISTER:
		unregistered(x, e);
		return true;
	default:
		return list(x, e);
	}
}

void pv_roots_finish(struct pv_roots *r)
{
	pv_array_finish(&r->area);
	pv_array_finish(&r->live);
	pv_array_finish(&r->waiting);
	pv_map_finish(&r->waiting_of);
}

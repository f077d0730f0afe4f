/* SPDX-License-Identifier: MIT */
/* Applies GC roots and their areas; slots whose area is not registered yet wait. */
#include "common/model/objects/roots.h"

#include "common/model/objects/gc_parts.h"

static void add_root_count(struct pv_root_count *c, uint64_t n, uint64_t list)
{
	if (c->list < list)
		*c = (struct pv_root_count){ c->all, 0, list };
	c->newest += c->list == list ? n : 0;
	c->all += n;
}

static void take_root_count(struct pv_root_count *c, const struct pv_root_count *from)
{
	if (c->list < from->list)
		*c = (struct pv_root_count){ c->all, 0, from->list };
	c->newest += c->list == from->list ? from->newest : 0;
	c->all += from->all;
}

/* --- areas */

/* A pseudo area has no size, but its start is a slot. */
static bool area_holds(const struct pv_root_area *a, uint64_t slot)
{
	return slot == a->start || (slot > a->start && slot - a->start < a->size);
}

static bool holds_at(const struct pv_root_area *a, uint64_t slot, int64_t time)
{
	return area_holds(a, slot) && a->registered_ns <= time && time <= a->unregistered_ns;
}

static int64_t last_byte(const struct pv_root_area *a)
{
	uint64_t more = a->size ? a->size - 1 : 0;
	return pv_order_key(a->start + more >= a->start ? a->start + more : UINT64_MAX);
}

struct search {
	const struct pv_roots *r;
	uint64_t slot;
	int64_t time;
	unsigned left; /* how many more areas may be compared */
	uint32_t found;
};

/* Takes the overlapping area that was registered last. */
static bool look_at_area(void *ctx, uint32_t area)
{
	struct search *s = ctx;
	if (area >= s->found && holds_at(&s->r->area.v[area], s->slot, s->time))
		s->found = area + 1;
	return --s->left > 0;
}

static uint32_t search_area(
	const struct pv_roots *r, const struct pv_order *in, uint64_t slot, int64_t time)
{
	enum { OVERLAPPING = 64 }; /* stacks overlap; no more of them are compared */
	struct search s = { r, slot, time, OVERLAPPING, 0 };
	const struct pv_order_look look = { INT64_MIN, pv_order_key(slot), pv_order_key(slot),
		look_at_area, &s };
	pv_order_look(in, &look);
	return s.found;
}

/* The area around a slot, index + 1; 0 when none is known. Only stacks overlap. */
static uint32_t area_of(struct pv_roots *r, uint64_t slot, int64_t time)
{
	if (r->recent && holds_at(&r->area.v[r->recent - 1], slot, time))
		return r->recent;
	uint32_t at = search_area(r, &r->live, slot, time);
	if (!at && r->any_end && time <= r->latest_end_ns)
		at = search_area(r, &r->ended, slot, time);
	r->recent = at ? at : r->recent;
	return at;
}

/* The stack around a slot that had ended by then, index + 1. */
static uint32_t gone_stack(const struct pv_roots *r, uint64_t slot, int64_t time)
{
	for (size_t i = 0; i < PV_ROOT_GONE; i++) {
		const struct pv_root_area *a = &r->area.v[r->gone[i] ? r->gone[i] - 1 : 0];
		if (r->gone[i] && area_holds(a, slot) && a->unregistered_ns <= time)
			return r->gone[i];
	}
	return 0;
}

/* Forgets ended stacks where another area lies now. */
static void forget_gone(struct pv_roots *r, const struct pv_root_area *by)
{
	for (size_t i = 0; i < PV_ROOT_GONE; i++) {
		const struct pv_root_area *a = &r->area.v[r->gone[i] ? r->gone[i] - 1 : 0];
		if (r->gone[i] && (area_holds(a, by->start) || area_holds(by, a->start)))
			r->gone[i] = 0;
	}
}

static bool unregister(struct pv_roots *r, uint32_t at, int64_t time)
{
	struct pv_root_area *a = &r->area.v[at];
	struct pv_root_sum *s = &r->source[a->source];
	a->unregistered_ns = time;
	a->live = false;
	if (a->source == PV_ROOT_STACK)
		r->gone[r->gone_next++ % PV_ROOT_GONE] = at + 1;
	s->live--;
	s->live_bytes -= a->size;
	pv_order_remove(&r->live, at);
	if (!r->any_end || time > r->latest_end_ns)
		r->latest_end_ns = time;
	r->any_end = true;
	return pv_order_add(&r->ended, at, pv_order_key(a->start), last_byte(a));
}

/* The live area that starts there; PV_ORDER_NONE: none. */
static uint32_t live_at(const struct pv_roots *r, uint64_t start)
{
	uint32_t at = pv_order_at_most(&r->live, pv_order_key(start));
	return at != PV_ORDER_NONE && r->area.v[at].start == start ? at : PV_ORDER_NONE;
}

/* Undoes the count for an ended area, or for none, when the slot's own area has come. */
static void uncount(struct pv_root_count *c, const struct pv_root_count *less)
{
	c->all -= less->all;
	c->newest -= c->list == less->list ? less->newest : 0;
}

static enum pv_root_source source_counted(const struct pv_roots *r, uint32_t counted)
{
	return counted ? (enum pv_root_source)r->area.v[counted - 1].source : PV_ROOT_UNKNOWN;
}

static void finish_one(struct pv_roots *r, struct pv_root_area *a, const struct pv_root_waiting *w)
{
	uncount(&r->source[source_counted(r, w->counted)].roots, &w->roots);
	if (w->counted)
		uncount(&r->area.v[w->counted - 1].roots, &w->roots);
	take_root_count(&a->roots, &w->roots);
	take_root_count(&r->source[a->source].roots, &w->roots);
}

static bool note_settled(void *ctx, uint32_t waiting)
{
	struct pv_roots *r = ctx;
	r->waiting.v[waiting].next = r->freed;
	r->freed = waiting + 1;
	return true;
}

/* Counts the slots that waited for this area. */
static void finish_area(struct pv_roots *r, struct pv_root_area *a)
{
	const struct pv_order_look look = { pv_order_key(a->start), last_byte(a), a->registered_ns,
		note_settled, r };
	r->freed = 0;
	pv_order_look(&r->slots, &look);
	while (r->freed) {
		uint32_t at = r->freed - 1;
		struct pv_root_waiting *w = &r->waiting.v[at];
		r->freed = w->next;
		finish_one(r, a, w);
		pv_order_remove(&r->slots, at);
		w->next = r->unused;
		r->unused = at + 1;
	}
}

static bool registered(struct pv_context *x, const struct pv_event *e)
{
	struct pv_roots *r = &x->m->roots;
	struct pv_root_area a = { .start = e->root_area.start,
		.size = e->root_area.size,
		.key = e->root_area.key,
		.number = (uint8_t)e->root_area.source,
		.registered_ns = x->time,
		.unregistered_ns = PV_NEVER,
		.live = true };
	a.source = a.number <= PV_ROOT_TOGGLEREF ? a.number : PV_ROOT_UNKNOWN;
	struct pv_root_sum *s = &r->source[a.source];
	s->registered += x->counts;
	if (r->area.n >= PV_ROOT_AREAS_CAP) {
		r->folded++;
		return true;
	}
	if (!pv_intern_add(&x->m->names.text, e->root_area.name.at, e->root_area.name.len, &a.name))
		return false;
	uint32_t again = live_at(r, a.start), at = (uint32_t)r->area.n;
	if (again != PV_ORDER_NONE && !unregister(r, again, x->time))
		return false; /* the end was not recorded */
	if (!pv_reserve(&r->area, 1) ||
		!pv_order_add(&r->live, at, pv_order_key(a.start), last_byte(&a)))
		return false;
	s->live++;
	s->live_bytes += a.size;
	r->area.v[r->area.n++] = a;
	forget_gone(r, &a);
	finish_area(r, &r->area.v[at]);
	return true;
}

static bool unregistered(struct pv_context *x, const struct pv_event *e)
{
	struct pv_roots *r = &x->m->roots;
	uint32_t at = live_at(r, e->root_area.start);
	if (at == PV_ORDER_NONE) {
		r->stray_unregistered += x->counts;
		return true;
	}
	r->source[r->area.v[at].source].unregistered += x->counts;
	return unregister(r, at, x->time);
}

/* --- roots */

/* Until data version 13 the low byte is a number, in 14 a set of bits. */
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
	add_root_count(&s->roots, 1, r->list);
	s->pinning += (type & PV_ROOT_OLD_PINNING) != 0;
	s->weak += (type & PV_ROOT_OLD_WEAK) != 0;
	s->interior += (type & PV_ROOT_OLD_INTERIOR) != 0;
}

/* The slot's entry, made when new; NULL when there are too many or no memory. */
static struct pv_root_waiting *waiting_for(struct pv_roots *r, uint64_t slot, int64_t time)
{
	uint32_t at = pv_order_at_most(&r->slots, pv_order_key(slot));
	bool known = at != PV_ORDER_NONE && r->waiting.v[at].slot == slot;
	if (known) {
		pv_order_remove(&r->slots, at);
	} else if (r->unused) {
		at = r->unused - 1;
		r->unused = r->waiting.v[at].next;
	} else {
		if (!pv_reserve(&r->waiting, 1) ||
			!pv_order_reserve(&r->slots, (uint32_t)r->waiting.n + 1))
			return NULL;
		at = (uint32_t)r->waiting.n++;
	}
	if (!known)
		r->waiting.v[at] = (struct pv_root_waiting){ .slot = slot };
	r->waiting.v[at].time_ns = time;
	pv_order_add(&r->slots, at, pv_order_key(slot), time);
	return &r->waiting.v[at];
}

static bool has_place(const struct pv_roots *r, uint64_t slot)
{
	if (r->unused || r->waiting.n < PV_ROOT_WAITING_CAP)
		return true;
	uint32_t at = pv_order_at_most(&r->slots, pv_order_key(slot));
	return at != PV_ORDER_NONE && r->waiting.v[at].slot == slot;
}

static bool wait_for_area(struct pv_roots *r, uint64_t slot, int64_t time)
{
	uint32_t counted = gone_stack(r, slot, time);
	add_root_count(&r->source[source_counted(r, counted)].roots, 1, r->list);
	if (counted)
		add_root_count(&r->area.v[counted - 1].roots, 1, r->list);
	if (!has_place(r, slot)) {
		r->folded++;
		return true;
	}
	struct pv_root_waiting *w = waiting_for(r, slot, time);
	if (!w)
		return false;
	if (w->counted != counted)
		w->roots = (struct pv_root_count){ 0 }; /* former counts stay */
	w->counted = counted;
	add_root_count(&w->roots, 1, r->list);
	return true;
}

static bool new_root(struct pv_context *x, uint64_t slot)
{
	struct pv_roots *r = &x->m->roots;
	uint32_t at = area_of(r, slot, x->time);
	if (!at)
		return wait_for_area(r, slot, x->time);
	struct pv_root_area *a = &r->area.v[at - 1];
	add_root_count(&a->roots, 1, r->list);
	add_root_count(&r->source[a->source].roots, 1, r->list);
	return true;
}

static bool list_roots(struct pv_context *x, const struct pv_event *e)
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
		return unregistered(x, e);
	default:
		return list_roots(x, e);
	}
}

void pv_roots_pack(struct pv_roots *r)
{
	size_t to = 0;
	for (uint32_t link = r->unused; link; link = r->waiting.v[link - 1].next)
		r->waiting.v[link - 1].roots.all = 0; /* a waiting slot was met at least once */
	for (size_t i = 0; i < r->waiting.n; i++)
		if (r->waiting.v[i].roots.all)
			r->waiting.v[to++] = r->waiting.v[i];
	r->waiting.n = to;
}

bool pv_roots_link(struct pv_roots *r)
{
	bool ok = true;
	pv_order_clear(&r->live);
	pv_order_clear(&r->ended);
	pv_order_clear(&r->slots);
	r->unused = 0;
	for (uint32_t i = 0; i < r->area.n && ok; i++) {
		const struct pv_root_area *a = &r->area.v[i];
		struct pv_order *o = a->live ? &r->live : &r->ended;
		ok = pv_order_add(o, i, pv_order_key(a->start), last_byte(a));
	}
	for (uint32_t i = 0; i < r->waiting.n && ok; i++)
		ok = pv_order_add(
			&r->slots, i, pv_order_key(r->waiting.v[i].slot), r->waiting.v[i].time_ns);
	return ok;
}

void pv_roots_finish(struct pv_roots *r)
{
	pv_array_finish(&r->area);
	pv_array_finish(&r->waiting);
	pv_order_finish(&r->live);
	pv_order_finish(&r->ended);
	pv_order_finish(&r->slots);
}

/* SPDX-License-Identifier: MIT */
/* Events that wait for the allocation of their object, by address. */
#include "common/model/objects/unresolved.h"

#include "common/model/objects/address_log_parts.h"

static bool put_unresolved(struct pv_unresolved *l, struct pv_unresolved_event w)
{
	uint32_t *at = pv_reserve(&l->one, 1) ? pv_map_at(&l->of, w.object) : NULL;
	if (!at)
		return false;
	w.before = *at == PV_MAP_NONE ? 0 : *at;
	l->one.v[l->one.n++] = w;
	*at = (uint32_t)l->one.n;
	return true;
}

/* Drops the oldest quarter, and events that do not wait. */
static bool drop_oldest(struct pv_unresolved *l)
{
	size_t n = l->one.n;
	pv_map_clear(&l->of);
	l->one.n = 0;
	for (size_t i = n / 4; i < n; i++)
		if (l->one.v[i].object && !put_unresolved(l, l->one.v[i]))
			return false;
	return true;
}

bool pv_unresolved_add(struct pv_context *x, struct pv_unresolved *l, uint64_t object,
	uint32_t what0, uint32_t what1)
{
	struct pv_addresses *a = &x->m->private->addresses;
	if (x->m->only.address_log || object == 0)
		return true; /* the class is known by place, or there is nothing to report */
	struct pv_address *slot = pv_addresses_slot(a, object);
	if (!slot)
		return false;
	bool known = slot->object == object;
	uint32_t now = pv_addresses_age(a, x->time), age = known ? slot->age : now;
	uint32_t class_use = known ? slot->class_use : 0;
	uint32_t had = age == now && now != PV_AGE_NONE ? class_use : 0;
	pv_address_set(a->ousted, slot, pv_address_of(object, class_use, age, true));
	if (!x->counts)
		return true;
	if (l->one.n >= PV_UNRESOLVED_MOST && !drop_oldest(l))
		return false;
	return put_unresolved(l, (struct pv_unresolved_event){ object, x->place, x->time,
					 { what0, what1 }, 0, had == 0 });
}

/*
 * An address is used again only after a collection, before which Mono writes all threads' buffers:
 * the last allocation in the log is the newest. In logs of our own probe so from round to round,
 * not within a round.
 */
bool pv_unresolved_resolve(struct pv_context *x, struct pv_unresolved *l, uint64_t object,
	uint32_t class_use, pv_unresolved_classify *classify)
{
	uint32_t at = pv_map_get(&l->of, object);
	if (at == PV_MAP_NONE || at == 0)
		return true;
	int64_t until = pv_addresses_until(&x->m->private->addresses, x->time);
	bool ok = pv_map_set(&l->of, object, 0);
	while (at > 0) {
		struct pv_unresolved_event *w = &l->one.v[at - 1];
		if (ok && x->time <= w->time_ns && w->time_ns < until) {
			ok = classify(x, w, class_use);
			pv_address_log_resolved(x->m, w->place, class_use);
		}
		w->object = 0;
		at = w->before;
	}
	return ok;
}

void pv_unresolved_finish(struct pv_unresolved *l)
{
	pv_array_finish(&l->one);
	pv_map_finish(&l->of);
}

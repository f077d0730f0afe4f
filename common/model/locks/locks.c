/* SPDX-License-Identifier: MIT */
/*
 * Applies contentions and the ends of waits; finds the row of a lock by address, number and class.
 */
#include "common/model/locks/locks.h"
#include "common/model/locks/witnesses.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/ground/inside.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/time/window_parts.h"

bool pv_locks_init(struct pv_locks *l)
{
	*l = (struct pv_locks){ .cap = PV_LOCKS_CAP };
	if (!pv_sites_init(&l->sites) || !pv_sites_init(&l->by_lock) || !pv_reserve(&l->lock, 16))
		return false;
	l->lock.v[l->lock.n++] = (struct pv_lock){ 0 };
	return true;
}

void pv_locks_finish(struct pv_locks *l)
{
	pv_array_finish(&l->lock);
	pv_map_finish(&l->of);
	pv_map_finish(&l->by_id);
	pv_sites_finish(&l->sites);
	pv_sites_finish(&l->by_lock);
	pv_waits_finish(&l->waits);
}

/* Makes the maps anew: they cannot forget, and addresses that locks have left would pile up. */
static bool reindex(struct pv_locks *l)
{
	pv_map_clear(&l->of);
	pv_map_clear(&l->by_id);
	for (uint32_t i = 1; i < l->lock.n; i++) {
		const struct pv_lock *lock = &l->lock.v[i];
		if (!lock->gone && !pv_map_set(&l->of, lock->object, i))
			return false;
		if (lock->id && !pv_map_set(&l->by_id, lock->id, i))
			return false;
	}
	return true;
}

static bool place_lock(struct pv_locks *l, uint64_t object, uint32_t lock)
{
	if (l->of.n >= 4 * l->cap && !reindex(l))
		return false;
	return pv_map_set(&l->of, object, lock);
}

bool pv_locks_has(const struct pv_locks *l, uint64_t object)
{
	uint32_t at = pv_map_get(&l->of, object);
	return at != PV_MAP_NONE && at != 0;
}

bool pv_locks_moved(struct pv_locks *l, uint64_t from, uint64_t to)
{
	uint32_t at = pv_map_get(&l->of, from);
	if (at == PV_MAP_NONE || at == 0)
		return true;
	if (!place_lock(l, from, 0))
		return false;
	if (to == 0) {
		l->lock.v[at].gone = true;
		return true;
	}
	l->lock.v[at].object = to;
	return place_lock(l, to, at);
}

static void learn_class(struct pv_locks *l, struct pv_lock *lock, uint32_t class_use)
{
	if (!lock->class_use)
		l->unknown_class -=
			lock->contentions < l->unknown_class ? lock->contentions : l->unknown_class;
	lock->class_use = class_use;
}

/*
 * True if an allocation reported now is the lock's at this address: then its class is the lock's,
 * whatever the table of addresses said of an earlier object.
 */
bool pv_locks_allocated(
	struct pv_locks *l, uint64_t object, uint32_t class_use, int64_t time, int64_t until)
{
	uint32_t at = pv_map_get(&l->of, object);
	if (at == PV_MAP_NONE || at == 0)
		return false;
	struct pv_lock *lock = &l->lock.v[at];
	if (time > lock->first_ns || lock->first_ns >= until)
		return false;
	learn_class(l, lock, class_use);
	return true;
}

/* --- the cap: the quarter with the least wait becomes the "other" row */

struct order {
	int64_t wait_ns;
	uint32_t lock;
};

static int least_first(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? 1 : -1;
	return x->lock < y->lock ? 1 : -1;
}

/* Waits for locks that are about to go are counted by class from here on. */
static bool keep_sites(struct pv_locks *l, const uint32_t *stays)
{
	for (size_t i = 1; i < l->by_lock.site.n; i++) {
		struct pv_site *site = &l->by_lock.site.v[i];
		uint32_t class_use =
			stays[site->class_use] ? 0 : l->lock.v[site->class_use].class_use;
		if (!class_use)
			continue;
		uint32_t at = pv_sites_get(&l->sites, class_use, site->stack);
		if (at == 0)
			return false;
		l->sites.site.v[at].count += site->count;
		l->sites.site.v[at].amount += site->amount;
		site->count = site->amount = 0;
	}
	return true;
}

static bool fold(struct pv_locks *l, struct order *order, uint32_t *to)
{
	size_t n = l->lock.n;
	for (uint32_t i = 1; i < n; i++)
		order[i - 1] = (struct order){ l->lock.v[i].wait_ns, i };
	qsort(order, n - 1, sizeof *order, least_first);
	memset(to, 0, n * sizeof *to);
	for (size_t i = (n + 2) / 4; i < n - 1; i++)
		to[order[i].lock] = 1;
	if (!keep_sites(l, to))
		return false;
	struct pv_lock *other = &l->lock.v[0];
	uint32_t kept = 1;
	for (uint32_t i = 1; i < n; i++) {
		struct pv_lock x = l->lock.v[i];
		if (to[i]) {
			to[i] = kept;
			l->lock.v[kept++] = x;
			continue;
		}
		other->contentions += x.contentions;
		other->acquired += x.acquired;
		other->failed += x.failed;
		other->wait_ns += x.wait_ns;
		if (x.max_wait_ns > other->max_wait_ns)
			other->max_wait_ns = x.max_wait_ns;
		l->folded++;
	}
	l->lock.n = kept;
	return true;
}

static bool make_lock_room(struct pv_model *m)
{
	struct pv_locks *l = &m->locks;
	struct order *order = malloc(l->lock.n * sizeof *order);
	uint32_t *to = malloc(l->lock.n * sizeof *to);
	bool ok = order && to && fold(l, order, to);
	if (ok) {
		ok = reindex(l) && pv_sites_renumber(&l->by_lock, NULL, to, NULL);
		for (size_t t = 1; t < m->threads.thread.n; t++)
			for (size_t i = 0; i < m->threads.thread.v[t]->wait.n; i++) {
				uint32_t *lock = &m->threads.thread.v[t]->wait.v[i].lock;
				*lock = to[*lock];
			}
		pv_waits_renumber_locks(&l->waits, to);
		pv_waits_renumber_locks(&m->private->witnesses, to);
	}
	free(order);
	free(to);
	return ok;
}

/* --- rows */

/*
 * True if the lock that was at this address is contended now: the class is the same, or is unknown
 * for one of the two and the address has meant one object since.
 */
static bool is_same_lock(struct pv_context *x, const struct pv_lock *lock, uint32_t class_use)
{
	if (lock->class_use == class_use)
		return true;
	if (lock->class_use && class_use)
		return false;
	return lock->last_ns >= pv_addresses_since(&x->m->private->addresses, x->time);
}

/* A lock as a contention names it. */
struct contended {
	uint64_t object, id; /* id: the runtime's own number of the lock, 0 = not said */
	uint32_t class_use;
};

/* The row found by the runtime's number of the lock; PV_MAP_NONE: none yet. */
static uint32_t row_of_id(const struct pv_locks *l, const struct contended *c)
{
	uint32_t at = c->id ? pv_map_get(&l->by_id, c->id) : PV_MAP_NONE;
	if (at == PV_MAP_NONE || at == 0)
		return PV_MAP_NONE;
	uint32_t class_use = l->lock.v[at].class_use;
	return class_use && c->class_use && class_use != c->class_use ? PV_MAP_NONE : at;
}

/* Moves the lock to this address, unless another thread's event is of an earlier time. */
static bool is_at(struct pv_context *x, uint32_t at, uint64_t object)
{
	struct pv_locks *l = &x->m->locks;
	struct pv_lock *lock = &l->lock.v[at];
	if (lock->object == object || x->time < lock->last_ns)
		return true;
	uint32_t there = pv_map_get(&l->of, object);
	if (there != PV_MAP_NONE && there != 0)
		l->lock.v[there].gone = true;
	if (pv_map_get(&l->of, lock->object) == at && !place_lock(l, lock->object, 0))
		return false;
	lock->object = object;
	lock->gone = false;
	return place_lock(l, object, at);
}

static bool is_of_id(const struct pv_lock *lock, uint64_t id)
{
	return !lock->id || !id || lock->id == id;
}

/* The row of a lock, made when there is none; PV_MAP_NONE when out of memory. */
static uint32_t lock_row(struct pv_context *x, const struct contended *c)
{
	struct pv_locks *l = &x->m->locks;
	uint32_t at = row_of_id(l, c);
	if (at != PV_MAP_NONE)
		return is_at(x, at, c->object) ? at : PV_MAP_NONE;
	at = pv_map_get(&l->of, c->object);
	bool known = at != PV_MAP_NONE && at != 0 && is_of_id(&l->lock.v[at], c->id) &&
		     is_same_lock(x, &l->lock.v[at], c->class_use);
	if (!known) {
		if (l->lock.n >= l->cap && !make_lock_room(x->m))
			return PV_MAP_NONE;
		at = (uint32_t)l->lock.n;
		if (!pv_reserve(&l->lock, 1) || !place_lock(l, c->object, at))
			return PV_MAP_NONE;
		l->lock.v[l->lock.n++] =
			(struct pv_lock){ .object = c->object, .first_ns = x->time };
	}
	if (!c->id || l->lock.v[at].id == c->id)
		return at;
	l->lock.v[at].id = c->id;
	if (l->by_id.n >= 4 * l->cap && !reindex(l))
		return PV_MAP_NONE;
	return pv_map_set(&l->by_id, c->id, at) ? at : PV_MAP_NONE;
}

/*
 * Asks the address table to report when the object moves, or when its allocation comes after its
 * use.
 */
static void ask_for_moves(
	struct pv_context *x, struct pv_address *known, uint64_t object, uint32_t class_use)
{
	struct pv_addresses *all = &x->m->private->addresses;
	uint32_t age = pv_addresses_age(all, x->time);
	bool same = known->object == object && known->class_use == class_use && known->age == age;
	if (same && class_use)
		known->asked = 1;
	else
		pv_address_set(all->ousted, known, pv_address_of(object, class_use, age, true));
}

/* Finds the row of the object at this address; *ret_class is the class known so far. */
static bool row(struct pv_context *x, uint64_t object, uint32_t *ret_lock, uint32_t *ret_class)
{
	struct pv_model *m = x->m;
	struct pv_address *known = NULL;
	if (!pv_address_log_moves(m, x->place))
		return false;
	if (!m->only.address_log && !(known = pv_addresses_slot(&m->private->addresses, object)))
		return false;
	uint32_t class_use = pv_class_of_address_at(x, object);
	uint32_t at =
		lock_row(x, &(struct contended){ object, pv_said_lock(x, object), class_use });
	if (at == PV_MAP_NONE)
		return false;
	struct pv_lock *lock = &m->locks.lock.v[at];
	lock->last_ns = x->time;
	if (class_use)
		learn_class(&m->locks, lock, class_use);
	if (known)
		ask_for_moves(x, known, object, class_use);
	*ret_lock = at;
	*ret_class = lock->class_use;
	return true;
}

/* Logs of 2007 give the class with the event. */
static bool say_class(struct pv_context *x, const struct pv_event *e)
{
	uint32_t class_use = pv_names_class(&x->m->names, e->monitor.type, x->time);
	struct pv_addresses *all = &x->m->private->addresses;
	struct pv_address *a = pv_addresses_slot(all, e->monitor.object);
	if (!class_use || !a)
		return false;
	if (a->object != e->monitor.object || a->class_use != class_use ||
		a->age != pv_addresses_age(all, x->time))
		pv_address_set(all->ousted, a,
			pv_address_of(e->monitor.object, class_use, pv_addresses_age(all, x->time),
				false));
	return true;
}

/* --- contention, done, fail */

static struct pv_wait *waiting_for(struct pv_thread *th, uint64_t object)
{
	for (size_t i = th->wait.n; i > 0; i--)
		if (th->wait.v[i - 1].object == object)
			return &th->wait.v[i - 1];
	return NULL;
}

static void forget_wait(struct pv_thread *th, struct pv_wait *w)
{
	th->wait.n--;
	memmove(w, w + 1, (size_t)(th->wait.v + th->wait.n - w) * sizeof *w);
}

/* A second contention for the same object: the end of the first was not recorded. */
static bool remember_wait(struct pv_thread *th, const struct pv_wait *wait)
{
	struct pv_wait *old = waiting_for(th, wait->object);
	if (old) {
		*old = *wait;
		return true;
	}
	if (th->wait.n == PV_WAITS_MAX)
		forget_wait(th, th->wait.v);
	if (!pv_reserve(&th->wait, 1))
		return false;
	th->wait.v[th->wait.n++] = *wait;
	return true;
}

static bool add_wait_site(struct pv_context *x, const struct pv_wait *w, struct pv_site more)
{
	struct pv_locks *l = &x->m->locks;
	bool folded = w->lock == 0 && w->class_use != 0;
	more.class_use = folded ? w->class_use : w->lock;
	const struct pv_place_sum here = {
		.node = w->place, .waits = more.count, .wait_ns = more.amount
	};
	return pv_places_add(&x->m->places, &here) &&
	       pv_sites_add(x, folded ? &l->sites : &l->by_lock, &more);
}

static bool contention(struct pv_context *x, const struct pv_event *e)
{
	struct pv_model *m = x->m;
	struct pv_locks *l = &m->locks;
	struct pv_thread *th = x->thread;
	struct pv_wait wait = { .object = e->monitor.object,
		.start_ns = x->time,
		.holder = pv_said_holder(x, e->monitor.object) };
	if (e->monitor.type && !say_class(x, e))
		return false;
	if (!row(x, wait.object, &wait.lock, &wait.class_use))
		return false;
	wait.stack = pv_stack_of(x, e->monitor.stack);
	wait.place = m->private->stack_place;
	if (wait.stack == PV_MAP_NONE)
		return false;
	if (!remember_wait(th, &wait))
		return false;
	if (!x->counts)
		return true;
	l->contentions++;
	l->holders_said += wait.holder != 0;
	l->unknown_class += wait.class_use == 0;
	l->lock.v[wait.lock].contentions++;
	pv_timeline_add(&m->timeline, PV_TRACK_CONTENTIONS, x->time, 1);
	return add_wait_site(x, &wait, (struct pv_site){ .stack = wait.stack, .count = 1 });
}

static bool add_wait(struct pv_context *x, const struct pv_wait *w, enum pv_wait_end ended)
{
	struct pv_model *m = x->m;
	struct pv_lock *lock = &m->locks.lock.v[w->lock];
	const struct pv_waited kept = { w->start_ns, x->time, w->holder, x->thread->index, w->lock,
		w->stack, ended };
	int64_t ns = pv_clipped(m, x->thread, w->start_ns, x->time);
	if (ns == 0)
		return true;
	if (!x->thread->selected)
		return pv_waits_keep(&m->private->witnesses, &kept);
	lock->wait_ns += ns;
	if (ns > lock->max_wait_ns)
		lock->max_wait_ns = ns;
	m->locks.wait_ns += ns;
	x->thread->lock_wait_ns += ns;
	struct pv_work_piece *piece = pv_work_now(x);
	if (piece) {
		piece->waits++;
		piece->wait_ns += ns;
	}
	pv_timeline_span(&m->timeline, PV_TRACK_WAIT_NS, w->start_ns, x->time);
	return pv_waits_keep(&m->locks.waits, &kept) &&
	       add_wait_site(x, w, (struct pv_site){ .stack = w->stack, .amount = (uint64_t)ns });
}

/*
 * Ends the thread's wait for the object, else its newest wait: the object may have moved meanwhile.
 */
static bool ended(struct pv_context *x, const struct pv_event *e)
{
	struct pv_locks *l = &x->m->locks;
	struct pv_thread *th = x->thread;
	bool done = e->kind == PV_KIND_MONITOR_DONE;
	if (x->counts)
		*(done ? &l->acquired : &l->failed) += 1;
	struct pv_wait *w = waiting_for(th, e->monitor.object);
	if (!w && th->wait.n)
		w = &th->wait.v[th->wait.n - 1];
	if (!w) {
		l->unpaired += x->counts;
		return true;
	}
	struct pv_wait over = *w;
	forget_wait(th, w);
	if (x->counts)
		*(done ? &l->lock.v[over.lock].acquired : &l->lock.v[over.lock].failed) += 1;
	return add_wait(x, &over, done ? PV_WAIT_GOT : PV_WAIT_GAVE_UP);
}

const struct pv_waits *pv_locks_witnesses(const struct pv_model *m)
{
	return &m->private->witnesses;
}

/* --- waits without an end */

static int64_t open_ns(
	const struct pv_model *m, const struct pv_thread *th, const struct pv_wait *w)
{
	const bool gone = th->end_ns != PV_NEVER && th->end_ns < m->last_ns;
	const int64_t to = gone ? th->end_ns : m->last_ns;
	return to > w->start_ns ? pv_clipped(m, th, w->start_ns, to) : 0;
}

int64_t pv_locks_open_ns(
	const struct pv_model *m, const struct pv_thread *th, const struct pv_wait *w)
{
	return th->selected ? open_ns(m, th, w) : 0;
}

bool pv_locks_open_counts(
	const struct pv_model *m, const struct pv_thread *th, const struct pv_wait *w)
{
	return (!m->only.ranged && !pv_restricts_threads(&m->only)) || open_ns(m, th, w) > 0;
}

int64_t pv_locks_open_sum(const struct pv_model *m)
{
	int64_t ret = 0;
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		const struct pv_thread *th = m->threads.thread.v[t];
		for (size_t i = 0; i < th->wait.n; i++)
			ret = pv_sat_add(ret, pv_locks_open_ns(m, th, &th->wait.v[i]));
	}
	return ret;
}

bool pv_locks_apply(struct pv_context *x, const struct pv_event *e)
{
	return e->kind == PV_KIND_MONITOR_CONTENTION ? contention(x, e) : ended(x, e);
}

/* SPDX-License-Identifier: MIT */
/* Stores by class and stack to bytes and back: allocations, throws, waits, handles. */
#include "common/model/persist_parts.h"

#define SITE(F, T)                                                                                 \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, count, FIGURE)                                                                        \
	F(T, amount, FIGURE)                                                                       \
	F(T, cell, LEFT_OUT)                                                                       \
	F(T, other, BOOL)
PV_SHAPE(site, struct pv_site, SITE)

/* With the lock in place of the class. */
#define SITE_OF_LOCK(F, T)                                                                         \
	F(T, class_use, ID, PV_LOCKS)                                                              \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, count, FIGURE)                                                                        \
	F(T, amount, FIGURE)                                                                       \
	F(T, cell, LEFT_OUT)                                                                       \
	F(T, other, BOOL)
PV_SHAPE(site_of_lock, struct pv_site, SITE_OF_LOCK)

#define SITES(F, T, shape, store)                                                                  \
	F(T, site, LIST, shape, store, 0)                                                          \
	F(T, of, MAP, SOME, store)                                                                 \
	F(T, other, MAP, SOME, store)                                                              \
	F(T, folded, FIGURE)                                                                       \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, fold_at, FIGURE)                                                                      \
	F(T, last, LEFT_OUT)
#define ALLOC_SITES(F, T) SITES(F, T, site, PV_ALLOC_SITES)
#define THROW_SITES(F, T) SITES(F, T, site, PV_THROW_SITES)
#define LOCK_SITES(F, T)  SITES(F, T, site, PV_LOCK_SITES)
#define BY_LOCK(F, T)     SITES(F, T, site_of_lock, PV_BY_LOCK)
PV_SHAPE(alloc_sites, struct pv_sites, ALLOC_SITES)
PV_SHAPE(throw_sites, struct pv_sites, THROW_SITES)
PV_SHAPE(lock_sites, struct pv_sites, LOCK_SITES)
PV_SHAPE(by_lock, struct pv_sites, BY_LOCK)

/* --- allocations */

#define CLASS_ALLOCS(F, T)                                                                         \
	F(T, count, FIGURE)                                                                        \
	F(T, bytes, FIGURE)                                                                        \
	F(T, variance, REAL)                                                                       \
	F(T, shot_count, FIGURE)                                                                   \
	F(T, shot_bytes, FIGURE)
PV_SHAPE(class_allocs, struct pv_class_allocs, CLASS_ALLOCS)

#define ALLOC_SIZE(F, T)                                                                           \
	F(T, count, FIGURE)                                                                        \
	F(T, bytes, FIGURE)
PV_SHAPE(alloc_size, struct pv_alloc_size, ALLOC_SIZE)

#define ALLOCS(F, T)                                                                               \
	F(T, class_use, LIST, class_allocs, PV_NO_STORE, 0)                                        \
	F(T, sites, PART, alloc_sites)                                                             \
	F(T, size, PART, alloc_size)                                                               \
	F(T, shot, FIGURE)                                                                         \
	F(T, count, FIGURE)                                                                        \
	F(T, bytes, FIGURE)                                                                        \
	F(T, period, FIGURE)                                                                       \
	F(T, samples, FIGURE)                                                                      \
	F(T, variance, REAL)                                                                       \
	F(T, carry, FRACTION)                                                                      \
	F(T, with_backtrace, FIGURE)                                                               \
	F(T, with_path, FIGURE)
PV_SHAPE_SHARED(allocs, struct pv_allocs, ALLOCS)

/* --- events whose class is not known yet */

#define UNRESOLVED_EVENT(F, T)                                                                     \
	F(T, object, FIGURE)                                                                       \
	F(T, place, FIGURE)                                                                        \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, what, FIGURES, uint32_t)                                                              \
	F(T, before, OLDER_1)                                                                      \
	F(T, unknown, FIGURE)
PV_SHAPE(unresolved_event, struct pv_unresolved_event, UNRESOLVED_EVENT)

#define UNRESOLVED_THROWS(F, T)                                                                    \
	F(T, one, LIST, unresolved_event, PV_UNRESOLVED_EXCEPTIONS, PV_UNRESOLVED_MOST)            \
	F(T, of, MAP, ID_1, PV_UNRESOLVED_EXCEPTIONS)
#define UNRESOLVED_HANDLES(F, T)                                                                   \
	F(T, one, LIST, unresolved_event, PV_UNRESOLVED_HANDLES, PV_UNRESOLVED_MOST)               \
	F(T, of, MAP, ID_1, PV_UNRESOLVED_HANDLES)
PV_SHAPE(unresolved_exceptions, struct pv_unresolved, UNRESOLVED_THROWS)
PV_SHAPE(unresolved_handles, struct pv_unresolved, UNRESOLVED_HANDLES)

/* --- throws */

#define CLAUSE_METHOD(F, T)                                                                        \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, clauses, FIGURES, uint64_t)
PV_SHAPE(clause_method, struct pv_clause_method, CLAUSE_METHOD)

#define MESSAGE(F, T)                                                                              \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, cut, BELOW, 2)                                                                        \
	F(T, text, CHARS)
PV_SHAPE(message, struct pv_message, MESSAGE)

#define MESSAGES(F, T)                                                                             \
	F(T, one, LIST, message, PV_MESSAGES, PV_MESSAGES_MOST)                                    \
	F(T, of, MAP, ID, PV_MESSAGES)
PV_SHAPE(messages, struct pv_messages, MESSAGES)

#define CATCH(F, T)                                                                                \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, count, FIGURE)
PV_SHAPE(catch, struct pv_catch, CATCH)

#define CATCHES(F, T)                                                                              \
	F(T, one, LIST, catch, PV_CATCHES, PV_CATCHES_CAP)                                         \
	F(T, of, MAP, ID, PV_CATCHES)                                                              \
	F(T, unpaired, FIGURE)
PV_SHAPE(catches, struct pv_catches, CATCHES)

#define THROWS(F, T)                                                                               \
	F(T, thrown, FIGURE)                                                                       \
	F(T, clauses, FIGURES, uint64_t)                                                           \
	F(T, sites, PART, throw_sites)                                                             \
	F(T, by_method, LIST, clause_method, PV_CLAUSES_BY_METHOD, 0)                              \
	F(T, by_method_of, MAP, ID, PV_CLAUSES_BY_METHOD)                                          \
	F(T, open_ns, FIGURE)                                                                      \
	F(T, unknown_class, FIGURE)                                                                \
	F(T, waiting, PART, unresolved_exceptions)                                                 \
	F(T, messages, PART, messages)                                                             \
	F(T, catches, PART, catches)
PV_SHAPE_SHARED(throws, struct pv_exceptions, THROWS)

/* --- locks */

#define LOCK(F, T)                                                                                 \
	F(T, object, FIGURE)                                                                       \
	F(T, id, FIGURE)                                                                           \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, contentions, FIGURE)                                                                  \
	F(T, acquired, FIGURE)                                                                     \
	F(T, failed, FIGURE)                                                                       \
	F(T, wait_ns, FIGURE)                                                                      \
	F(T, max_wait_ns, FIGURE)                                                                  \
	F(T, first_ns, FIGURE)                                                                     \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, gone, BOOL)
PV_SHAPE(lock, struct pv_lock, LOCK)

#define WAITED(F, T)                                                                               \
	F(T, start_ns, FIGURE)                                                                     \
	F(T, end_ns, FIGURE)                                                                       \
	F(T, holder, FIGURE)                                                                       \
	F(T, thread, ID, PV_THREADS)                                                               \
	F(T, lock, ID, PV_LOCKS)                                                                   \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, ended, BELOW, PV_WAIT_ENDS)
PV_SHAPE(waited, struct pv_waited, WAITED)

#define WAITS(F, T)                                                                                \
	F(T, one, LIST, waited, PV_NO_STORE, PV_WAITS_KEPT)                                        \
	F(T, left_out, FIGURE)
PV_SHAPE(waits, struct pv_waits, WAITS)

#define LOCKS(F, T)                                                                                \
	F(T, lock, LIST, lock, PV_LOCKS, 0)                                                        \
	F(T, of, MAP, ID, PV_LOCKS)                                                                \
	F(T, by_id, MAP, ID, PV_LOCKS)                                                             \
	F(T, by_lock, PART, by_lock)                                                               \
	F(T, sites, PART, lock_sites)                                                              \
	F(T, waits, PART, waits)                                                                   \
	F(T, contentions, FIGURE)                                                                  \
	F(T, acquired, FIGURE)                                                                     \
	F(T, failed, FIGURE)                                                                       \
	F(T, wait_ns, FIGURE)                                                                      \
	F(T, holders_said, FIGURE)                                                                 \
	F(T, unpaired, FIGURE)                                                                     \
	F(T, unknown_class, FIGURE)                                                                \
	F(T, folded, FIGURE)                                                                       \
	F(T, cap, LEFT_OUT)
PV_SHAPE_SHARED(locks, struct pv_locks, LOCKS)

/* --- handles */

#define HANDLE_SUM(F, T)                                                                           \
	F(T, created, FIGURE)                                                                      \
	F(T, destroyed, FIGURE)                                                                    \
	F(T, live, FIGURE)                                                                         \
	F(T, most, FIGURE)
PV_SHAPE(handle_sum, struct pv_handle_sum, HANDLE_SUM)

#define HANDLE_SITE(F, T)                                                                          \
	F(T, type, BELOW, PV_HANDLE_TYPES)                                                         \
	F(T, other, BOOL)                                                                          \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, created, FIGURE)                                                                      \
	F(T, live, FIGURE)
PV_SHAPE(handle_site, struct pv_handle_site, HANDLE_SITE)

#define HANDLE(F, T)                                                                               \
	F(T, site, FIGURE)                                                                         \
	F(T, owed, FIGURE)                                                                         \
	F(T, early, FIGURE)                                                                        \
	F(T, since_ns, FIGURE)                                                                     \
	F(T, alive, BOOL)
PV_SHAPE(handle, struct pv_handle, HANDLE)

#define HANDLES(F, T)                                                                              \
	F(T, type, PART, handle_sum)                                                               \
	F(T, site, LIST, handle_site, PV_HANDLE_SITES, 0)                                          \
	F(T, unknown_class, FIGURE)                                                                \
	F(T, without_stack, FIGURE)                                                                \
	F(T, owed, FIGURE)                                                                         \
	F(T, folded, FIGURE)                                                                       \
	F(T, folded_sites, FIGURE)                                                                 \
	F(T, waiting, PART, unresolved_handles)                                                    \
	F(T, handle, LIST, handle, PV_HANDLES, PV_HANDLES_CAP)                                     \
	F(T, handle_of, MAP, ID, PV_HANDLES)                                                       \
	F(T, site_of, MAP, ID, PV_HANDLE_SITES)                                                    \
	F(T, last, LEFT_OUT)                                                                       \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, site_cap, LEFT_OUT)
PV_SHAPE_SHARED(handles, struct pv_handles, HANDLES)

/* --- addresses */

/* The table's bits, as numbers. */
struct address {
	uint64_t object;
	uint32_t class_use, age;
	bool asked;
};
#define ADDRESS(F, T)                                                                              \
	F(T, object, FIGURE)                                                                       \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, age, BELOW, PV_AGE_NONE)                                                              \
	F(T, asked, BOOL)
PV_SHAPE(address, struct address, ADDRESS)

struct address_list {
	PV_ARRAY(struct address) one;
};
#define ADDRESSES(F, T) F(T, one, LIST, address, PV_NO_STORE, PV_ADDRESSES)
PV_SHAPE(address_list, struct address_list, ADDRESSES)

static bool take_used(struct address_list *to, const struct pv_address *table, size_t n)
{
	for (size_t i = 0; table && i < n; i++) {
		if (!pv_address_used(&table[i]))
			continue;
		if (!pv_reserve(&to->one, 1))
			return false;
		to->one.v[to->one.n++] = (struct address){ table[i].object, table[i].class_use,
			table[i].age, table[i].asked };
	}
	return true;
}

/* Archives the entries in use; an object's address gives its place. */
static void archive_ones(struct pv_archive *a, struct pv_address *table, size_t size,
	struct pv_address *place(struct pv_addresses *t, uint64_t object), struct pv_addresses *t)
{
	struct address_list list = { 0 };
	if (a->mode == PV_ARCHIVE_SAVE)
		a->failed |= !take_used(&list, table, size);
	pv_archive_shape(a, &address_list_shape, &list);
	for (size_t i = 0; i < list.one.n && pv_archive_loads(a); i++) {
		const struct address *x = &list.one.v[i];
		*place(t, x->object) = pv_address_of(x->object, x->class_use, x->age, x->asked);
	}
	pv_array_finish(&list.one);
}

static struct pv_address *address_slot(struct pv_addresses *t, uint64_t object)
{
	return &t->slot[pv_addresses_place(object)];
}

static struct pv_address *ousted_of(struct pv_addresses *t, uint64_t object)
{
	return &t->ousted[pv_addresses_ousted_place(object)];
}

#define AGES(F, T)                                                                                 \
	F(T, kept, BOOL)                                                                           \
	F(T, moved, BOOL)                                                                          \
	F(T, newest, BELOW, PV_AGE_NONE)                                                           \
	F(T, n, AT_MOST, PV_AGES)                                                                  \
	F(T, since, FIGURES, int64_t)
PV_SHAPE(ages, struct pv_ages, AGES)

void pv_addresses_archive(struct pv_archive *a, struct pv_addresses *t)
{
	uint8_t any = t->slot != NULL;
	pv_archive_shape(a, &ages_shape, &t->ages);
	pv_archive_value(a, any);
	pv_archive_check(a, any <= 1);
	pv_archive_check(a, !any || t->slot || pv_addresses_make(t));
	if (a->failed || !any)
		return;
	archive_ones(a, t->slot, PV_ADDRESSES, address_slot, t);
	archive_ones(a, t->ousted, PV_ADDRESSES_OUSTED, ousted_of, t);
}

/* --- invariants between them, checked after loading */

static bool throws_hold(const struct pv_model *m)
{
	const struct pv_unresolved *l = &m->throws.waiting;
	bool ok = true;
	for (size_t i = 0; i < l->one.n; i++)
		ok &= l->one.v[i].what[0] < m->names.class_use.n &&
		      l->one.v[i].what[1] < m->stacks.node.n;
	return ok;
}

static bool handles_hold(const struct pv_handles *h)
{
	bool ok = true;
	for (size_t i = 0; i < h->waiting.one.n; i++)
		ok &= h->waiting.one.v[i].what[0] < h->site.n;
	for (size_t i = 0; i < h->handle.n; i++)
		ok &= !h->handle.v[i].alive || h->handle.v[i].site < h->site.n;
	return ok;
}

void pv_sites_check(struct pv_archive *a, const struct pv_model *m)
{
	if (!pv_archive_loads(a))
		return;
	pv_archive_check(a, m->allocs.sites.site.n > 0 && m->throws.sites.site.n > 0 &&
				    m->locks.sites.site.n > 0 && m->locks.by_lock.site.n > 0 &&
				    m->locks.lock.n > 0 &&
				    m->allocs.class_use.n <= m->names.class_use.n &&
				    throws_hold(m) && handles_hold(&m->handles));
}

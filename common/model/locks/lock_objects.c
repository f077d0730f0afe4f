/* SPDX-License-Identifier: MIT */
/*
 * Locks follow their objects: moves and belated allocations, listened to or from the address log.
 */
#include "common/model/objects/address_log_parts.h"

static bool lock_moved(struct pv_context *x, uint64_t from, uint64_t to)
{
	if (!pv_locks_has(&x->m->locks, from))
		return true; /* the object of a handle */
	pv_address_log_move(
		x->m->address_log, (struct pv_address_log_move){ x->place, from, to, 0, 0 });
	return pv_locks_moved(&x->m->locks, from, to);
}

static bool lock_allocated(
	struct pv_context *x, uint64_t object, uint32_t class_use, bool *ret_same)
{
	int64_t until = pv_addresses_until(&x->m->private->addresses, x->time);
	if (!pv_locks_allocated(&x->m->locks, object, class_use, x->time, until))
		return lock_moved(x, object, 0);
	*ret_same = true;
	pv_address_log_move(x->m->address_log,
		(struct pv_address_log_move){ x->place, object, object, class_use, x->time });
	return true;
}

const struct pv_object_listener pv_locks_listener = { lock_allocated, lock_moved };

static bool follow_lock_move(struct pv_model *m, const struct pv_address_log_move *move)
{
	if (!move->class_use)
		return pv_locks_moved(&m->locks, move->from, move->to);
	uint32_t class_use = pv_names_class(&m->names, move->class_use, move->time_ns);
	pv_locks_allocated(&m->locks, move->from, class_use, move->time_ns, INT64_MAX);
	return class_use != 0;
}

bool pv_address_log_moves(struct pv_model *m, uint64_t place)
{
	const struct pv_address_log *r = m->only.address_log;
	size_t *at = &m->private->logged_moves;
	bool ok = true;
	for (; ok && r && *at < r->moves.n && r->moves.v[*at].place < place; ++*at)
		ok = follow_lock_move(m, &r->moves.v[*at]);
	return ok;
}

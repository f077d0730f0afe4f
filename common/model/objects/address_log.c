/* SPDX-License-Identifier: MIT */
/* Answers of the address table: logged by a first reading, given from the log in a second one. */
#include "common/model/objects/address_log.h"

#include "common/model/objects/address_log_parts.h"

enum { FAR = 1 << 16 }; /* entries that an answer out of order may have to move */

void pv_address_log_finish(struct pv_address_log *r)
{
	pv_array_finish(&r->classes);
	pv_array_finish(&r->moves);
	r->full = false;
}

/* The first entry of this place or of a later place. */
static size_t find_logged(const struct pv_address_log *r, uint64_t place)
{
	size_t low = 0, high = r->classes.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->classes.v[mid].place < place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t logged_class(const struct pv_address_log *r, uint64_t place)
{
	size_t at = find_logged(r, place);
	return at < r->classes.n && r->classes.v[at].place == place ? r->classes.v[at].class_use
								    : 0;
}

static void record(struct pv_address_log *r, uint64_t place, uint32_t class_use)
{
	if (r->classes.n >= PV_ADDRESS_LOG_MOST || !pv_reserve(&r->classes, 1))
		r->full = true;
	else
		r->classes.v[r->classes.n++] = (struct pv_address_log_class){ place, class_use };
}

uint32_t pv_class_of_address_at(struct pv_context *x, uint64_t object)
{
	struct pv_model *m = x->m;
	uint64_t said = pv_said_type(x, object);
	if (said)
		return pv_names_class(&m->names, said, x->time);
	if (m->only.address_log) {
		uint64_t key = logged_class(m->only.address_log, x->place);
		return key ? pv_names_class(&m->names, key, x->time) : 0;
	}
	uint32_t class_use = pv_addresses_class(&m->private->addresses, object, x->time);
	if (m->address_log && class_use)
		record(m->address_log, x->place, class_use);
	return class_use;
}

void pv_address_log_resolved(struct pv_model *m, uint64_t place, uint32_t class_use)
{
	struct pv_address_log *r = m->address_log;
	if (!r)
		return;
	size_t at = find_logged(r, place), had = r->classes.n;
	if (at < had && r->classes.v[at].place == place) {
		r->classes.v[at].class_use = class_use;
		return;
	}
	if (had - at > FAR) {
		r->full = true; /* thousands out of order: ranges read the whole log again */
		return;
	}
	record(r, place, class_use);
	for (size_t i = had; r->classes.n > had && i > at; i--) {
		struct pv_address_log_class last = r->classes.v[i];
		r->classes.v[i] = r->classes.v[i - 1];
		r->classes.v[i - 1] = last;
	}
}

void pv_address_log_move(struct pv_address_log *r, struct pv_address_log_move move)
{
	if (r && (r->moves.n >= PV_ADDRESS_LOG_MOST || !pv_reserve(&r->moves, 1)))
		r->full = true;
	else if (r)
		r->moves.v[r->moves.n++] = move;
}

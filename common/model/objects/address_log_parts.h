/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: classes of addresses, and moves of objects, in a first and a second
 * reading. Ingest thread, with the model's lock. Functions that return bool are false when out of
 * memory, if they are no questions. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_ADDRESS_LOG_PARTS_H
#define PV_MODEL_ADDRESS_LOG_PARTS_H

#include "common/model/ground/listen.h"
#include "common/model/ground/model_parts.h"
#include "common/model/objects/address_log.h"

/*
 * The class of an object at the time of the event: from the event directly before, else from the
 * table of addresses. 0: not known.
 */
uint32_t pv_class_of_address_at(struct pv_context *x, uint64_t object);

/* The class that the event directly before states, as a wire key; 0: none. */
uint64_t pv_said_type_here(const struct pv_context *x, uint64_t object);
static inline uint64_t pv_said_type(const struct pv_context *x, uint64_t object)
{
	return x->m->private->said.type ? pv_said_type_here(x, object) : 0;
}
/* The native id of the thread that has this lock, likewise; 0: not said. */
uint64_t pv_said_holder(const struct pv_context *x, uint64_t object);
/* The runtime's own number of this lock, likewise; 0: not said. */
uint64_t pv_said_lock(const struct pv_context *x, uint64_t object);
/* Applies an event that states the class, holder or number of an object. */
bool pv_said_apply(struct pv_context *x, const struct pv_event *e);

/* The event at `place` has got its class, or another class, from an allocation later in the log. */
void pv_address_log_resolved(struct pv_model *m, uint64_t place, uint32_t class_use);

/* Records the move of a lock's object for a second reading. r NULL: not. */
void pv_address_log_move(struct pv_address_log *r, struct pv_address_log_move move);

extern const struct pv_object_listener pv_locks_listener;
/* True if an object at this address was contended. */
bool pv_locks_has(const struct pv_locks *l, uint64_t object);
/* The object at `from` is now at `to`; at `to` 0 it is gone. */
bool pv_locks_moved(struct pv_locks *l, uint64_t from, uint64_t to);
/* The object was allocated at `time`; its address means it until `until`. */
bool pv_locks_allocated(
	struct pv_locks *l, uint64_t object, uint32_t class_use, int64_t time, int64_t until);

/* In a second reading: locks follow the moves that lie before `place`. */
bool pv_address_log_moves(struct pv_model *m, uint64_t place);

#endif

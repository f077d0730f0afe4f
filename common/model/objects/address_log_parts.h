/* Towards the model's own files: who asks for classes of addresses, and who moves objects. */
#ifndef PV_MODEL_ADDRESS_LOG_PARTS_H
#define PV_MODEL_ADDRESS_LOG_PARTS_H

#include "common/model/ground/listen.h"
#include "common/model/ground/model_parts.h"
#include "common/model/objects/address_log.h"

/*
 * The class of an object at the time of the event: as the event directly before it says, else from
 * the table of addresses; 0 when it is not known.
 */
uint32_t pv_class_of_address_at(struct pv_context *x, uint64_t object);

/* Class that the event directly before states: a wire key; 0: none. */
uint64_t pv_said_type(const struct pv_context *x, uint64_t object);
bool pv_said_apply(struct pv_context *x, const struct pv_event *e);

/* The event at `place` has got a class, or another one, from what was told behind it. */
void pv_address_log_resolved(struct pv_model *m, uint64_t place, uint32_t class_use);

/* Objects of locks go on; for a second reading it is recorded. r NULL: not. */
void pv_address_log_move(struct pv_address_log *r, struct pv_address_log_move move);

extern const struct pv_object_listener pv_locks_listener;
bool pv_locks_has(const struct pv_locks *l, uint64_t object);
/* The object at `from` is now at `to`; at `to` 0 it is gone. */
bool pv_locks_moved(struct pv_locks *l, uint64_t from, uint64_t to);
/* Its address means the object until then. */
bool pv_locks_allocated(
	struct pv_locks *l, uint64_t object, uint32_t class_use, int64_t time, int64_t until);

/* In a second reading: locks follow the moves that lie before `place`. */
bool pv_address_log_moves(struct pv_model *m, uint64_t place);

#endif

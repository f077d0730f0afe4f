/* Towards the model's own files: who asks for classes of addresses, and who moves objects. */
#ifndef PV_MODEL_RECALL_PARTS_H
#define PV_MODEL_RECALL_PARTS_H

#include "common/model/model_parts.h"
#include "common/model/recall.h"

/* The class of an object at the time of the event; 0 when it is not known. */
uint32_t pv_class_at(struct pv_context *x, uint64_t object);

/* The event at `place` has got a class, or another one, from what was told behind it. */
void pv_recall_late(struct pv_model *m, uint64_t place, uint32_t class_use);

/* An object that has a row in locks moved, or is gone (to 0). */
bool pv_object_moved(struct pv_context *x, uint64_t from, uint64_t to);

/* Its allocation, told now, is that of the lock at this address: the lock has its class then. */
bool pv_object_allocated(struct pv_context *x, uint64_t object, uint32_t class_use);

/* In a second reading: locks follow the moves that lie before `place`. */
bool pv_recall_moves(struct pv_model *m, uint64_t place);

#endif

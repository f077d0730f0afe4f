/* Room for what the ingest thread is about to add, made while others may use the model. */
#ifndef PV_MODEL_ROOM_H
#define PV_MODEL_ROOM_H

struct pv_model;

/*
 * Maps that are about to grow are grown: the copy is made without the lock, which the caller does
 * not hold and which is taken for a moment to put it in place. Without this, or when out of memory,
 * they grow when they have to.
 */
void pv_model_make_room(struct pv_model *m);

#endif

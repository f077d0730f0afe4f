/* SPDX-License-Identifier: MIT */
/* Room for the next additions of the ingest thread, made while others may use the model. */
#ifndef PV_MODEL_ROOM_H
#define PV_MODEL_ROOM_H

struct pv_model;

/*
 * Grows the maps that are about to grow: the copy is made without the lock, which the caller does
 * not hold and which is taken for a moment to put the copy in place. Without this call, or when out
 * of memory, maps grow when they have to.
 */
void pv_model_make_room(struct pv_model *m);

#endif

/* SPDX-License-Identifier: MIT */
/* Private to the model: the methods open on a thread. */
#ifndef PV_MODEL_CALLS_OPEN_H
#define PV_MODEL_CALLS_OPEN_H

#include <stdbool.h>
#include <stdint.h>

struct pv_model;
struct pv_open_index;
struct pv_thread_calls;

/*
 * False: no open call of the thread has this method. Time grows with the change of the stack since
 * the last call. True also when out of memory. Ingest thread, with the model's lock.
 */
bool pv_calls_may_be_open(const struct pv_model *m, struct pv_thread_calls *s, uint64_t key);
void pv_open_index_free(struct pv_open_index *x);

#endif

/* Private to the model: which methods are open on a thread. */
#ifndef PV_MODEL_CALLS_OPEN_H
#define PV_MODEL_CALLS_OPEN_H

#include <stdbool.h>
#include <stdint.h>

struct pv_model;
struct pv_open_index;
struct pv_thread_calls;

/*
 * False: no open call of the thread has this method. Takes time for what has changed of the stack
 * since it was asked last. True also where there is no memory to find out.
 */
bool pv_calls_may_be_open(const struct pv_model *m, struct pv_thread_calls *s, uint64_t key);
void pv_open_index_free(struct pv_open_index *x);

#endif

/* Private to the model: how it is read while something large is under way. */
#ifndef PV_MODEL_LOCK_YIELD_H
#define PV_MODEL_LOCK_YIELD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pv_model;

/*
 * Work that takes long is done in parts, between which whoever waits for the model gets it. What
 * the owner has under way stands as it is then: nobody else changes anything but the window's end.
 */
struct pv_lock_yield {
	bool may;          /* the caller of pv_model_apply() has the lock, and lets go of it */
	pthread_t owner;   /* its thread */
	size_t done, most; /* in this hold; in any. Units are entries of tables, a few ns each */
};

/* For folding the call tree; given back when there is nothing more to come. */
struct pv_overflow_scratch {
	void *lists, *tree;
	size_t lists_size, tree_size; /* bytes */
	unsigned pause;               /* calls for a further node until it is tried again */
};

/* So many entries of a table were gone through: others may get their turn now. */
void pv_model_lock_yield(struct pv_model *m, size_t entries);
/* Others may read the model until it is taken back; nothing that they read may change. */
void pv_model_lock_release(struct pv_model *m);
void pv_model_lock_retake(struct pv_model *m);

void pv_calls_fold_done(struct pv_model *m); /* frees what it has kept for the next time */

#endif

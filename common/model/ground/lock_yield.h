/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: long updates release the model's lock between parts, so that readers wait
 * at most some ms. All run on the ingest thread, with the lock; none can fail.
 */
#ifndef PV_MODEL_LOCK_YIELD_H
#define PV_MODEL_LOCK_YIELD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pv_model;

/*
 * Between two parts readers see the update half done: the model is consistent then, and readers
 * change nothing but the end of the rolling window.
 */
struct pv_lock_yield {
	bool may;          /* within pv_model_apply() with a budget: the lock may be released */
	pthread_t ingest;  /* the ingest thread */
	size_t done, most; /* table entries (a few ns each) since the lock was taken; most ever */
};

/* Memory for folding the call tree, kept between folds. */
struct pv_overflow_scratch {
	void *lists, *tree;
	size_t lists_size, tree_size; /* bytes */
	unsigned pause;               /* requests for a node until folding is tried again */
};

/*
 * Call after every few `entries` of a table: releases and retakes the lock when enough were done.
 */
void pv_model_lock_yield(struct pv_model *m, size_t entries);
/*
 * Readers get the model until the lock is retaken; meanwhile the data that they read must not
 * change.
 */
void pv_model_lock_release(struct pv_model *m);
void pv_model_lock_retake(struct pv_model *m);

void pv_calls_fold_done(struct pv_model *m); /* frees the scratch memory of folding */

#endif

/* SPDX-License-Identifier: MIT */
/* The model's lock: fair between the ingest thread and readers, released in parts. */
#include "common/model/ground/model_parts.h"

void pv_model_lock(struct pv_model *m)
{
	/*
	 * A waiting thread holds `next`, so that the owner, which unlocks only to lock again at
	 * once, queues after a query instead of starving it.
	 */
	pthread_mutex_lock(&m->private->next);
	pthread_mutex_lock(&m->private->lock);
	pthread_mutex_unlock(&m->private->next);
}

void pv_model_unlock(struct pv_model *m)
{
	pthread_mutex_unlock(&m->private->lock);
}

void pv_model_lock_release(struct pv_model *m)
{
	struct pv_lock_yield *b = &m->private->yield;
	if (b->may && pthread_equal(b->ingest, pthread_self()))
		pv_model_unlock(m);
}

void pv_model_lock_retake(struct pv_model *m)
{
	struct pv_lock_yield *b = &m->private->yield;
	if (!b->may || !pthread_equal(b->ingest, pthread_self()))
		return;
	pv_model_lock(m);
	b->done = 0;
}

void pv_model_lock_yield(struct pv_model *m, size_t entries)
{
	enum { ENOUGH = 1 << 16 };
	struct pv_lock_yield *b = &m->private->yield;
	b->done += entries;
	b->most = b->done > b->most ? b->done : b->most;
	if (b->done < ENOUGH)
		return;
	b->done = 0;
	pv_model_lock_release(m);
	pv_model_lock_retake(m);
}

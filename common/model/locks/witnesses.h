/* SPDX-License-Identifier: MIT */
/*
 * Waits of threads that the model is not restricted to: they count nowhere, but tell who had a lock
 * for which a selected thread waited. Read under the model's lock.
 */
#ifndef PV_MODEL_WITNESSES_H
#define PV_MODEL_WITNESSES_H

#include "common/model/locks/waited.h"

struct pv_model;
struct pv_thread;
struct pv_wait;

/*
 * The longest of such waits that have ended; open ones are with their threads. Never NULL; the
 * model's, until its next event.
 */
const struct pv_waits *pv_locks_witnesses(const struct pv_model *m);

/* Whether an open wait, of any thread, is of a time that the model is restricted to. */
bool pv_locks_open_counts(
	const struct pv_model *m, const struct pv_thread *th, const struct pv_wait *w);

/* Private to the model. The locks have other indexes now: to[index]. */
void pv_waits_renumber_locks(struct pv_waits *w, const uint32_t *to);

#endif

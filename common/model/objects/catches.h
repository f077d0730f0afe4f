/* SPDX-License-Identifier: MIT */
/*
 * Methods that caught exceptions, by class. A catch is counted with the newest throw on its thread
 * that names the same object, else (collections move objects) with the newest throw. Where the log
 * has the class of the caught exception, the log's class counts: the exception may have been thrown
 * again, and a rethrow is no throw. Part of the model: written by the ingest thread, read under the
 * lock.
 */
#ifndef PV_MODEL_CATCHES_H
#define PV_MODEL_CATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_CATCHES_CAP = 65536 };

struct pv_catch {
	uint32_t class_use, method; /* ids in names; in [0] both are 0: beyond the cap */
	uint64_t count;
};

/* Valid when zeroed. */
struct pv_catches {
	PV_ARRAY(struct pv_catch) one;
	struct pv_map of;  /* class_use << 32 | method -> index */
	uint64_t unpaired; /* catches without a throw before them on their thread */
};

struct pv_thread;

struct pv_thrown;

/* A thread has thrown. False when out of memory. */
bool pv_thrown_push(struct pv_thread *th, struct pv_thrown thrown);
/*
 * Takes the throw that is caught now and all throws since from the thread; `exact`: only a throw of
 * this object. False: there was none.
 */
bool pv_thrown_pop(struct pv_thread *th, uint64_t object, bool exact, struct pv_thrown *ret);

/* Counts a catch; false when out of memory. */
bool pv_catches_add(struct pv_catches *c, uint32_t class_use, uint32_t method);
void pv_catches_finish(struct pv_catches *c); /* frees the store */

#endif

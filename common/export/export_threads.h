/* SPDX-License-Identifier: MIT */
/* Threads kept separate in an export. */
#ifndef PV_EXPORT_EXPORT_THREADS_H
#define PV_EXPORT_EXPORT_THREADS_H

#include <stdint.h>

#include "common/base/mem.h"

struct pv_model;

struct pv_export_thread {
	uint64_t id, events;
	const char *name; /* "": unnamed; in the list's arena */
};

struct pv_export_threads {
	struct pv_arena arena;
	PV_ARRAY(struct pv_export_thread) thread; /* by events, most first */
};

/*
 * Threads with events within the model's restriction, each native id once. Takes the lock. False:
 * out of memory; clear is due then, too.
 */
bool pv_export_threads(struct pv_model *m, struct pv_export_threads *ret);
void pv_export_threads_clear(struct pv_export_threads *t);

#endif

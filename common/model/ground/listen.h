/* SPDX-License-Identifier: MIT */
/*
 * Listeners of stores, for changes of objects and stacks. model.c lists them in the order of calls;
 * figures depend on that order. Private to the model. On the ingest thread, with the model's lock.
 * False: out of memory.
 */
#ifndef PV_MODEL_LISTEN_H
#define PV_MODEL_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

struct pv_context;
struct pv_model;

/* Called only for objects whose row in the table of addresses is `asked`. */
struct pv_object_listener {
	/*
	 * The event at hand allocates at this address. *ret_same becomes true if this is the object
	 * that was asked for, whose allocation comes later in the log.
	 */
	bool (*allocated)(
		struct pv_context *x, uint64_t object, uint32_t class_use, bool *ret_same);
	/* The object is now at `to`. May be NULL. */
	bool (*moved)(struct pv_context *x, uint64_t from, uint64_t to);
};

/* Stacks were folded. */
struct pv_stack_listener {
	void (*renumbered)(struct pv_model *m, const uint32_t *into); /* stack i is now into[i] */
	/* Then, without the lock: rebuilds tables read only by the ingest thread. May be NULL. */
	bool (*rebuild)(struct pv_model *m);
};

#endif

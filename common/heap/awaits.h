/* SPDX-License-Identifier: MIT */
/*
 * Async methods of .NET that a heap shot finds waiting, as a tree: outermost methods at the roots,
 * below each method the tasks awaited by it. The tree is made from the objects that keep a method's
 * state while it waits (boxes, and promises of WhenAll and the like) and from their references; no
 * thread has these frames on its stack. Running methods have a box, too: they are innermost rows.
 *
 * The reference from a box to its waiter is known by the field's name, or else inferred. Pure
 * functions of a graph; any thread. Time and memory are linear in the graph's size.
 */
#ifndef PV_HEAP_AWAITS_H
#define PV_HEAP_AWAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

struct pv_graph;

enum pv_await_kind {
	PV_AWAIT_METHOD,  /* an async method */
	PV_AWAIT_PROMISE, /* a task that stands for others, or for a time: WhenAll, Delay */
	PV_AWAIT_THREAD,  /* a thread that blocks until a task is done */
};

struct pv_await_row {
	uint32_t parent;         /* index of the waiting row, before this row; NONE: outermost */
	uint32_t klass;          /* index in the graph's klass */
	uint32_t node;           /* any of the row's objects */
	uint8_t kind;            /* enum pv_await_kind */
	uint64_t objects, bytes; /* distinct objects in this place, and their sizes */
	uint64_t ends;           /* of these objects: await nothing async in the shot */
	uint64_t chains;         /* ends in this row and below */
};

/* How the reference from a box to its waiter was found. */
enum pv_await_link {
	PV_AWAIT_NAMED,     /* by the field's name */
	PV_AWAIT_BY_OFFSET, /* inferred: the first field that can lead to a waiter */
	PV_AWAIT_BY_ORDER,  /* inferred by order and class: the log has no offsets */
};

struct pv_awaits {
	PV_ARRAY(struct pv_await_row) row; /* parents before their children */
	uint64_t methods, methods_bytes;   /* boxes of async methods in the shot */
	uint64_t finished;                 /* of these boxes: done, and only kept */
	uint64_t threads;                  /* that block until a task is done */
	uint64_t unnamed; /* continuations of runtime async: no class names their method */
	uint8_t link;     /* enum pv_await_link */
	bool cut;         /* no room for all ways: counts are lower bounds */
};

enum { PV_AWAIT_ROWS = 4096 };

/* False when out of memory; call pv_awaits_finish() in either case. */
bool pv_awaits_find(const struct pv_graph *g, struct pv_awaits *ret);
void pv_awaits_finish(struct pv_awaits *a);

enum { PV_AWAIT_NAME = 1024 };
/*
 * A row's name in the form of a method's, raw: "Shop.Cart/<TaxAsync>d__4:MoveNext ()", or
 * "System.Threading.Tasks.Task:WhenAll ()". Written to `buf`, cut to fit; or the class's name.
 */
const char *pv_await_name(
	const struct pv_graph *g, const struct pv_await_row *r, char buf[PV_AWAIT_NAME]);

#endif

/*
 * The object graph of a heap shot, read from the input once more on a thread of its own while the
 * ingest goes on, with all that is computed from it. From the shot's place where it is known, else
 * from the beginning.
 */
#ifndef PV_INGEST_HEAP_READ_H
#define PV_INGEST_HEAP_READ_H

#include "common/heap/heap.h"
#include "common/ingest/ingest.h"

struct pv_heap_read;

struct pv_heap_read_options {
	uint32_t shot; /* its number, from 0 */
	bool weak;     /* weak roots, and targets of weak GC handles, count */
	bool classes;  /* retained sizes of classes too */
};

struct pv_heap_read_status {
	bool over;             /* done, cancelled or failed */
	bool done;             /* the heap is there */
	const char *phase;     /* a constant: "reading", "connecting", ...; never NULL */
	uint64_t step, steps;  /* within the phase; steps 0: not known */
	struct pv_error error; /* code PV_OK unless it failed */
};

/*
 * The ingest must outlive it, and its model the heap. NULL on failure: PV_EUSAGE for shots that
 * there are not, or that the spool of a pipe has no longer.
 */
struct pv_heap_read *pv_heap_read_start(
	struct pv_ingest *in, const struct pv_heap_read_options *options, struct pv_error *reterr);
/* Cancels what is not done; frees its heap. NULL is fine. */
void pv_heap_read_destroy(struct pv_heap_read *r);

void pv_heap_read_cancel(struct pv_heap_read *r); /* it will be over soon, and not done */
void pv_heap_read_wait(struct pv_heap_read *r);   /* until it is over */

/* Any thread. */
void pv_heap_read_status(struct pv_heap_read *r, struct pv_heap_read_status *ret);
/* NULL until done. It lives as long as `r`. */
const struct pv_heap *pv_heap_read_heap(struct pv_heap_read *r);

#endif

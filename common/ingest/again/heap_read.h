/*
 * The object graph of a heap shot, read from the input once more on a thread of its own while the
 * ingest goes on, with all that is computed from it. From the shot's place where it is known, else
 * from the beginning.
 */
#ifndef PV_INGEST_HEAP_READ_H
#define PV_INGEST_HEAP_READ_H

#include "common/heap/heap.h"
#include "common/ingest/ground/background.h"
#include "common/ingest/ingest.h"

struct pv_heap_read;

struct pv_heap_read_options {
	uint32_t shot; /* its number, from 0 */
	bool weak;     /* weak roots, and targets of weak GC handles, count */
	bool classes;  /* retained sizes of classes too */
};

/*
 * The ingest must outlive it, and its model the heap. NULL on failure: PV_EUSAGE for shots that
 * there are not, or that the spool of a pipe has no longer.
 */
struct pv_heap_read *pv_heap_read_start(
	struct pv_ingest *in, const struct pv_heap_read_options *options, struct pv_error *reterr);
/*
 * Its job, by which it is waited for and destroyed; NULL for NULL. It has phases: "reading",
 * "connecting", ...
 */
struct pv_background *pv_heap_read_job(struct pv_heap_read *r);
/* NULL until done. It lives as long as `r`. */
const struct pv_heap *pv_heap_read_heap(struct pv_heap_read *r);

#endif

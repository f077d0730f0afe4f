/* SPDX-License-Identifier: MIT */
/*
 * The object graph of a heap shot with everything computed from it, read from the input once more
 * on a thread of its own while the ingest goes on. Reads from the shot's place if known, else from
 * the beginning.
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
 * The ingest must outlive the result, and its model the heap. NULL on failure: PV_EUSAGE for shots
 * that do not exist, or have left a pipe's spool.
 */
struct pv_heap_read *pv_heap_read_start(
	struct pv_ingest *in, const struct pv_heap_read_options *options, struct pv_error *reterr);
/* The job, to wait for and to destroy; NULL for NULL. Phases: "reading", "connecting", ... */
struct pv_background *pv_heap_read_job(struct pv_heap_read *r);
/* NULL until done; lives as long as `r`. */
const struct pv_heap *pv_heap_read_heap(struct pv_heap_read *r);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Makes the graph of one shot from the log's batches, in file order. Batches before the shot are
 * needed only for roots (up to data version 14) and weak GC handles. Counts in the log are not
 * trusted: memory is bounded by the bytes that were given. One thread uses a builder.
 */
#ifndef PV_HEAP_GRAPH_BUILD_H
#define PV_HEAP_GRAPH_BUILD_H

#include "common/base/status.h"
#include "common/format/batch.h"
#include "common/heap/graph.h"
#include "common/heap/progress.h"

struct pv_model;
struct pv_graph_build;

struct pv_graph_build_options {
	uint32_t shot; /* number of the graph's shot */
	uint32_t skip; /* shots that begin earlier in the batches to be given */
	uint8_t rules; /* data version whose rules the log keeps */
	bool handles;  /* follow weak GC handles; from the log's beginning */
	uint32_t most; /* objects, and references, at most; 0: as many as can be numbered */
};

/* NULL when out of memory. pv_graph_build_destroy() frees it. */
struct pv_graph_build *pv_graph_build_create(const struct pv_graph_build_options *options);
void pv_graph_build_destroy(struct pv_graph_build *b);

/* Another recording begins: everything before is dropped. */
void pv_graph_build_reset(struct pv_graph_build *b);

/* Adds a batch. PV_ENOMEM, or PV_EUSAGE when there are too many objects or references to number. */
bool pv_graph_build_add(
	struct pv_graph_build *b, const struct pv_batch *batch, struct pv_error *reterr);
/* True if the shot's end was met: nothing more is needed. */
bool pv_graph_build_done(const struct pv_graph_build *b);
/* When the shot began, log clock. */
int64_t pv_graph_build_time(const struct pv_graph_build *b);
/* True if the shot has begun. */
bool pv_graph_build_begun(const struct pv_graph_build *b);

/*
 * Sorts and connects; the builder can only be destroyed afterwards. Names and areas come from `m`
 * (NULL: none), whose lock is taken meanwhile; its names must outlive the graph. PV_ECANCELLED when
 * asked to stop.
 */
bool pv_graph_build_finish(struct pv_graph_build *b, struct pv_model *m,
	const struct pv_progress *progress, struct pv_graph *ret, struct pv_error *reterr);

#endif

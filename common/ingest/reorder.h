/* SPDX-License-Identifier: MIT */
/*
 * The reorder window: batches decoded and not applied yet. The definition of a key may come after
 * its use, in another thread's buffer. A log in which meanings end (an unload, a thread's end) is
 * therefore read a little ahead: the definitions of a batch go to the model at once, its events
 * after a sync point, before which everything earlier has been written (before data version 13,
 * without sync points: PV_REORDER_BUFFERS buffers later). So a use finds the definition of its
 * time, however long after its time the definition came.
 *
 * Nothing is kept until the log has shown an end. Ingest thread only. The window owns kept batches,
 * at most about PV_REORDER_BYTES bytes. Times are ns on the log's clock.
 */
#ifndef PV_INGEST_REORDER_H
#define PV_INGEST_REORDER_H

#include "common/format/batch.h"
#include "common/base/map.h"
#include "common/model/model.h"

enum {
	PV_REORDER_BYTES = 32 << 20,
	PV_REORDER_BUFFERS = 256,
	PV_REORDER_RUN = 64,
	PV_REORDER_ENDS = 1024,
	PV_REORDER_SPARE = 64 << 10
};

struct pv_reorder_end {
	uint64_t thread;
	int64_t time;
	uint32_t next, last; /* index + 1: next end of the same thread; last, in its first end */
};

struct pv_reorder_kept {
	struct pv_batch batch;
	size_t bytes; /* held when it came */
};

struct pv_reorder {
	PV_ARRAY(struct pv_reorder_kept) kept; /* first ... n - 1 are kept, in order */
	size_t first;
	size_t due;                      /* number of batches from `first` on before a sync point */
	PV_ARRAY(struct pv_batch) spare; /* empty, with their memory */
	size_t bytes, spare_bytes;
	PV_ARRAY(struct pv_reorder_end) ends; /* of threads, reported by others in a kept batch */
	struct pv_map ends_of;                /* thread -> its first end in `ends` */
};

/* Frees all batches, applied or not. */
void pv_reorder_finish(struct pv_reorder *h);

/* Whether the next batch should be kept. */
bool pv_reorder_wanted(const struct pv_reorder *h, const struct pv_model *m);

/*
 * Moves the batch into the window, leaving an empty one in its place, and gives its definitions to
 * the model, whose lock the caller holds. False when out of memory: then the batch is unmoved.
 */
bool pv_reorder_put(struct pv_reorder *h, struct pv_model *m, struct pv_batch *b);

/*
 * The oldest due batch (`all`: due or not) and the others of its run. Returns their number, at most
 * PV_REORDER_RUN; 0: none. ret[] is borrowed until pv_reorder_done() was called for each. Batches
 * are due once a sync point has followed all of them, and when the window is full.
 */
size_t pv_reorder_due(struct pv_reorder *h, const struct pv_model *m, bool all,
	struct pv_batch *ret[PV_REORDER_RUN]);
void pv_reorder_done(struct pv_reorder *h);
/*
 * Decodes the batches of a run, kept or not, once more event by event, from their payloads: for a
 * run whose calls need order (pv_calls_need_order()). False when out of memory.
 */
bool pv_reorder_expand(struct pv_model *m, struct pv_batch *const *b, size_t n);
/* Whether the window holds more than PV_REORDER_BYTES: then its oldest run is due. */
bool pv_reorder_is_full(const struct pv_reorder *h);

/*
 * Ends of the batch's thread reported in other threads' batches: whether there is one; gives them
 * to the model.
 */
bool pv_reorder_has_end(const struct pv_reorder *h, const struct pv_batch *b);
void pv_reorder_apply_ends(
	const struct pv_reorder *h, struct pv_model *m, const struct pv_batch *b);

#endif

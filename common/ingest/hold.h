/*
 * Batches kept for a while before they are applied. What a key means may be told after its use, by
 * another thread's buffer; a log that has shown that things come to an end is therefore read a
 * little ahead: the definitions of a batch go to the model at once, its events when a sync point
 * says that everything before it has been written (before data version 13, where there are none:
 * 256 buffers later). So a use finds the definition of its time, however late that was told.
 *
 * Nothing is kept while a log has shown no end. The owner's alone.
 */
#ifndef PV_INGEST_HOLD_H
#define PV_INGEST_HOLD_H

#include "common/format/batch.h"
#include "common/base/map.h"
#include "common/model/model.h"

enum {
	PV_HOLD_BYTES = 32 << 20,
	PV_HOLD_BUFFERS = 256,
	PV_HOLD_RUN = 64,
	PV_HOLD_ENDS = 1024,
	PV_HOLD_SPARE = 64 << 10
};

struct pv_hold_end {
	uint64_t thread;
	int64_t time;
	uint32_t next, last; /* index + 1: of the same thread; the latter in its first one */
};

struct pv_hold_kept {
	struct pv_batch batch;
	size_t bytes; /* that it held when it came */
};

struct pv_hold {
	PV_ARRAY(struct pv_hold_kept) kept; /* first ... n - 1 are kept, in order */
	size_t first;
	size_t due;                      /* as many from there on stand before a sync point */
	PV_ARRAY(struct pv_batch) spare; /* empty, with their memory */
	size_t bytes, spare_bytes;
	PV_ARRAY(struct pv_hold_end) ends; /* of threads, said by others in a kept batch */
	struct pv_map ends_of;             /* thread -> its first one, as far as `ends` goes */
};

void pv_hold_finish(struct pv_hold *h);

/* Whether the next batch should be kept. */
bool pv_hold_wanted(const struct pv_hold *h, const struct pv_model *m);

/*
 * Takes the batch, leaving an empty one in its place, and tells its definitions to the model,
 * whose lock the caller holds. False when out of memory: then the batch is where it was.
 */
bool pv_hold_put(struct pv_hold *h, struct pv_model *m, struct pv_batch *b);

/*
 * The oldest batch when it is due (`all`: whether or not), with those of its run: their number, at
 * most PV_HOLD_RUN, good until each was done. Without `all` they are due when one has come with a
 * sync point behind all of them, and when too much is kept.
 */
size_t pv_hold_due(
	struct pv_hold *h, const struct pv_model *m, bool all, struct pv_batch *ret[PV_HOLD_RUN]);
void pv_hold_done(struct pv_hold *h);
/*
 * A run, kept or not, whose calls have to be applied event by event: its batches are decoded so from
 * the payloads that they have. False when out of memory.
 */
bool pv_hold_expand(struct pv_model *m, struct pv_batch *const *b, size_t n);
/* More than that is not kept. */
bool pv_hold_is_full(const struct pv_hold *h);

/* The ends of its thread that others have told go to the model, before the batch is applied. */
bool pv_hold_tells_end(const struct pv_hold *h, const struct pv_batch *b);
void pv_hold_tell_ends(const struct pv_hold *h, struct pv_model *m, const struct pv_batch *b);

#endif

/* Batches that are kept for a while take no more memory than what they hold. */
#ifndef PV_FORMAT_BATCH_FIT_H
#define PV_FORMAT_BATCH_FIT_H

#include "common/format/batch.h"

/*
 * Gives all that is in the batch over to *ret, an unused one. Of a batch that uses less than half
 * of its memory *ret is a copy of that size, and the memory stays with *b for what comes next;
 * otherwise *b is left without any. *b is empty then. False when out of memory: nothing moved.
 */
bool pv_batch_keep(struct pv_batch *b, struct pv_batch *ret);

/* Of a batch that is done with: what takes more than `most` bytes goes, and leaves the array empty. */
void pv_batch_trim(struct pv_batch *b, size_t most);

/* Bytes in use by a batch, its payload included, wherever that is. */
size_t pv_batch_used(const struct pv_batch *b);

/* The memory that the batch occupies. */
size_t pv_batch_bytes(const struct pv_batch *b);

#endif

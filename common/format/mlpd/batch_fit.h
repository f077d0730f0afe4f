/* SPDX-License-Identifier: MIT */
/* Keeping a batch in no more memory than its contents need. One thread uses a batch. */
#ifndef PV_FORMAT_BATCH_FIT_H
#define PV_FORMAT_BATCH_FIT_H

#include "common/format/batch.h"

/*
 * Moves the contents of the batch to *ret, an unused batch, and leaves *b empty. A batch that uses
 * less than half of its memory is copied to *ret in the size needed, and its memory stays with *b
 * for later use; otherwise *ret takes the memory over. False when out of memory: nothing moved.
 */
bool pv_batch_keep(struct pv_batch *b, struct pv_batch *ret);

/* Of a batch that is not used any more: frees and empties each array of more than `most` bytes. */
void pv_batch_trim(struct pv_batch *b, size_t most);

/* Bytes in use by a batch, with its payload, in a block or of its own. */
size_t pv_batch_used(const struct pv_batch *b);

/* Bytes of memory that the batch occupies. */
size_t pv_batch_bytes(const struct pv_batch *b);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The frames of inlined functions at sampled addresses, as methods of the model. Frames found once
 * are remembered for PV_INLINE_ADDRESSES addresses; at further addresses none are looked for.
 * Private to the model: ingest thread, with its lock.
 */
#ifndef PV_MODEL_INLINE_FRAMES_H
#define PV_MODEL_INLINE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_INLINE_ADDRESSES = 65536 };

/* Suffix of an inlined function's name. */
#define PV_INLINED " (inlined)"

struct pv_inline_frames {
	struct pv_map of;       /* address -> index in ids */
	PV_ARRAY(uint32_t) ids; /* for each address: a count, then so many method ids */
	uint64_t generation;    /* of the files with the debug information */
};

struct pv_model;

/*
 * The functions inlined at the address, outermost first, good until the next call: *ret_n method
 * ids, 0 where none are known. NULL: out of memory.
 */
const uint32_t *pv_inline_frames_at(struct pv_model *m, uint64_t address, size_t *ret_n);

/* NULL: nothing. */
void pv_inline_frames_free(struct pv_inline_frames *f);

#endif

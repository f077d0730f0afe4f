/* SPDX-License-Identifier: MIT */
/*
 * Memory of a batch: its size, a packed copy to keep, and what is freed when the batch goes back.
 */
#include "common/format/mlpd/batch_fit.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define USED(a) ((a)->n * sizeof *(a)->v)
#define ROOM(a) ((a)->room * sizeof *(a)->v)
#define COPIED(to, from)                                                                           \
	((from)->n == 0 || (pv_reserve(to, (from)->n) && memcpy((to)->v, (from)->v, USED(from)) && \
				   ((to)->n = (from)->n) > 0))

enum {
	EVENT = sizeof(uint64_t) + sizeof(uint8_t) + sizeof(uint64_t), /* time, kind and key */
	SUMS_MOVED = 1024,
};

size_t pv_batch_bytes(const struct pv_batch *b)
{
	return b->room * EVENT + ROOM(&b->allocs) + ROOM(&b->other_events) +
	       ROOM(&b->plain_events) + ROOM(&b->pool) + ROOM(&b->frames) + ROOM(&b->descs) +
	       ROOM(&b->values) + ROOM(&b->bytes) + ROOM(&b->owned_payload) +
	       pv_call_summary_bytes(&b->summary);
}

/* Bytes of everything but the payload. */
static size_t used_besides_bytes(const struct pv_batch *b)
{
	const struct pv_call_summary *d = &b->summary;
	return b->n * EVENT + USED(&b->allocs) + USED(&b->other_events) + USED(&b->plain_events) +
	       USED(&b->pool) + USED(&b->frames) + USED(&b->descs) + USED(&b->values) +
	       USED(&d->path) + USED(&d->sum) + USED(&d->exc) + USED(&d->count) + USED(&d->open) +
	       USED(&d->segment) + USED(&d->alloc_path) + USED(&d->number);
}

size_t pv_batch_used(const struct pv_batch *b)
{
	return used_besides_bytes(b) + USED(&b->bytes);
}

/* --- keeping */

#define ALIGNED(bytes) (((bytes) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1))

static size_t packed_bytes(const struct pv_batch *b)
{
	size_t bytes = ALIGNED(b->n * sizeof *b->time) + ALIGNED(b->n * sizeof *b->kind) +
		       ALIGNED(b->n * sizeof *b->key);
#define ADD(array) bytes += ALIGNED(USED(&b->array));
	PV_BATCH_PACKED(ADD)
#undef ADD
	return bytes;
}

/* Copies `bytes` at `from` to the end of the pack. */
static void *pack_bytes(char **at, const void *from, size_t bytes)
{
	void *to = bytes ? *at : NULL;
	if (bytes)
		memcpy(to, from, bytes);
	*at += ALIGNED(bytes);
	return to;
}

/* Packs all arrays into one allocation: a batch has a dozen, mostly of a few hundred bytes. */
static bool pack(struct pv_batch *to, const struct pv_batch *b)
{
	size_t bytes = packed_bytes(b);
	char *at = to->pack = bytes ? malloc(bytes) : NULL;
	if (bytes == 0 || !at)
		return bytes == 0;
	to->time = pack_bytes(&at, b->time, b->n * sizeof *b->time);
	to->kind = pack_bytes(&at, b->kind, b->n * sizeof *b->kind);
	to->key = pack_bytes(&at, b->key, b->n * sizeof *b->key);
	to->n = to->room = b->n;
#define PUT(array)                                                                                 \
	to->array.v = pack_bytes(&at, b->array.v, USED(&b->array));                                \
	to->array.n = to->array.room = b->array.n;
	PV_BATCH_PACKED(PUT)
#undef PUT
	return true;
}

/* Fields that are no arrays stay as copied. */
static void forget_arrays(struct pv_batch *b)
{
	pv_batch_forget_pack(b);
	memset(&b->summary.sum, 0, sizeof b->summary.sum);
	memset(&b->bytes, 0, sizeof b->bytes);
	memset(&b->owned_payload, 0, sizeof b->owned_payload);
	b->block = NULL;
}

/* Many sums are moved, unless they use little of their memory. Called after all else was copied. */
static bool move_sums(struct pv_call_summary *to, struct pv_call_summary *d)
{
	if (d->sum.n < SUMS_MOVED || d->sum.n < d->sum.room / 2)
		return COPIED(&to->sum, &d->sum);
	to->sum.v = d->sum.v;
	to->sum.n = d->sum.n;
	to->sum.room = d->sum.room;
	memset(&d->sum, 0, sizeof d->sum);
	return true;
}

bool pv_batch_keep(struct pv_batch *b, struct pv_batch *ret)
{
	/*
	 * A block holds many buffers: a batch that is kept must not hold a whole block in memory.
	 */
	if (!pv_batch_own(b))
		return false;
	if (used_besides_bytes(b) + ROOM(&b->bytes) > pv_batch_bytes(b) / 2) {
		*ret = *b;
		*b = (struct pv_batch){ 0 };
		return true;
	}
	struct pv_batch copy = *b;
	forget_arrays(&copy);
	if (!pack(&copy, b) || !move_sums(&copy.summary, &b->summary)) {
		pv_batch_finish(&copy);
		return false;
	}
	/* The payload is moved, since texts point into it. */
	copy.bytes.v = b->bytes.v;
	copy.bytes.n = b->bytes.n;
	copy.bytes.room = b->bytes.room;
	memset(&b->bytes, 0, sizeof b->bytes);
	pv_batch_reset(b);
	*ret = copy;
	return true;
}

/* --- batches that are done with */

#define TRIM(array)                                                                                \
	do {                                                                                       \
		if (ROOM(array) > most)                                                            \
			pv_array_finish(array);                                                    \
	} while (0)

void pv_batch_trim(struct pv_batch *b, size_t most)
{
	if (b->pack)
		return; /* a pack is freed as a whole */
	if (b->room * sizeof *b->time > most) {
		free(b->time);
		free(b->kind);
		free(b->key);
		b->time = b->key = NULL;
		b->kind = NULL;
		b->n = b->room = 0;
	}
	TRIM(&b->allocs);
	TRIM(&b->other_events);
	TRIM(&b->plain_events);
	TRIM(&b->pool);
	TRIM(&b->frames);
	TRIM(&b->descs);
	TRIM(&b->values);
	TRIM(&b->summary.alloc_path);
	TRIM(&b->summary.number);
}

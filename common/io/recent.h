/* SPDX-License-Identifier: MIT */
/*
 * The last bytes read of a stream, so that a short seek back costs nothing. Valid when zeroed: then
 * nothing is kept. Not thread-safe.
 */
#ifndef PV_IO_RECENT_H
#define PV_IO_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_recent {
	uint8_t *ring;
	size_t size, kept;
	uint64_t end; /* offset in the stream of the next byte */
	uint64_t at;  /* the reader's position; below `end`: in the ring */
};

/* False when out of memory. The reader's position is `offset`. */
bool pv_recent_init(struct pv_recent *r, size_t size, uint64_t offset);
/* Frees the kept bytes; from then on nothing is kept. */
void pv_recent_finish(struct pv_recent *r);

/* Keeps `n` bytes of the stream that went to the reader. */
void pv_recent_add(struct pv_recent *r, const void *bytes, size_t n);
/* Kept bytes from `at` on, at most `n`; 0: read the stream. */
size_t pv_recent_take(struct pv_recent *r, void *to, size_t n);
/* Moves the reader; false: the offset is not kept. */
bool pv_recent_seek(struct pv_recent *r, uint64_t offset);
/* The stream goes on at another offset. */
void pv_recent_jump(struct pv_recent *r, uint64_t offset);

#endif

/*
 * The last bytes that were read of a stream, so that a short seek back costs nothing. Valid when
 * zeroed: then nothing is kept. Not thread-safe.
 */
#ifndef PV_IO_RECENT_H
#define PV_IO_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_recent {
	uint8_t *ring;
	size_t size, kept;
	uint64_t end; /* offset in the stream of the byte that comes next */
	uint64_t at;  /* of the one that the reader wants; below `end`: it is kept */
};

/* False when out of memory. The reader stands at `offset`. */
bool pv_recent_init(struct pv_recent *r, size_t size, uint64_t offset);
/* Frees what is kept; from then on nothing is. */
void pv_recent_finish(struct pv_recent *r);

/* `n` bytes came from the stream and went to the reader. */
void pv_recent_add(struct pv_recent *r, const void *bytes, size_t n);
/* Kept bytes from `at` on, at most `n`; 0: the stream is to be read. */
size_t pv_recent_take(struct pv_recent *r, void *to, size_t n);
/* Whether the reader could be put there. */
bool pv_recent_seek(struct pv_recent *r, uint64_t offset);
/* The stream goes on somewhere else. */
void pv_recent_jump(struct pv_recent *r, uint64_t offset);

#endif

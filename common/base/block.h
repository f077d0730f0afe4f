/* SPDX-License-Identifier: MIT */
/*
 * Memory with a reference count: the last drop frees the block. Blocks are held and dropped on one
 * thread; other threads may use the bytes meanwhile.
 */
#ifndef PV_BASE_BLOCK_H
#define PV_BASE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct pv_block {
	size_t holders, room; /* bytes at v */
	uint8_t v[];
};

/*
 * A block with one reference, the caller's; its bytes are not initialised. NULL when out of memory.
 */
struct pv_block *pv_block_create(size_t room);
/* The only reference, moved to where there is more room. NULL: out of memory, `b` is as before. */
struct pv_block *pv_block_grow(struct pv_block *b, size_t room);

/* Adds a reference to `b`, and returns `b`; pv_block_drop() gives the reference back. */
static inline struct pv_block *pv_block_hold(struct pv_block *b)
{
	b->holders++;
	return b;
}

void pv_block_drop(struct pv_block *b); /* NULL is fine */

#endif

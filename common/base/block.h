/*
 * Memory that several hold: whoever lets go of it last frees it. Those who hold one block count on
 * one thread; what is in it may be used by others in the meantime.
 */
#ifndef PV_BASE_BLOCK_H
#define PV_BASE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct pv_block {
	size_t holders, room; /* bytes at v */
	uint8_t v[];
};

/* Held by the caller, and not filled in. NULL when out of memory. */
struct pv_block *pv_block_create(size_t room);
/* More room, which may be elsewhere; nobody else holds it. NULL: out of memory, it is as before. */
struct pv_block *pv_block_grow(struct pv_block *b, size_t room);

static inline struct pv_block *pv_block_hold(struct pv_block *b)
{
	b->holders++;
	return b;
}

void pv_block_drop(struct pv_block *b); /* NULL is fine */

#endif

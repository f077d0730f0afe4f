/* SPDX-License-Identifier: MIT */
/* Blocks of memory with a reference count. */
#include "common/base/block.h"

#include <stdlib.h>

struct pv_block *pv_block_create(size_t room)
{
	struct pv_block *b = pv_block_grow(NULL, room);
	if (b)
		b->holders = 1;
	return b;
}

struct pv_block *pv_block_grow(struct pv_block *b, size_t room)
{
	if (room > SIZE_MAX - sizeof *b)
		return NULL;
	struct pv_block *grown = realloc(b, sizeof *b + room);
	if (grown)
		grown->room = room;
	return grown;
}

void pv_block_drop(struct pv_block *b)
{
	if (b && --b->holders == 0)
		free(b);
}

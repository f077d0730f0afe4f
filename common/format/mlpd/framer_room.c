/* SPDX-License-Identifier: MIT */
/* Blocks of memory for a framer to read into, referred to by payloads; spare blocks. */
#include <string.h>

#include "common/format/mlpd/framer.h"

enum {
	FIRST_WINDOW = 1 << 20,
	LEAST_ROOM = 64 << 10,
	USUAL_WINDOW = 2 << 20, /* enough for pieces of the largest size */
	MOVE_SHARE = 4,         /* unread bytes move once a quarter of their number was consumed */
};

static void use_block(struct mlpd_framer *f, struct pv_block *b)
{
	f->block = b;
	f->window = b->v;
	f->room = b->room;
}

bool mlpd_framer_init(struct mlpd_framer *f)
{
	bool may_join = f->may_join;
	*f = (struct mlpd_framer){ .may_join = may_join };
	f->block = pv_block_create(FIRST_WINDOW);
	if (f->block)
		use_block(f, f->block);
	return f->block != NULL;
}

void mlpd_framer_finish(struct mlpd_framer *f)
{
	pv_block_drop(f->block);
	for (size_t i = 0; i < MLPD_SPARE_BLOCKS; i++)
		pv_block_drop(f->spare[i]);
	memset(f->spare, 0, sizeof f->spare);
	f->block = NULL;
	f->window = NULL;
	f->room = f->filled = f->start = 0;
}

/* Keeps the current block as a spare, if it is not too large. */
static void leave_block(struct mlpd_framer *f)
{
	size_t i = 0;
	while (i < MLPD_SPARE_BLOCKS && f->spare[i])
		i++;
	if (i == MLPD_SPARE_BLOCKS || f->room > USUAL_WINDOW)
		pv_block_drop(f->block);
	else
		f->spare[i] = f->block;
}

/*
 * A block of `room` bytes without references; NULL when out of memory. Spare blocks that are too
 * small are freed.
 */
static struct pv_block *find_block(struct mlpd_framer *f, size_t room)
{
	for (size_t i = 0; i < MLPD_SPARE_BLOCKS; i++) {
		struct pv_block *b = f->spare[i];
		if (!b || b->holders > 1)
			continue;
		f->spare[i] = NULL;
		if (b->room >= room)
			return b;
		pv_block_drop(b);
	}
	return pv_block_create(room);
}

/* Bytes that must be free for reading after `left` unread bytes have been moved. */
static size_t least_room(size_t left)
{
	return left / MOVE_SHARE > LEAST_ROOM ? left / MOVE_SHARE : LEAST_ROOM;
}

/*
 * Moves the unread bytes to the beginning of the block, or of a new block while this one is
 * referenced.
 */
static bool make_way(struct mlpd_framer *f)
{
	size_t n = f->filled - f->start, room = f->room < USUAL_WINDOW ? f->room : USUAL_WINDOW;
	struct pv_block *other = NULL;
	if (f->block->holders > 1) {
		while (room < n + least_room(n))
			room *= 2;
		other = find_block(f, room);
		if (!other)
			return false;
	}
	memmove(other ? other->v : f->window, f->window + f->start, n);
	if (other) {
		leave_block(f);
		use_block(f, other);
	}
	f->start = 0;
	f->filled = n;
	return true;
}

uint8_t *mlpd_framer_room(struct mlpd_framer *f, size_t *ret_size)
{
	size_t n = f->filled - f->start;
	bool moves = (f->start > 0 && f->start >= n / MOVE_SHARE) || f->block->holders > 1;
	if (f->room - f->filled < LEAST_ROOM && moves && !make_way(f))
		return NULL;
	if (f->room - f->filled < LEAST_ROOM) {
		struct pv_block *grown = pv_block_grow(f->block, f->room * 2);
		if (!grown)
			return NULL;
		use_block(f, grown);
	}
	*ret_size = f->room - f->filled;
	return f->window + f->filled;
}

void mlpd_framer_filled(struct mlpd_framer *f, size_t n)
{
	f->filled += n;
}

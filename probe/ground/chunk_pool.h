/* SPDX-License-Identifier: MIT */
/* The fixed memory for threads' chunks. All calls under the core's lock. Times are ns. */
#ifndef PV_PROBE_CHUNK_POOL_H
#define PV_PROBE_CHUNK_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pvp_chunk {
	struct pvp_chunk *next;
	uint8_t *end;                    /* of the room for events */
	uint8_t *final;                  /* end of the events, once handed over */
	uint64_t time_base, method_base; /* set before the first event is published */
	_Atomic uint64_t obj_base;       /* set before the first object is published */
	uint64_t lost;                   /* of the thread, when the chunk was begun */
	uint32_t gaps;                   /* pauses ended by then */
	/* the writer's: the end of the events read, and the running state there */
	uint8_t *taken;
	uint64_t time, method;
	uint8_t data[];
};

struct pvp_pool;

/*
 * Reserves `bytes` bytes, touched only as used; pvp_pool_retire() frees them. NULL: out of memory.
 */
struct pvp_pool *pvp_pool_create(size_t bytes);

/* Gives the memory back, at once or when the last chunk out there returns. */
void pvp_pool_retire(struct pvp_pool *p);

/* In a child of fork: unmaps all pools, also with chunks in use. */
void pvp_pools_unmap(void);

/* A chunk with next, end, obj_base and taken set, until pvp_pool_put(); NULL when all are out. */
struct pvp_chunk *pvp_pool_take(struct pvp_pool *p);
void pvp_pool_put(struct pvp_pool *p, struct pvp_chunk *c);

/* Chunks in all. */
size_t pvp_pool_chunks(const struct pvp_pool *p);

/* Free chunks of the pool made last, 0 after pvp_pool_retire(). Needs no lock. */
size_t pvp_chunks_free(void);

/* Chunks given back so far, likewise. */
uint64_t pvp_chunks_returned(void);

#endif

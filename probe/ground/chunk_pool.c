/* SPDX-License-Identifier: MIT */
/* The pool of equal chunks, cut from one mapping; returned when all chunks are back. */
#include "probe/ground/chunk_pool.h"

#include <stdbool.h>
#include <sys/mman.h>

enum { LEAST_CHUNK = 4 << 10, LARGEST_CHUNK = 64 << 10, CHUNKS = 64 /* at least */ };

struct pvp_pool {
	struct pvp_pool *next; /* all mapped pools */
	size_t bytes, chunk_bytes, chunks;
	uint8_t *fresh; /* from here on nothing was ever used */
	struct pvp_chunk *free;
	size_t n_free; /* fresh chunks included */
	bool retired;
};

static struct pvp_pool *pools;
static _Atomic size_t free_now;   /* of the pool made last; read without a lock */
static _Atomic uint64_t returned; /* chunks given back so far; read without a lock */

static void show_free(size_t n)
{
	atomic_store_explicit(&free_now, n, memory_order_relaxed);
}

struct pvp_pool *pvp_pool_create(size_t bytes)
{
	size_t size = LARGEST_CHUNK;
	while (size > LEAST_CHUNK && size * CHUNKS > bytes)
		size /= 2;
	size_t chunks = bytes / size, all = LEAST_CHUNK + chunks * size;
	void *at = mmap(NULL, all, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	struct pvp_pool *p = at;
	p->bytes = all;
	p->chunk_bytes = size;
	p->chunks = chunks;
	p->fresh = (uint8_t *)at + LEAST_CHUNK;
	p->n_free = chunks;
	show_free(chunks);
	p->next = pools;
	pools = p;
	return p;
}

static void unmap(struct pvp_pool *p)
{
	for (struct pvp_pool **at = &pools; *at; at = &(*at)->next)
		if (*at == p) {
			*at = p->next;
			break;
		}
	munmap(p, p->bytes);
}

void pvp_pool_retire(struct pvp_pool *p)
{
	p->retired = true;
	show_free(0);
	if (p->n_free == p->chunks) {
		unmap(p);
		return;
	}
	/* Some threads still hold a chunk; the others' pages go back now. */
	for (struct pvp_chunk *c = p->free, *next; c; c = next) {
		next = c->next;
		madvise(c, p->chunk_bytes, MADV_DONTNEED);
	}
	p->free = NULL;
}

void pvp_pools_unmap(void)
{
	while (pools)
		unmap(pools);
}

struct pvp_chunk *pvp_pool_take(struct pvp_pool *p)
{
	struct pvp_chunk *c = p->free;
	if (c) {
		p->free = c->next;
	} else if (p->n_free > 0) {
		c = (struct pvp_chunk *)(void *)p->fresh;
		p->fresh += p->chunk_bytes;
	} else {
		return NULL;
	}
	show_free(--p->n_free);
	c->next = NULL;
	c->end = (uint8_t *)c + p->chunk_bytes;
	c->final = c->taken = NULL;
	atomic_store_explicit(&c->obj_base, 0, memory_order_relaxed);
	return c;
}

void pvp_pool_put(struct pvp_pool *p, struct pvp_chunk *c)
{
	p->n_free++;
	atomic_fetch_add_explicit(&returned, 1, memory_order_relaxed);
	if (p->retired && p->n_free == p->chunks) {
		unmap(p);
	} else if (p->retired) {
		madvise(c, p->chunk_bytes, MADV_DONTNEED);
	} else {
		c->next = p->free;
		p->free = c;
		show_free(p->n_free);
	}
}

size_t pvp_pool_chunks(const struct pvp_pool *p)
{
	return p->chunks;
}

size_t pvp_chunks_free(void)
{
	return atomic_load_explicit(&free_now, memory_order_relaxed);
}

uint64_t pvp_chunks_returned(void)
{
	return atomic_load_explicit(&returned, memory_order_relaxed);
}

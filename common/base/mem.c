/* SPDX-License-Identifier: MIT */
/* Growable arrays, tables in large pages, and arenas. */
#include "common/base/mem.h"

#include "common/base/large.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	LARGE = 2 << 20, /* a large page */
	LINE = 64,
	FIRST_CHUNK = 1024,
	CHUNK = 64 * 1024,
	MUCH = 32 * 1024, /* bytes from which an array grows by less, to waste less */
};

struct pv_arena_chunk {
	struct pv_arena_chunk *before;
	size_t used, room;
	alignas(max_align_t) char bytes[];
};

/* Room for the next elements; 0: too many. */
static size_t next_room(size_t n, size_t room, size_t extra, size_t size)
{
	if (extra > SIZE_MAX / 2 - n)
		return 0;
	size_t want = room < 8 ? 8 : room + room / (room > MUCH / size ? 4 : 2);
	if (want < n + extra)
		want = n + extra;
	return want > SIZE_MAX / size ? 0 : want;
}

bool pv_grow_array(void **v, size_t n, size_t *room, size_t extra, size_t size)
{
	size_t want = next_room(n, *room, extra, size);
	void *grown = want ? realloc(*v, want * size) : NULL;
	if (!grown)
		return false;
	*v = grown;
	*room = want;
	return true;
}

void pv_free_array(void **v, size_t *n, size_t *room)
{
	free(*v);
	*v = NULL;
	*n = *room = 0;
}

/* Only speed depends on large pages, so errors are ignored, here and below. */
static void ask_large(void *table, size_t size)
{
#ifdef MADV_HUGEPAGE
	if (size >= LARGE)
		madvise(table, size, MADV_HUGEPAGE);
#endif
}

/* Asks for the large pages within any piece of memory. */
static void ask_large_inside(void *v, size_t size)
{
	size_t before = (LARGE - (uintptr_t)v % LARGE) % LARGE;
	if (size > before)
		ask_large((char *)v + before, (size - before) & ~(size_t)(LARGE - 1));
}

/* Small at first: most arenas are of a table and hold little, and all of a chunk is zeroed. */
static size_t next_chunk(const struct pv_arena *a)
{
	if (!a->last)
		return FIRST_CHUNK;
	return a->last->room < CHUNK / 4 ? a->last->room * 4 : CHUNK;
}

static bool add_chunk(struct pv_arena *a, size_t size)
{
	size_t usual = next_chunk(a), room = size > usual ? size : usual;
	if (room > SIZE_MAX - sizeof(struct pv_arena_chunk))
		return false;
	struct pv_arena_chunk *c = calloc(1, sizeof *c + room);
	if (!c)
		return false;
	ask_large_inside(c, sizeof *c + room);
	c->room = room;
	c->before = a->last;
	a->last = c;
	return true;
}

void *pv_arena_alloc(struct pv_arena *a, size_t size)
{
	size_t align = alignof(max_align_t);
	if (size > SIZE_MAX - align)
		return NULL;
	size = (size + align - 1) & ~(align - 1);
	if ((!a->last || a->last->room - a->last->used < size) && !add_chunk(a, size))
		return NULL;
	void *p = a->last->bytes + a->last->used;
	a->last->used += size;
	a->bytes += size;
	return p;
}

char *pv_arena_copy(struct pv_arena *a, const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? pv_arena_alloc(a, len + 1) : NULL;
	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *pv_arena_printf(struct pv_arena *a, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = len < 0 ? NULL : pv_arena_alloc(a, (size_t)len + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void pv_arena_finish(struct pv_arena *a)
{
	for (struct pv_arena_chunk *c = a->last; c;) {
		struct pv_arena_chunk *before = c->before;
		free(c);
		c = before;
	}
	*a = (struct pv_arena){ 0 };
}

void pv_arena_reset(struct pv_arena *a)
{
	struct pv_arena_chunk *c = a->last;
	if (!c || c->room > CHUNK) {
		pv_arena_finish(a);
		return;
	}
	*a = (struct pv_arena){ .last = c->before };
	pv_arena_finish(a);
	memset(c->bytes, 0, c->used);
	c->before = NULL;
	c->used = 0;
	a->last = c;
}

/* --- tables */

void *pv_large_alloc(size_t size)
{
	if (size < LARGE || size > SIZE_MAX - LARGE)
		return malloc(size);
	void *v = aligned_alloc(LARGE, (size + LARGE - 1) & ~(size_t)(LARGE - 1));
	if (v)
		ask_large(v, size);
	return v;
}

static void *small_table(size_t size)
{
	void *v = aligned_alloc(LINE, (size + LINE - 1) & ~(size_t)(LINE - 1));
	if (v)
		memset(v, 0, size);
	return v;
}

void *pv_table_alloc(size_t size)
{
	const size_t large = LARGE;
	if (size == 0 || size > SIZE_MAX / 2)
		return NULL;
	if (size < large)
		return small_table(size);
	char *v = mmap(
		NULL, size + large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (v == MAP_FAILED)
		return NULL;
	/* From a large page's beginning on; what is left over at both ends goes back. */
	size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) & ~(page - 1);
	size_t before = (large - (uintptr_t)v % large) % large, after = large - before;
	if (before)
		munmap(v, before);
	after -= (whole - size) < after ? whole - size : after;
	after &= ~(page - 1);
	if (after)
		munmap(v + before + whole, after);
	ask_large(v + before, whole);
	return v + before;
}

void *pv_table_grow(void *table, size_t size, size_t more)
{
	if (!table)
		return pv_table_alloc(more);
	void *to = pv_table_alloc(more); /* a large table is moved without copying */
	if (!to)
		return NULL;
	if (size < LARGE) {
		memcpy(to, table, size);
		free(table);
		return to;
	}
	/* After a failure the place may be in use by another thread: it is left. */
	if (mremap(table, size, more, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
		return NULL;
	ask_large(to, more);
	return to;
}

void pv_table_fill(void *table, size_t size)
{
	enum { POPULATE_WRITE = 23 }; /* of Linux 5.14, for systems whose headers are older */
	if (size >= LARGE)
		madvise(table, size, POPULATE_WRITE);
}

void pv_table_free(void *table, size_t size)
{
	if (table && size >= LARGE)
		munmap(table, size);
	else
		free(table);
}

bool pv_grow_table(void **v, size_t n, size_t *room, size_t extra, size_t size)
{
	const size_t large = LARGE;
	size_t bytes = next_room(n, *room, extra, size) * size;
	if (bytes < large)
		return pv_grow_array(v, n, room, extra, size);
	if (bytes > SIZE_MAX / 4)
		return false;
	/*
	 * Up to the end of the last large page; at least two, as a single page is never filled
	 * whole by elements.
	 */
	bytes = (bytes + large - 1) & ~(large - 1);
	size_t want = (bytes > large ? bytes : 2 * large) / size;
	void *grown = pv_table_grow(*v, *room * size, want * size);
	if (!grown)
		return false;
	*v = grown;
	*room = want;
	return true;
}

void pv_free_table(void **v, size_t *n, size_t *room, size_t size)
{
	pv_table_free(*v, *room * size);
	*v = NULL;
	*n = *room = 0;
}

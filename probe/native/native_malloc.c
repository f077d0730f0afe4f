/* SPDX-License-Identifier: MIT */
/*
 * Functions in front of the program's allocator, from any library. They may be called before any
 * constructor, by the loader, and while the real functions are being searched: during the search
 * blocks come from a small static room, and are never freed.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "probe/native/native_next.h"

enum { ALL = PVP_RECORD_NEW | PVP_RECORD_FREE | PVP_RECORD_ALIVE | PVP_RECORD_EARLY };

static __attribute__((noinline)) void *malloc_recorded(size_t bytes, uintptr_t site)
{
	if (!pvp_next_ready())
		return pvp_room_take(bytes);
	return pvp_got(pvp_next.malloc(bytes), bytes, site, PVP_FRAME);
}

PVP_EXPORT void *malloc(size_t bytes)
{
	if (pvp_next_idle(PVP_RECORD_NEW | PVP_RECORD_ALIVE))
		return pvp_next.malloc(bytes);
	return malloc_recorded(bytes, PVP_CALLER);
}

static __attribute__((noinline)) void *calloc_recorded(size_t n, size_t each, uintptr_t site)
{
	size_t bytes;
	if (pvp_next_ready())
		return pvp_got(pvp_next.calloc(n, each), n * each, site, PVP_FRAME);
	return __builtin_mul_overflow(n, each, &bytes) ? NULL : pvp_room_take(bytes); /* zeros */
}

PVP_EXPORT void *calloc(size_t n, size_t each)
{
	if (pvp_next_idle(PVP_RECORD_NEW | PVP_RECORD_ALIVE))
		return pvp_next.calloc(n, each);
	return calloc_recorded(n, each, PVP_CALLER);
}

static __attribute__((noinline)) void free_recorded(void *block)
{
	if (!block)
		return;
	pvp_gone(block);
	if (pvp_next_ready())
		pvp_next.free(block);
}

PVP_EXPORT void free(void *block)
{
	if (pvp_room_has(block))
		return;
	if (pvp_next_idle(PVP_RECORD_FREE | PVP_RECORD_ALIVE))
		pvp_next.free(block);
	else
		free_recorded(block);
}

static void *out_of_room(void *block, size_t bytes)
{
	void *to = malloc(bytes);
	size_t had = pvp_room_size(block);
	if (to)
		memcpy(to, block, had < bytes ? had : bytes);
	return to;
}

/* Reported as freed and allocated anew, in this order: meanwhile others may get the same address.
 */
PVP_INLINE void *resize(void *block, size_t bytes, uintptr_t site, uintptr_t frame)
{
	if (block && pvp_room_has(block))
		return out_of_room(block, bytes);
	if (!pvp_next_ready())
		return pvp_room_take(bytes);
	if (PVP_LIKELY(!pvp_wanted(ALL)))
		return pvp_next.realloc(block, bytes);
	struct pvp_held_block before = { 0, 0, 0 };
	if (block)
		before = pvp_block_gone(block);
	void *to = pvp_next.realloc(block, bytes);
	if (!to && block && bytes) {
		pvp_block_stays(block, before, malloc_usable_size(block));
		errno = ENOMEM;
	}
	return pvp_got(to, bytes, site, frame);
}

PVP_EXPORT void *realloc(void *block, size_t bytes)
{
	return resize(block, bytes, PVP_CALLER, PVP_FRAME);
}

PVP_EXPORT void *reallocarray(void *block, size_t n, size_t each)
{
	size_t bytes;
	if (!__builtin_mul_overflow(n, each, &bytes))
		return resize(block, bytes, PVP_CALLER, PVP_FRAME);
	errno = ENOMEM;
	return NULL;
}

PVP_EXPORT void *memalign(size_t align, size_t bytes)
{
	if (!pvp_next_ready())
		return align <= PVP_ROOM_ALIGN ? pvp_room_take(bytes) : NULL;
	return pvp_got(pvp_next.memalign(align, bytes), bytes, PVP_CALLER, PVP_FRAME);
}

PVP_EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	if (!pvp_next_ready())
		return align <= PVP_ROOM_ALIGN ? pvp_room_take(bytes) : NULL;
	return pvp_got(pvp_next.aligned_alloc(align, bytes), bytes, PVP_CALLER, PVP_FRAME);
}

PVP_EXPORT int posix_memalign(void **to, size_t align, size_t bytes)
{
	if (!pvp_next_ready()) {
		*to = align <= PVP_ROOM_ALIGN ? pvp_room_take(bytes) : NULL;
		return *to ? 0 : ENOMEM;
	}
	int error = pvp_next.posix_memalign(to, align, bytes);
	if (!error)
		pvp_got(*to, bytes, PVP_CALLER, PVP_FRAME);
	return error;
}

PVP_EXPORT void *valloc(size_t bytes)
{
	if (!pvp_next_ready() || !pvp_next.valloc)
		return NULL;
	return pvp_got(pvp_next.valloc(bytes), bytes, PVP_CALLER, PVP_FRAME);
}

PVP_EXPORT void *pvalloc(size_t bytes)
{
	if (!pvp_next_ready() || !pvp_next.pvalloc)
		return NULL;
	return pvp_got(pvp_next.pvalloc(bytes), bytes, PVP_CALLER, PVP_FRAME);
}

/* Only the library that made a block knows the size. */
PVP_EXPORT size_t malloc_usable_size(void *block)
{
	if (block && pvp_room_has(block))
		return pvp_room_size(block);
	return pvp_next_ready() && pvp_next.usable_size ? pvp_next.usable_size(block) : 0;
}

/* Newer than most allocators: free() is called if the allocator has no such function. */
PVP_EXPORT void free_sized(void *block, size_t bytes);
PVP_EXPORT void free_aligned_sized(void *block, size_t align, size_t bytes);

PVP_EXPORT void free_sized(void *block, size_t bytes)
{
	if (!block || pvp_room_has(block) || !pvp_next_ready())
		return;
	if (!pvp_next.free_sized) {
		free_recorded(block);
		return;
	}
	pvp_gone(block);
	pvp_next.free_sized(block, bytes);
}

PVP_EXPORT void free_aligned_sized(void *block, size_t align, size_t bytes)
{
	if (!block || pvp_room_has(block) || !pvp_next_ready())
		return;
	if (!pvp_next.free_aligned_sized) {
		free_recorded(block);
		return;
	}
	pvp_gone(block);
	pvp_next.free_aligned_sized(block, align, bytes);
}

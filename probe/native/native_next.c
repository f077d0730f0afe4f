/* SPDX-License-Identifier: MIT */
/* Finds the allocator's functions after ours, and hands out the static room. */
#include "probe/native/native_next.h"

#include <dlfcn.h>
#include <string.h>

enum { ROOM = 64 << 10 };

struct pvp_next pvp_next;
_Thread_local struct pvp_operator pvp_operator __attribute__((tls_model("initial-exec")));
/* dlsym() is declared not to call back, but asks for memory where a name is missing: volatile. */
static _Thread_local volatile bool looking __attribute__((tls_model("initial-exec")));

static _Alignas(PVP_ROOM_ALIGN) unsigned char room[ROOM];
static _Atomic size_t room_used;

bool pvp_room_has(const void *at)
{
	return (uintptr_t)at - (uintptr_t)room < ROOM;
}

/* The size stands in front of the block. */
void *pvp_room_take(size_t bytes)
{
	size_t need =
		((bytes + PVP_ROOM_ALIGN - 1) & ~(size_t)(PVP_ROOM_ALIGN - 1)) + PVP_ROOM_ALIGN;
	if (bytes > ROOM)
		return NULL;
	size_t at = atomic_fetch_add(&room_used, need);
	if (at + need > ROOM)
		return NULL;
	memcpy(room + at, &bytes, sizeof bytes);
	return room + at + PVP_ROOM_ALIGN;
}

size_t pvp_room_size(const void *at)
{
	size_t bytes;
	memcpy(&bytes, (const unsigned char *)at - PVP_ROOM_ALIGN, sizeof bytes);
	return bytes;
}

static void find_next(void *to, const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);
	memcpy(to, &at, sizeof at);
}

/* Two threads may search at once, with the same result. */
static void find_all(void)
{
	looking = true;
	find_next(&pvp_next.calloc, "calloc");
	find_next(&pvp_next.realloc, "realloc");
	find_next(&pvp_next.free, "free");
	find_next(&pvp_next.memalign, "memalign");
	find_next(&pvp_next.aligned_alloc, "aligned_alloc");
	find_next(&pvp_next.posix_memalign, "posix_memalign");
	find_next(&pvp_next.valloc, "valloc");
	find_next(&pvp_next.pvalloc, "pvalloc");
	find_next(&pvp_next.usable_size, "malloc_usable_size");
	find_next(&pvp_next.free_sized, "free_sized");
	find_next(&pvp_next.free_aligned_sized, "free_aligned_sized");
	find_next(&pvp_next.malloc, "malloc");
	looking = false;
	atomic_fetch_and_explicit(&pvp_recording, ~(unsigned)PVP_RECORD_LOOK, memory_order_release);
}

bool pvp_next_ready(void)
{
	unsigned now = atomic_load_explicit(&pvp_recording, memory_order_acquire);
	if (PVP_LIKELY(!(now & (PVP_RECORD_LOOK | PVP_RECORD_TRY))))
		return true;
	if (now & PVP_RECORD_TRY)
		pvp_operator.tried = true;
	if (looking)
		return false;
	if (now & PVP_RECORD_LOOK)
		find_all();
	return true;
}

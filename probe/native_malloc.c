/*
 * These stand in front of the program's own functions, whoever brings them. They are called before
 * any constructor, from the loader, and from what looks the real ones up: blocks asked for then
 * come from a small room of ours and are never given back.
 */
#include "probe/native_record.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
/* In the function itself, whose frame stays while its address is in use. */
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

enum { ROOM = 64 << 10, ALIGN = 16 };
enum { ALL = PVP_RECORD_NEW | PVP_RECORD_FREE | PVP_RECORD_ALIVE };

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*make)(size_t), *(*make_array)(size_t); /* operator new, new[] */
} next;
static _Thread_local bool looking __attribute__((tls_model("initial-exec")));

/* ---- before the real ones are known */

static _Alignas(ALIGN) unsigned char room[ROOM];
static _Atomic size_t room_used;

static bool in_room(const void *at)
{
	return (uintptr_t)at - (uintptr_t)room < ROOM;
}

/* Its size stands in front. NULL: there is no room left. */
static void *from_room(size_t bytes)
{
	size_t need = ((bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1)) + ALIGN;
	if (bytes > ROOM)
		return NULL;
	size_t at = atomic_fetch_add(&room_used, need);
	if (at + need > ROOM)
		return NULL;
	memcpy(room + at, &bytes, sizeof bytes);
	return room + at + ALIGN;
}

static size_t size_in_room(const void *at)
{
	size_t bytes;
	memcpy(&bytes, (const unsigned char *)at - ALIGN, sizeof bytes);
	return bytes;
}

static void find(void *to, const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);
	memcpy(to, &at, sizeof at);
}

/* Two threads may do it at once: they find the same. */
static void find_all(void)
{
	looking = true;
	find(&next.calloc, "calloc");
	find(&next.realloc, "realloc");
	find(&next.free, "free");
	find(&next.memalign, "memalign");
	find(&next.aligned_alloc, "aligned_alloc");
	find(&next.posix_memalign, "posix_memalign");
	find(&next.malloc, "malloc");
	looking = false;
	atomic_fetch_and_explicit(&pvp_recording, ~(unsigned)PVP_RECORD_LOOK, memory_order_release);
}

/* False: it is being looked for, by this very thread. */
static bool ready(void)
{
	if (LIKELY(!(atomic_load_explicit(&pvp_recording, memory_order_acquire) & PVP_RECORD_LOOK)))
		return true;
	if (looking)
		return false;
	find_all();
	return true;
}

/* None of this is wanted, and calls can be passed on: the shortest way. */
static inline bool idle(unsigned what)
{
	return LIKELY(!(atomic_load_explicit(&pvp_recording, memory_order_acquire) &
			(what | PVP_RECORD_LOOK)));
}

/* ---- what is offered */

/*
 * Where operator new was called from: it calls malloc itself. The thread's own; an exception may
 * leave it set, until the next call.
 */
static _Thread_local uintptr_t new_site, new_frame __attribute__((tls_model("initial-exec")));

#define CALLER ((uintptr_t)__builtin_return_address(0))
#define FRAME ((uintptr_t)__builtin_frame_address(0))

INLINE void *got(void *block, size_t bytes, uintptr_t site, uintptr_t frame)
{
	if (LIKELY(!pvp_wanted(PVP_RECORD_NEW | PVP_RECORD_ALIVE)) || !block)
		return block;
	int before = errno;
	if (new_site)
		pvp_block_new(block, bytes, new_site, new_frame);
	else
		pvp_block_new(block, bytes, site, frame);
	errno = before;
	return block;
}

static __attribute__((noinline)) void *malloc_told(size_t bytes, uintptr_t site)
{
	if (!ready())
		return from_room(bytes);
	return got(next.malloc(bytes), bytes, site, FRAME);
}

EXPORT void *malloc(size_t bytes)
{
	if (idle(PVP_RECORD_NEW | PVP_RECORD_ALIVE))
		return next.malloc(bytes);
	return malloc_told(bytes, CALLER);
}

static __attribute__((noinline)) void *calloc_told(size_t n, size_t each, uintptr_t site)
{
	size_t bytes;
	if (ready())
		return got(next.calloc(n, each), n * each, site, FRAME);
	return __builtin_mul_overflow(n, each, &bytes) ? NULL : from_room(bytes); /* zeros */
}

EXPORT void *calloc(size_t n, size_t each)
{
	if (idle(PVP_RECORD_NEW | PVP_RECORD_ALIVE))
		return next.calloc(n, each);
	return calloc_told(n, each, CALLER);
}

static __attribute__((noinline)) void free_told(void *block)
{
	if (!block)
		return;
	if (pvp_wanted(PVP_RECORD_FREE | PVP_RECORD_ALIVE)) {
		int before = errno;
		pvp_block_gone(block);
		errno = before;
	}
	if (ready())
		next.free(block);
}

EXPORT void free(void *block)
{
	if (in_room(block))
		return;
	if (idle(PVP_RECORD_FREE | PVP_RECORD_ALIVE))
		next.free(block);
	else
		free_told(block);
}

static void *out_of_room(void *block, size_t bytes)
{
	void *to = malloc(bytes);
	size_t had = size_in_room(block);
	if (to)
		memcpy(to, block, had < bytes ? had : bytes);
	return to;
}

/* Told as given back and got anew, in this order: meanwhile others may get the same address. */
INLINE void *resize(void *block, size_t bytes, uintptr_t site, uintptr_t frame)
{
	if (block && in_room(block))
		return out_of_room(block, bytes);
	if (!ready())
		return from_room(bytes);
	if (LIKELY(!pvp_wanted(ALL)))
		return next.realloc(block, bytes);
	struct pvp_gone before = { 0, 0 };
	if (block)
		before = pvp_block_gone(block);
	void *to = next.realloc(block, bytes);
	if (!to && block && bytes) {
		pvp_block_stays(block, before, malloc_usable_size(block));
		errno = ENOMEM;
	}
	return got(to, bytes, site, frame);
}

EXPORT void *realloc(void *block, size_t bytes)
{
	return resize(block, bytes, CALLER, FRAME);
}

EXPORT void *reallocarray(void *block, size_t n, size_t each)
{
	size_t bytes;
	if (!__builtin_mul_overflow(n, each, &bytes))
		return resize(block, bytes, CALLER, FRAME);
	errno = ENOMEM;
	return NULL;
}

EXPORT void *memalign(size_t align, size_t bytes)
{
	if (!ready())
		return align <= ALIGN ? from_room(bytes) : NULL;
	return got(next.memalign(align, bytes), bytes, CALLER, FRAME);
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	if (!ready())
		return align <= ALIGN ? from_room(bytes) : NULL;
	return got(next.aligned_alloc(align, bytes), bytes, CALLER, FRAME);
}

EXPORT int posix_memalign(void **to, size_t align, size_t bytes)
{
	if (!ready()) {
		*to = align <= ALIGN ? from_room(bytes) : NULL;
		return *to ? 0 : ENOMEM;
	}
	int error = next.posix_memalign(to, align, bytes);
	if (!error)
		got(*to, bytes, CALLER, FRAME);
	return error;
}

/* operator new(size_t) and new[]: only so that the place that calls them is known. */
EXPORT void *_Znwm(size_t bytes);
EXPORT void *_Znam(size_t bytes);

INLINE void *make(void *(*real)(size_t), size_t bytes, uintptr_t site, uintptr_t frame)
{
	if (!new_site) { /* else it is new[] that calls new */
		new_site = site;
		new_frame = frame;
	}
	void *block = real(bytes);
	new_site = 0;
	return block;
}

EXPORT void *_Znwm(size_t bytes)
{
	if (!next.make)
		find(&next.make, "_Znwm");
	return make(next.make, bytes, CALLER, FRAME);
}

EXPORT void *_Znam(size_t bytes)
{
	if (!next.make_array)
		find(&next.make_array, "_Znam");
	return make(next.make_array, bytes, CALLER, FRAME);
}

/* SPDX-License-Identifier: MIT */
/*
 * All operators new and delete: an allocator may have its own, which call neither malloc nor free.
 * Operators that call malloc and free are counted only once (native_next.h). The names are as
 * mangled by C++ compilers.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

#include "probe/native/native_next.h"

typedef const void *nothrow; /* a reference to std::nothrow_t */

static void *_Atomic runtime; /* the C++ library, for programs that load it by dlopen() only */

static void *open_again(void *at)
{
	Dl_info info;
	return dladdr(at, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
						   : NULL;
}

static bool is_our_function(void *at)
{
	Dl_info ours, its;
	return dladdr((void *)(uintptr_t)is_our_function, &ours) && dladdr(at, &its) &&
	       ours.dli_fbase == its.dli_fbase;
}

/* The function that the caller would find without us. */
static void *look_in_neighbour(const char *name, uintptr_t caller)
{
	void *library = open_again((void *)caller);
	void *at = library ? dlsym(library, name) : NULL;
	if (library)
		dlclose(library);
	if (!at || is_our_function(at))
		return NULL;
	atomic_store(&runtime, open_again(at));
	return at;
}

/* The next library's function. NULL: none, as without us. */
static __attribute__((noinline)) void *look(const char *name, uintptr_t caller)
{
	void *at = dlsym(RTLD_NEXT, name), *known = atomic_load(&runtime);
	if (!at && known)
		at = dlsym(known, name);
	return at ? at : look_in_neighbour(name, caller);
}

/* Writes a function's address, found once; two threads find the same. */
#define FIND(name)                                                                                 \
	if (__builtin_expect(!real, 0)) {                                                          \
		void *at = look(#name, PVP_CALLER);                                                \
		memcpy(&real, &at, sizeof at);                                                     \
	}

/* False: inside another new, which records the block. */
PVP_INLINE bool begin(uintptr_t site, uintptr_t frame)
{
	if (pvp_in_new(frame))
		return false;
	pvp_operator.site = site;
	pvp_operator.frame = frame;
	return true;
}

/* Records a block not already recorded by malloc. */
PVP_INLINE void *end(bool outermost, void *block, size_t bytes, uintptr_t site, uintptr_t frame)
{
	if (!outermost || !pvp_operator.site)
		return block;
	return pvp_got(block, bytes, site, frame);
}

/* `without`: what is done where no C++ runtime is to be found. */
#define NEW(name, params, args, bytes, without)                                                    \
	PVP_EXPORT void *name params;                                                              \
	PVP_EXPORT void *name params                                                               \
	{                                                                                          \
		static void *(*real)params;                                                        \
		FIND(name)                                                                         \
		if (!real)                                                                         \
			return without;                                                            \
		if (pvp_next_idle(PVP_RECORD_NEW | PVP_RECORD_ALIVE))                              \
			return real args;                                                          \
		bool outermost = begin(PVP_CALLER, PVP_FRAME);                                     \
		return end(outermost, real args, bytes, PVP_CALLER, PVP_FRAME);                    \
	}

#define PLAIN   malloc(n)
#define ALIGNED memalign(align, n)
NEW(_Znwm, (size_t n), (n), n, PLAIN)
NEW(_Znam, (size_t n), (n), n, PLAIN)
NEW(_ZnwmRKSt9nothrow_t, (size_t n, nothrow no), (n, no), n, PLAIN)
NEW(_ZnamRKSt9nothrow_t, (size_t n, nothrow no), (n, no), n, PLAIN)
NEW(_ZnwmSt11align_val_t, (size_t n, size_t align), (n, align), n, ALIGNED)
NEW(_ZnamSt11align_val_t, (size_t n, size_t align), (n, align), n, ALIGNED)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t n, size_t align, nothrow no), (n, align, no), n,
	ALIGNED)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t n, size_t align, nothrow no), (n, align, no), n,
	ALIGNED)

/* False: inside another delete, which has recorded the block. */
static inline bool leave(void *block)
{
	if (!block || pvp_operator.leaving == block)
		return false;
	pvp_gone(block);
	pvp_operator.leaving = block;
	return true;
}

#define DELETE(name, params, args)                                                                 \
	PVP_EXPORT void name params;                                                               \
	PVP_EXPORT void name params                                                                \
	{                                                                                          \
		static void(*real) params;                                                         \
		if (pvp_room_has(block))                                                           \
			return;                                                                    \
		FIND(name)                                                                         \
		if (!real) {                                                                       \
			free(block);                                                               \
			return;                                                                    \
		}                                                                                  \
		if (pvp_next_idle(PVP_RECORD_FREE | PVP_RECORD_ALIVE)) {                           \
			real args;                                                                 \
			return;                                                                    \
		}                                                                                  \
		void *before = pvp_operator.leaving;                                               \
		bool outermost = leave(block);                                                     \
		real args;                                                                         \
		if (outermost)                                                                     \
			pvp_operator.leaving = before;                                             \
	}

DELETE(_ZdlPv, (void *block), (block))
DELETE(_ZdaPv, (void *block), (block))
DELETE(_ZdlPvm, (void *block, size_t n), (block, n))
DELETE(_ZdaPvm, (void *block, size_t n), (block, n))
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, nothrow no), (block, no))
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, nothrow no), (block, no))
DELETE(_ZdlPvSt11align_val_t, (void *block, size_t align), (block, align))
DELETE(_ZdaPvSt11align_val_t, (void *block, size_t align), (block, align))
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t n, size_t align), (block, n, align))
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t n, size_t align), (block, n, align))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, nothrow no),
	(block, align, no))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, nothrow no),
	(block, align, no))

/* SPDX-License-Identifier: MIT */
/*
 * State shared by the functions in front of the program's allocator: the functions after them, the
 * room for blocks allocated before those are known, and recording each block only once.
 */
#ifndef PV_PROBE_NATIVE_NEXT_H
#define PV_PROBE_NATIVE_NEXT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/native/native_record.h"

#define PVP_EXPORT __attribute__((visibility("default")))
/* Inlined, so that the frame lives while its address is in use. */
#define PVP_INLINE    static inline __attribute__((always_inline))
#define PVP_LIKELY(x) __builtin_expect(!!(x), 1)
#define PVP_CALLER    ((uintptr_t)__builtin_return_address(0))
#define PVP_FRAME     ((uintptr_t)__builtin_frame_address(0))

enum { PVP_ROOM_ALIGN = 16 };

/* The next functions in the order of loading; some may be NULL. Valid after pvp_next_ready(). */
struct pvp_next {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*usable_size)(void *);
	void (*free_sized)(void *, size_t);
	void (*free_aligned_sized)(void *, size_t, size_t);
};
extern struct pvp_next pvp_next;

/* False: this very thread is searching for them. */
bool pvp_next_ready(void);

/* Memory of the room: static, never freed. NULL: there is none left. */
void *pvp_room_take(size_t bytes);
bool pvp_room_has(const void *at);
size_t pvp_room_size(const void *at);

/* Whether none of this is wanted, and calls can be passed on: the shortest way. */
static inline bool pvp_next_idle(unsigned what)
{
	return PVP_LIKELY(!(atomic_load_explicit(&pvp_recording, memory_order_acquire) &
			    (what | PVP_RECORD_LOOK | PVP_RECORD_TRY | PVP_RECORD_EARLY)));
}

/*
 * A call of operator new or delete under way in this thread. Most operators call malloc and free,
 * which pass here, too: the first function to see the block records it and clears `site`. An
 * exception may leave the call; frames far away on the stack are not part of it.
 */
struct pvp_operator {
	uintptr_t site, frame; /* of new's caller, of new; site 0: none */
	void *leaving;         /* the block recorded by delete */
	bool tried;            /* malloc or free was called with PVP_RECORD_TRY on */
};
extern _Thread_local struct pvp_operator pvp_operator __attribute__((tls_model("initial-exec")));

/* Whether the frame is inside this thread's operator new. */
PVP_INLINE bool pvp_in_new(uintptr_t frame)
{
	enum { NEAR = 2048 };
	return pvp_operator.site && pvp_operator.frame - frame < NEAR;
}

/*
 * Records the block as allocated at `site`, or at the operator new's site; returns `block`, which
 * is owned by the program, or NULL.
 */
PVP_INLINE void *pvp_got(void *block, size_t bytes, uintptr_t site, uintptr_t frame)
{
	if (pvp_in_new(frame)) {
		site = pvp_operator.site;
		frame = pvp_operator.frame;
	}
	pvp_operator.site = 0;
	const unsigned what = PVP_RECORD_NEW | PVP_RECORD_ALIVE | PVP_RECORD_EARLY;
	if (PVP_LIKELY(!pvp_wanted(what)) || !block)
		return block;
	int before = errno;
	pvp_block_new(block, bytes, site, frame);
	errno = before;
	return block;
}

/* Records that the block is freed. */
static inline void pvp_gone(void *block)
{
	const unsigned what = PVP_RECORD_FREE | PVP_RECORD_ALIVE | PVP_RECORD_EARLY;
	if (block == pvp_operator.leaving || !pvp_wanted(what))
		return;
	int before = errno;
	pvp_block_gone(block);
	errno = before;
}

#endif

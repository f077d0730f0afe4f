/* SPDX-License-Identifier: MIT */
/* Records blocks allocated or freed by the program. */
#ifndef PV_PROBE_NATIVE_RECORD_H
#define PV_PROBE_NATIVE_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/native/native_args.h"
#include "probe/native/native_blocks.h"
#include "probe/core/thread_buf.h"

/*
 * Handling of blocks; LOOK: the next functions are not known yet; TRY: a test whether calls pass
 * here is running (native_front.h).
 */
enum pvp_record {
	PVP_RECORD_NEW = 1,
	PVP_RECORD_FREE = 2,
	PVP_RECORD_ALIVE = 4, /* blocks are known, for shots or for sums by stack */
	PVP_RECORD_LOOK = 8,
	PVP_RECORD_TRY = 16,
	PVP_RECORD_EARLY = 32 /* no recording can have begun yet: native_early.h */
};

extern _Atomic unsigned pvp_recording;

/* Whether any of these is wanted for what this thread does now. */
static inline bool pvp_wanted(unsigned what)
{
	return (atomic_load_explicit(&pvp_recording, memory_order_relaxed) & what) &&
	       !atomic_load_explicit(&pvp_tls.inside, memory_order_relaxed);
}

/* Early blocks end here. Once, by this library's constructor. */
void pvp_native_malloc_begins(void);

/* From now on as `o` says; NULL: nothing is recorded. Any thread. */
void pvp_native_malloc_set(const struct pvp_native_options *o);

/*
 * The name of a class, for the log; `name` is the registry's. Names of places are found here. Valid
 * until the next call, never NULL. For the writer's thread.
 */
const char *pvp_native_class_name(const char *name);

/* site: the place of the call; frame: of our function called there, or called by such a one. */
void pvp_block_new(void *block, size_t bytes, uintptr_t site, uintptr_t frame);

/* Whether sampling selects an object reported by the program itself. */
bool pvp_native_taken(size_t bytes);

/* Before the block is freed: removes and returns its entry. */
struct pvp_held_block pvp_block_gone(void *block);

/* The block was not freed after all; `bytes` if no entry is known. */
void pvp_block_stays(void *block, struct pvp_held_block before, size_t bytes);

#endif

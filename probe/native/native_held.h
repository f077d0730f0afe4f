/* SPDX-License-Identifier: MIT */
/*
 * Memory by allocating stack: for each stack the blocks and bytes allocated, held now, and the most
 * bytes held. Summed up here, where each block's begin and end are known at once and in order, so
 * that the log has a few bytes a stack, not a few a block. In shards with a lock each; memory comes
 * from the system, not from malloc.
 */
#ifndef PV_PROBE_NATIVE_HELD_H
#define PV_PROBE_NATIVE_HELD_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_writer;
struct pvp_out_buffer;

/*
 * A block of so many bytes was allocated; frames: return addresses, innermost first. Returns the
 * stack's number; beyond the limit a number shared by all further stacks; 0: no memory. Any thread.
 */
uint32_t pvp_held_got(const uint64_t *frames, unsigned n, uint64_t bytes);

/*
 * gone: a block of the stack was freed; at_once: no other was allocated since. stays: the block was
 * not freed after all. Stack 0 is ignored. Any thread.
 */
void pvp_held_gone(uint32_t stack, uint64_t bytes, bool at_once);
void pvp_held_stays(uint32_t stack, uint64_t bytes);

/*
 * Writes changed sums as events into `page`, after the names used; `all`: every sum, with frames,
 * for a new reader. False: not written. The writer's.
 */
bool pvp_held_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool all);

/* Forgets all of them: a recording begins or ends. */
void pvp_held_clear(void);

/* Around fork. */
void pvp_held_hold(void);
void pvp_held_release(void);

#endif

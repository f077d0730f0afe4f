/* SPDX-License-Identifier: MIT */
/*
 * The living blocks of a native program: address, size and class of each, so that a heap shot is
 * possible at any time. In parts with a lock each; memory comes from the system, not from malloc.
 */
#ifndef PV_PROBE_NATIVE_BLOCKS_H
#define PV_PROBE_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/ground/host.h"

struct pvp_writer;

/* type: class, 0: unknown; stack: number from native_held.h, or 0. Zeros: no block. */
struct pvp_held_block {
	uint64_t bytes;
	uint32_t type, stack;
};

/*
 * Any thread. Without memory for a record later shots are incomplete, and are discarded; false: no
 * memory.
 */
bool pvp_blocks_add(uint64_t address, struct pvp_held_block block);
/* Removes the block's entry; returns it, zeros: unknown. */
struct pvp_held_block pvp_blocks_remove(uint64_t address);

/* Forgets all of them: a recording begins or ends. */
void pvp_blocks_clear(void);

/* Asks for a shot; returns the number of the shot, from 0. */
uint64_t pvp_blocks_ask(void);
/* Takes the shots asked for; writes each as a whole, or counts it as discarded. The writer's. */
void pvp_blocks_tell(struct pvp_writer *w);
uint64_t pvp_blocks_discarded(void);

/* Around fork. */
void pvp_blocks_hold(void);
void pvp_blocks_release(void);

#endif

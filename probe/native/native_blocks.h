/*
 * The blocks a native program holds: address, size and class of each, so that a heap shot can be
 * taken at any time. In parts with a lock each; memory comes from the system, not from malloc.
 */
#ifndef PV_PROBE_NATIVE_BLOCKS_H
#define PV_PROBE_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/core/host.h"

struct pvp_writer;

/* type: its class, 0: not known; stack: that of native_held.h, or 0. Zeros: no block. */
struct pvp_held_block {
	uint64_t bytes;
	uint32_t type, stack;
};

/*
 * Any thread. A block that finds no memory for its record makes later shots incomplete, which are
 * discarded; false: it did.
 */
bool pvp_blocks_add(uint64_t address, struct pvp_held_block block);
/* The block's entry. */
struct pvp_held_block pvp_blocks_remove(uint64_t address);

/* Forgets all of them: a recording begins or ends. */
void pvp_blocks_clear(void);

/* Asks for a shot; its number, from 0. */
uint64_t pvp_blocks_ask(void);
/* Takes those asked for and writes each whole, or counts it as discarded. The writer's thread. */
void pvp_blocks_tell(struct pvp_writer *w);
uint64_t pvp_blocks_discarded(void);

/* Around fork. */
void pvp_blocks_hold(void);
void pvp_blocks_release(void);

#endif

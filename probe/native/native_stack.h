/* Stacks of allocations. */
#ifndef PV_PROBE_NATIVE_STACK_H
#define PV_PROBE_NATIVE_STACK_H

#include <stdint.h>

/*
 * Return addresses from the place `site` outwards, innermost first, at most `most`, into room for
 * as many; at least 1. frame: of a function that was called there, maybe by way of others of ours.
 * The calling thread's, outside of signal handlers.
 */
unsigned pvp_native_stack(uint64_t *at, unsigned most, uintptr_t site, uintptr_t frame);

#endif

/* SPDX-License-Identifier: MIT */
/* Stacks of allocations. */
#ifndef PV_PROBE_NATIVE_STACK_H
#define PV_PROBE_NATIVE_STACK_H

#include <stdint.h>

/*
 * Return addresses from the place `site` outwards, innermost first, at most `most`; returns their
 * number, at least 1. frame: of the probe's function called at `site`, maybe by way of others of
 * ours. The calling thread's, outside of signal handlers.
 */
unsigned pvp_native_stack(uint64_t *at, unsigned most, uintptr_t site, uintptr_t frame);

#endif

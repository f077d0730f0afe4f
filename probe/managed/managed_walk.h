/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's managed frames by the probe's own walk, far cheaper than the runtime's.
 *
 * A place in managed code is trusted once the runtime's walk has given the same stack; if a frame
 * is not understood, or the walks differ, the runtime's walk counts. Any thread of the runtime,
 * outside of signal handlers.
 */
#ifndef PV_PROBE_MANAGED_WALK_H
#define PV_PROBE_MANAGED_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of code outside of files. */
struct pvp_managed_code {
	uintptr_t start;
	uint64_t key; /* of the method; 0: not shown in stacks */
	bool hidden;  /* a method left out by the runtime's walk */
	bool leaves;  /* may call native code */
	bool throws;  /* may, too, but only stacks of exceptions pass */
};

struct pvp_managed_walker {
	/*
	 * The runtime's walk: keys, innermost first, at most `most`, and where each goes on (0: not
	 * known).
	 */
	size_t (*runtime)(uint64_t *keys, uint64_t *places, size_t most);
	/* False: the return address is unknown, or its code may go at any time. */
	bool (*code)(uintptr_t pc, struct pvp_managed_code *ret);
	bool thrown; /* for stacks of exceptions being thrown */
};

/*
 * Keys, outermost first, at most `most` and PVP_MANAGED_FRAMES; places: likewise the addresses where
 * each goes on, 0 where not known.
 */
size_t pvp_managed_stack(
	const struct pvp_managed_walker *w, uint64_t *keys, uint64_t *places, size_t most);

/* Some code is gone, and other code may take its place. */
void pvp_managed_walk_forget(void);

#endif

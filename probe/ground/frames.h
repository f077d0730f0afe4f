/* SPDX-License-Identifier: MIT */
/*
 * The open calls of a thread, as the native host sees them, so that calls left by longjmp() are
 * noticed: their leave events are written when the next call shows it. Used only by the thread
 * itself, inside the probe.
 */
#ifndef PV_PROBE_FRAMES_H
#define PV_PROBE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PVP_FRAMES_BYTES = 256 << 10,
	PVP_PROLOGUE =
		56, /* bytes: a function's own hook is called this near to the function's start;
		     * inlined code is longer */
};

struct pvp_frame {
	uintptr_t sp, pc; /* stack pointer and return address of the hook that reported the enter */
	uint64_t method;
};

struct pvp_frames {
	struct pvp_frame *top, *end; /* the next free entry; end of the array */
	uint64_t beyond;             /* open calls without room here */
	uint32_t session, gaps;      /* of the calls: a pause ends them */
	struct pvp_frame at[];       /* at[0] lies below all: its sp is the highest address */
};

/* NULL: out of memory. pvp_frames_destroy() frees it. */
struct pvp_frames *pvp_frames_create(void);
void pvp_frames_destroy(struct pvp_frames *f);
void pvp_frames_reset(struct pvp_frames *f, uint32_t session);

/* Whether the function itself called the hook, and not a function it is inlined into. */
static inline bool pvp_frames_by_itself(uintptr_t pc, uint64_t method)
{
	return pc - method < PVP_PROLOGUE;
}

/* Whether an enter here leaves the calls below alive, as usual, and there is room. */
static inline bool pvp_frames_plain(
	const struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method)
{
	if (!f || f->top == f->end)
		return false;
	const struct pvp_frame *below = f->top - 1;
	while (below->sp == sp && below->pc != pc && !pvp_frames_by_itself(pc, method))
		below--; /* inlined into this call */
	return below->sp > sp;
}

/* Adds a call; there is room. */
static inline void pvp_frames_push(
	struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method)
{
	*f->top++ = (struct pvp_frame){ sp, pc, method };
}

/* Number of dead calls, now that a call is entered with this stack pointer from this place. */
size_t pvp_frames_dead(const struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method);

/* Number of calls above the newest call of this method; SIZE_MAX: not called. */
size_t pvp_frames_above(const struct pvp_frames *f, uint64_t method);

#endif

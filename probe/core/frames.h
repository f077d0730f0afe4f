/*
 * The calls a thread stands in, as the native host sees them, so that a longjmp() that leaves
 * some of them is noticed: their leave is then written when the next call shows it.
 * One a thread, used only by that thread, inside the probe.
 */
#ifndef PV_PROBE_FRAMES_H
#define PV_PROBE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PVP_FRAMES_BYTES = 256 << 10,
	PVP_PROLOGUE =
		56, /* a function's own hook is called so near its beginning, an inlined one's
			      copy is longer */
};

struct pvp_frame {
	uintptr_t sp, pc; /* stack pointer and return address of the hook that said "enter" */
	uint64_t method;
};

struct pvp_frames {
	struct pvp_frame *top, *end; /* the next free one; after the last */
	uint64_t beyond;             /* calls open that found no room here */
	uint32_t session, gaps;      /* that the calls belong to: a pause ends them */
	struct pvp_frame at[];       /* at[0] is below all: its sp is the highest address */
};

/* NULL: out of memory. pvp_frames_destroy() frees it. */
struct pvp_frames *pvp_frames_create(void);
void pvp_frames_destroy(struct pvp_frames *f);
void pvp_frames_reset(struct pvp_frames *f, uint32_t session);

/* Whether the hook was called by the function itself, not by one that it is inlined into. */
static inline bool pvp_frames_by_itself(uintptr_t pc, uint64_t method)
{
	return pc - method < PVP_PROLOGUE;
}

/* Whether an enter from here leaves the calls below it alive, as most do, and there is room. */
static inline bool pvp_frames_plain(
	const struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method)
{
	if (!f || f->top == f->end)
		return false;
	const struct pvp_frame *below = f->top - 1;
	while (below->sp == sp && below->pc != pc && !pvp_frames_by_itself(pc, method))
		below--; /* inlined into it */
	return below->sp > sp;
}

/* Adds a call; there is room. */
static inline void pvp_frames_push(
	struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method)
{
	*f->top++ = (struct pvp_frame){ sp, pc, method };
}

/* How many calls are dead, now that a call is entered with this stack pointer from this place. */
size_t pvp_frames_dead(const struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method);

/* How many stand above the newest call of this method; SIZE_MAX when there is none. */
size_t pvp_frames_above(const struct pvp_frames *f, uint64_t method);

#endif

/* SPDX-License-Identifier: MIT */
/* Open calls of a thread: which of them a new call shows to be over. */
#include "probe/ground/frames.h"

#include <sys/mman.h>

/*
 * A stack above the thread's first known call is another stack, of a signal handler or a coroutine,
 * unless close: then the callers of the first call were merely not recorded.
 */
enum { CLOSE = 64 << 10 };

struct pvp_frames *pvp_frames_create(void)
{
	void *at = mmap(NULL, PVP_FRAMES_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	struct pvp_frames *f = at;
	f->end = f->at + (PVP_FRAMES_BYTES - sizeof *f) / sizeof *f->at;
	f->at[0].sp = UINTPTR_MAX;
	pvp_frames_reset(f, 0);
	return f;
}

void pvp_frames_destroy(struct pvp_frames *f)
{
	if (f)
		munmap(f, PVP_FRAMES_BYTES);
}

void pvp_frames_reset(struct pvp_frames *f, uint32_t session)
{
	f->top = f->at + 1;
	f->beyond = 0;
	f->session = session;
}

/*
 * The stack grows down: a call with a lower stack pointer than the new call's is over. With an
 * equal stack pointer the new function is inlined into the call, unless entered at the same place
 * or by its own hook: then the call is over, too.
 */
size_t pvp_frames_dead(const struct pvp_frames *f, uintptr_t sp, uintptr_t pc, uint64_t method)
{
	const struct pvp_frame *first = f->at + 1, *live = f->top;
	if (live == first || (sp > first->sp && sp - first->sp > CLOSE))
		return 0;
	while (live > first && live[-1].sp < sp)
		live--;
	for (const struct pvp_frame *same = live; same > first && same[-1].sp == sp; same--)
		if (same[-1].pc == pc || pvp_frames_by_itself(pc, method))
			live = same - 1;
	return (size_t)(f->top - live);
}

size_t pvp_frames_above(const struct pvp_frames *f, uint64_t method)
{
	for (const struct pvp_frame *at = f->top; at > f->at + 1; at--)
		if (at[-1].method == method)
			return (size_t)(f->top - at);
	return SIZE_MAX;
}

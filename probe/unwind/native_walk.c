/* SPDX-License-Identifier: MIT */
/* Follows the chain of frame pointers, and checks before each read. */
#include "probe/unwind/native_walk.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,          /* at least: larger pages are checked more often than needed */
	FARTHEST = 8 << 20,   /* from one frame to the next */
	LEAST_CODE = 1 << 16, /* no function lies below */
};

struct frame {
	uintptr_t caller, pc;
};

/*
 * The system reads the mask before refusing the senseless request: the cheapest way to learn
 * whether memory can be read.
 */
bool pvp_readable(uintptr_t at)
{
	enum { NO_SUCH_THING = 99 };
	return syscall(SYS_rt_sigprocmask, NO_SUCH_THING, at & ~(uintptr_t)7, NULL, 8) != 0 &&
	       errno == EINVAL;
}

/* `known`: the page last found readable, or 0. */
static bool readable_frame(uintptr_t frame, uintptr_t *known)
{
	uintptr_t first = frame / PAGE, last = (frame + sizeof(struct frame) - 1) / PAGE;
	if (first != *known && !pvp_readable(frame))
		return false;
	if (last != first && last != *known && !pvp_readable(last * PAGE))
		return false;
	*known = last;
	return true;
}

static bool possible(uintptr_t frame, uintptr_t sp)
{
	return frame >= PAGE && frame >= sp && frame - sp < FARTHEST && frame % sizeof(void *) == 0;
}

unsigned pvp_native_walk(
	uintptr_t frame, uintptr_t sp, uint64_t *to, unsigned most, enum pvp_walk_end *ret_end)
{
	int before = errno;
	uintptr_t known = 0;
	unsigned n = 0;
	enum pvp_walk_end end = PVP_WALK_DEEP;
	while (n < most && end == PVP_WALK_DEEP) {
		struct frame f = { 0, 0 };
		if (!possible(frame, sp)) {
			end = PVP_WALK_BROKEN;
		} else if (!readable_frame(frame, &known)) {
			end = PVP_WALK_UNREADABLE;
		} else {
			f = *(const struct frame *)frame;
			if (f.caller == 0 || f.pc == 0) /* as the system starts a thread */
				end = PVP_WALK_WHOLE;
			else if (f.pc < LEAST_CODE || f.caller <= frame)
				end = PVP_WALK_BROKEN;
			else
				to[n++] = f.pc;
		}
		sp = frame;
		frame = f.caller;
	}
	errno = before;
	if (ret_end)
		*ret_end = end;
	return n;
}

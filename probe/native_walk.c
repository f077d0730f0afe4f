#include "probe/native_walk.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,          /* at least: larger ones are looked at more often than needed */
	FARTHEST = 8 << 20,   /* from one frame to the next */
	LEAST_CODE = 1 << 16, /* no function lies below */
};

struct frame {
	uintptr_t caller, pc;
};

/*
 * The system looks at the mask before it finds that what is to be done with it makes no sense: the
 * cheapest way to learn whether memory can be read.
 */
static bool readable(uintptr_t at)
{
	enum { NO_SUCH_THING = 99 };
	return syscall(SYS_rt_sigprocmask, NO_SUCH_THING, at & ~(uintptr_t)7, NULL, 8) != 0 &&
	       errno == EINVAL;
}

unsigned pvp_native_walk(uintptr_t frame, uintptr_t sp, uint64_t *to, unsigned most)
{
	int before = errno;
	uintptr_t known = 0; /* the page that was found readable last, and is not 0 */
	unsigned n = 0;
	while (n < most && frame >= PAGE && frame >= sp && frame - sp < FARTHEST &&
		frame % sizeof(void *) == 0) {
		uintptr_t last = (frame + sizeof(struct frame) - 1) / PAGE;
		if (frame / PAGE != known && !readable(frame))
			break;
		if (last != frame / PAGE && last != known && !readable(last * PAGE))
			break;
		known = last;
		struct frame f = *(const struct frame *)frame;
		if (f.pc < LEAST_CODE || f.caller <= frame)
			break;
		to[n++] = f.pc;
		sp = frame;
		frame = f.caller;
	}
	errno = before;
	return n;
}

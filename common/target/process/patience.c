/* SPDX-License-Identifier: MIT */
/* Waits for a descriptor with a deadline. */
#include "common/target/process/patience.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

int64_t pv_patience_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool pv_patience_wait(int fd, short events, int64_t end_ms)
{
	for (;;) {
		int64_t left = end_ms - pv_patience_now_ms();
		struct pollfd p = { .fd = fd, .events = events };
		int n = poll(&p, 1, left > 0 ? (int)left : 0);
		if (n > 0)
			return true;
		if (n == 0)
			errno = ETIMEDOUT;
		if (n == 0 || errno != EINTR)
			return false;
	}
}

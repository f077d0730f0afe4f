/* SPDX-License-Identifier: MIT */
/* The epoll set of a source. */
#include "common/io/source_wait.h"

#include <errno.h>
#include <sys/epoll.h>

bool pv_wait_add(int epoll_fd, int fd, enum pv_wait what)
{
	struct epoll_event ev = {
		.events = what == PV_WAIT_TARGET ? EPOLLIN | EPOLLONESHOT : EPOLLIN,
		.data.u64 = (uint64_t)what << 32 | (uint32_t)fd,
	};
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev) == 0;
}

void pv_wait_remove(int epoll_fd, int fd)
{
	struct epoll_event unused = { 0 };
	epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, &unused);
}

bool pv_wait_next(int epoll_fd, int *ret_fd, enum pv_wait *ret_what)
{
	struct epoll_event ev;
	int n;
	do
		n = epoll_wait(epoll_fd, &ev, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return false;
	*ret_fd = (int)(uint32_t)ev.data.u64;
	*ret_what = (enum pv_wait)(ev.data.u64 >> 32);
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Entries of a source's epoll set. An event has its kind and descriptor, so that clearing needs
 * nothing else of the source and may run on any thread.
 */
#ifndef PV_IO_SOURCE_WAIT_H
#define PV_IO_SOURCE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

enum pv_wait {
	PV_WAIT_INOTIFY,
	PV_WAIT_TARGET,  /* a pidfd: reported once */
	PV_WAIT_DRAINER, /* the drainer's socket */
	PV_WAIT_MORE,    /* an eventfd: more follows an END */
	PV_WAIT_TICK,    /* a timerfd: check a followed file */
};

/* False with errno set. Closing a descriptor removes the entry. */
bool pv_wait_add(int epoll_fd, int fd, enum pv_wait what);
void pv_wait_remove(int epoll_fd, int fd);

/* One readable entry; false when there is none. */
bool pv_wait_next(int epoll_fd, int *ret_fd, enum pv_wait *ret_what);

#endif

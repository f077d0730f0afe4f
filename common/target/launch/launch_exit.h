/* SPDX-License-Identifier: MIT */
/* How processes that are not our children ended. Any thread. */
#ifndef PV_TARGET_LAUNCH_EXIT_H
#define PV_TARGET_LAUNCH_EXIT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A pidfd of the process at the other end of a socket (-1: by its number). Polls as readable when
 * the process has ended, and as hung up once waited for. -1: the process is gone, or the kernel has
 * no pidfds.
 */
int pv_exit_watch(int socket, pid_t pid);

/* The status as wait(2) gives it. False: not known, or not yet. */
bool pv_exit_status(int pidfd, pid_t pid, int *ret);

#endif

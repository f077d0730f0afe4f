/* How processes that are not our children ended. Any thread. */
#ifndef PV_TARGET_LAUNCH_EXIT_H
#define PV_TARGET_LAUNCH_EXIT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A pidfd of the process at the other end of a socket (-1: by its number). It polls as readable
 * when the process has ended, and hung up when it was waited for. -1: it is gone, or there are none
 * here.
 */
int pv_exit_watch(int socket, pid_t pid);

/* As wait(2) says it. False: it is not known, or not yet. */
bool pv_exit_status(int pidfd, pid_t pid, int *ret);

#endif

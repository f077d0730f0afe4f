/* SPDX-License-Identifier: MIT */
/* Why a process cannot be watched from outside, in one line, with what helps. Any thread. */
#ifndef PV_PROBE_OUTSIDE_REFUSED_H
#define PV_PROBE_OUTSIDE_REFUSED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* `error`: an errno value; `killed`: asking got the child killed; `threads`: of the process. */
void pvo_refused(pid_t pid, int error, bool killed, size_t threads, char *to, size_t room);

#endif

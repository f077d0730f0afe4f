/* SPDX-License-Identifier: MIT */
/*
 * Connection to profview-outside, the recorder that watches a process from outside: a program by
 * itself, so that only the recorder may be given a capability. The recorder ends when the
 * connection closes, so also with this process. Each call from one thread, waiting for an answer
 * some seconds at most.
 */
#ifndef PV_TARGET_OUTSIDE_H
#define PV_TARGET_OUTSIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/status.h"

#define PV_OUTSIDE_PROGRAM "profview-outside"

struct pv_outside {
	int fd; /* the connection; -1: not started */
};

/*
 * Starts the recorder, which asks the kernel. Forks, so no thread may run yet. False: PV_EUSAGE,
 * why the process cannot be watched and the way out; PV_EIO.
 */
bool pv_outside_start(struct pv_outside *ret, pid_t pid, struct pv_error *reterr);

/* Whether the recorder understands these words. False: PV_EUSAGE with the reason, or PV_EIO. */
bool pv_outside_check(struct pv_outside *o, const char *words, struct pv_error *reterr);

/* Begins to record with these words, output= among them. False likewise. */
bool pv_outside_go(struct pv_outside *o, const char *words, struct pv_error *reterr);

/*
 * Begins to record process `pid`, of one thread, from its next exec on. False likewise. May be
 * called by the process itself, while no other process uses the connection.
 */
bool pv_outside_go_from_exec(
	struct pv_outside *o, pid_t pid, const char *words, struct pv_error *reterr);

/* Waits until a recorder whose process has ended has written the log, some seconds at most. */
void pv_outside_await_end(const struct pv_outside *o);

/* Ends the recorder: the rest of the log still comes. A second call does nothing. */
void pv_outside_leave(struct pv_outside *o);

#endif

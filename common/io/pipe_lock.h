/* SPDX-License-Identifier: MIT */
/* One viewer a pipe: two would tear the stream between them. Any thread. */
#ifndef PV_IO_PIPE_LOCK_H
#define PV_IO_PIPE_LOCK_H

#include "common/base/status.h"

/*
 * Locks the pipe for as long as this open file description lives, in any process. False and
 * PV_EBUSY when another process has the lock; *reterr has its pid if known. A holder that has
 * ended, or is unknown, gets a second to release the lock.
 */
bool pv_pipe_lock(int fd, struct pv_error *reterr);

#endif

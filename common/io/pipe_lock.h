/* One viewer a pipe: two would tear the stream between them. Any thread. */
#ifndef PV_IO_PIPE_LOCK_H
#define PV_IO_PIPE_LOCK_H

#include "common/base/status.h"

/*
 * Locks the pipe for as long as this open file description lives, in any process. False
 * and PV_EBUSY when another process has it; *reterr names their pid where the system tells.
 */
bool pv_pipe_lock(int fd, struct pv_error *reterr);

#endif

/*
 * Speaking to a running program. Stock Mono listens on the TCP port that stands in its log's
 * header and knows one line, "heapshot"; it binds every interface, we speak to it on loopback. Any
 * thread.
 */
#ifndef PV_TARGET_CONTROL_H
#define PV_TARGET_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/status.h"

/* The program that a log is of, by the log's header. */
struct pv_control_target {
	pid_t pid;
	uint64_t start_time_ms; /* of the log, since the epoch */
	uint16_t port;
};

/*
 * Asks the stock log profiler on this machine for a heap shot. It does not answer: the shot comes
 * in the log. Nothing is sent unless the log's process is alive here, was started before the log
 * and is the one that listens on the port. Returns at once when nothing listens, after at most half
 * a second when the line is not taken. PV_EUSAGE (port 0: the log names none) or PV_EIO with the
 * reason. Thread-safe.
 */
bool pv_control_heapshot(const struct pv_control_target *t, struct pv_error *reterr);

/*
 * Whether process `pid` of this machine, started before that time, is alive; else the reason,
 * PV_EIO. Another may have its number afterwards unless *ret_fd, which the caller closes, still
 * says that it lives: see pv_process_watch().
 */
bool pv_control_lives(pid_t pid, uint64_t start_time_ms, int *ret_fd, struct pv_error *reterr);

#endif

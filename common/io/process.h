/* SPDX-License-Identifier: MIT */
/* Other processes on this machine: their start and their end. Any thread. */
#ifndef PV_IO_PROCESS_H
#define PV_IO_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum pv_process_state {
	PV_PROCESS_UNKNOWN, /* cannot be watched on this system */
	PV_PROCESS_GONE,    /* exited, or the number is a younger process's */
	PV_PROCESS_RUNS,    /* *ret_fd becomes readable at the exit; the caller closes it */
};

/* The process that had number `pid` at `then_ms` (ms since the epoch). */
enum pv_process_state pv_process_watch(pid_t pid, uint64_t then_ms, int *ret_fd);

#endif

/* Other processes on this machine: since when they run, and when they end. Any thread. */
#ifndef PV_IO_PROCESS_H
#define PV_IO_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * When process `pid` started, in ms since the epoch (right to a second or two); false when there
 * is no such process, or /proc does not say.
 */
bool pv_process_started(pid_t pid, uint64_t *ret_ms);

enum pv_process_state {
	PV_PROCESS_UNKNOWN, /* cannot be watched on this system */
	PV_PROCESS_GONE,    /* it has exited, or its number belongs to a younger process */
	PV_PROCESS_RUNS,    /* *ret_fd becomes readable when it exits; the caller closes it */
};

/* The process that had number `pid` at `then_ms` (ms since the epoch). */
enum pv_process_state pv_process_watch(pid_t pid, uint64_t then_ms, int *ret_fd);

#endif

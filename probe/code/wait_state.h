/* SPDX-License-Identifier: MIT */
/*
 * The wait that a thread of the target (target.h) is in, seen from outside the thread:
 * /proc/PID/task/TID/syscall has a blocked thread's system call, stack pointer and program counter
 * (proc(5)). Any thread may ask; nothing is allocated.
 */
#ifndef PV_PROBE_WAIT_STATE_H
#define PV_PROBE_WAIT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/format/event.h"

struct pvp_waiting {
	bool waits; /* false: runs, or is gone; nothing else is set */
	enum pv_wait_state state;
	uintptr_t sp, pc; /* 0: not known */
	bool in_futex;
	struct {
		uintptr_t address;
		uint32_t operation, value;
	} futex;         /* arguments of futex(2), if in_futex */
	bool in_handler; /* waits for a signal, like a thread stopped by a runtime's signal */
};

/* Parses the file. "running": does not wait. Other forms: waits, for something unknown. */
struct pvp_waiting pvp_waiting_of_line(const char *line);

/* The thread now; if file syscall cannot be read, by the state in file stat. */
struct pvp_waiting pvp_waiting_look(pid_t tid);

/* The thread's processor time, ns; false: the thread is gone. */
bool pvp_thread_time(pid_t tid, uint64_t *ret_ns);

/* Time run, and time waited for a processor, ns, from the thread's schedstat; false: unknown. */
bool pvp_thread_schedule(pid_t tid, uint64_t *ret_ran, uint64_t *ret_queued);

/* Reads a file of the thread, NUL at the end; "": unreadable. */
void pvp_thread_file(pid_t tid, const char *name, char *to, size_t room);

#endif

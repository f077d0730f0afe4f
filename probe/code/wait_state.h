/*
 * The wait that a thread of this process is in, seen from outside it: /proc/self/task/TID/syscall
 * has a blocked thread's system call, its stack's pointer and where it is (proc(5)). Any thread may
 * ask; nothing is allocated.
 */
#ifndef PV_PROBE_WAIT_STATE_H
#define PV_PROBE_WAIT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/format/event.h"

struct pvp_waiting {
	bool waits; /* false: it runs, or is gone; nothing else is set */
	enum pv_wait_state state;
	uintptr_t sp, pc; /* 0: not known */
	bool in_futex;
	bool in_handler; /* waits for a signal, as one does that a runtime has stopped by another */
};

/* The file's line. "running": it does not wait. Lines of other forms: it waits, for what is unknown. */
struct pvp_waiting pvp_waiting_of_line(const char *line);

/* The thread at this moment; where the file cannot be read by its state in /proc/self/task/TID/stat. */
struct pvp_waiting pvp_waiting_look(pid_t tid);

/* The thread's processor time, ns; false: it is gone. */
bool pvp_thread_time(pid_t tid, uint64_t *ret_ns);

/* Time that it has run and that it has waited for a processor, ns, by its schedstat; false: not known. */
bool pvp_thread_schedule(pid_t tid, uint64_t *ret_ran, uint64_t *ret_queued);

/* A file of the thread, with a NUL at its end; "" if it cannot be read. */
void pvp_thread_file(pid_t tid, const char *name, char *to, size_t room);

#endif

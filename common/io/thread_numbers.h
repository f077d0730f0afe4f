/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a process's threads, in its own pid namespace and in ours, from /proc/PID/task: read
 * now and then, the numbers of each thread once. One thread. The caller zeroes the structure first.
 */
#ifndef PV_IO_THREAD_NUMBERS_H
#define PV_IO_THREAD_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/map.h"
#include "common/base/mem.h"

struct pv_thread_number {
	uint32_t ours, theirs;
};

struct pv_thread_numbers {
	pid_t pid;           /* the process read last, in our namespace */
	bool same;           /* the process numbers its threads as we do: nothing is read */
	struct pv_map known; /* ours -> theirs */
	PV_ARRAY(struct pv_thread_number) list; /* threads present at the last reading */
	int64_t next_ms, gap_ms;
};

/*
 * Reads the threads of `pid` if due: after 50 ms at first, later once a second; false: not due, or
 * no threads. A thread that cannot be read is left out. Out of memory: the list is shorter.
 */
bool pv_thread_numbers_read(struct pv_thread_numbers *n, pid_t pid, int64_t now_ms);
void pv_thread_numbers_finish(struct pv_thread_numbers *n);

#endif

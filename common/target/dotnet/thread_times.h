/* SPDX-License-Identifier: MIT */
/*
 * How long each thread of a process has run, and waited for a processor, as the kernel counts: read
 * now and then, and written into the process's event stream as events of our own, for recordings;
 * other readers pass over them. The stream's clock is the kernel's monotonic one, in ns. From
 * /proc/PID/task/TID/schedstat or, where missing, from stat, in ticks. One thread.
 */
#ifndef PV_TARGET_THREAD_TIMES_H
#define PV_TARGET_THREAD_TIMES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/map.h"

enum {
	PV_THREAD_TIMES_MOST = 1024,      /* threads of a process; others are left out */
	PV_THREAD_TIMES_BYTES = 64 << 10, /* of a reading in the stream */
	PV_THREAD_TIMES_MS =
		80 /* between two readings at least; also ten times a reading's own time */
};

struct pv_thread_time {
	uint64_t time, ran, queued; /* ns */
	uint32_t thread;            /* as the process numbers it */
};

struct pv_thread_times {
	DIR *task;  /* NULL: not open */
	bool inner; /* the process is in another pid namespace */
	struct pv_map inner_of;
	bool described, pending; /* in this stream; there is a reading to be written */
	int64_t next_ms;
	uint32_t written; /* events, in this stream */
	size_t n;
	struct pv_thread_time row[PV_THREAD_TIMES_MOST];
};

/* False: they cannot be seen, or the process lives in another time. *ret is closed all the same. */
bool pv_thread_times_open(struct pv_thread_times *ret, pid_t pid);
void pv_thread_times_close(struct pv_thread_times *t);

/* A stream of the process begins: its first block is a reading. */
void pv_thread_times_begin(struct pv_thread_times *t);

/* Reads the times, if a reading is due. */
void pv_thread_times_read(struct pv_thread_times *t);

/*
 * The reading as whole objects to put in at `offset` of the stream, a multiple of four bytes; 0:
 * none. `to` has PV_THREAD_TIMES_BYTES.
 */
size_t pv_thread_times_put(struct pv_thread_times *t, uint8_t *to, uint64_t offset);

#endif

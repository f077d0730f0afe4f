/*
 * How long each thread of a process has run, and waited for a processor, as the kernel counts it:
 * read now and then, and written into its event stream as events of our own, so that a recording has
 * them and other readers pass them over. The stream's clock is the kernel's monotonic one, in ns.
 * From /proc/PID/task/TID/schedstat or, where the kernel has none, from stat, in ticks. One thread.
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
	PV_THREAD_TIMES_MS = 80 /* between two readings at least; and ten times what one takes */
};

struct pv_thread_time {
	uint64_t time, ran, queued; /* ns */
	uint32_t thread;            /* as the process numbers it */
};

struct pv_thread_times {
	DIR *task;  /* NULL: not open */
	bool inner; /* it numbers its threads otherwise */
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

/* A stream of the process begins: the reading is the first one in it. */
void pv_thread_times_begin(struct pv_thread_times *t);

/* Reads them, if it is time to. */
void pv_thread_times_read(struct pv_thread_times *t);

/*
 * The reading as whole objects that are put in at `offset` of the stream, a multiple of four bytes;
 * 0: there is none. `to` has PV_THREAD_TIMES_BYTES.
 */
size_t pv_thread_times_put(struct pv_thread_times *t, uint8_t *to, uint64_t offset);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Watches a process: a thread takes the records of perf events, walks the stacks in them, and
 * queues notes for the writer (watch_notes.h). Called by one thread, where nothing else is said.
 */
#ifndef PV_PROBE_OUTSIDE_WATCH_H
#define PV_PROBE_OUTSIDE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads the process's files and makes their tables. 0, or ENOMEM, ESRCH. */
int pvo_watch_prepare(pid_t pid);

/*
 * Then: opens the events and starts the thread; `waits`: waits are recorded, too. 0, or an errno
 * value as from pvo_events_open(), with the same *ret_threads.
 */
int pvo_watch_begin(unsigned hz, bool waits, size_t *ret_threads);

/* Queues notes of everything until now, and ends the thread. */
void pvo_watch_end(void);

/* Whether no events are left though the process goes on. Any thread. */
bool pvo_watch_blind(void);

/* Whether switches were at some time too many to record each. Any thread. */
bool pvo_watch_spared(void);

/* Another rate for samples to come. Any thread. */
void pvo_watch_rate(unsigned hz);

#endif

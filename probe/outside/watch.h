/* SPDX-License-Identifier: MIT */
/*
 * Watches a process: a thread takes the records of perf events, walks the stacks in them, and
 * queues notes for the writer (watch_notes.h). Called by one thread, where nothing else is said.
 */
#ifndef PV_PROBE_OUTSIDE_WATCH_H
#define PV_PROBE_OUTSIDE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes room; `pages`: page faults are to be sampled, too. 0, or ENOMEM. */
int pvo_watch_prepare(pid_t pid, bool pages);

/*
 * For a process of one thread that is about to run a program: opens the events, which begin with
 * the exec. 0, or an errno value as from pvo_events_open(). The other call: the time of that exec,
 * ns of CLOCK_MONOTONIC; 0: there was none so far.
 */
int pvo_watch_from_exec(unsigned hz, bool waits);
uint64_t pvo_watch_exec(void);

/* Reads the process's files and makes their tables. 0, or ESRCH. */
int pvo_watch_read(void);

/*
 * Then: opens the events, unless they began with an exec, and starts the thread; `waits`: waits are
 * recorded, too. 0, or an errno value as from pvo_events_open(), with the same *ret_threads.
 */
int pvo_watch_begin(unsigned hz, bool waits, size_t *ret_threads);

/* Queues notes of everything until now, and ends the thread. */
void pvo_watch_end(void);

/* Time of that exec, or before the events were opened: ns of CLOCK_MONOTONIC. */
uint64_t pvo_watch_began(void);

/* Whether no events are left though the process goes on. Any thread. */
bool pvo_watch_blind(void);

/* Processes that the process has started, by the kernel's records. Any thread. */
uint64_t pvo_watch_children(void);

/* Whether switches were at some time too many to record each. Any thread. */
bool pvo_watch_spared(void);

/* Another rate for samples to come. Any thread. */
void pvo_watch_rate(unsigned hz);

#endif

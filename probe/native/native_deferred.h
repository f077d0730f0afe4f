/* SPDX-License-Identifier: MIT */
/*
 * A program under a launcher may turn out not to be worth recording: its recording begins after
 * PVP_DEFERRED_MS of processor time. Until then the costs are one message and a timer of the first
 * thread's processor time, so no wait of the program is cut short.
 */
#ifndef PV_PROBE_NATIVE_DEFERRED_H
#define PV_PROBE_NATIVE_DEFERRED_H

#include <stdbool.h>
#include <sys/types.h>

enum { PVP_DEFERRED_MS = 20 }; /* of processor time */

/*
 * Asks the launcher named by the options; `begin`, with its own options, starts the recording, at
 * once or on another thread. False: no launcher named. In the constructor, once. Absent (weak) if
 * no functions are in front of the C library's.
 */
__attribute__((weak)) bool pvp_deferred_start(
	const char *options, int (*begin)(const char *options));

/*
 * The program makes a thread: from now on the process's time counts, not only the first thread's.
 * Any thread.
 */
void pvp_deferred_threads(void);

/* Whether a launcher may still want a recording, or has one. Any thread. */
bool pvp_deferred_may_record(void);

/* Ends all recording, in this process and in its children of fork. */
void pvp_deferred_end(void);

/*
 * Ends the waiting thread, if any: true, and pvp_deferred_unpark() starts another. Its thread
 * number; 0: none. On the thread about to make the call that the waiting thread would disturb.
 */
bool pvp_deferred_park(void);
void pvp_deferred_unpark(void);
pid_t pvp_deferred_thread(void);

#endif

/*
 * A program under a launcher that may turn out not to be worth recording: it is recorded once it
 * has used its share of processor time. Until then it costs it one message, and a timer that its
 * first thread's own processor time makes ring, so that no wait of the program is cut short.
 */
#ifndef PV_PROBE_NATIVE_DEFERRED_H
#define PV_PROBE_NATIVE_DEFERRED_H

#include <stdbool.h>
#include <sys/types.h>

enum { PVP_DEFERRED_MS = 20 }; /* of processor time */

/*
 * Asks the launcher that the options name; `begin`, with options of its own, starts the recording,
 * at once or on another thread. False: they name none. In the constructor, once. Absent
 * (weak) where nothing is in front of the program's functions.
 */
__attribute__((weak)) bool pvp_deferred_start(
	const char *options, int (*begin)(const char *options));

/*
 * The program makes a thread of its own: from now on the process's time counts, and not only its
 * first thread's. Any thread.
 */
void pvp_deferred_threads(void);

/* Whether there is a launcher that may yet want a recording, or has one. Any thread. */
bool pvp_deferred_may_record(void);

/* Nothing is recorded any more, in this process and its children of fork. */
void pvp_deferred_end(void);

/*
 * Ends the thread that waits, if there is one: true, and pvp_deferred_unpark() begins it again. Its
 * number, 0: there is none. On the thread that makes the call which it would be in the way of.
 */
bool pvp_deferred_park(void);
void pvp_deferred_unpark(void);
pid_t pvp_deferred_thread(void);

#endif

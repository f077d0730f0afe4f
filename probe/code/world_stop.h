/* SPDX-License-Identifier: MIT */
/*
 * Stops of all managed threads, to learn which waiting threads the collector holds up. A runtime
 * that reports each held thread gives exact times; else a thread found waiting in a stop is held if
 * it neither waited before nor was interrupted in a wait. Lock-free: any thread, also in a signal's
 * handler. Times are ns.
 */
#ifndef PV_PROBE_WORLD_STOP_H
#define PV_PROBE_WORLD_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* By the thread that stops the others, in this order; at the end all run. */
enum pvp_world { PVP_WORLD_RUNS, PVP_WORLD_STOPS, PVP_WORLD_STOPPED, PVP_WORLD_STARTS };
void pvp_world_is(enum pvp_world now, pid_t by);

/* The calling thread takes part in stops. Cheap from the second time on. */
void pvp_world_joins(pid_t tid);

/* The calling thread is held from here on, or not any more. */
void pvp_world_holds(pid_t tid);
void pvp_world_lets_go(pid_t tid);

/* The step of the present stop, a unique number; 0: no stop. */
uint64_t pvp_world_stop(void);
bool pvp_world_is_still(uint64_t step); /* whether all are stopped in this step */
/* Whether the thread takes part in stops and does not make the present stop. */
bool pvp_world_has(pid_t tid);

/* ns for which the thread was held so far, up to `now`. *ret_held: held now. */
uint64_t pvp_world_held(pid_t tid, uint64_t now, bool *ret_held);
/* Whether the runtime reports held threads. */
bool pvp_world_is_exact(void);
/* The thread has ended; for the helper that samples waits. */
void pvp_world_leaves(pid_t tid);

/* In a child of fork. */
void pvp_world_forget(void);

#endif

/*
 * Stops of all managed threads, for those who look at threads that wait: whom the collector holds
 * up. A runtime that says which thread it holds gives exact times; else a thread that is met
 * waiting in a stop, and neither waited before nor was interrupted in a wait, is held. Lock-free:
 * from any thread, also from a signal's handler. Times are ns.
 */
#ifndef PV_PROBE_WORLD_STOP_H
#define PV_PROBE_WORLD_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* By the thread that stops the others, in this order; the last: all run. */
enum pvp_world { PVP_WORLD_RUNS, PVP_WORLD_STOPS, PVP_WORLD_STOPPED, PVP_WORLD_STARTS };
void pvp_world_is(enum pvp_world now, pid_t by);

/* The calling thread is one that stops stop. Cheap from the second time on. */
void pvp_world_joins(pid_t tid);

/* The calling thread is held from here on, or not any more. */
void pvp_world_holds(pid_t tid);
void pvp_world_lets_go(pid_t tid);

/* The step of a stop that is at hand, a number that only it has; 0: there is none. */
uint64_t pvp_world_stop(void);
bool pvp_world_is_still(uint64_t step); /* whether it is one in which all are stopped */
/* Whether the thread stops for stops, and is not the one that makes this one. */
bool pvp_world_has(pid_t tid);

/* Since its beginning the thread was held so long by `now`. *ret_held: it is. */
uint64_t pvp_world_held(pid_t tid, uint64_t now, bool *ret_held);
/* Whether the runtime says whom it holds. */
bool pvp_world_is_exact(void);
/* The thread has ended; for the helper that samples waits. */
void pvp_world_leaves(pid_t tid);

/* In a child of fork. */
void pvp_world_forget(void);

#endif

/*
 * Whether a thread runs at a sample, or waits. Our logs say it of those that wait (EXT_WAITED); else
 * it is inferred from names: runtimes and libc wait in few places. pv_lane_states() decides it for
 * each node of the call tree from what is here, and nothing else does. Pure: any thread. Texts are
 * literals.
 */
#ifndef PV_MODEL_THREAD_STATE_H
#define PV_MODEL_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum pv_thread_state {
	PV_STATE_RUNNING, /* or, of a name: no wait is known by it */
	PV_STATE_QUEUED,  /* would run, had it a processor */
	PV_STATE_LOCK,    /* waits for another thread: lock, condition, event, join */
	PV_STATE_POLL,    /* waits until one of several descriptors is ready */
	PV_STATE_IO,      /* waits for a descriptor, a disk or another process */
	PV_STATE_SLEEP,
	PV_STATE_STOPPED, /* by a signal or a debugger */
	PV_STATE_WAITING, /* for what is not known */
	PV_STATE_GC,      /* for the collector, which has stopped it */
	PV_STATE_UNSURE,  /* it ran or waited: neither the log nor a name says which */
	PV_STATES
};

/* The part of the samples that a view counts: what ran, unless it is asked for what waited, too. */
enum pv_ran { PV_RAN, PV_WAITED, PV_RAN_UNSURE, PV_RANS };
static inline enum pv_ran pv_ran_of(enum pv_thread_state state)
{
	return state == PV_STATE_RUNNING  ? PV_RAN
	       : state == PV_STATE_UNSURE ? PV_RAN_UNSURE
					  : PV_WAITED;
}

/* Of a method as logs spell it, "Namespace.Class:Method (arguments)", wrappers' names included. */
enum pv_thread_state pv_state_of_method(const char *name);
/* A runtime's wait for work, which spins before it sleeps: it waits also where it uses a processor. */
bool pv_state_spins_idle(const char *method);
/* Of a function's symbol, with or without "[library]" or "@version" after it. */
enum pv_thread_state pv_state_of_symbol(const char *symbol);
/* "running", "runnable", "lock" ... as reports have it; "unknown" for those that wait. */
const char *pv_state_name(enum pv_thread_state state);

/* Of an enum pv_wait_state, as logs have it. */
enum pv_thread_state pv_state_of_wait(uint64_t logged);
/*
 * The innermost frame of samples of threads that the log says waited, made up by the model:
 * "(waits for a lock)"; NULL for those that run. And back: running for all other names.
 */
const char *pv_state_frame(enum pv_thread_state state);
enum pv_thread_state pv_state_of_frame(const char *name);

#endif

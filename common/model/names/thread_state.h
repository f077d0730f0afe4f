/* SPDX-License-Identifier: MIT */
/*
 * States of threads at samples: running or waiting. Our logs have an event for waiting threads
 * (EXT_WAITED); else the state is inferred from names: runtimes and libc wait in few places.
 * pv_lane_states() decides the state for each node of the call tree from this file's functions, and
 * nothing else does. Pure: any thread, nothing fails. Texts are literals.
 */
#ifndef PV_MODEL_THREAD_STATE_H
#define PV_MODEL_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum pv_thread_state {
	PV_STATE_RUNNING, /* of a name: not known as a wait */
	PV_STATE_QUEUED,  /* would run, had it a processor */
	PV_STATE_LOCK,    /* waits for another thread: lock, condition, event, join */
	PV_STATE_POLL,    /* waits until one of several descriptors is ready */
	PV_STATE_IO,      /* waits for a descriptor, a disk or another process */
	PV_STATE_SLEEP,
	PV_STATE_STOPPED, /* by a signal or a debugger */
	PV_STATE_WAITING, /* for an unknown thing */
	PV_STATE_GC,      /* for the collector, by which the thread was stopped */
	PV_STATE_UNSURE,  /* ran or waited: neither log nor name decides */
	PV_STATES
};

/*
 * The part of the samples that a view counts: running threads, unless waiting ones are asked for,
 * too.
 */
enum pv_ran { PV_RAN, PV_WAITED, PV_RAN_UNSURE, PV_RANS };
static inline enum pv_ran pv_ran_of(enum pv_thread_state state)
{
	return state == PV_STATE_RUNNING  ? PV_RAN
	       : state == PV_STATE_UNSURE ? PV_RAN_UNSURE
					  : PV_WAITED;
}

/*
 * The state of a method as logs spell it, "Namespace.Class:Method (arguments)", wrappers' names
 * included.
 */
enum pv_thread_state pv_state_of_method(const char *name);
/* A runtime's wait for work, which spins before it sleeps: waiting even while using a processor. */
bool pv_state_spins_idle(const char *method);
/* The state of a function's symbol, with or without "[library]" or "@version" after it. */
enum pv_thread_state pv_state_of_symbol(const char *symbol);
/* "running", "runnable", "lock" ... as in reports; "unknown" for PV_STATE_WAITING. */
const char *pv_state_name(enum pv_thread_state state);

/* The state of an enum pv_wait_state, as in logs. */
enum pv_thread_state pv_state_of_wait(uint64_t logged);
/*
 * The innermost frame, made up by the model, of samples that the log marks as waiting: "(waits for
 * a lock)"; NULL for PV_STATE_RUNNING. And back: running for all other names.
 */
const char *pv_state_frame(enum pv_thread_state state);
enum pv_thread_state pv_state_of_frame(const char *name);

#endif

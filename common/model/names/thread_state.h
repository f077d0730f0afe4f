/*
 * State of a thread by its innermost method, inferred from the method's name: runtimes
 * and libc wait in few places. An inference: a name that is not known here counts as running.
 */
#ifndef PV_MODEL_THREAD_STATE_H
#define PV_MODEL_THREAD_STATE_H

#include <stdbool.h>

enum pv_thread_state {
	PV_STATE_RUNNING, /* or not known */
	PV_STATE_LOCK,    /* waits for another thread: lock, condition, event, join */
	PV_STATE_IO,      /* waits for descriptors or other processes */
	PV_STATE_SLEEP,
};

/* Of a method as logs spell it, "Namespace.Class:Method (arguments)", wrappers' names included. */
enum pv_thread_state pv_state_of_method(const char *name);
/* Of a function's symbol, with or without "[library]" or "@version" after it. */
enum pv_thread_state pv_state_of_symbol(const char *symbol);
/* "lock", "io", "sleep"; NULL for those that run. */
const char *pv_state_name(enum pv_thread_state state);

#endif

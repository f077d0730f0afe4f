/*
 * Names of managed threads. The runtime reports them by its own id, from any thread, before or after
 * the thread's first event; the core writes one with the thread's next events.
 *
 * Any thread; under one lock, never held for long. Without memory a thread stays without its name.
 */
#ifndef PV_PROBE_THREAD_NAMES_H
#define PV_PROBE_THREAD_NAMES_H

#include <stdint.h>

/* Thread `id` of the runtime is the system's thread `tid`; 0: not known yet. */
void pvp_thread_names_began(uint64_t id, uint64_t tid);

/* name: UTF-8, copied, cut to PVP_NAME_MAX - 1 bytes. */
void pvp_thread_names_set(uint64_t id, const char *name);

/* The id may be given to another one from here on. */
void pvp_thread_names_ended(uint64_t id);

/* Around fork: a child finds the lock held by none of the threads that it does not have. */
void pvp_thread_names_hold(void);
void pvp_thread_names_release(void);

void pvp_thread_names_forget(void); /* all of them */

#endif

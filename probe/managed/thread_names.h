/* SPDX-License-Identifier: MIT */
/*
 * Names of managed threads. The runtime reports a name by its own thread id, from any thread,
 * before or after the thread's first event; the core writes the name with the thread's next events.
 *
 * Any thread; under a single lock, never held for long. Without memory a thread has no name.
 */
#ifndef PV_PROBE_THREAD_NAMES_H
#define PV_PROBE_THREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Thread `id` of the runtime is the system's thread `tid`; 0: not known yet. */
void pvp_thread_names_began(uint64_t id, uint64_t tid);

/* name: UTF-8, copied, cut to PVP_NAME_MAX - 1 bytes. */
void pvp_thread_names_set(uint64_t id, const char *name);

/* The id may be reused for another thread from here on. */
void pvp_thread_names_ended(uint64_t id);

/* Ids of living threads that have begun, at most `room`; their number. May be incomplete. */
size_t pvp_thread_names_ids(uint64_t *ret, size_t room);

/* Around fork: in a child no missing thread holds the lock. */
void pvp_thread_names_hold(void);
void pvp_thread_names_release(void);

void pvp_thread_names_forget(void); /* all of them */

#endif

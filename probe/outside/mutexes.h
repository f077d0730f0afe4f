/* SPDX-License-Identifier: MIT */
/*
 * The mutex that a thread of the target waits for, by the arguments of futex(2), and the owner,
 * read from the target's memory. Known: mutexes of glibc and musl with an owner. Not known:
 * condition variables, semaphores, joins, and locks without an owner (Rust's, Go's). Any thread.
 */
#ifndef PV_PROBE_OUTSIDE_MUTEXES_H
#define PV_PROBE_OUTSIDE_MUTEXES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/code/wait_state.h"

struct pvo_mutex {
	uint64_t address; /* 0: the thread waits for no mutex */
	pid_t holder;
};

/* `is_thread`: whether the target has a thread of this number. Unreadable memory: no mutex. */
struct pvo_mutex pvo_mutex_of(const struct pvp_waiting *w, bool (*is_thread)(pid_t tid));

#endif

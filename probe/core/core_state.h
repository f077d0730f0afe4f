/* SPDX-License-Identifier: MIT */
/* State shared by the core's files; thread_buf.h declares pvp_core and pvp_tls. */
#ifndef PV_PROBE_CORE_STATE_H
#define PV_PROBE_CORE_STATE_H

#include <stdatomic.h>

struct pvp_thread;

/* The pvp_tls.thread of a thread before its first event. Never written. */
extern struct pvp_thread pvp_no_thread;

/*
 * Begins a child's own recording after fork, at the child's first event; NULL: none is to begin.
 * The caller exchanges the pointer for NULL first, and calls outside the re-entry guard.
 */
extern void (*_Atomic pvp_reborn)(void);

#endif

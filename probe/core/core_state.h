/* State that the core's files share; thread_buf.h declares the rest of it. */
#ifndef PV_PROBE_CORE_STATE_H
#define PV_PROBE_CORE_STATE_H

#include <stdatomic.h>

struct pvp_thread;

/* Chunk that a thread points to before its first event. Never written. */
extern struct pvp_thread pvp_no_thread;

/*
 * Begins a recording of its own in a child of fork, at the child's first event; NULL: nothing
 * does. The caller takes it out first, outside the re-entry guard.
 */
extern void (*_Atomic pvp_reborn)(void);

#endif

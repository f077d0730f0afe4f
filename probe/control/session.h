/* SPDX-License-Identifier: MIT */
/* Start and stop of recording, and the end at fork and at exit. Any thread. */
#ifndef PV_PROBE_SESSION_H
#define PV_PROBE_SESSION_H

#include <sys/types.h>

#include "probe/ground/host.h"

/* As profview_start(), for a host. */
int pvp_session_start(const char *options, const struct pvp_host *host);

/* Whether a session runs now; may end at any time. */
bool pvp_session_recording(void);

/* Whether children of fork record as well, into sinks of their own. */
bool pvp_session_in_children(void);

/* As profview_stop(), profview_flush(). */
int pvp_session_stop(void);
/* EBUSY: another thread is starting or stopping the session. */
int pvp_session_try_stop(void);
int pvp_session_flush(void);

/*
 * Ends the probe's threads for a moment: true, and pvp_session_unpark() starts them again on the
 * same thread; if this is refused, the recording ends. False: no threads, or stuck.
 */
bool pvp_session_park(void);
void pvp_session_unpark(void);
/* The thread id of such a thread, 0: none. */
pid_t pvp_session_thread(void);

/* Registers the fork handlers, once: 0, or an error number. A session's start does so, too. */
int pvp_session_forks(void);

#endif

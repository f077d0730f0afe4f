/* Start and stop of recording, and its end at fork and at exit. Any thread. */
#ifndef PV_PROBE_SESSION_H
#define PV_PROBE_SESSION_H

#include "probe/core/host.h"

/* As profview_start(), for a host. */
int pvp_session_start(const char *options, const struct pvp_host *host);

/* Whether one goes on now; it may end at any time. */
bool pvp_session_recording(void);

/* Whether children of fork record as well, into sinks of their own. */
bool pvp_session_in_children(void);

/* As profview_stop(), profview_flush(). */
int pvp_session_stop(void);
/* EBUSY: another thread is starting or stopping it. */
int pvp_session_try_stop(void);
int pvp_session_flush(void);

/* Registers the fork handlers, once: 0, or an error number. A session's start does it, too. */
int pvp_session_forks(void);

#endif

/*
 * The control socket: lines from the outside, one answer each, "ok ..." or "error ...". It is the
 * owner's only (0600, in a folder of 0700, peers' credentials are checked) and is served by a
 * thread of the probe's own, so that a writer whose reader takes nothing can still be spoken to.
 */
#ifndef PV_PROBE_PROBE_CONTROL_H
#define PV_PROBE_PROBE_CONTROL_H

#include <stddef.h>

#include "probe/core/host.h"

enum { PVP_CONTROL_PATH = 108 }; /* room of a socket's address */

/*
 * Makes the socket: `want` is "on" (PID in $XDG_RUNTIME_DIR/profview, else /tmp/profview-UID),
 * "off" or an absolute path. *ret_path is where it is, "" when there is none: recording goes on
 * without. One at a time; calls are serialised by the caller.
 */
void pvp_control_open(const char *want, char ret_path[PVP_CONTROL_PATH]);

/* Answers from now on, for a session of this host; pvp_control_open() was called before. */
void pvp_control_serve(const struct pvp_host *host);

/* Ends it and removes the socket, if it is still ours. Waits for a command that is being run. */
void pvp_control_close(void);

/* In a child of fork: the socket stays its parent's. */
void pvp_control_forget(void);

#endif

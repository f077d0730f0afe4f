/* SPDX-License-Identifier: MIT */
/*
 * The control socket: lines from outside, each with an answer, "ok ..." or "error ...". Only for
 * the process's user (0600, in a folder of 0700, peers' credentials are checked), and served by a
 * thread of the probe, so that commands work even while the log's reader takes nothing.
 */
#ifndef PV_PROBE_PROBE_CONTROL_H
#define PV_PROBE_PROBE_CONTROL_H

#include <stddef.h>

#include "probe/ground/host.h"

enum { PVP_CONTROL_PATH = 108 }; /* room of a socket's address */

/*
 * Makes the socket: `want` is "on" (PID in $XDG_RUNTIME_DIR/profview, else /tmp/profview-UID),
 * "off" or an absolute path. *ret_path is the socket's path, "": none; recording goes on without. A
 * single socket at a time; the caller serialises calls.
 */
void pvp_control_open(const char *want, char ret_path[PVP_CONTROL_PATH]);

/* Answers from now on, for a session of this host; pvp_control_open() was called before. */
void pvp_control_serve(const struct pvp_host *host);

/* Ends the thread and removes the socket, unless replaced. Waits for a running command. */
void pvp_control_close(void);

/* In a child of fork: the socket stays the parent's. */
void pvp_control_forget(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Connections to the diagnostics server of a .NET process, one a command: dialled at the process's
 * socket, or made by the process where its environment says so (DOTNET_DiagnosticPorts). One
 * thread.
 */
#ifndef PV_TARGET_EVENT_DOOR_H
#define PV_TARGET_EVENT_DOOR_H

#include "common/target/dotnet/dotnet_ipc.h"

struct pv_event_door {
	struct pv_dotnet dotnet; /* dialled */
	int listener;            /* accepts the process's calls, does not block; -1: dialled */
	int waiting;             /* a connection made by the process and not used yet; or -1 */
	uint8_t cookie[16];      /* of the process that calls */
};

/*
 * Makes a socket at `path` that only this user can connect to. The path may hold at most a socket
 * of this user without a listener. -1: PV_EIO, PV_EUSAGE.
 */
int pv_event_door_listen(const char *path, struct pv_error *reterr);

/*
 * Waits for the first process that calls at a listener, which becomes the door's, and fills in the
 * process's pid; ends soon after a signal handler has set *stop. False: PV_EIO, PV_ECANCELLED.
 */
bool pv_event_door_await(
	struct pv_event_door *ret, int listener, const volatile int *stop, struct pv_error *reterr);

/* Accepts a call if one is waiting; the connection is d->waiting then. */
void pv_event_door_take(struct pv_event_door *d);

/*
 * A connection for one command, waiting at most until `end_ms`; the caller closes the connection.
 * -1 with errno.
 */
int pv_event_door_open(struct pv_event_door *d, int64_t end_ms);

/* Closes the listener and the connections; the other end notices. */
void pv_event_door_close(struct pv_event_door *d);

#endif

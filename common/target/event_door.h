/*
 * Connections to the diagnostics server of a .NET process, one a command: dialled at its socket, or
 * made by the process itself where its environment says so (DOTNET_DiagnosticPorts). One thread.
 */
#ifndef PV_TARGET_EVENT_DOOR_H
#define PV_TARGET_EVENT_DOOR_H

#include "common/target/dotnet_ipc.h"

struct pv_event_door {
	struct pv_dotnet dotnet; /* that is dialled */
	int listener;            /* it calls this one, does not block; -1: it is dialled */
	int waiting;             /* a connection that it made and that was not used; or -1 */
	uint8_t cookie[16];      /* of the process that calls */
};

/*
 * Makes a socket at `path` that only this user can connect to. Nothing may be there but one of this
 * user that has no listener. -1: PV_EIO, PV_EUSAGE.
 */
int pv_event_door_listen(const char *path, struct pv_error *reterr);

/*
 * Waits for the first process that calls at a listener, which the door owns from then on, and
 * fills in its pid; ends soon after a signal handler has set *stop. False: PV_EIO, PV_ECANCELLED.
 */
bool pv_event_door_await(
	struct pv_event_door *ret, int listener, const volatile int *stop, struct pv_error *reterr);

/* A connection for one command, until then; the caller closes it. -1 with errno. */
int pv_event_door_open(struct pv_event_door *d, int64_t end_ms);

/* Its listener and connections; the other end sees it. */
void pv_event_door_close(struct pv_event_door *d);

#endif

/*
 * The process between .NET's event streams and us: it holds the sessions, reads them whatever we
 * do, and copies them into a named pipe, one stream after the other. So a viewer that stands still,
 * or was killed, keeps neither the program nor its diagnostics server waiting.
 *
 * First the names of all methods that have code, from a session that ends at once; then one of what
 * was asked for. For a heap shot that one is ended, and opened again afterwards: the runtime writes
 * the names of classes once for as long as there is any session. Each call from one thread.
 */
#ifndef PV_TARGET_EVENT_RELAY_H
#define PV_TARGET_EVENT_RELAY_H

#include "common/target/event_door.h"

enum { PV_EVENT_METERS = 512 /* bytes */ };

struct pv_event_options {
	bool samples; /* each stops all threads of the program for a moment, 1000 times a second */
	bool shot;    /* one heap shot in the beginning */
	uint32_t shot_ms; /* and one as often; 0: none */
	/* Further meters than those of the runtime and its web server, "Shop.*,Other\\instrument"; "": none */
	char meters[PV_EVENT_METERS];
};

struct pv_event_relay {
	int fd; /* -1: none was started */
};

/*
 * Forks, so no thread may run yet. It waits for pv_event_relay_go(), and ends when this process
 * does, when `fd` is closed, or with the program. Both are copied. False: PV_EIO.
 */
bool pv_event_relay_start(struct pv_event_relay *ret, const struct pv_event_door *d,
	const char *pipe, struct pv_error *reterr);

/* Once the pipe has a reader: opens the sessions. False: PV_EUSAGE, PV_EIO. */
bool pv_event_relay_go(
	struct pv_event_relay *r, const struct pv_event_options *o, struct pv_error *reterr);

/* Asks for a heap shot, which comes in the stream. False: PV_EIO, the program has ended. */
bool pv_event_relay_shot(struct pv_event_relay *r, struct pv_error *reterr);

/* Ends the sessions; the process that holds them ends soon. */
void pv_event_relay_leave(struct pv_event_relay *r);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The process between .NET's event streams and profview: it holds the sessions, reads them whatever
 * the viewer does, and copies them into a named pipe, one stream after the other. A viewer that
 * stands still, or was killed, keeps neither the program nor its diagnostics server waiting.
 *
 * First come the names of all methods with code, from a session that ends at once; then the main
 * session. For a heap shot the main session is ended, and opened again afterwards: the runtime
 * writes the names of classes once as long as any session is open. Each call from one thread.
 */
#ifndef PV_TARGET_EVENT_RELAY_H
#define PV_TARGET_EVENT_RELAY_H

#include "common/target/dotnet/event_door.h"

enum { PV_EVENT_METERS = 512 /* bytes */ };

struct pv_event_options {
	bool samples; /* each stops all threads of the program for a moment, 1000 times a second */
	bool spans;   /* requests and queries, by the sources of base/span_source.h */
	bool shot;    /* one heap shot at the beginning */
	uint32_t shot_ms; /* ms between further shots; 0: none */
	/*
	 * Meters besides the runtime's and its web server's, "Shop.*,Other\\instrument"; "": none
	 */
	char meters[PV_EVENT_METERS];
};

/* The variable with the path of a door, where a starting runtime calls. */
#define PV_EVENT_PORTS "DOTNET_DiagnosticPorts"

struct pv_event_relay {
	int fd; /* -1: none was started */
};

/*
 * Forks, so no thread may run yet. The relay waits for pv_event_relay_go(), and ends when this
 * process ends, when `fd` is closed, or with the program. `d` and `options` are copied. False:
 * PV_EIO.
 */
bool pv_event_relay_start(struct pv_event_relay *ret, const struct pv_event_door *d,
	const char *pipe, struct pv_error *reterr);

/* Once the pipe has a reader: opens the sessions. False: PV_EUSAGE, PV_EIO. */
bool pv_event_relay_go(
	struct pv_event_relay *r, const struct pv_event_options *o, struct pv_error *reterr);

/*
 * For a program that is about to be started and will call at the door, suspended until recording
 * begins. The relay begins with the first call, and goes on where this process ends meanwhile. Does
 * not block. False: PV_EIO.
 */
bool pv_event_relay_expect(
	struct pv_event_relay *r, const struct pv_event_options *o, struct pv_error *reterr);

/* After pv_event_relay_expect(): the program has ended, and will not call any more. */
void pv_event_relay_ended(struct pv_event_relay *r);

/*
 * After pv_event_relay_expect(): whether the stream has not been refused so far. False: PV_EUSAGE,
 * PV_EIO.
 */
bool pv_event_relay_goes(struct pv_event_relay *r, struct pv_error *reterr);

/* Asks for a heap shot, to come in the stream. False: PV_EIO, the program has ended. */
bool pv_event_relay_shot(struct pv_event_relay *r, struct pv_error *reterr);

/* Ends the sessions; the relay process ends soon after. */
void pv_event_relay_leave(struct pv_event_relay *r);

#endif

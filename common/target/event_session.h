/*
 * Sessions of .NET's event stream: the runtime writes what was asked for, in .nettrace, into the
 * connection that asked. A session must be read until its end or closed: while one that is being
 * stopped is not read, the runtime's diagnostics server does not answer. One thread a session.
 */
#ifndef PV_TARGET_EVENT_SESSION_H
#define PV_TARGET_EVENT_SESSION_H

#include "common/target/event_door.h"

struct pv_event_group {
	const char *provider;
	uint64_t keywords;
	uint32_t level;
	const char *args; /* or NULL */
	const uint32_t
		*without; /* `n_without` numbers of events that are left out, from .NET 10 on */
	size_t n_without;
};

struct pv_event_wish {
	const struct pv_event_group *group;
	size_t n;
	uint32_t buffer_mb; /* in the process, taken as needed; what does not fit is lost */
	uint32_t wait_ms;   /* for its opening */
	uint64_t rundown;   /* keywords of the events at its end; 0: none */
};

struct pv_event_session {
	int fd; /* the stream, does not block; -1: none */
	uint64_t id;
};

/*
 * Opens one, by the newest command that the runtime knows. Waits as long as the wish says. False:
 * PV_EUSAGE when the runtime refuses, PV_EIO.
 */
bool pv_event_session_open(struct pv_event_session *ret, struct pv_event_door *d,
	const struct pv_event_wish *wish, struct pv_error *reterr);

/*
 * Asks for the session's end, which is when its stream ends, and returns the connection that the
 * answer comes on; the caller closes it then. -1: it cannot be asked.
 */
int pv_event_session_stop(const struct pv_event_session *s, struct pv_event_door *d);

/* A process that waits to begin begins; one that runs runs on. */
void pv_event_session_resume(struct pv_event_door *d);

/* The process ends a session that is closed by itself. */
void pv_event_session_close(struct pv_event_session *s);

#endif

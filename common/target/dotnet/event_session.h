/* SPDX-License-Identifier: MIT */
/*
 * Sessions of .NET's event stream: the runtime writes the wanted events, in .nettrace, into the
 * connection that asked. A session must be read until its end or closed: while a session that is
 * being stopped is not read, the runtime's diagnostics server does not answer. One thread a
 * session.
 */
#ifndef PV_TARGET_EVENT_SESSION_H
#define PV_TARGET_EVENT_SESSION_H

#include "common/target/dotnet/event_door.h"

struct pv_event_group {
	const char *provider;
	uint64_t keywords;
	uint32_t level;
	const char *args;        /* or NULL */
	const uint32_t *without; /* `n_without` numbers of events to leave out, from .NET 10 on */
	size_t n_without;
};

struct pv_event_wish {
	const struct pv_event_group *group;
	size_t n;
	uint32_t buffer_mb; /* in the process, taken as needed; what does not fit is lost */
	uint32_t wait_ms;   /* for the opening */
	uint64_t rundown;   /* keywords of the events at the session's end; 0: none */
};

struct pv_event_session {
	int fd; /* the stream, does not block; -1: none */
	uint64_t id;
};

/*
 * Opens a session by the newest command that the runtime knows, waiting at most `wait_ms`. False:
 * PV_EUSAGE when the runtime refuses, PV_EIO.
 */
bool pv_event_session_open(struct pv_event_session *ret, struct pv_event_door *d,
	const struct pv_event_wish *wish, struct pv_error *reterr);

/*
 * Asks for the session's end; its stream ends then. Returns the connection for the answer, to be
 * closed by the caller after the stream's end. -1: cannot be asked.
 */
int pv_event_session_stop(const struct pv_event_session *s, struct pv_event_door *d);

/* Sets a variable of the process, inherited by its children. */
void pv_event_session_set(struct pv_event_door *d, const char *variable, const char *value);

/* Resumes a suspended process; a running one runs on. */
void pv_event_session_resume(struct pv_event_door *d);

/* The runtime ends a session whose connection is closed. */
void pv_event_session_close(struct pv_event_session *s);

#endif

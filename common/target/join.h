/*
 * Joining a process that has a probe of ours inside: where its log can be read from now on. A log
 * that goes to a file is followed there; a pipe that has no reader is read; else the probe is asked
 * to write into a pipe of ours, which begins with all names. On one thread; each call waits for
 * answers no longer than some seconds.
 */
#ifndef PV_TARGET_JOIN_H
#define PV_TARGET_JOIN_H

#include <sys/types.h>

#include "common/target/dotnet_ipc.h"
#include "common/target/event_relay.h"
#include "common/target/foreign/foreign.h"
#include "common/target/launch.h"
#include "common/target/probe_socket.h"

struct pv_join_place {
	pid_t pid; /* 0: it is not seen here */
	char control[PV_PROBE_PATH];
	char inside[PV_PROBE_PATH]; /* then: its name for the folder of the pipe; "": ours */
	struct pv_foreign of;       /* the process */
	struct pv_foreign at;       /* the same, or us, where `control` is a path of ours */
	char path[PV_PROBE_ANSWER]; /* to read from */
	int log;                    /* the descriptor, where the path is /proc/self/fd/N; else -1 */
	struct pv_foreign_folder made; /* with the pipe in it; none: the path was there before */
	bool greet; /* a pipe that was there: its writer may not have seen the reader change */
	struct pv_dotnet dotnet; /* a process that loads the probe while it runs; else pid 0 */
	bool mono;               /* likewise, by mono_attach.h */
	struct pv_launch_options wish; /* events recorded by a probe that joins; .NET only */
	bool streams;      /* .NET's own event stream comes through the pipe, without a probe */
	char instead[200]; /* why no probe was put in, where that was left to us; or "" */
	struct pv_event_options events; /* of that one */
	struct pv_event_relay relay;
};

enum pv_join_via {
	PV_JOIN_VIA_AUTO, /* the probe where it can go, else the event stream */
	PV_JOIN_VIA_PROBE,
	PV_JOIN_VIA_EVENTS /* .NET's event stream */
};

enum pv_join_may {
	PV_JOIN_MAY_LOOK,    /* nothing may be sent that changes anything there */
	PV_JOIN_MAY_COMMAND, /* commands that a probe or .NET offers */
	PV_JOIN_MAY_INJECT,  /* also what mono_attach.h warns of */
};

/*
 * Finds the place; `socket` is the path of its probe's or runtime's, or NULL: it is looked for. With
 * `pid` 0 the socket is all that is known: of a process in a container of which only a folder is
 * shared. Forks where the event stream will be read, so no thread may run yet. False: PV_EIO, or
 * PV_EUSAGE with the reason why this process cannot be joined and what can be done about it.
 */
bool pv_join_find(struct pv_join_place *ret, pid_t pid, const char *socket, enum pv_join_may may,
	enum pv_join_via via, struct pv_error *reterr);

/*
 * The same for the first .NET process that calls at the listener (of pv_event_door_listen()), which
 * is closed in any case. Waits for it until a signal handler has set *stop: PV_ECANCELLED.
 */
bool pv_join_listen(
	struct pv_join_place *ret, int listener, const volatile int *stop, struct pv_error *reterr);

/* Whether a probe will be loaded, and so can be given options; set j->wish then. */
static inline bool pv_join_chooses(const struct pv_join_place *j)
{
	return j->dotnet.pid != 0 && !j->streams;
}

/* Once the place is being read: has the probe write there. False: PV_EIO, PV_EUSAGE. */
bool pv_join_go(struct pv_join_place *j, struct pv_error *reterr);

/* Asks for a heap shot in the event stream (`streams`). False: PV_EIO. */
bool pv_join_shot(struct pv_join_place *j, struct pv_error *reterr);

/*
 * Ends the event stream, or the recording of a probe that was put in for it; the rest still comes
 * into the pipe. Again: nothing.
 */
void pv_join_end(struct pv_join_place *j);

/* Removes what was made. The probe drops events until there is another reader. */
void pv_join_leave(struct pv_join_place *j);

#endif

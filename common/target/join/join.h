/* SPDX-License-Identifier: MIT */
/*
 * Joining a running process: where its log can be read from now on. A log file is followed in
 * place; a pipe without a reader is read; else the probe is asked to write into a pipe of ours,
 * beginning with all names. On one thread; each call waits for answers some seconds at most.
 */
#ifndef PV_TARGET_JOIN_H
#define PV_TARGET_JOIN_H

#include <sys/types.h>

#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/launch/event_relay.h"
#include "common/target/foreign/foreign.h"
#include "common/target/launch/launch.h"
#include "common/target/launch/outside.h"
#include "common/target/control/probe_socket.h"

struct pv_join_place {
	pid_t pid; /* 0: not visible here */
	char control[PV_PROBE_PATH];
	char inside[PV_PROBE_PATH]; /* pid 0: the pipe folder as seen there; "": ours */
	struct pv_foreign of;       /* the process */
	struct pv_foreign at;       /* the same, or us, where `control` is a path of ours */
	char path[PV_PROBE_ANSWER]; /* to read from */
	int log;                    /* the descriptor, where the path is /proc/self/fd/N; else -1 */
	struct pv_foreign_folder made; /* with the pipe; none: the path existed before */
	struct pv_foreign_copy copy;   /* of the library that the process loads */
	bool greet;              /* an existing pipe: the writer may not notice the new reader */
	struct pv_dotnet dotnet; /* a process that loads the probe at run time; else pid 0 */
	bool mono;               /* likewise, by mono_attach.h */
	struct pv_launch_options wish; /* events for a probe that joins; .NET only */
	bool streams;      /* .NET's own event stream comes through the pipe, without a probe */
	char instead[200]; /* why no probe was loaded, with PV_JOIN_VIA_AUTO; or "" */
	struct pv_event_options events; /* of the event stream */
	struct pv_event_relay relay;
	bool outside; /* nothing is loaded: a recorder watches the process */
	struct pv_outside recorder;
};

enum pv_join_via {
	PV_JOIN_VIA_AUTO, /* the probe where possible, else the event stream; native code: outside */
	PV_JOIN_VIA_PROBE,
	PV_JOIN_VIA_EVENTS, /* .NET's event stream */
	PV_JOIN_VIA_OUTSIDE /* the kernel's events, of any process */
};

enum pv_join_may {
	PV_JOIN_MAY_LOOK,    /* nothing may be sent that changes the process */
	PV_JOIN_MAY_COMMAND, /* commands of a probe or of .NET */
	PV_JOIN_MAY_INJECT,  /* also what mono_attach.h warns of */
};

/*
 * Finds the place; `socket` is the path of a probe's or runtime's socket, or NULL: searched for.
 * With `pid` 0 only the socket is known: of a process in a container that shares a folder only.
 * Forks where the event stream will be read, so no thread may run yet. False: PV_EIO, or PV_EUSAGE
 * with the reason and the way out.
 */
bool pv_join_find(struct pv_join_place *ret, pid_t pid, const char *socket, enum pv_join_may may,
	enum pv_join_via via, struct pv_error *reterr);

/*
 * Likewise for the first .NET process that calls at the listener (of pv_event_door_listen()),
 * closed in any case. Waits until a call or until a signal handler has set *stop: PV_ECANCELLED.
 */
bool pv_join_listen(
	struct pv_join_place *ret, int listener, const volatile int *stop, struct pv_error *reterr);

/* Whether a probe will be loaded, and so can be given options; set j->wish then, as with `outside`. */
static inline bool pv_join_chooses(const struct pv_join_place *j)
{
	return j->dotnet.pid != 0 && !j->streams;
}

/* Asks the recorder, if `outside`, whether the wish can be had. False: PV_EUSAGE, or PV_EIO. */
bool pv_join_may_wish(struct pv_join_place *j, struct pv_error *reterr);

/* Once the place is being read: has the probe write there. False: PV_EIO, PV_EUSAGE. */
bool pv_join_go(struct pv_join_place *j, struct pv_error *reterr);

/* Asks for a heap shot in the event stream (`streams`). False: PV_EIO. */
bool pv_join_shot(struct pv_join_place *j, struct pv_error *reterr);

/*
 * Ends the event stream, the recorder, or the recording of a joined probe; the rest still comes
 * into the pipe. A second call does nothing.
 */
void pv_join_end(struct pv_join_place *j);

/* Removes what was made. The probe drops events until there is another reader. */
void pv_join_leave(struct pv_join_place *j);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Between a started program and the viewer. With a terminal, a process of its own (the relay)
 * starts the program, holds its terminal and empties the terminal as long as the program runs, also
 * when the viewer has ended. Without, the program is our child and has our streams; only for a
 * recorded tree the relay exists, too, as the launcher for the tree's probes.
 *
 * Start forks, so no thread may run yet; the program itself begins with pv_relay_go(). One thread.
 */
#ifndef PV_TARGET_RELAY_H
#define PV_TARGET_RELAY_H

#include <sys/types.h>

#include "common/target/launch/launch.h"

struct pv_relay {
	int fd;    /* with a terminal: readable when there is a message; else -1 */
	int gate;  /* the program waits for this */
	pid_t pid; /* of our child: the relay or the program */
	bool relayed;
};

enum pv_relay_kind {
	PV_RELAY_NOTHING,  /* no message now */
	PV_RELAY_STARTED,  /* number: the program's pid */
	PV_RELAY_OUTPUT,   /* n bytes of the program's output */
	PV_RELAY_DROPPED,  /* number: output bytes that were not read in time */
	PV_RELAY_EXITED,   /* number: as waitpid() gives it */
	PV_RELAY_FAILED,   /* number: errno of what could not be started */
	PV_RELAY_HEAVIEST, /* of a tree, bytes: "OTHERS CPU_NS PATH\nPROGRAM", the log with most */
	PV_RELAY_CUT,      /* of a tree, number: errno of the first log that could not be written */
	PV_RELAY_STAYS,    /* to us who left: processes go on, and the relay with them */
	PV_RELAY_GONE,     /* the relay has ended, or was killed */
};

enum { PV_RELAY_MESSAGE = 4096 };

struct pv_relay_message {
	enum pv_relay_kind kind;
	int64_t number;
	size_t n;
	char bytes[PV_RELAY_MESSAGE];
};

/*
 * `l` is copied by the fork. The relay removes the folder once the program and we have ended.
 * False: PV_EIO.
 */
bool pv_relay_start(
	struct pv_relay *ret, const struct pv_launch *l, bool terminal, struct pv_error *reterr);
bool pv_relay_go(struct pv_relay *r); /* false: the relay is gone */

/* The next message; never blocks. */
void pv_relay_read(struct pv_relay *r, struct pv_relay_message *ret);

/* A signal for the program; the size of its terminal, in cells. */
void pv_relay_signal(struct pv_relay *r, int sig);
void pv_relay_resize(struct pv_relay *r, int w, int h);

/*
 * Without a terminal: waits for the program, as waitpid(). False: not started, *ret_errno says why.
 */
bool pv_relay_wait(struct pv_relay *r, int *ret_status, int *ret_errno);

/*
 * Closes our end: the program goes on if it still runs. A relay with nothing left to do is waited
 * for, a second at most, so that the program's processor time counts as ours (wait(2), time(1)).
 */
void pv_relay_leave(struct pv_relay *r);

#endif

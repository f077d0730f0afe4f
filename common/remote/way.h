/* SPDX-License-Identifier: MIT */
/*
 * A way to another machine: a command whose standard input and output lead to a shell there (ssh,
 * kubectl exec, docker exec, nsenter), and profview's relay, started by this shell. No shell runs
 * locally, no port is opened on either side. One thread a way.
 */
#ifndef PV_REMOTE_WAY_H
#define PV_REMOTE_WAY_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { PV_WAY_PROTOCOL = 2, PV_WAY_VERSION = 64, PV_WAY_SAID = 256 };

struct pv_way {
	pid_t pid;                    /* of the command; 0: closed */
	int to, from, err;            /* standard input, output, error of the command; -1: closed */
	char version[PV_WAY_VERSION]; /* of the profview there */
	char said[PV_WAY_SAID];       /* the command's last words on standard error */
	size_t said_n;
};

struct pv_way_options {
	const char *where; /* with a blank a command's words, else a destination of ssh's */
	bool send;         /* sends this program to a machine without profview */
	bool again;        /* no user can be asked for a password */
};

/* Whether the text can be WHERE: not empty, no option of ssh's. */
bool pv_way_is(const char *where);

/* Waits until the relay has answered. False: PV_EIO, PV_EUSAGE (WHERE), with one sentence. */
bool pv_way_open(struct pv_way *ret, const struct pv_way_options *o, struct pv_error *reterr);

/* Takes the command's standard error, so that a full pipe never holds up the command. */
void pv_way_hear(struct pv_way *w);

/* Waits for the command, two seconds at most, then ends it. */
void pv_way_close(struct pv_way *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The private folder of a recording on this machine, below $TMPDIR: the log, and a socket where a
 * relay asks for the recording after a broken line. The socket's name is random, and readable by
 * the user only. A child of the caller, the janitor, removes the folder after the caller's end,
 * even by SIGKILL. One thread.
 */
#ifndef PV_REMOTE_KEPT_H
#define PV_REMOTE_KEPT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The folder's random letters and the socket's name, in this order. */
enum { PV_KEPT_FOLDER = 6, PV_KEPT_SOCKET = 32, PV_KEPT_ID = PV_KEPT_FOLDER + PV_KEPT_SOCKET };

struct pv_kept {
	char folder[PATH_MAX], log[PATH_MAX];
	char id[PV_KEPT_ID + 1];
	bool into_folder; /* `log` is a folder, until the log in this folder exists */
	int janitor;      /* the pipe to the janitor */
	int socket;       /* listens, does not block */
};

/*
 * Makes all of it. With `into_folder` the recording gets a folder, as a program that is attached to
 * may already write a log, to be copied. The janitor closes `line`. False: errno, and nothing is
 * left.
 */
bool pv_kept_make(struct pv_kept *ret, bool into_folder, int line);

/* The process group that the janitor ends after the caller's sudden end; 0: none. */
void pv_kept_ward(const struct pv_kept *k, pid_t group);

/* Whether the recording's log exists; the path is k->log then. */
bool pv_kept_found(struct pv_kept *k);

/* Bytes of all files in the folder. */
uint64_t pv_kept_bytes(const struct pv_kept *k);

/* Removes folder and socket, and ends the janitor. */
void pv_kept_remove(struct pv_kept *k);

/* A connection to the recording with this id, which need not end with a NUL; -1: none is kept. */
int pv_kept_join(const char *id, size_t n);

#endif

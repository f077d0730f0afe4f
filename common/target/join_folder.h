/*
 * Private folders with the pipes for programs that are started. The viewer that made one holds a
 * lock on it, and its process id is in the name: so the next viewer finds and removes what a killed
 * one has left. Any thread.
 */
#ifndef PV_TARGET_JOIN_FOLDER_H
#define PV_TARGET_JOIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

/*
 * Makes one in `base`, and removes those there that are the user's, whose maker is gone, and which no process has in its
 * environment. *ret_lock is a descriptor, above the standard ones, that keeps it locked until it is closed.
 * False with "" in `to`: PV_EIO.
 */
bool pv_run_folder_make(
	const char *base, char *to, size_t room, int *ret_lock, struct pv_error *reterr);

/*
 * The first of /tmp, TMPDIR and /var/tmp that can be written to; of at most so many bytes, and without
 * what ends an option's value. /tmp where none can be. The environment's, or a
 * literal; never NULL.
 */
const char *pv_run_folder_base(size_t most);

/* Removes the recordings in a folder. */
void pv_run_folder_empty(int folder);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Private folders with the pipes for started programs. The maker's process id is in the folder's
 * name, and the maker holds a lock: the next viewer finds and removes the folders of killed
 * viewers. Any thread.
 */
#ifndef PV_TARGET_JOIN_FOLDER_H
#define PV_TARGET_JOIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

/*
 * Makes a folder in `base`, and removes the user's folders there whose maker is gone and which no
 * process has in its environment. *ret_lock: a descriptor, above the standard ones, holding the
 * lock until closed. False with "" in `to`: PV_EIO.
 */
bool pv_run_folder_make(
	const char *base, char *to, size_t room, int *ret_lock, struct pv_error *reterr);

/*
 * The first of /tmp, TMPDIR and /var/tmp that is writable, has at most `most` bytes and no
 * character that ends an option's value; /tmp where none is. From the environment, or a literal;
 * never NULL.
 */
const char *pv_run_folder_base(size_t most);

/* Removes the recordings in a folder. */
void pv_run_folder_empty(int folder);

#endif

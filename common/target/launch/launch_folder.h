/* SPDX-License-Identifier: MIT */
/* The folder for the logs of a tree of processes. One thread. */
#ifndef PV_TARGET_LAUNCH_FOLDER_H
#define PV_TARGET_LAUNCH_FOLDER_H

#include <stddef.h>

#include "common/base/status.h"

/* Makes the folder, or takes an empty one. False, PV_EIO: not empty, or cannot be made. */
bool pv_launch_folder(const char *path, struct pv_error *reterr);

/*
 * Makes a folder only for this user: next to the file `next_to`, or (NULL) in /var/tmp, since /tmp
 * may be memory. *ret_lock: a descriptor that keeps the folder from being swept, or -1. False:
 * PV_EIO.
 */
bool pv_launch_folder_temporary(
	char *to, size_t room, const char *next_to, int *ret_lock, struct pv_error *reterr);

/* Removes the folder and its recordings. */
void pv_launch_folder_remove(const char *path);

#endif

/*
 * The private folders in which pipes of ours stand for programs that are joined. Whoever made one
 * holds a lock on it, and its process id is in the name: what a killed viewer has left is told
 * from what is in use, and goes when the next one begins.
 */
#ifndef PV_TARGET_JOIN_FOLDER_H
#define PV_TARGET_JOIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

/*
 * Makes one in `base`, and sweeps there before. *ret_lock is a descriptor, above the standard ones,
 * that keeps it locked until it is closed. False: PV_EIO.
 */
bool pv_join_folder_make(
	const char *base, char *to, size_t room, int *ret_lock, struct pv_error *reterr);

/*
 * Removes those in `base` that are ours, whose maker is gone, and that hold a pipe or nothing. It
 * follows no link and tells no error: what cannot be removed stays.
 */
void pv_join_folder_sweep(const char *base);

#endif

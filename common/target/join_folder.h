/*
 * Private folders with the pipes for programs that are joined or started. The viewer that made one holds
 * a lock on it, and its process id is in the name: so the next viewer finds and removes what a killed
 * one has left. Any thread.
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
 * Removes those in `base` that are the user's, whose maker is gone, and that hold a pipe or
 * nothing. It follows no link and reports no error: what cannot be removed stays.
 */
void pv_join_folder_sweep(const char *base);

/*
 * The same for a program that is started, and for recordings that are not kept: what is left there goes
 * once no process has the folder in its environment.
 */
bool pv_run_folder_make(
	const char *base, char *to, size_t room, int *ret_lock, struct pv_error *reterr);

/* Removes the recordings in a folder. */
void pv_run_folder_empty(int folder);

#endif

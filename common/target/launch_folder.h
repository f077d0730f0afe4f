/* The folder that a tree of processes is recorded into. One thread. */
#ifndef PV_TARGET_LAUNCH_FOLDER_H
#define PV_TARGET_LAUNCH_FOLDER_H

#include <stddef.h>

#include "common/base/status.h"

/*
 * Makes it, or takes one that is empty. False, PV_EIO: there is something in it, or it cannot be
 * made.
 */
bool pv_launch_folder(const char *path, struct pv_error *reterr);

/*
 * Makes one that only the user may enter: in the folder of the file `next_to`, or where that is NULL in
 * /var/tmp, as memory is no place for logs. *ret_lock is a descriptor that keeps it from being swept, or -1. False: PV_EIO.
 */
bool pv_launch_folder_temporary(
	char *to, size_t room, const char *next_to, int *ret_lock, struct pv_error *reterr);

/* Removes it and the recordings in it. */
void pv_launch_folder_remove(const char *path);

#endif

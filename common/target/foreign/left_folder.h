/* SPDX-License-Identifier: MIT */
/*
 * Names of the folders that viewers make (PREFIX, process and six letters), and whether the viewer
 * has ended.
 */
#ifndef PV_TARGET_LEFT_FOLDER_H
#define PV_TARGET_LEFT_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether this process sees no such process. Any thread. */
bool pv_pid_is_gone(pid_t pid);

/*
 * Whether the viewer that made a folder of this name has ended, as seen by this process: a viewer
 * in another container may live, so a lock decides. False also for any other name. Any thread.
 */
bool pv_folder_is_left(const char *name, const char *prefix);

#endif

/* The folder that a tree of processes is recorded into. One thread. */
#ifndef PV_TARGET_LAUNCH_FOLDER_H
#define PV_TARGET_LAUNCH_FOLDER_H

#include "common/base/status.h"

/*
 * Makes it, or takes one that is empty. False, PV_EIO: there is something in it, or it cannot be
 * made.
 */
bool pv_launch_folder(const char *path, struct pv_error *reterr);

#endif

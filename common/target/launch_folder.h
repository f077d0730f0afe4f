/* The folder that a tree of processes is recorded into. One thread. */
#ifndef PV_TARGET_LAUNCH_FOLDER_H
#define PV_TARGET_LAUNCH_FOLDER_H

#include "common/base/status.h"

/*
 * Makes it, or takes the logs of an earlier recording out of it. False, PV_EIO: it cannot be made,
 * or has files that are no recording's; then nothing is touched.
 */
bool pv_launch_folder(const char *path, struct pv_error *reterr);

#endif

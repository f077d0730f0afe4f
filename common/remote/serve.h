/* SPDX-License-Identifier: MIT */
/*
 * The relay, at the far end of a way: answers frames (relay_frames.h) on `in` with frames on `out`,
 * and prints nothing else there. Commands of profview run as children, logs are read with the
 * user's rights. When the relay or the connection ends, children get SIGINT, after three seconds
 * SIGKILL. A recording runs in a keeper (keeper.h) that outlives the relay; frames of a recording
 * pass through. One thread.
 */
#ifndef PV_REMOTE_SERVE_H
#define PV_REMOTE_SERVE_H

#include <stdbool.h>

#include "common/remote/keeper.h"

/* Serves until the other side has gone or says so; blocks. False: no start (errno). */
bool pv_serve(int in, int out, const char *version, const struct pv_keep *most);

/* This program was sent into the folder: removes folder and program, which stays open in memory. */
void pv_serve_unlink(const char *folder);

#endif

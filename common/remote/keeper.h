/* SPDX-License-Identifier: MIT */
/*
 * The keeper of a recording: a process in a session of its own, started by a relay, that runs the
 * recording and sends the log over one line at a time, as frames. When the line has broken the
 * recording goes on for a bounded time and size. A relay joins again by the recording's id
 * (pv_kept_join), with a RESUME frame first; a newer line takes the place of an older. After that
 * time, or a STOP, the recording is ended, and the private folder (kept.h) removed. One thread; the
 * caller has one, too.
 */
#ifndef PV_REMOTE_KEEPER_H
#define PV_REMOTE_KEEPER_H

#include <stdint.h>

/* Bounds of a recording without a line. */
struct pv_keep {
	unsigned seconds;
	uint64_t bytes; /* added to the folder; then the recording ends, and its log is kept */
};

enum { PV_KEEP_SECONDS = 60 };
#define PV_KEEP_BYTES (UINT64_C(1) << 30)

/*
 * Starts the process. Returns the line to it, where a RECORD frame is to come first; -1: errno. The
 * caller has no other children.
 */
int pv_keeper_start(const struct pv_keep *most);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Ends the writer's thread without a stop: for a moment, during a call that wants the process to
 * have a single thread, and forever after the program's last thread.
 */
#ifndef PV_PROBE_WRITER_REST_H
#define PV_PROBE_WRITER_REST_H

#include <sys/types.h>

#include "probe/core/writer.h"

/* On any thread of the program, before the call. False: no writer, or stuck at the sink. */
bool pvp_writer_park(void);
/*
 * Starts the writer again. Returns the session's host, which lives forever, and in `control` the
 * socket's path; NULL: no thread can be made any more, and the recording was ended on this thread.
 */
const struct pvp_host *pvp_writer_unpark(char control[108]);

/* The writer's thread number, 0: none was there yet. */
pid_t pvp_writer_thread(void);

/* --- the writer's own --- */

/* The thread's function; `w` lives until pvp_writer_end(). Always NULL; see w->failed. */
void *pvp_writer_run(void *w);
/* The rounds, on whichever thread; and the session's end after them. */
void pvp_writer_work(struct pvp_writer *w);
void pvp_writer_end(struct pvp_writer *w);

#endif

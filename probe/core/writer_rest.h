/*
 * The writer's end without a stop: for a moment, for a call that wants the process to have one thread, and
 * for ever, where the program has none left.
 */
#ifndef PV_PROBE_WRITER_REST_H
#define PV_PROBE_WRITER_REST_H

#include <sys/types.h>

#include "probe/core/writer.h"

/* Any thread of the program's, which makes the call between. False: no writer, or one that is stuck at its sink. */
bool pvp_writer_park(void);
/*
 * The session's host, which lives for ever, and in `control` its socket's path; NULL: no thread can be made
 * any more. The recording has been ended then, on this thread.
 */
const struct pvp_host *pvp_writer_unpark(char control[108]);

/* The writer's thread number, 0: none was there yet. */
pid_t pvp_writer_thread(void);

/* --- the writer's own --- */

/* Its thread's function; the writer lives until pvp_writer_end(). Always NULL; a failure is in w->failed. */
void *pvp_writer_run(void *w);
/* The rounds, on whichever thread; and the session's end after them. */
void pvp_writer_work(struct pvp_writer *w);
void pvp_writer_end(struct pvp_writer *w);

#endif

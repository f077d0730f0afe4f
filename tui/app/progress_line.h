/* SPDX-License-Identifier: MIT */
/*
 * Progress of a long command: one line on a terminal's standard error, removed at the end. Without
 * a terminal nothing is printed, and signals keep their action. The main thread.
 */
#ifndef UI_PROGRESS_LINE_H
#define UI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* From now on SIGINT and SIGTERM are noted once, for ui_progress_stopped(). */
void ui_progress_begin(void);

/* The work of now, borrowed until the next call: "reading", "thread 2 of 5". */
void ui_progress_work(const char *work);

/*
 * Reports `done` bytes of `total` (0: unknown) read. The line appears after the first second.
 * False: a signal asked for an end.
 */
bool ui_progress_tell(const char *path, uint64_t done, uint64_t total);

/* Takes the line away. */
void ui_progress_end(void);

/* The signal that asked for an end; 0: none. */
int ui_progress_stopped(void);

#endif

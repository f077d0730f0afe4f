/* SPDX-License-Identifier: MIT */
/*
 * Commands to and questions about running programs without a screen: `profview ctl`, `profview ps`.
 * One of the files of tui/ that see common/target. The main thread.
 */
#ifndef UI_REMOTE_H
#define UI_REMOTE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/status.h"

/*
 * Sends the words as one line to the probe in process `pid`, or to the probe at `socket` (a path;
 * NULL: none). The answer goes to `out`. False: *reterr.
 */
bool ui_remote_ctl(long pid, const char *socket, char *const *words, int n, FILE *out,
	struct pv_error *reterr);

/* The processes that can be joined, as a table or as JSON; `idle`: joinable.h. False: PV_ENOMEM. */
bool ui_remote_ps(FILE *out, bool json, bool idle, struct pv_error *reterr);

/*
 * The process to be joined by name: the name of its program, script, assembly or jar, else a part
 * of its command line. False: PV_EUSAGE, there is none or several (listed in the message);
 * PV_ENOMEM. Takes up to a second; any thread.
 */
bool ui_pid_by_name(const char *name, long *ret_pid, struct pv_error *reterr);

#endif

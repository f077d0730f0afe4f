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
 * Sends the words as one line to the probe in process `pid`; its answer goes to `out`. False:
 * *reterr.
 */
bool ui_remote_ctl(long pid, char *const *words, int n, FILE *out, struct pv_error *reterr);

/* The processes that can be joined, as a table or as JSON. False: PV_ENOMEM. */
bool ui_remote_ps(FILE *out, bool json, struct pv_error *reterr);

#endif

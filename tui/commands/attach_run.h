/* SPDX-License-Identifier: MIT */
/* `attach` of several running programs, into a folder with a log of each. The main thread. */
#ifndef UI_ATTACH_RUN_H
#define UI_ATTACH_RUN_H

#include "tui/app/options.h"

/*
 * Fills `to` with the processes that the command line names, by number or by name, each once;
 * returns how many. 0: *reterr says that a name has no process, or too many.
 */
size_t ui_attach_pids(const struct ui_options *o, long to[UI_ATTACH_MOST], struct pv_error *reterr);

/* Whether a folder is wanted: for several processes, or for one with --record FOLDER/. */
bool ui_attach_wants_folder(const struct ui_options *o, size_t pids);

/*
 * Joins all processes that can be joined, says of the others why not, shows them until they end or
 * the user leaves (without a screen: waits). Returns the exit code.
 */
int ui_attach_several(const struct ui_options *o, const long *pid, size_t n);

#endif

/* `attach` of several programs that run already, into a folder with a log of each. The main thread. */
#ifndef UI_ATTACH_RUN_H
#define UI_ATTACH_RUN_H

#include "tui/app/options.h"

/*
 * The processes that the command line names, by number or by name: so many into `to`, each once. 0: *reterr says that
 * there is none of a name, or too many.
 */
size_t ui_attach_pids(const struct ui_options *o, long to[UI_ATTACH_MOST], struct pv_error *reterr);

/* Whether a folder is wanted: of several, or of one with --record FOLDER/. */
bool ui_attach_wants_folder(const struct ui_options *o, size_t pids);

/*
 * Joins all that can be, says of the others why not, shows them until they end or the user leaves;
 * without a screen waits for that. Gives the exit code.
 */
int ui_attach_several(const struct ui_options *o, const long *pid, size_t n);

#endif

/* Private to the files of the command line. Pure: any thread. */
#ifndef UI_OPTIONS_CHECK_H
#define UI_OPTIONS_CHECK_H

#include "tui/app/options.h"

/* PV_EUSAGE with one clear line where they do not go together. */
bool ui_options_check(const struct ui_options *o, struct pv_error *err);

/* "profview report": a literal, never NULL. */
const char *ui_verb_name(enum ui_verb verb);

/* Whether `report --section list` asks for the names of sections, which are of no log. */
bool ui_lists_sections(const struct ui_options *o);

#endif

/* SPDX-License-Identifier: MIT */
/* Private to the files of the command line. Pure: any thread. */
#ifndef UI_OPTIONS_CHECK_H
#define UI_OPTIONS_CHECK_H

#include "tui/app/options.h"

/* False: PV_EUSAGE with one clear line; options are missing or contradict each other. */
bool ui_options_check(const struct ui_options *o, struct pv_error *err);

/* Likewise for terms about requests in --filter, known once the filter's names are replaced. */
bool ui_options_check_requests(const struct ui_options *o, struct pv_error *err);

/* "profview report": a literal, never NULL. */
const char *ui_verb_name(enum ui_verb verb);

/* Whether `report --section list` asks for the names of sections: then no log is read. */
bool ui_lists_sections(const struct ui_options *o);

#endif

/* SPDX-License-Identifier: MIT */
/* The format that the options of `convert` mean. Pure: any thread. */
#ifndef UI_EXPORT_FORMAT_H
#define UI_EXPORT_FORMAT_H

#include <stdbool.h>

#include "common/base/status.h"

struct pv_export_format;
struct ui_options;

/*
 * The format (a constant) named by --to or by the output's ending; NULL: a log, a heap snapshot, or
 * none.
 */
const struct pv_export_format *ui_export_format(const struct ui_options *o);

/* Whether --to and --measure are known words, and go with the other options. */
bool ui_export_check(const struct ui_options *o, struct pv_error *reterr);

#endif

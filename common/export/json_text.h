/* SPDX-License-Identifier: MIT */
/* Texts in exports that are JSON. Any thread; a stream is one thread's. */
#ifndef PV_EXPORT_JSON_TEXT_H
#define PV_EXPORT_JSON_TEXT_H

#include <stdio.h>

#include "common/export/export.h"

/*
 * A string with quotes; false: out of memory. Every '<' is escaped, so that the text may stand in a
 * page.
 */
bool pv_export_json(FILE *out, const char *text);
/* The title and all lines as one string, for formats with a single text. False: out of memory. */
bool pv_export_json_about(FILE *out, const struct pv_export_about *a);

#endif

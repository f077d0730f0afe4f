/* Texts in exports that are JSON. Any thread; a stream is one thread's. */
#ifndef PV_EXPORT_JSON_TEXT_H
#define PV_EXPORT_JSON_TEXT_H

#include <stdio.h>

#include "common/export/export.h"

/*
 * A string with its quotes; false: out of memory. No '<' stands in it as itself, so that it may
 * stand in a page.
 */
bool pv_export_json(FILE *out, const char *text);
/*
 * The title and all lines as one string, for formats that have one place for words. False: out of
 * memory.
 */
bool pv_export_json_about(FILE *out, const struct pv_export_about *a);

#endif

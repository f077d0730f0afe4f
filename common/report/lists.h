/* SPDX-License-Identifier: MIT */
/*
 * Tables outside of a report's sections, in a report's formats. Any thread; errors of writing stay
 * in the stream.
 */
#ifndef PV_REPORT_LISTS_H
#define PV_REPORT_LISTS_H

#include <stdbool.h>
#include <stdio.h>

struct pv_table;

/* Titles, rows, and the number of further rows; "  none" without rows. */
void pv_list_text(FILE *out, const struct pv_table *t);
/* The columns of these keys, NULL ends. False: out of memory. */
bool pv_list_csv(FILE *out, const struct pv_table *t, const char *const *key, bool markdown);
/* An array of objects. False likewise. */
bool pv_list_json(FILE *out, const struct pv_table *t, const char *const *key);

#endif

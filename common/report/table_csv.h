/* SPDX-License-Identifier: MIT */
/*
 * Tables as CSV (RFC 4180, exact figures under JSON keys) or Markdown (figures for people), several
 * under one line of titles. Private to the report layer. One thread uses a structure; errors of
 * writing stay in the stream.
 */
#ifndef PV_REPORT_TABLE_CSV_H
#define PV_REPORT_TABLE_CSV_H

#include <stdio.h>

#include "common/base/status.h"
#include "common/query/table.h"

struct pv_csv {
	FILE *out;               /* borrowed */
	struct pv_error *reterr; /* may be NULL */
	bool markdown;
	bool inner;  /* rows at depth 0 only group others */
	bool titled; /* private */
	bool ok;     /* true at first; false: out of memory, as *reterr says */
};

/*
 * The rows with the columns of these keys, up to PV_MAX_KEYS, NULL ends; a column `lead` comes
 * first, with the value given, NULL: none. Failure as in `ok`.
 */
void pv_csv_rows(struct pv_csv *l, const char *const *key, const struct pv_table *t,
	const char *lead, const char *lead_value);

/*
 * JSON's text without quotes; frames of a stack joined as in a pane. In `buf` or the cell's own,
 * never NULL.
 */
const char *pv_csv_exact(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size);

#endif

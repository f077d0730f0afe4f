/* SPDX-License-Identifier: MIT */
/*
 * Private to the views of one file's lines and of one function's machine code: the same columns,
 * so that the screen goes from one to the other. With the model's lock where a model is given.
 */
#ifndef PV_QUERY_SOURCE_COLUMNS_H
#define PV_QUERY_SOURCE_COLUMNS_H

#include "common/query/coverage/lines.h"
#include "common/query/groups/build.h"

enum {
	PV_SOURCE_SHARE,
	PV_SOURCE_SELF,
	PV_SOURCE_TOTAL_SHARE,
	PV_SOURCE_TOTAL,
	PV_SOURCE_BYTES,
	PV_SOURCE_BYTES_TOTAL,
	PV_SOURCE_WAIT,
	PV_SOURCE_WAIT_TOTAL,
	PV_SOURCE_THROWN,
	PV_SOURCE_THROWN_TOTAL,
	PV_SOURCE_METHOD,
	PV_SOURCE_FILE,
	PV_SOURCE_LINE,
	PV_SOURCE_TEXT,
	PV_SOURCE_ROW, /* order of the rows where lines have another */
	PV_SOURCE_COLUMNS
};

/* The figures of a row by measure; 0 is nothing. samples: in all. */
void pv_source_put_figures(struct pv_cell *c, uint64_t samples,
	const uint64_t self[PV_LINE_MEASURES], const uint64_t total[PV_LINE_MEASURES]);

/* Hides columns of which the log has no figure; to be called before the first row. */
void pv_source_hide(struct pv_build *b, const uint64_t all[PV_LINE_MEASURES]);

/* "80 samples", "1.2 MiB allocated": returns `ret`, the caller's, never NULL. */
enum { PV_SOURCE_SAID = 64 };
const char *pv_source_said(enum pv_line_measure what, uint64_t n, char ret[PV_SOURCE_SAID]);

/* The filler where the wish is for machine code; takes the model's lock itself. */
void pv_machine_run(struct pv_build *b, struct pv_model *m);

#endif

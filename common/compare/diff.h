/* SPDX-License-Identifier: MIT */
/*
 * Comparison of recordings: figures of one or several logs a side, taken as plain values, matched
 * by canonical names and judged. One thread; models may be destroyed after being added.
 */
#ifndef PV_COMPARE_DIFF_H
#define PV_COMPARE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/status.h"
#include "common/report/report.h"

struct pv_model;
struct pv_diff;

enum pv_diff_side { PV_DIFF_BASE, PV_DIFF_NEW, PV_DIFF_SIDES };

/* The divisor of figures, before comparing. */
enum pv_diff_per {
	PV_PER_USUAL, /* samples by all samples (share), other figures undivided */
	PV_PER_NONE,  /* both sides did the same work */
	PV_PER_SHARE, /* by the side's total, in percent */
	PV_PER_SECOND,
	PV_PER_SAMPLE,
	PV_PER_CALL,    /* by the calls of a method, */
	PV_PER_COUNTER, /* by the rise of a counter: `unit` is its name */
};

enum pv_diff_verdict {
	PV_DIFF_SAME,  /* equal, or almost */
	PV_DIFF_NOISE, /* a difference, but not beyond chance */
	PV_DIFF_ADDED,
	PV_DIFF_GONE,
	PV_DIFF_MORE,
	PV_DIFF_LESS,
	PV_DIFF_INCOMPARABLE, /* a side lacks the figure, or has another thing under the name */
	PV_DIFF_VERDICTS
};
/* "same", "noise" and so on: a literal, never NULL. */
const char *pv_diff_verdict_text(enum pv_diff_verdict v);

struct pv_diff_options {
	enum pv_diff_per per;
	const char *unit;     /* borrowed */
	bool raw_names;       /* match the log's own names */
	bool waits;           /* waiting time counts, too, not only running time */
	bool physical;        /* stacks as recorded, not as async methods await */
	bool all;             /* unchanged rows are listed, too */
	const char *sections; /* "methods.samples_self,..."; NULL: all recorded */
	const char *filter;   /* case-insensitive substring of names */
	enum pv_report_format format;
	size_t limit; /* rows of each list, 0 = all */
	bool limited; /* `limit` is set; else 20 for text and all otherwise */
};

/* "none", "share", "second", "sample", "call:METHOD", "counter:NAME"; false for other words. */
bool pv_diff_per_of(const char *text, struct pv_diff_options *ret);
/* Whether sections exist, and CSV and Markdown name one. PV_EUSAGE. */
bool pv_diff_check(const struct pv_diff_options *o, struct pv_error *reterr);

/* `o` is borrowed until pv_diff_destroy(), which frees the diff. NULL when out of memory. */
struct pv_diff *pv_diff_create(const struct pv_diff_options *o);
void pv_diff_destroy(struct pv_diff *d); /* NULL is fine */

/*
 * Takes the figures of a log, and the log's lock for the time of one table. PV_EUSAGE where the log
 * lacks the divisor; PV_ENOMEM.
 */
bool pv_diff_add(struct pv_diff *d, enum pv_diff_side side, const char *path, struct pv_model *m,
	struct pv_error *reterr);

/* Judges all figures and writes the result. `out` is flushed, not closed. PV_ENOMEM, PV_EIO. */
bool pv_diff_write(struct pv_diff *d, FILE *out, struct pv_error *reterr);

#endif

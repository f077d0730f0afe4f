/*
 * Recordings compared with each other: figures of one or several logs a side, taken as plain
 * values, matched by canonical names and judged. One thread; models may be destroyed once they were
 * added.
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

/* The divisor of figures before they are compared. */
enum pv_diff_per {
	PV_PER_USUAL, /* samples by all samples (share), all else by nothing */
	PV_PER_NONE,  /* both sides did the same work */
	PV_PER_SHARE, /* by the side's total, in percent */
	PV_PER_SECOND,
	PV_PER_SAMPLE,
	PV_PER_CALL,    /* by the calls of a method, */
	PV_PER_COUNTER, /* by what a counter rose: `unit` is its name */
};

enum pv_diff_verdict {
	PV_DIFF_SAME,  /* equal, or as good as */
	PV_DIFF_NOISE, /* it differs, but not by more than chance does */
	PV_DIFF_ADDED,
	PV_DIFF_GONE,
	PV_DIFF_MORE,
	PV_DIFF_LESS,
	PV_DIFF_INCOMPARABLE, /* a side does not say it, or says it of something else */
	PV_DIFF_VERDICTS
};
/* "same", "noise" and so on: a literal, never NULL. */
const char *pv_diff_verdict_text(enum pv_diff_verdict v);

struct pv_diff_options {
	enum pv_diff_per per;
	const char *unit;     /* borrowed */
	bool raw_names;       /* match the log's own names */
	bool waits;           /* time that threads waited counts, too, not only what ran */
	bool all;             /* rows that did not change are listed, too */
	const char *sections; /* "methods.samples_self,...", NULL = all that are recorded */
	const char *filter;   /* case-insensitive substring of names */
	enum pv_report_format format;
	size_t limit; /* rows of each list, 0 = all */
	bool limited; /* else 20 for text and all for others */
};

/* "none", "share", "second", "sample", "call:METHOD", "counter:NAME"; false for other words. */
bool pv_diff_per_of(const char *text, struct pv_diff_options *ret);
/* Whether sections exist, and CSV and Markdown name one. PV_EUSAGE. */
bool pv_diff_check(const struct pv_diff_options *o, struct pv_error *reterr);

/* `o` is borrowed until pv_diff_destroy(), which frees it. NULL when out of memory. */
struct pv_diff *pv_diff_create(const struct pv_diff_options *o);
void pv_diff_destroy(struct pv_diff *d); /* NULL is fine */

/*
 * Takes the figures of a log, whose lock it takes for the time of one table. PV_EUSAGE where the
 * log has nothing of what figures shall be divided by; PV_ENOMEM.
 */
bool pv_diff_add(struct pv_diff *d, enum pv_diff_side side, const char *path, struct pv_model *m,
	struct pv_error *reterr);

/* Judges all and writes it. `out` is flushed, not closed. PV_ENOMEM, PV_EIO. */
bool pv_diff_write(struct pv_diff *d, FILE *out, struct pv_error *reterr);

#endif

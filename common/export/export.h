/*
 * A profile in forms that other programs open. Bytes depend on the profile only; sums are those of
 * the report; memory is that of the profile. One thread uses a profile.
 */
#ifndef PV_EXPORT_EXPORT_H
#define PV_EXPORT_EXPORT_H

#include <stdio.h>

#include "common/base/status.h"
#include "common/export/profile.h"
#include "common/model/timed.h"

struct pv_model;

/* Facts of the recording, as lines of words that may be shown. */
struct pv_export_about {
	struct pv_arena arena;
	PV_ARRAY(const char *) line;
	const char *title;      /* the log's name without its folder, "-" for standard input */
	uint64_t start_time_ms; /* since 1970; 0: not known */
	int64_t duration_ns;
	uint32_t pid;
};

struct pv_export_options {
	const struct pv_export_about *about;
	const struct pv_measure *measure;  /* of formats with one; NULL: the first that there is */
	const struct pv_timed_list *timed; /* of formats with marks; NULL: none */
};

struct pv_export_format {
	const char *name;   /* of --to */
	const char *ending; /* of files, and another one or NULL */
	const char *ending_too;
	bool one_measure, threads; /* it holds one measure only; threads are separate in it */
	bool timed;                /* of events by their times (chrome.h): no `write` */
	bool marks;                /* it takes pv_export_options.timed, without calls */
	const char *lacks;         /* of what the log may have: a sentence for people */
	bool (*write)(const struct pv_profile *p, const struct pv_export_options *o, FILE *out);
};

/* The i-th format, of a constant table; NULL past the end. */
const struct pv_export_format *pv_export_format(size_t i);
/* The constant of that name, or for the ending of a file's name; NULL for others. */
const struct pv_export_format *pv_export_of(const char *name);
const struct pv_export_format *pv_export_of_file(const char *path);

/* Adds a model's collections to what has a time. False: out of memory. */
bool pv_export_collections(struct pv_model *m, struct pv_timed_list *to);

/* Takes the model's lock. *ret is to be cleared also after false: out of memory. */
bool pv_export_about(struct pv_model *m, const char *path, struct pv_export_about *ret);
void pv_export_about_clear(struct pv_export_about *a);

/*
 * Writes a finished profile. PV_EUSAGE where the log has no such measure, or none at all;
 * PV_ENOMEM; PV_EOUTPUT. `out` is flushed, not closed.
 */
bool pv_export_write(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, FILE *out, struct pv_error *reterr);

/*
 * Writes a new file, gzipped where its name asks for that (gzip_out.h): PV_EUSAGE where one stands
 * already; none is left after a failure. `write` is called once.
 */
bool pv_export_new_file(const char *path, const void *ctx,
	bool (*write)(const void *ctx, FILE *out, struct pv_error *reterr),
	struct pv_error *reterr);
/* Likewise, of a profile. */
bool pv_export_file(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, const char *path, struct pv_error *reterr);

/*
 * The part of the log's facts that the format cannot say, one sentence in `text`; "" when nothing.
 */
void pv_export_lacks(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, char *text, size_t size);

/* The formats themselves; false: out of memory. Errors of writing stay in the stream. */
bool pv_export_folded(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_pprof(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_callgrind(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_html(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_firefox(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_speedscope(const struct pv_profile *, const struct pv_export_options *, FILE *);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A profile in the formats of other programs. Bytes depend on the profile only; sums are as in the
 * report; memory is the profile's. One thread uses a profile.
 */
#ifndef PV_EXPORT_EXPORT_H
#define PV_EXPORT_EXPORT_H

#include <stdio.h>

#include "common/base/status.h"
#include "common/export/profile.h"
#include "common/model/timed.h"

struct pv_model;

/* Facts of the recording, as lines of showable words. */
struct pv_export_about {
	struct pv_arena arena;
	PV_ARRAY(const char *) line;
	const char *title;      /* the log's name without folder, "-" for standard input */
	uint64_t start_time_ms; /* since 1970; 0: not known */
	int64_t duration_ns;
	uint32_t pid;
};

struct pv_export_options {
	const struct pv_export_about *about;
	const struct pv_measure *measure;  /* for formats with one; NULL: the first in the log */
	const struct pv_timed_list *timed; /* of formats with marks; NULL: none */
	int (*stopped)(void); /* not 0: the output is to be dropped, PV_ECANCELLED; or NULL */
};

struct pv_export_format {
	const char *name;   /* of --to */
	const char *ending; /* of files, and a further ending or NULL */
	const char *ending_too;
	bool one_measure, threads;   /* one measure only; threads are separate */
	bool timed;                  /* events by time (chrome.h): no `write` */
	bool marks;                  /* takes pv_export_options.timed, without calls */
	enum pv_profile_lines lines; /* lines for which there is room */
	const char *lacks;           /* facts that the format lacks: a sentence for people */
	bool (*write)(const struct pv_profile *p, const struct pv_export_options *o, FILE *out);
};

/* The i-th format, of a constant table; NULL past the end. */
const struct pv_export_format *pv_export_format(size_t i);
/* The format with this name, or for the ending of a file's name, a constant; NULL: none. */
const struct pv_export_format *pv_export_of(const char *name);
const struct pv_export_format *pv_export_of_file(const char *path);

/* Adds a model's collections to timed events. False: out of memory. */
bool pv_export_collections(struct pv_model *m, struct pv_timed_list *to);

/* Takes the model's lock. *ret is to be cleared also after false: out of memory. */
bool pv_export_about(struct pv_model *m, const char *path, struct pv_export_about *ret);
void pv_export_about_clear(struct pv_export_about *a);

/*
 * Writes a finished profile. PV_EUSAGE where the log lacks the measure, or has none; PV_ENOMEM;
 * PV_EOUTPUT. `out` is flushed, not closed.
 */
bool pv_export_write(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, FILE *out, struct pv_error *reterr);

/*
 * Writes a new file, gzipped if the name asks for gzip (gzip_out.h): PV_EUSAGE if the file exists;
 * no file is left after a failure. `write` is called once.
 */
bool pv_export_new_file(const char *path, const void *ctx,
	bool (*write)(const void *ctx, FILE *out, struct pv_error *reterr),
	struct pv_error *reterr);
/* Likewise, for a profile. */
bool pv_export_file(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, const char *path, struct pv_error *reterr);

/* The log's facts that the format lacks, one sentence in `text`; "": none. */
void pv_export_lacks(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, char *text, size_t size);

/* The formats; false: out of memory. Errors of writing stay in the stream. */
bool pv_export_folded(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_pprof(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_callgrind(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_html(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_firefox(const struct pv_profile *, const struct pv_export_options *, FILE *);
bool pv_export_speedscope(const struct pv_profile *, const struct pv_export_options *, FILE *);

#endif

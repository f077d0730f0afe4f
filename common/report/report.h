/* SPDX-License-Identifier: MIT */
/*
 * A model as text, JSON, CSV or Markdown. Prints the tables of the panes in a fixed order; the
 * query layer decides what is shown and how it is sorted. Opens no files: the caller gives a stream
 * and gets write errors back.
 */
#ifndef PV_REPORT_REPORT_H
#define PV_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/status.h"
#include "common/query/log_end.h"

struct pv_heap;
struct pv_identity;
struct pv_model;
struct pv_named_set;
struct pv_processes;

/* clang-format off */
enum pv_report_format { PV_REPORT_TEXT, PV_REPORT_JSON, PV_REPORT_CSV, PV_REPORT_MARKDOWN,
	PV_REPORT_VIM };
/* clang-format on */

/* A heap shot, by its number from 0. */
struct pv_report_shot {
	uint32_t index;
	bool weak;     /* weak references and handles count */
	bool retained; /* with retained sizes of classes */
};

/* Facts known only to the reader of the bytes. Texts are borrowed for the call. */
struct pv_report_source {
	const char *path;    /* as the user wrote it, "-" for standard input */
	uint64_t bytes;      /* read of the inflated stream */
	uint64_t file_bytes; /* as stored; equals bytes when not compressed */
	bool compressed;
	bool complete;                  /* no damage, and an end at a buffer's end */
	enum pv_log_end end;            /* of the whole log, also for a report of a range */
	char end_line[PV_LOG_END_LINE]; /* query/log_end.h */
};

/* Most objects of a newest shot that findings judge, too. */
enum { PV_REPORT_JUDGED_MOST = 300000 };

/* Opens heap shots for sections about objects. */
struct pv_report_heaps {
	void *ctx;
	/*
	 * The shot, owned by the callback; NULL with a reason: PV_EUSAGE if there is no such shot.
	 */
	const struct pv_heap *(*open)(
		void *ctx, const struct pv_report_shot *which, struct pv_error *reterr);
};

/* The two heap shots to compare. */
enum pv_report_match { PV_REPORT_IDENTITY, PV_REPORT_ADDRESS, PV_REPORT_CLASS };
struct pv_report_diff {
	bool has_base, has_shot; /* else the first, and the last, with objects */
	uint32_t base, shot;
	enum pv_report_match by; /* how objects of two shots are matched */
	bool single;             /* one shot suffices */
};

/* Follows objects for sections that need identity of objects. */
struct pv_report_follows {
	void *ctx;
	/* Identity and *ret_model live on; NULL with a reason: PV_EUSAGE for wrong shots. */
	const struct pv_identity *(*follow)(void *ctx, const struct pv_report_diff *which,
		struct pv_model **ret_model, struct pv_error *reterr);
};

/* All-zero (with limited = false) is the default report as text. */
struct pv_report_options {
	enum pv_report_format format;
	const char *sections; /* "methods,classes"; NULL or "": the default set. CSV and Markdown
			       * take exactly one list, also dotted ("gc.pauses"). "all": every
			       * section. */
	const char *sort;     /* JSON key; sections without the key keep their own order */
	const char *filter;   /* case-insensitive substring of the rows' names */
	const char *group; /* a row for each "namespace", "class", "image", "assembly", "domain" */
	const char *split; /* separates rows of one name by one of these */
	const char *in;    /* "image:NAME" and so on: only rows within */
	size_t limit;      /* rows of each list, 0 = all */
	bool physical;     /* stacks as recorded, not as async methods await */
	bool my_code;      /* only the user's code: the rest is folded into its callers */
	bool waits;        /* waiting time counts, too, not only running time */
	bool raw_names;    /* names as in the log; JSON has both kinds */
	const struct pv_report_heaps *heaps; /* NULL: no sections about a shot's objects */
	struct pv_report_shot shot;
	bool has_shot; /* `shot` is set: heap_classes, heap_objects, heap_path need a shot */
	const struct pv_report_follows *follows; /* NULL: no heap_diff and the like */
	bool has_base;                           /* `base` is set */
	uint32_t base;                           /* the shot to compare `shot` with */
	enum pv_report_match by;
	bool has_object;
	uint64_t object;      /* address of an object: of heap_path, heap_references and others */
	const char *method;   /* of callers and callees: a name, raw or readable; NULL: none */
	const char *of_class; /* of heap_merged_paths and others, likewise */
	const struct pv_named_set *sets; /* rows of heap_sets */
	size_t sets_n;
	const struct pv_processes *processes; /* NULL: no recording of a folder */
	uint64_t process;                     /* the process with the report's log */
	bool limited; /* `limit` is set; else 20 for text and all rows otherwise */
};

/*
 * Checks the options: section names exist, the sort key is a column of a section, CSV and Markdown
 * name one list. Needs no model, so a caller can refuse before a long load. PV_EUSAGE with the
 * choices listed.
 */
bool pv_report_check(const struct pv_report_options *options, struct pv_error *reterr);

/*
 * Writes the report; takes the model's lock for short times. PV_EUSAGE as above, PV_ENOMEM, or
 * PV_EIO when `out` could not be written. `out` is flushed, not closed.
 */
bool pv_report_write(struct pv_model *m, const struct pv_report_source *source,
	const struct pv_report_options *options, FILE *out, struct pv_error *reterr);

#endif

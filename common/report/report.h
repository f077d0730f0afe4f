/*
 * A model as text, JSON, CSV or Markdown. The same tables that panes draw, printed in a fixed
 * order; the query layer decides what is shown and how it is sorted. Nothing here opens
 * files: the caller gives a stream and gets write errors back.
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

enum pv_report_format { PV_REPORT_TEXT, PV_REPORT_JSON, PV_REPORT_CSV, PV_REPORT_MARKDOWN };

/* A heap shot, by its number from 0. */
struct pv_report_shot {
	uint32_t index;
	bool weak;     /* weak references and handles count */
	bool retained; /* sizes that classes retain too */
};

/* Facts that only the reader of the bytes has. Texts are borrowed for the call. */
struct pv_report_source {
	const char *path;    /* as the user wrote it, "-" for standard input */
	uint64_t bytes;      /* of the inflated stream that were read */
	uint64_t file_bytes; /* as stored; equals bytes when not compressed */
	bool compressed;
	bool complete;       /* no damage, and an end at a buffer's end */
	enum pv_log_end end; /* of the whole log, also where a range is reported */
	char end_line[120];  /* query/log_end.h */
};

/* Findings are judged by the objects of the newest shot, too, if it has no more. */
enum { PV_REPORT_JUDGED_MOST = 300000 };

/* Opens heap shots for the sections that need their objects. */
struct pv_report_heaps {
	void *ctx;
	/*
	 * The shot, which stays the callback's; NULL with a reason: PV_EUSAGE where there is no
	 * such shot.
	 */
	const struct pv_heap *(*open)(
		void *ctx, const struct pv_report_shot *which, struct pv_error *reterr);
};

/* Two heap shots that are compared. */
enum pv_report_match { PV_REPORT_IDENTITY, PV_REPORT_ADDRESS, PV_REPORT_CLASS };
struct pv_report_diff {
	bool has_base, has_shot; /* else the first, and the last, that lists objects */
	uint32_t base, shot;
	enum pv_report_match by; /* how objects of two shots are matched */
	bool single;             /* one shot suffices */
};

/* Follows objects for the sections that need to know which is which. */
struct pv_report_follows {
	void *ctx;
	/*
	 * They and the model they speak of live on; NULL with a reason: PV_EUSAGE for wrong shots.
	 */
	const struct pv_identity *(*follow)(void *ctx, const struct pv_report_diff *which,
		struct pv_model **ret_model, struct pv_error *reterr);
};

/* All-zero (with limited = false) is the default report as text. */
struct pv_report_options {
	enum pv_report_format format;
	const char *sections; /* "methods,classes"; NULL or "": the default set. CSV and Markdown
			       * take exactly one list, also dotted ("gc.pauses"). "all" is every
			       * section. */
	const char *sort;     /* JSON key; sections without that key keep their own order */
	const char *filter;   /* case-insensitive substring of the rows' names */
	const char *group; /* a row for each "namespace", "class", "image", "assembly", "domain" */
	const char *split; /* rows of one name are separate by one of these */
	const char *in;    /* "image:NAME" and so on: only the rows in there */
	size_t limit;      /* rows of each list, 0 = all */
	bool my_code;      /* only the user's code: the rest is folded into what called it */
	bool waits;        /* time that threads waited counts, too, not only what ran */
	bool raw_names;    /* names as the log has them; JSON has both kinds */
	const struct pv_report_heaps *heaps; /* NULL: sections of a shot's objects cannot be had */
	struct pv_report_shot shot;
	bool has_shot; /* `shot` is meant: heap_classes, heap_objects, heap_path need one */
	const struct pv_report_follows *follows; /* NULL: heap_diff and others cannot be had */
	bool has_base;                           /* `base` is meant */
	uint32_t base;                           /* the shot that `shot` is compared with */
	enum pv_report_match by;
	bool has_object;
	uint64_t object;      /* its address: of heap_path, heap_references and others */
	const char *method;   /* of callers and callees: its name, raw or readable; NULL: none */
	const char *of_class; /* of heap_merged_paths and others, likewise */
	const struct pv_named_set *sets; /* rows of heap_sets */
	size_t sets_n;
	const struct pv_processes *processes; /* NULL: it is no recording of a folder */
	uint64_t process;                     /* of these, the one whose log it is */
	bool limited; /* limit is meant; else 20 for text and all for the others */
};

/* "identity", "address", "class"; false for other words. */
bool pv_report_match_of(const char *text, enum pv_report_match *ret);

/* "readable": false, "raw": true; false for other words. */
bool pv_report_names_of(const char *text, bool *ret_raw);

/* "text", "json", "csv", "md"; false for other words. */
bool pv_report_format_of(const char *text, enum pv_report_format *ret);

/*
 * Whether the options make sense: section names exist, the sort key is a column of one of them,
 * CSV and Markdown name one list. Needs no model, so a caller can refuse before a long load.
 * PV_EUSAGE with the choices listed.
 */
bool pv_report_check(const struct pv_report_options *options, struct pv_error *reterr);

/*
 * Writes the report; takes the model's lock itself, for short times. PV_EUSAGE as above, PV_ENOMEM,
 * or PV_EIO when `out` could not be written. `out` is flushed, not closed.
 */
bool pv_report_write(struct pv_model *m, const struct pv_report_source *source,
	const struct pv_report_options *options, FILE *out, struct pv_error *reterr);

#endif

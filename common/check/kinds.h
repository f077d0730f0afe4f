/* SPDX-License-Identifier: MIT */
/* Private to the room: the kinds of rules, each a figure of a view. Constants: any thread. */
#ifndef PV_CHECK_KINDS_H
#define PV_CHECK_KINDS_H

#include "common/check/check.h"
#include "common/query/views.h"

enum pv_check_how {
	PV_CHECK_SUM,     /* of the matching rows */
	PV_CHECK_MOST,    /* the greatest of these */
	PV_CHECK_P99,     /* the 99th of a hundred, nearest rank */
	PV_CHECK_PART,    /* sum as a percentage of the duration */
	PV_CHECK_ROWS_OF, /* number of rows */
};

enum pv_check_flags {
	PV_CHECK_ABSENT_IS_ZERO = 1, /* an unknown name counts as 0, not as a mistake */
	PV_CHECK_LAST_SHOT = 2,
	PV_CHECK_BY_NAMESPACE = 4,
	PV_CHECK_NAMED = 8, /* needs `match` */
	PV_CHECK_METHOD = 16,
	PV_CHECK_CLASS = 32,
	PV_CHECK_INNERMOST = 64, /* `match` is for a stack's innermost frame */
	PV_CHECK_FINDING = 128,
	PV_CHECK_LOSS = 256,
	PV_CHECK_DURATION = 512,
	PV_CHECK_INIT = 1024,     /* written by `check --init` */
	PV_CHECK_DEPTH = 2048,    /* rows of a tree's second level only */
	PV_CHECK_RETAINED = 4096, /* of the last shot's objects */
	PV_CHECK_LINE = 8192,     /* the name is FILE:LINE, with or without the file's folders */
	PV_CHECK_STATUS = 16384,  /* needs the status of requests */
};

/* Rows of a kind are neighbours; a rule without `of` means the first. */
struct pv_check_kind {
	const char *kind, *of, *what, *section;
	enum pv_view view;
	const char *name, *value, *error; /* columns */
	enum pv_check_how how;
	enum pv_check_unit unit;
	unsigned flags;
};

extern const struct pv_check_kind pv_check_kinds[];
extern const size_t pv_check_kind_count;

/* The table's row for a rule; NULL with a reason (a literal): none. */
const struct pv_check_kind *pv_check_kind_of(const struct pv_check_rule *r, const char **ret_why);
/* The option of `profview run` to record the row of "coverage", a literal; NULL: none. */
const char *pv_check_records(const char *what);
#define PV_CHECK_NO_STATUS                                                                         \
	"no status of requests, which attach --meter 'Microsoft.AspNetCore.*' records"
/* Whether the status of requests is needed, and not recorded of some that match (NULL: all). */
bool pv_check_lacks_status(
	const struct pv_check_kind *k, const char *match, const struct pv_table *t);
/* Whether rules of this kind exist. */
bool pv_check_kind_exists(const char *kind);

/* Whether the whole text matches the pattern; '*' stands for anything. */
bool pv_check_matches(const char *pattern, const char *text);

enum { PV_CHECK_PLACE = 8192 /* bytes of a file and a line */ };
/* The same for "FILE:LINE", written to ret_name; a pattern without folders matches files in any. */
bool pv_check_matches_line(
	const char *pattern, const char *file, uint64_t line, char ret_name[PV_CHECK_PLACE]);

#endif

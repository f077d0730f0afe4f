/* Private to the room: the kinds of rules, each a figure of a view. Constants: any thread. */
#ifndef PV_CHECK_KINDS_H
#define PV_CHECK_KINDS_H

#include "common/check/check.h"
#include "common/query/views.h"

enum pv_check_how {
	PV_CHECK_SUM,     /* of the rows that match */
	PV_CHECK_MOST,    /* the greatest of them */
	PV_CHECK_P99,     /* the 99th of a hundred, nearest rank */
	PV_CHECK_PART,    /* their sum as a percentage of the duration */
	PV_CHECK_ROWS_OF, /* how many they are */
};

enum pv_check_flags {
	PV_CHECK_ABSENT_IS_ZERO = 1, /* a name that was never met is none, and no mistake */
	PV_CHECK_LAST_SHOT = 2,
	PV_CHECK_BY_NAMESPACE = 4,
	PV_CHECK_NAMED = 8, /* it wants `match` */
	PV_CHECK_METHOD = 16,
	PV_CHECK_CLASS = 32,
	PV_CHECK_INNERMOST = 64, /* `match` is that of a stack's innermost frame */
	PV_CHECK_FINDING = 128,
	PV_CHECK_LOSS = 256,
	PV_CHECK_DURATION = 512,
	PV_CHECK_INIT = 1024,     /* `check --init` writes it */
	PV_CHECK_DEPTH = 2048,    /* rows of a tree's second level only */
	PV_CHECK_RETAINED = 4096, /* of the last shot's objects */
};

/* The rows of one kind stand together; the first is meant where a rule says no `of`. */
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

/* The row that the rule means, of the table; NULL with a reason (a literal) where there is none. */
const struct pv_check_kind *pv_check_kind_of(const struct pv_check_rule *r, const char **ret_why);
/* The option of `profview run` that records that row of "coverage", a literal; NULL: there is none. */
const char *pv_check_records(const char *what);
/* Whether there are rules of that kind. */
bool pv_check_kind_exists(const char *kind);

/* Whether all of the text is as the pattern, in which '*' stands for anything. */
bool pv_check_matches(const char *pattern, const char *text);

#endif

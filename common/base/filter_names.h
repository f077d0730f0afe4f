/*
 * Filters that have a name: a word \NAME of a filter stands for the text of that one, in
 * parentheses. One thread writes the list; then any may ask.
 */
#ifndef PV_BASE_FILTER_NAMES_H
#define PV_BASE_FILTER_NAMES_H

#include "common/base/filter.h"
#include "common/base/mem.h"

enum { PV_FILTER_NAMED = 64 /* filters at most */, PV_FILTER_NAME = 32 /* bytes of a name */ };

struct pv_filter_name {
	char name[PV_FILTER_NAME + 1];
	char *text; /* owned, without names in it */
};

/* Valid when zeroed. */
struct pv_filter_names {
	PV_ARRAY(struct pv_filter_name) name;
};

void pv_filter_names_finish(struct pv_filter_names *n); /* frees all of it */

/*
 * A filter of that name; an earlier one of the same name goes. Names in the text are those there are
 * already. False with *reterr, whose place is a byte of the text: it is no filter.
 */
bool pv_filter_names_add(struct pv_filter_names *n, const char *name, const char *text,
	struct pv_filter_error *reterr);
/* Whether `len` bytes can be a name: letters, digits, - and _, a letter first. */
bool pv_filter_is_name(const char *text, size_t len);

/*
 * The text with its names replaced, in `to`. False with *reterr: an unknown name, or it becomes
 * longer than `size`. `n` may be NULL: no name is known.
 */
bool pv_filter_expand(const struct pv_filter_names *n, const char *text, char *to, size_t size,
	struct pv_filter_error *reterr);

#endif

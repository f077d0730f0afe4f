/* SPDX-License-Identifier: MIT */
/*
 * Named filters: a word \NAME of a filter stands for the text of the filter NAME, in parentheses.
 * One thread writes the list; afterwards any thread may ask.
 */
#ifndef PV_BASE_FILTER_NAMES_H
#define PV_BASE_FILTER_NAMES_H

#include "common/base/filter/filter.h"
#include "common/base/mem.h"

enum { PV_FILTER_NAMED = 64 /* filters at most */, PV_FILTER_NAME = 32 /* bytes of a name */ };

struct pv_filter_name {
	char name[PV_FILTER_NAME + 1];
	char *text; /* owned, with names replaced */
};

/* Valid when zeroed. */
struct pv_filter_names {
	PV_ARRAY(struct pv_filter_name) name;
};

void pv_filter_names_finish(struct pv_filter_names *n); /* frees all filters */

/*
 * Adds a filter; an earlier filter of the same name goes. The text may use names added before.
 * False with *reterr, with a byte of the text as place: not a filter.
 */
bool pv_filter_names_add(struct pv_filter_names *n, const char *name, const char *text,
	struct pv_filter_error *reterr);
/* Whether `len` bytes can be a name: letters, digits, - and _, a letter first. */
bool pv_filter_is_name(const char *text, size_t len);

/*
 * Replaces the names in a text, into `to`. False with *reterr: an unknown name, or a result longer
 * than `size`. `n` may be NULL: no name is known.
 */
bool pv_filter_expand(const struct pv_filter_names *n, const char *text, char *to, size_t size,
	struct pv_filter_error *reterr);

#endif

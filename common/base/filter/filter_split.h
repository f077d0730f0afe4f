/* SPDX-License-Identifier: MIT */
/*
 * Splits a filter in two: terms about requests, and terms about rows. Terms about requests are
 * route:, query:, and slow and began compared with a time. Both kinds may stand side by side; ( ),
 * ! and | take terms about requests only among themselves. Pure: any thread.
 */
#ifndef PV_BASE_FILTER_SPLIT_H
#define PV_BASE_FILTER_SPLIT_H

#include "common/base/filter/filter.h"

struct pv_filter_split {
	char requests[PV_FILTER_MAX + 1]; /* "": all; for pv_filter_requests() */
	char rows[PV_FILTER_MAX + 1];     /* "" likewise */
};

/* False with *reterr: not a filter, or both kinds are mixed within ( ), ! or |. */
bool pv_filter_split(const char *text, enum pv_filter_way way, struct pv_filter_split *ret,
	struct pv_filter_error *reterr);

/* The place of a comparison among terms about requests. */
enum { PV_FILTER_SLOW, PV_FILTER_BEGAN };

/* A filter of terms about requests, with these comparisons; else as pv_filter_make(). */
struct pv_filter *pv_filter_requests(const char *text, struct pv_filter_error *reterr);

/* Copies `requests`, without terms that only compare slow, to `ret` of `size` bytes. */
void pv_filter_without_slow(const char *requests, char *ret, size_t size);

#endif

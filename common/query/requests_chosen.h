/* SPDX-License-Identifier: MIT */
/*
 * The requests chosen by a filter. A request is an outermost span with everything within; requests
 * not ended are never chosen. route: compares names of the request and of spans within, with or
 * without the parts that differ between requests; query: texts of queries within; slow the time
 * taken; began the start since zero, with = also the starts of spans within. A request has only the
 * events that threads surely had while working for it (model/calls/work.h).
 */
#ifndef PV_QUERY_REQUESTS_CHOSEN_H
#define PV_QUERY_REQUESTS_CHOSEN_H

#include "common/base/status.h"
#include "common/model/ground/request_times.h"

struct pv_model;

/*
 * Under the lock of a model of the whole log. `filter`: as from pv_filter_split(). False: PV_EUSAGE
 * or PV_ENOMEM; *ret is to be finished in any case.
 */
bool pv_requests_choose(struct pv_model *m, const char *filter, struct pv_request_times *ret,
	struct pv_error *reterr);

#endif

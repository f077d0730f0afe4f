/* SPDX-License-Identifier: MIT */
/* The requests of a second reading, chosen in the model of the first reading. */
#ifndef PV_INGEST_REQUESTS_H
#define PV_INGEST_REQUESTS_H

#include "common/base/status.h"
#include "common/model/ground/request_times.h"

struct pv_model;

/*
 * Chooses requests of the whole log's model, under its lock. False: PV_EUSAGE or PV_ENOMEM; *ret is
 * finished in any case.
 */
typedef bool pv_requests_choose_fn(struct pv_model *m, const char *text,
	struct pv_request_times *ret, struct pv_error *reterr);

#endif

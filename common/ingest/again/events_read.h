/* SPDX-License-Identifier: MIT */
/*
 * The events of a log around a moment, read again on a thread of its own while the ingest goes on.
 * If the table of buffers is usable (buffers.h), the nearest buffers are read until a page is full,
 * with a filter maybe many; else the whole input.
 */
#ifndef PV_INGEST_EVENTS_READ_H
#define PV_INGEST_EVENTS_READ_H

#include "common/ingest/again/requests.h"
#include "common/ingest/ground/background.h"
#include "common/ingest/ingest.h"
#include "common/model/event_page.h"

struct pv_events_read;

enum pv_events_from { PV_EVENTS_AROUND, PV_EVENTS_FIRST, PV_EVENTS_LAST };

/* Times are ns since zero. */
struct pv_events_wish {
	enum pv_events_from from;
	int64_t time_ns; /* AROUND: the moment, */
	uint64_t id;     /* and the event at this time, 0: the first one */
	bool ranged;     /* only from_ns to to_ns, half-open */
	int64_t from_ns, to_ns;
	const char *filter;            /* event_filter.h; copied; NULL = all */
	bool readable;                 /* readable names */
	pv_requests_choose_fn *choose; /* NULL: whatever threads worked for */
	const char *requests;          /* text for `choose`; copied */
};

/*
 * The ingest and its present model must outlive the result; the ingest must have been started with
 * `ranges`. NULL on failure: PV_EUSAGE for inputs that cannot be read twice.
 */
struct pv_events_read *pv_events_start(
	struct pv_ingest *in, const struct pv_events_wish *wish, struct pv_error *reterr);
/*
 * The job, to wait for and to destroy; NULL for NULL. Steps are bytes of the inflated stream, at
 * most to be read.
 */
struct pv_background *pv_events_job(struct pv_events_read *r);
/* NULL until done; lives as long as `r`. */
const struct pv_event_page *pv_events_page(struct pv_events_read *r);

#endif

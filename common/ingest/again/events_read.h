/*
 * The events of a log around a moment, read again on a thread of its own while the ingest goes on:
 * from the buffers that lie there where the table of buffers can say which (buffers.h), nearest
 * first, until a page is full; else the whole input. With a filter as far as it takes to fill it.
 */
#ifndef PV_INGEST_EVENTS_READ_H
#define PV_INGEST_EVENTS_READ_H

#include "common/ingest/ground/background.h"
#include "common/ingest/ingest.h"
#include "common/model/event_page.h"

struct pv_events_read;

enum pv_events_from { PV_EVENTS_AROUND, PV_EVENTS_FIRST, PV_EVENTS_LAST };

/* Times are ns since zero. */
struct pv_events_wish {
	enum pv_events_from from;
	int64_t time_ns; /* AROUND: the moment, */
	uint64_t id;     /* and the event at it, 0: the first one */
	bool ranged;     /* only from_ns to to_ns, half-open */
	int64_t from_ns, to_ns;
	const char *filter; /* event_filter.h; copied; NULL = all */
	bool readable;      /* names as people read them */
};

/*
 * The ingest and its present model must outlive it; it must have been started with `ranges`. NULL
 * on failure: PV_EUSAGE for inputs that cannot be read twice.
 */
struct pv_events_read *pv_events_start(
	struct pv_ingest *in, const struct pv_events_wish *wish, struct pv_error *reterr);
/*
 * Its job, by which it is waited for and destroyed; NULL for NULL. Steps are bytes of the inflated
 * stream, at most to be read.
 */
struct pv_background *pv_events_job(struct pv_events_read *r);
/* NULL until done; lives as long as `r`. */
const struct pv_event_page *pv_events_page(struct pv_events_read *r);

#endif

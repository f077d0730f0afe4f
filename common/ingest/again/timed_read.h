/* SPDX-License-Identifier: MIT */
/*
 * Reads a log once more for a list of events with their times. On the caller's thread; the ingest
 * must have ended, and its present model has the names.
 */
#ifndef PV_INGEST_TIMED_READ_H
#define PV_INGEST_TIMED_READ_H

#include "common/ingest/ingest.h"
#include "common/model/timed.h"

/* Times are ns since zero, half-open; INT64_MIN and INT64_MAX: open. All borrowed for the call. */
struct pv_timed_wish {
	int64_t from_ns, to_ns;
	int64_t end_ns;         /* of the recording: ends everything open */
	const uint64_t *thread; /* only these native ids, sorted; NULL: all */
	size_t threads;
	const char *filter; /* event_filter.h, of calls, waits and so on; NULL: all */
	bool raw_names, no_calls;
};

/*
 * Clear *ret in any case. False: PV_EUSAGE for inputs that cannot be read twice and for malformed
 * filters, PV_ENOMEM, or an error of the input.
 */
bool pv_timed_read(struct pv_ingest *in, const struct pv_timed_wish *wish,
	struct pv_timed_list *ret, struct pv_error *reterr);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A range read the quick way (table of buffers) and the slow way (every byte), compared by their
 * whole reports. Needs no Check, so that a program can use it on any log.
 */
#ifndef PV_TESTS_RANGE_KIT_H
#define PV_TESTS_RANGE_KIT_H

#include "common/ingest/again/range.h"

/* Reads the file to its end with a table of buffers; NULL with a reason on standard error. */
struct pv_ingest *range_kit_load(const char *path);

/* Of compressed logs, for whatever is opened next; 0: as usual. */
extern uint64_t range_kit_access_spacing;

/* Likewise, with the index of the log, which is kept where there was none. */
struct pv_ingest *range_kit_indexed(const char *path);

/*
 * Everything a report of `m` can say, as JSON; what it says of the input is taken from the whole
 * reading `in`. free() it; NULL with a reason on standard error.
 */
char *range_kit_report(struct pv_ingest *in, struct pv_model *m);

struct range_kit_result {
	bool equal;
	bool whole;          /* the table could not be used */
	uint64_t bytes_read; /* for the range */
	char *quick, *slow;  /* the reports; free() */
};

/* The quick way only: `quick`, `whole` and `bytes_read`. False when it failed. */
bool range_kit_quick(
	struct pv_ingest *in, int64_t from_ns, int64_t to_ns, struct range_kit_result *ret);

/* False when one of the ways failed. */
bool range_kit_compare(struct pv_ingest *in, const char *path, int64_t from_ns, int64_t to_ns,
	struct range_kit_result *ret);

#endif

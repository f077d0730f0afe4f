/* SPDX-License-Identifier: MIT */
/*
 * `profview convert`: writes a log again, cut to a range of time or to one thread, or in another
 * data version. Names are kept with any time; events of the range are written unchanged; no enter
 * is added for calls that were open at the cut; the first sample of a counter has its value; a heap
 * shot is written whole, by its start, or not at all. On the caller's thread.
 */
#ifndef PV_INGEST_CONVERT_H
#define PV_INGEST_CONVERT_H

#include <stdio.h>

#include "common/base/status.h"
#include "common/format/mlpd/mlpd.h"

/*
 * Frames written of a stack of a log of 2007, the innermost ones. Such a log has the changes since
 * the previous stack, a newer one whole stacks: without a limit the output of a recursion that
 * allocates in each call would grow with the square of the input.
 */
enum { PV_CONVERT_FRAMES = 256 };

struct pv_convert_options {
	bool ranged;
	int64_t from_ns,
		to_ns; /* since zero, half-open; negative: before the end; INT64_MIN/MAX: open */
	const char *thread;    /* "0x..." or a name; NULL: all */
	unsigned data_version; /* 0: the log's own */
};

struct pv_convert_totals {
	uint64_t events, buffers; /* written */
	/* of the range, but unknown in the data version */
	uint64_t left_out, left_out_kind[PV_KIND_COUNT];
	/* of written events */
	uint64_t stacks_left_out, classes_left_out, durations_left_out;
	uint64_t stacks_cut;        /* to their innermost PV_CONVERT_FRAMES */
	struct mlpd_format written; /* rules of the output's events */
	bool damaged;               /* the input was damaged; its readable part was written */
};

/*
 * Reads the file `in` twice and writes to `out` (borrowed). PV_EOUTPUT with an errno text when
 * `out` cannot be written; other errors are the input's.
 */
bool pv_convert(const char *in, const struct pv_convert_options *o, FILE *out,
	struct pv_convert_totals *ret_totals, struct pv_error *reterr);

/*
 * The same into a new file: refused (PV_EUSAGE) if `path` exists; no file is left after a failure.
 */
bool pv_convert_file(const char *in, const struct pv_convert_options *o, const char *path,
	struct pv_convert_totals *ret_totals, struct pv_error *reterr);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The lines of `profview dump` for a family with a decoding reader: a header, a block and the
 * block's events. One thread uses a stream.
 */
#ifndef PV_REPORT_DUMP_BATCH_H
#define PV_REPORT_DUMP_BATCH_H

#include <stdio.h>

#include "common/format/reader.h"

/* The header as a line. */
void pv_dump_stream_header(FILE *out, const struct pv_stream_header *h);
/* The stream's batch, read with want_offsets. Damage of the batch is the caller's to print. */
void pv_dump_batch(FILE *out, const struct pv_stream *s);

#endif

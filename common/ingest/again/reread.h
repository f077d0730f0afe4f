/* SPDX-License-Identifier: MIT */
/* Reads a log once more, buffer by buffer, in order, on the caller's thread. */
#ifndef PV_INGEST_REREAD_H
#define PV_INGEST_REREAD_H

#include "common/format/mlpd/mlpd.h"
#include "common/io/source.h"

struct pv_reread_part {
	uint64_t offset, bytes; /* in the inflated stream: adjacent whole buffers */
};

struct pv_reread {
	void *ctx;
	/* Return false to stop, after setting the error. No header: NULL is fine. */
	bool (*header)(void *ctx, const struct mlpd_header *h);
	bool (*buffer)(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b);
	struct pv_error *err; /* reason of a failure */
	/*
	 * Rules found by an earlier reading of this log, valid from the header on, or from the
	 * first whole buffer on if the beginning is not kept; or NULL.
	 */
	const struct mlpd_format *found;
	bool damaged;              /* result: a part could not be read */
	struct mlpd_format format; /* result: the rules in force */
	bool other_family;         /* result: no log of mlpd; the header is made up */
	/* only for pv_reread_parts(): the next part; false to stop. */
	bool (*next)(void *ctx, struct pv_reread_part *ret);
};

/*
 * Reads a file, or a source from its position to its present end. False: see err, or stopped by a
 * callback.
 */
bool pv_reread(struct pv_reread *r, const char *path);
bool pv_reread_source(struct pv_reread *r, struct pv_source *source);

/*
 * Reads parts of a log with known format; parts ascend. No header is given out, and a cut last
 * buffer is no error: the caller knows the parts. False also when stopped by a callback.
 */
bool pv_reread_parts(
	struct pv_reread *r, struct pv_source *source, const struct mlpd_format *format);

#endif

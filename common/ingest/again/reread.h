/* Reads a whole log file buffer by buffer, in order, on the caller's thread. */
#ifndef PV_INGEST_REREAD_H
#define PV_INGEST_REREAD_H

#include "common/format/families/family.h"
#include "common/format/mlpd/framer.h"
#include "common/io/source.h"

struct pv_reread_part {
	uint64_t offset, bytes; /* in the inflated stream: whole buffers, one after the other */
};

struct pv_reread {
	void *ctx;
	/* Return false to stop; *reterr of pv_reread() is theirs to set then. */
	bool (*header)(void *ctx, const struct mlpd_header *h);
	bool (*buffer)(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b);
	struct pv_error *err; /* reason of a failure */
	/*
	 * The rules an earlier reading of this log ended with, which hold from its header on, or
	 * from its first whole buffer on where the beginning is not kept; or NULL.
	 */
	const struct mlpd_format *found;
	bool damaged;              /* result: something could not be read */
	struct mlpd_format format; /* result: the rules that were found to hold */
	bool logging2007;          /* result: a log of that family; its header is made up */
	/* only for pv_reread_parts(): the next part; false to stop. */
	bool (*next)(void *ctx, struct pv_reread_part *ret);
};

/*
 * Of a file, of a source from where it stands to its present end. False: err says why, or a
 * callback stopped it.
 */
bool pv_reread(struct pv_reread *r, const char *path);
bool pv_reread_source(struct pv_reread *r, struct pv_source *source);

/* Likewise, the rest where the source's first `n` bytes are those of a log of that family. */
bool pv_reread07(struct pv_reread *r, enum pv_family family, struct pv_source *source,
	const uint8_t *bytes, size_t n);

/*
 * Only parts of a log whose format is known; parts ascend. No header is given out, and a last
 * buffer that is cut is no error: the caller knows the parts. False also when a callback stopped
 * it.
 */
bool pv_reread_parts(
	struct pv_reread *r, struct pv_source *source, const struct mlpd_format *format);

#endif

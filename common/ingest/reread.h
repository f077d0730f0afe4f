/* Reads a whole log file buffer by buffer, in order, on the caller's thread. */
#ifndef PV_INGEST_REREAD_H
#define PV_INGEST_REREAD_H

#include "common/format/framer.h"

struct pv_reread {
	void *ctx;
	/* Return false to stop; *reterr of pv_reread() is theirs to set then. */
	bool (*header)(void *ctx, const struct mlpd_header *h);
	bool (*buffer)(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b);
	struct pv_error *err; /* what went wrong */
	bool damaged;         /* result: something could not be read */
	struct mlpd_format format; /* result: the rules that were found to hold */
};

bool pv_reread(struct pv_reread *r, const char *path);

#endif

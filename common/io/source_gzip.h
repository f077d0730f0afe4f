/*
 * Stored bytes in, the log's bytes out: looks at the first two bytes of the stream, then passes
 * everything through or inflates it. Internal to common/io. One thread.
 */
#ifndef PV_IO_SOURCE_GZIP_H
#define PV_IO_SOURCE_GZIP_H

#include "common/io/source.h"

struct pv_gzip;

/* Where the stored bytes come from; as pv_source_read(). */
typedef enum pv_read (*pv_stored_fn)(
	void *ctx, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

/* NULL when out of memory. */
struct pv_gzip *pv_gzip_create(pv_stored_fn stored, void *ctx);
void pv_gzip_destroy(struct pv_gzip *z);

/*
 * As pv_source_read(). `many_writers`: whoever writes after an END may begin a new stream, so its
 * first two bytes are looked at again.
 */
enum pv_read pv_gzip_read(
	struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);
void pv_gzip_set_many_writers(struct pv_gzip *z, bool many_writers);

bool pv_gzip_compressed(const struct pv_gzip *z);
bool pv_gzip_cut(const struct pv_gzip *z);

#endif

/*
 * Stored bytes in, the log's bytes out: examines the first two bytes of the stream, then passes
 * everything through or inflates it. Private to common/io. One thread.
 */
#ifndef PV_IO_SOURCE_GZIP_H
#define PV_IO_SOURCE_GZIP_H

#include "common/io/source.h"

struct pv_gzip;

/* Source of the stored bytes; as pv_source_read(). */
typedef enum pv_read (*pv_stored_fn)(
	void *ctx, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

/*
 * NULL when out of memory. `ctx` is borrowed; `spacing`: inflated bytes from one access point to
 * the next.
 */
struct pv_gzip *pv_gzip_create(pv_stored_fn stored, void *ctx, uint64_t spacing);
void pv_gzip_destroy(struct pv_gzip *z);

/*
 * As pv_source_read(). `many_writers`: the next writer after an END may begin a new stream, so the
 * type of its bytes is found anew by the first two.
 */
enum pv_read pv_gzip_read(
	struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);
void pv_gzip_set_many_writers(struct pv_gzip *z, bool many_writers);

/* Whether the stream is gzip; whether that has no valid end, or is damaged. */
bool pv_gzip_compressed(const struct pv_gzip *z);
bool pv_gzip_cut(const struct pv_gzip *z);

/*
 * Damage of the compressed data as a constant text, or NULL; its offset in the stored stream, and
 * how many stored bytes were skipped from there, so far. A missing end is no damage.
 */
const char *pv_gzip_damage(const struct pv_gzip *z, uint64_t *ret_at, uint64_t *ret_rest);

/* The stored bytes are read from `offset` on; false when they cannot be read anew. */
typedef bool (*pv_stored_seek_fn)(void *ctx, uint64_t offset);

/*
 * The next byte read is the one at `offset` of the log: at once where the stream is plain, else
 * inflating begins at the last access point before it. Nothing is verified that lies before.
 * False (PV_EIO): the stored bytes cannot be read anew, are damaged, or end before `offset`.
 */
bool pv_gzip_seek(
	struct pv_gzip *z, pv_stored_seek_fn seek, uint64_t offset, struct pv_error *reterr);

/* As pv_source_points() and pv_source_set_points(). */
size_t pv_gzip_points(const struct pv_gzip *z, const struct pv_source_point **ret);
bool pv_gzip_set_points(struct pv_gzip *z, const struct pv_source_point *points, size_t n);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Stored bytes in, the log's bytes out: checks the first two bytes of the stream, passes a plain
 * one on, and inflates gzip. Private to common/io. One thread.
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
 * As pv_source_read(). `many_writers`: the next writer after an END may begin a new stream, so its
 * first two bytes are checked anew.
 */
enum pv_read pv_gzip_read(
	struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);
void pv_gzip_set_many_writers(struct pv_gzip *z, bool many_writers);

/* True: the stream is gzip. False: plain, or unknown yet. */
bool pv_gzip_compressed(const struct pv_gzip *z);
/* True: the stream is plain, and bytes bypass the inflater; no_bytes() handles other results. */
bool pv_gzip_plain(const struct pv_gzip *z);
enum pv_read pv_gzip_no_bytes(struct pv_gzip *z, enum pv_read what);

/* Sets the info about compressed data. A missing end is no damage. */
void pv_gzip_info(const struct pv_gzip *z, struct pv_source_info *ret);

/* Reads the stored bytes from `offset` on; false when they cannot be read anew. */
typedef bool (*pv_stored_seek_fn)(void *ctx, uint64_t offset);

/*
 * The next byte read is at `offset` of the log: at once for a plain stream, else inflating begins
 * at the last access point before. Earlier bytes are not verified. False (PV_EIO): the stored bytes
 * cannot be read anew, are damaged, or end before `offset`.
 */
bool pv_gzip_seek(
	struct pv_gzip *z, pv_stored_seek_fn seek, uint64_t offset, struct pv_error *reterr);

/* As pv_source_points() and pv_source_set_points(). */
size_t pv_gzip_points(const struct pv_gzip *z, const struct pv_source_point **ret);
bool pv_gzip_set_points(struct pv_gzip *z, const struct pv_source_point *points, size_t n);

#endif

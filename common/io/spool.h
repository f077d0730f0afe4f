/* SPDX-License-Identifier: MIT */
/*
 * Ring buffer in a file between the drainer, which puts all bytes in, and the viewer, which takes
 * them out, with a small block of shared memory and perhaps a record, which then holds the bytes.
 * They are two processes; the putting side is async-signal-safe.
 *
 * Positions count the bytes kept since the stream began. Dropped bytes are counted, and the place
 * of the gap is marked; so is a place where the last writer left. Bytes that were read stay in the
 * ring until newer ones need the place, and in the record for good: they can be read again. Private
 * to common/io.
 */
#ifndef PV_IO_SPOOL_H
#define PV_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/source.h"

enum {
	PV_SPOOL_LEAST = 64 << 10, /* least limit */
	PV_SPOOL_HEAD = 4096,      /* longest head of a record */
};

struct pv_spool;

/*
 * `ring_fd` is a file of any content, which may grow to `limit` bytes; `record_fd` an empty file,
 * or -1. Both are taken over, also on failure. NULL when out of memory.
 */
struct pv_spool *pv_spool_create(int ring_fd, uint64_t limit, int record_fd);
void pv_spool_destroy(struct pv_spool *s);
void pv_spool_fds(const struct pv_spool *s, int ret_fds[2]); /* ring, record or -1 */

/* ---- The drainer's side ---- */

/* The most bytes for one pv_spool_put(). */
size_t pv_spool_chunk(const struct pv_spool *s);

/* Whether a whole chunk would be kept. */
bool pv_spool_has_room(const struct pv_spool *s);

/* Keeps all `n` bytes, or drops and counts them all. */
void pv_spool_put(struct pv_spool *s, const void *bytes, size_t n);
void pv_spool_put_end(struct pv_spool *s); /* no writer is left */

/* Does a part of a new record's catching up; false when there is nothing to do. */
bool pv_spool_record_step(struct pv_spool *s);

/* True when the viewer should be woken, and has not been since the last clear. */
bool pv_spool_wake(struct pv_spool *s);

/* ---- The viewer's side: one reading thread, but clear, dropped and kept on any ---- */

/* As pv_source_read(). */
enum pv_read pv_spool_read(
	struct pv_spool *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

/* Whether more follows the last read: after an END there may be another writer. */
bool pv_spool_has_more(const struct pv_spool *s);

/* Call before reading: from then on pv_spool_wake() may be true again. */
void pv_spool_wake_clear(struct pv_spool *s);
uint64_t pv_spool_dropped(const struct pv_spool *s);    /* dropped bytes */
uint64_t pv_spool_kept(const struct pv_spool *s);       /* bytes put in since the beginning */
int pv_spool_record_errno(const struct pv_spool *s);    /* 0, or why recording stopped */
bool pv_spool_record_settled(const struct pv_spool *s); /* has everything so far, or has stopped */
bool pv_spool_record_removed(const struct pv_spool *s); /* the file has no name any more */
int pv_spool_errno(const struct pv_spool *s);           /* 0, or why the ring last failed */

/*
 * Asks for a record of `head`, then everything from position `from` on; wake the drainer
 * afterwards. False: PV_EUSAGE (no record, begun already, a head too long, a position not read
 * yet), PV_EIO (the ring no longer has these bytes).
 */
bool pv_spool_record(
	struct pv_spool *s, uint64_t from, const void *head, size_t n, struct pv_error *reterr);

/* ---- Second readings, up to the viewer's position: each on any one thread ---- */

/* Borrows the spool. Offsets are those of the stream, dropped bytes included. */
struct pv_spool_again;

/* Ends at the viewer's present position. NULL when out of memory. */
struct pv_spool_again *pv_spool_again_create(struct pv_spool *s);
void pv_spool_again_destroy(struct pv_spool_again *a); /* NULL is fine */

/*
 * As pv_source_read(), never NOTHING. Bytes no longer kept are a GAP. An END comes where a writer
 * left, and for good at the end.
 */
enum pv_read pv_spool_again_read(
	struct pv_spool_again *a, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);
/* Whether no other writer follows after the first. */
bool pv_spool_again_one_stream(const struct pv_spool_again *a);
/* Whether everything up to the viewer's position at creation was read. */
bool pv_spool_again_at_end(const struct pv_spool_again *a);
/* False when the byte is not kept, or lies beyond the end. */
bool pv_spool_again_seek(struct pv_spool_again *a, uint64_t offset);
uint64_t pv_spool_again_size(const struct pv_spool_again *a); /* offset of the end */

/* The offset from where every byte read so far can still be read. Any thread. */
uint64_t pv_spool_floor(struct pv_spool *s);

#endif

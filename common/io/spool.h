/*
 * Ring buffer in a file between the drainer, the only one to put bytes in, and the viewer, the only
 * one to take them out, with a small block of shared memory and perhaps a record, which then holds
 * the bytes. They are two processes; the putting side is async-signal-safe.
 *
 * Positions count the bytes kept since the stream began. Bytes that found no room are counted, and
 * the place where they are missing is marked; so is a place where the last writer left. Bytes that
 * were read stay in the ring until newer ones need their place, and in the record for good: they
 * can be read again. Private to common/io.
 */
#ifndef PV_IO_SPOOL_H
#define PV_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/source.h"

enum {
	PV_SPOOL_LEAST = 64 << 10, /* smaller limits are raised to this */
	PV_SPOOL_HEAD = 4096,      /* most that may be put before a record */
};

struct pv_spool;

/*
 * `ring_fd` is a file of any content, which may grow to `limit` bytes; `record_fd` an empty one,
 * or -1. Both are taken over, also on failure. NULL when out of memory.
 */
struct pv_spool *pv_spool_create(int ring_fd, uint64_t limit, int record_fd);
void pv_spool_destroy(struct pv_spool *s);
void pv_spool_fds(const struct pv_spool *s, int ret_fds[2]); /* ring, record or -1 */

/* ---- The drainer's side ---- */

/* The most that one pv_spool_put() may bring. */
size_t pv_spool_chunk(const struct pv_spool *s);

/* Whether a whole chunk would be kept. */
bool pv_spool_has_room(const struct pv_spool *s);

/* Keeps all `n` bytes, or drops and counts them all. */
void pv_spool_put(struct pv_spool *s, const void *bytes, size_t n);
void pv_spool_put_end(struct pv_spool *s); /* no writer is left */

/* Does some of what a new record needs to catch up; false when there is nothing to do. */
bool pv_spool_record_step(struct pv_spool *s);

/* True when the viewer should be woken, and has not been since it last cleared. */
bool pv_spool_wake(struct pv_spool *s);

/* ---- The viewer's side: one reading thread, but clear, dropped and kept on any ---- */

/* As pv_source_read(). */
enum pv_read pv_spool_read(
	struct pv_spool *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

/* Whether more follows what pv_spool_read() has given: after an END there may be another writer. */
bool pv_spool_has_more(const struct pv_spool *s);

/* Call it before reading: from then on pv_spool_wake() may be true again. */
void pv_spool_wake_clear(struct pv_spool *s);
uint64_t pv_spool_dropped(const struct pv_spool *s);    /* bytes that found no room */
uint64_t pv_spool_kept(const struct pv_spool *s);       /* bytes put in since the beginning */
int pv_spool_record_errno(const struct pv_spool *s);    /* 0, or why recording stopped */
bool pv_spool_record_settled(const struct pv_spool *s); /* it has all that came, or has stopped */
bool pv_spool_record_removed(const struct pv_spool *s); /* its file has no name any more */
int pv_spool_errno(const struct pv_spool *s);           /* 0, or why the ring last failed */

/*
 * The record is to hold `head`, then everything from position `from` on. The drainer must be
 * woken then. False: PV_EUSAGE (no record, begun already, a head too long, a position that was not
 * read yet), PV_EIO (the ring no longer has those bytes).
 */
bool pv_spool_record(
	struct pv_spool *s, uint64_t from, const void *head, size_t n, struct pv_error *reterr);

/* ---- Reading again what the viewer has read: each reader on any one thread ---- */

/* Borrows the spool. Offsets count the dropped bytes, too: they are those of the stream. */
struct pv_spool_again;

/* It ends where the viewer stands now. NULL when out of memory. */
struct pv_spool_again *pv_spool_again_create(struct pv_spool *s);
void pv_spool_again_destroy(struct pv_spool_again *a); /* NULL is fine */

/*
 * As pv_source_read(), never NOTHING. What is no longer kept is a GAP. An END stands where a writer
 * left, and for good at the end.
 */
enum pv_read pv_spool_again_read(
	struct pv_spool_again *a, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);
/* Whether no other writer follows after the first. */
bool pv_spool_again_one_stream(const struct pv_spool_again *a);
/* Whether it has given all there was when it was created. */
bool pv_spool_again_at_end(const struct pv_spool_again *a);
/* False when that byte is not kept, or lies beyond the end. */
bool pv_spool_again_seek(struct pv_spool_again *a, uint64_t offset);
uint64_t pv_spool_again_size(const struct pv_spool_again *a); /* offset of the end */

/* The offset from which everything that was read can still be read. Any thread. */
uint64_t pv_spool_floor(struct pv_spool *s);

#endif

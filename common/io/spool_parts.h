/* SPDX-License-Identifier: MIT */
/* Private to the spool's files: shared memory, and the fields by the side that writes them. */
#ifndef PV_IO_SPOOL_PARTS_H
#define PV_IO_SPOOL_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/io/spool.h"

enum {
	PV_SPOOL_MARKS = 64,     /* marks not taken yet */
	PV_SPOOL_REPORTED = 256, /* marks taken; the oldest are dropped */
};
#define PV_SPOOL_NOWHERE UINT64_MAX

/* A gap or an end before the byte at `at`. */
struct pv_spool_mark {
	uint64_t at;
	uint64_t dropped; /* in the whole stream up to here */
	bool end;
};

enum record { RECORD_NONE, RECORD_UNDECIDED, RECORD_ASKED };

/*
 * In shared memory. The drainer's fields reach the viewer by the release store of `written`, the
 * viewer's reach the drainer by the store of `consumed`.
 */
struct pv_spool_shared {
	/* by the drainer */
	_Atomic uint64_t written, dropped;
	_Atomic uint64_t ended; /* position + 1 where the last writer left; 0: there is a writer */
	_Atomic uint64_t floor; /* earlier positions are no longer in the ring */
	_Atomic uint64_t record_from, record_until; /* positions only in the record */
	_Atomic uint64_t record_offset;             /* of position record_from in the record */
	_Atomic int record_errno, ring_errno;
	_Atomic uint32_t marks_made;
	struct pv_spool_mark mark[PV_SPOOL_MARKS];

	/* by the viewer */
	_Atomic uint64_t consumed;
	_Atomic uint32_t marks_taken;
	_Atomic int record;  /* enum record */
	uint64_t asked_from; /* valid, like the head, when record is RECORD_ASKED */
	size_t head_n;
	uint8_t head[PV_SPOOL_HEAD];

	_Atomic int woken;
};

struct pv_spool {
	struct pv_spool_shared *shared;
	int ring_fd, record_fd;
	uint64_t limit; /* of the ring: position p is at p % limit */

	/* the drainer's */
	uint64_t marked_dropped; /* bytes of `dropped` before the last mark */
	bool dropping;
	bool catching_up, direct;
	uint64_t record_next; /* catching_up: first position not yet in the record */
	uint64_t record_size;

	/* the viewer's */
	_Atomic uint64_t at; /* bytes taken out; readable on any thread */
	uint64_t reported_dropped, reported_end;
	pthread_mutex_t lock; /* over the marks taken, for second readings */
	struct pv_spool_mark reported[PV_SPOOL_REPORTED]; /* by position */
	size_t reported_n;
	uint64_t reported_floor; /* earlier positions are not known any more */
};

/*
 * Location of the byte at `at`: file (the spool's) and offset. Returns the position where one read
 * must stop.
 */
uint64_t pv_spool_locate(const struct pv_spool *s, uint64_t at, int *ret_fd, uint64_t *ret_offset);

#endif

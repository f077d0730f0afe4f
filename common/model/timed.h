/* SPDX-License-Identifier: MIT */
/*
 * Events of a log with their times, as plain values: calls, waits, exceptions, spans of work,
 * marks. Filled by a second reading of the log, written by exports. One thread.
 */
#ifndef PV_MODEL_TIMED_H
#define PV_MODEL_TIMED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

enum pv_timed_kind {
	PV_TIMED_CALL,
	PV_TIMED_WAIT,
	PV_TIMED_SPAN,
	PV_TIMED_THROW, /* throws and marks have no length */
	PV_TIMED_MARK,
	PV_TIMED_GC, /* collections: of no thread */
	PV_TIMED_KINDS
};

struct pv_timed {
	int64_t from_ns, took_ns; /* since zero; took: -1 for a point in time */
	uint64_t thread;          /* native id */
	uint32_t name, more;      /* in `text`; more: further facts, 0 none */
	uint32_t place;           /* order of equal times */
	uint8_t kind;             /* enum pv_timed_kind */
	bool cut;                 /* begun before the range, or ended after it */
};

/* Bounded: beyond PV_TIMED_MOST events are only counted. */
enum { PV_TIMED_MOST = 1000000 };
struct pv_timed_list {
	PV_ARRAY(struct pv_timed) v;
	struct pv_intern text;
	uint64_t all;     /* including events beyond the limit */
	uint64_t unended; /* calls and waits without an end in the log */
	bool damaged;
};

/* Frees the list, which is empty then. */
static inline void pv_timed_clear(struct pv_timed_list *l)
{
	pv_array_finish(&l->v);
	pv_intern_finish(&l->text);
}

#endif

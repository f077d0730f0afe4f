/* SPDX-License-Identifier: MIT */
/*
 * A figure over time, resampled to a chart's width in cells. Immutable, like tables: any thread may
 * read a series.
 */
#ifndef PV_QUERY_SERIES_H
#define PV_QUERY_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/query/table.h"

enum pv_series_kind {
	PV_SERIES_HEAP,        /* heap size, bytes */
	PV_SERIES_ALLOC_RATE,  /* bytes a second */
	PV_SERIES_EVENT_RATE,  /* events a second */
	PV_SERIES_CALL_RATE,   /* calls a second */
	PV_SERIES_SAMPLE_RATE, /* samples a second */
	PV_SERIES_THROW_RATE,  /* exceptions a second */
	PV_SERIES_PAUSE,       /* ns stopped within the cell */
	PV_SERIES_MINOR,       /* collections of generation 0 started in the cell */
	PV_SERIES_MAJOR,
	PV_SERIES_COUNTER, /* of counter row `id` */
	PV_SERIES_WAIT,    /* ns waited for locks within the cell */
	/* Samples a second by the thread's state, as in the timeline of threads. */
	PV_SERIES_RAN,
	PV_SERIES_QUEUED, /* or stopped by a signal */
	PV_SERIES_LOCKED,
	PV_SERIES_IDLE, /* descriptors, sleep, unknown */
	/* Heap by generation, bytes, from the runtime's counters. */
	PV_SERIES_YOUNG, /* 0 and 1 */
	PV_SERIES_OLD,
	PV_SERIES_LARGE,  /* large and pinned objects */
	PV_SERIES_THROWN, /* exceptions a second of class row `id` of PV_VIEW_EXCEPTIONS, 0: all */
	/* Of row `id` of PV_VIEW_ROUTES. */
	PV_SERIES_SERVED,  /* requests a second */
	PV_SERIES_SLOWEST, /* ns of the slowest request begun in the cell; of a meter: p99 */
	/* ns that this share of the requests begun in the cell did not exceed; 0: none began */
	PV_SERIES_TOOK_50,
	PV_SERIES_TOOK_95,
	PV_SERIES_TOOK_99,
	PV_SERIES_KINDS
};

struct pv_series {
	const char *name;
	enum pv_unit unit;
	int64_t from_ns, to_ns; /* half-open, since the recording's zero */
	size_t n;
	double *value; /* n values; NAN: nothing known for the cell */
	size_t unread; /* cells at the end, beyond the part read: NAN, too */
	double max;    /* greatest value; 0: none */
	double last;
	int64_t grain_ns; /* amounts are kept per span of this length; 0: by single moments */
};

struct pv_model;
/*
 * The row id of a class of exceptions, by its name in the log, for PV_SERIES_THROWN; 0: no such
 * row.
 */
uint64_t pv_view_thrown(struct pv_model *m, const char *name);

/* Static text, never NULL. */
const char *pv_series_name(enum pv_series_kind kind);

void pv_series_destroy(struct pv_series *s); /* NULL is fine */

#endif

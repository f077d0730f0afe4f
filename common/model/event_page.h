/* SPDX-License-Identifier: MIT */
/*
 * A page of a log's events around a moment, as people read them, in the order of their times (then
 * of the log). Bounded: however long the log is, a page has at most PV_EVENT_PAGE_ROWS events.
 * Immutable once made; then any thread may read.
 */
#ifndef PV_MODEL_EVENT_PAGE_H
#define PV_MODEL_EVENT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PV_EVENT_PAGE_HALF = 480, PV_EVENT_PAGE_ROWS = 2 * PV_EVENT_PAGE_HALF };

struct pv_event_row {
	int64_t time_ns;    /* since the recording's zero */
	uint64_t id;        /* place in the log; the same in every page; never 0 */
	uint64_t thread_id; /* native */
	uint32_t kind;      /* enum pv_kind */
	const char *thread, *line;
	char *own; /* memory of both texts */
};

struct pv_event_page {
	struct pv_event_row *row;
	size_t rows;
	size_t at;                    /* the first row at or after the moment; rows: none */
	bool more_before, more_after; /* the log has further events, before and after */
	bool damaged;                 /* some bytes from this time could not be read */
};

void pv_event_page_destroy(struct pv_event_page *p); /* NULL is fine */

#endif

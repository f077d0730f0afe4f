/* SPDX-License-Identifier: MIT */
/* Lookups in pages of events (model/event_page.h), for screens. Any thread; a page is immutable. */
#ifndef PV_QUERY_EVENT_STREAM_H
#define PV_QUERY_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_event_page;

/* One event: time (ns since zero), kind (name of an enum pv_kind) and thread. */
struct pv_event_facts {
	int64_t time_ns;
	const char *kind, *thread; /* the page's */
};

/* Id of the first event at or after the requested moment; 0: none. */
uint64_t pv_event_page_here(const struct pv_event_page *p);
/* Whether the log has more events before or after the page. */
bool pv_event_page_more(const struct pv_event_page *p, bool before);
/* Id of the event next to the moment, in one direction; 0: none on the page. */
uint64_t pv_event_page_next(const struct pv_event_page *p, int dir);
/* Id of the nearest event beyond `id` whose text contains `text`, ignoring case; 0: none. */
uint64_t pv_event_page_hit(const struct pv_event_page *p, uint64_t id, int dir, const char *text);
/* The page's event with this id; false: none. */
bool pv_event_page_find(const struct pv_event_page *p, uint64_t id, struct pv_event_facts *ret);

#endif

/* Pages of events (model/event_page.h) for those who show them. Any thread; a page is immutable. */
#ifndef PV_QUERY_EVENT_STREAM_H
#define PV_QUERY_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_event_page;

/* Of one event: when (ns since zero), what (enum pv_kind by name), by whom. */
struct pv_event_facts {
	int64_t time_ns;
	const char *kind, *thread; /* the page's */
};

/* The id of the first event at or after the moment that was asked for; 0: none is. */
uint64_t pv_event_page_here(const struct pv_event_page *p);
/* Whether the log has others before or after those of the page. */
bool pv_event_page_more(const struct pv_event_page *p, bool before);
/* The id of the event next to the moment, in one direction; 0: the page has none there. */
uint64_t pv_event_page_next(const struct pv_event_page *p, int dir);
/* Of the nearest event beyond `id` whose text has this one, of which case is ignored; 0: none. */
uint64_t pv_event_page_hit(const struct pv_event_page *p, uint64_t id, int dir, const char *text);
/* An event of the page by its id; false: it has none of that id. */
bool pv_event_page_find(const struct pv_event_page *p, uint64_t id, struct pv_event_facts *ret);

#endif

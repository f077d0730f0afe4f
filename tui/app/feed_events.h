/* The part of the feed that reads single events; the rules of feed.h hold, those on threads, too. */
#ifndef UI_FEED_EVENTS_H
#define UI_FEED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

struct pv_event_page;
struct ui_feed;
struct ui_stream_wish;

/*
 * A page of events, read again while all else goes on. It lives as long as its reading, and that no
 * longer than the model.
 */
struct ui_events;
struct ui_events_status {
	bool over, done;
	uint64_t bytes_read, bytes_total;
	char error[120];
};
/* NULL: the input cannot be read twice. */
struct ui_events *ui_feed_read_events(
	struct ui_feed *f, const struct ui_stream_wish *wish, struct pv_error *reterr);
void ui_events_status(struct ui_events *e, struct ui_events_status *ret);
const struct pv_event_page *ui_events_page(struct ui_events *e); /* NULL until done */
void ui_events_wait(struct ui_events *e);
void ui_events_await(struct ui_events *e, int ms); /* the same, at most so long */
void ui_events_cancel(struct ui_events *e);        /* it will be over soon */
void ui_events_destroy(struct ui_events *e);       /* before the feed is closed; NULL is fine */

#endif

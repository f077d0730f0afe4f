#include "tui/app/feed_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/ingest/again/events_read.h"
#include "common/base/utf8.h"
#include "tui/app/feed_heap.h"
#include "tui/screen/stream.h"

struct ui_events {
	struct pv_events_read *read;
};

struct ui_events *ui_feed_read_events(
	struct ui_feed *f, const struct ui_stream_wish *wish, struct pv_error *reterr)
{
	static const enum pv_events_from from[] = { [UI_STREAM_AROUND] = PV_EVENTS_AROUND,
		[UI_STREAM_FIRST] = PV_EVENTS_FIRST,
		[UI_STREAM_LAST] = PV_EVENTS_LAST };
	const struct pv_events_wish w = { .from = from[wish->from],
		.time_ns = wish->time_ns,
		.id = wish->id,
		.ranged = wish->ranged,
		.from_ns = wish->from_ns,
		.to_ns = wish->to_ns,
		.filter = wish->filter,
		.readable = !wish->raw_names };
	struct ui_events *e = calloc(1, sizeof *e);
	if (!e) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	e->read = pv_events_start(ui_feed_ingest(f), &w, reterr);
	if (e->read)
		return e;
	free(e);
	return NULL;
}

void ui_events_status(struct ui_events *e, struct ui_events_status *ret)
{
	struct pv_events_status s;
	pv_events_status(e->read, &s);
	*ret = (struct ui_events_status){ .over = s.over,
		.done = s.done,
		.bytes_read = s.bytes_read,
		.bytes_total = s.bytes_total };
	snprintf(ret->error, sizeof ret->error, "%s", PV_FIT(s.error.what, 100));
}

const struct pv_event_page *ui_events_page(struct ui_events *e)
{
	return pv_events_page(e->read);
}

void ui_events_wait(struct ui_events *e)
{
	pv_events_wait(e->read);
}

void ui_events_await(struct ui_events *e, int ms)
{
	pv_events_await(e->read, ms);
}

void ui_events_cancel(struct ui_events *e)
{
	pv_events_cancel(e->read);
}

void ui_events_destroy(struct ui_events *e)
{
	if (!e)
		return;
	pv_events_destroy(e->read);
	free(e);
}

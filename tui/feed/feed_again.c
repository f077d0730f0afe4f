/* SPDX-License-Identifier: MIT */
/* Further readings of the feed's log in the background, and their end. */
#include "tui/feed/feed_again.h"

#include <stdlib.h>

#include "common/ingest/again/events_read.h"
#include "common/ingest/again/heap_read.h"
#include "common/ingest/again/identity_read.h"
#include "common/ingest/again/range.h"
#include "common/ingest/again/timed_read.h"
#include "common/query/facts.h"
#include "common/query/requests_chosen.h"
#include "tui/feed/feed.h"
#include "tui/draw/query_worker.h"
#include "tui/screen/stream.h"

_Static_assert(UI_NO_SHOT == PV_IDENTITY_NO_SHOT, "both say that no shot was chosen");

struct ui_again {
	struct pv_background *job;
	/* one of these is set */
	struct pv_range_read *range;
	struct pv_heap_read *heap;
	struct pv_events_read *events;
	struct pv_identity_read *identity;
};

/* A copy of `what`; NULL: out of memory, or no job runs. */
static struct ui_again *keep_again(struct ui_again what, struct pv_error *reterr)
{
	if (!what.job)
		return NULL;
	struct ui_again *a = malloc(sizeof *a);
	if (!a) {
		pv_background_destroy(what.job);
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	*a = what;
	return a;
}

struct ui_again *ui_feed_read_range(
	struct ui_feed *f, const struct ui_range_wish *w, struct pv_error *reterr)
{
	const bool chosen = w->requests && w->requests[0];
	const struct pv_range_wish wish = { .from_ns = w->from_ns,
		.to_ns = w->to_ns,
		.threaded = w->thread != NULL,
		.thread = w->thread,
		.threads = w->threads,
		.choose = chosen ? pv_requests_choose : NULL,
		.requests = w->requests };
	struct pv_range_read *r = pv_range_start(ui_feed_ingest(f), &wish, reterr);
	return keep_again((struct ui_again){ .job = pv_range_job(r), .range = r }, reterr);
}

struct ui_again *ui_feed_open_heap(
	struct ui_feed *f, uint32_t shot, bool weak, bool classes, struct pv_error *reterr)
{
	const struct pv_heap_read_options o = { .shot = shot, .weak = weak, .classes = classes };
	struct pv_heap_read *r = pv_heap_read_start(ui_feed_ingest(f), &o, reterr);
	return keep_again((struct ui_again){ .job = pv_heap_read_job(r), .heap = r }, reterr);
}

struct ui_again *ui_feed_read_events(
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
		.readable = !wish->raw_names,
		.choose = wish->requests[0] ? pv_requests_choose : NULL,
		.requests = wish->requests };
	struct pv_events_read *r = pv_events_start(ui_feed_ingest(f), &w, reterr);
	return keep_again((struct ui_again){ .job = pv_events_job(r), .events = r }, reterr);
}

struct ui_again *ui_feed_follow(
	struct ui_feed *f, const struct ui_follow_wish *wish, struct pv_error *reterr)
{
	const struct pv_identity_read_options o = { wish->base, wish->shot, wish->by_address,
		wish->single };
	struct pv_identity_read *r = pv_identity_read_start(ui_feed_ingest(f), &o, reterr);
	return keep_again(
		(struct ui_again){ .job = pv_identity_read_job(r), .identity = r }, reterr);
}

void ui_again_status(struct ui_again *a, struct ui_again_status *ret)
{
	struct pv_background_status s;
	pv_background_status(a->job, &s);
	*ret = (struct ui_again_status){ .over = s.over,
		.done = s.done,
		.phase = s.phase,
		.step = s.step,
		.steps = s.steps,
		.error = s.error };
}

void ui_again_wait(struct ui_again *a)
{
	pv_background_wait(a->job);
}

void ui_again_await(struct ui_again *a, int ms)
{
	pv_background_await(a->job, ms);
}

void ui_again_destroy(struct ui_again *a)
{
	if (!a)
		return;
	pv_background_destroy(a->job);
	free(a);
}

struct pv_model *ui_again_model(struct ui_again *a)
{
	return a->range      ? pv_range_model(a->range)
	       : a->identity ? pv_identity_read_model(a->identity)
			     : NULL;
}

const struct pv_heap *ui_again_heap(struct ui_again *a)
{
	return a->heap ? pv_heap_read_heap(a->heap) : NULL;
}

const struct pv_event_page *ui_again_page(struct ui_again *a)
{
	return a->events ? pv_events_page(a->events) : NULL;
}

const struct pv_identity *ui_again_identity(struct ui_again *a)
{
	return a->identity ? pv_identity_read_result(a->identity) : NULL;
}

int64_t ui_again_until_ns(struct ui_again *a)
{
	return a->range ? pv_range_until_ns(a->range) : 0;
}

uint64_t ui_again_requests(struct ui_again *a)
{
	return a->range ? pv_range_requests(a->range) : 0;
}

bool ui_feed_read_timed(struct ui_feed *f, const struct ui_timed_wish *wish,
	struct pv_timed_list *ret, struct pv_error *reterr)
{
	struct pv_facts facts;
	pv_view_facts(ui_feed_adopt(f), &facts);
	const struct pv_timed_wish w = { .from_ns = wish->from_ns,
		.to_ns = wish->to_ns,
		.end_ns = facts.duration_ns,
		.thread = wish->thread,
		.threads = wish->threads,
		.filter = wish->filter,
		.raw_names = wish->raw_names,
		.no_calls = wish->no_calls };
	return pv_timed_read(ui_feed_ingest(f), &w, ret, reterr);
}

void ui_bury(struct ui_dying *d, struct ui_again **a)
{
	if (!*a)
		return;
	pv_background_cancel((*a)->job);
	if (pv_reserve(&d->again, 1))
		d->again.v[d->again.n++] = (struct ui_buried){ *a, UINT64_MAX };
	*a = NULL; /* out of memory: the reading lives until the program ends */
}

void ui_sweep(struct ui_dying *d, struct ui_query_worker *worker)
{
	size_t left = 0;
	for (size_t i = 0; i < d->again.n; i++) {
		struct ui_buried *b = &d->again.v[i];
		if (b->number == UINT64_MAX)
			b->number = ui_query_worker_posted(worker);
		if (ui_query_worker_past(worker, b->number))
			ui_again_destroy(b->again);
		else
			d->again.v[left++] = *b;
	}
	d->again.n = left;
	if (left == 0)
		pv_array_finish(&d->again);
}

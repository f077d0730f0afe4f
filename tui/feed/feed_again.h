/* SPDX-License-Identifier: MIT */
/*
 * Reads the feed's log once more in the background: a range of time, the objects of a heap shot, a
 * page of events, objects from shot to shot. For threads the rules of feed.h hold.
 */
#ifndef UI_FEED_AGAIN_H
#define UI_FEED_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "tui/screen/compare.h"

struct pv_event_page;
struct pv_heap;
struct pv_identity;
struct pv_ingest;
struct pv_model;
struct ui_feed;
struct ui_stream_wish;

/* One reading. Its results live as long as the reading, and no longer than the feed. */
struct ui_again;

struct ui_again_status {
	bool over, done;       /* ended; ended with all results */
	const char *phase;     /* a constant; NULL: the reading has one phase */
	uint64_t step, steps;  /* of the phase, bytes or objects; steps 0: not known */
	struct pv_error error; /* PV_OK unless the reading failed */
};

/*
 * Each NULL with PV_EUSAGE where the input cannot be read twice, or there is no such shot.
 * Times are since zero, INT64_MIN and INT64_MAX: open.
 */
struct ui_range_wish {
	int64_t from_ns, to_ns;
	const uint64_t *thread; /* ids; NULL: of all */
	size_t threads;
	const char
		*requests; /* only what happened in these, see pv_filter_split(); NULL or "": all */
};
struct ui_again *ui_feed_read_range(
	struct ui_feed *f, const struct ui_range_wish *wish, struct pv_error *reterr);
struct ui_again *ui_feed_open_heap(
	struct ui_feed *f, uint32_t shot, bool weak, bool classes, struct pv_error *reterr);
struct ui_again *ui_feed_read_events(
	struct ui_feed *f, const struct ui_stream_wish *wish, struct pv_error *reterr);
/* The shots between which objects are followed. */
struct ui_follow_wish {
	uint32_t base, shot; /* UI_NO_SHOT: the first, and the last */
	bool by_address;     /* by nothing but addresses and classes */
	bool single;         /* one shot suffices: the question is only who lives there */
};
/* NULL with PV_EUSAGE as above. */
struct ui_again *ui_feed_follow(
	struct ui_feed *f, const struct ui_follow_wish *wish, struct pv_error *reterr);

/* A copy; does not wait. */
void ui_again_status(struct ui_again *a, struct ui_again_status *ret);
void ui_again_wait(struct ui_again *a);          /* until the reading is over; blocks */
void ui_again_await(struct ui_again *a, int ms); /* the same, at most so long */
void ui_again_destroy(struct ui_again *a);       /* before the feed is closed; NULL is fine */

/* NULL before the reading is done, and for another kind of reading. */
struct pv_model *ui_again_model(struct ui_again *a); /* of a range, or of followed objects */
const struct pv_heap *ui_again_heap(struct ui_again *a);
const struct pv_event_page *ui_again_page(struct ui_again *a);
const struct pv_identity *ui_again_identity(struct ui_again *a);
uint64_t ui_again_requests(struct ui_again *a); /* of a range, how many were chosen */
/* For a range, ns since zero: the newest event at the beginning of the reading. */
int64_t ui_again_until_ns(struct ui_again *a);

/*
 * Events with their times, read again on this thread after ui_feed_load(). *ret is to be cleared in
 * any case. False: PV_EUSAGE, PV_ENOMEM, or an error of the input.
 */
struct ui_timed_wish {
	int64_t from_ns, to_ns; /* since zero; INT64_MIN and INT64_MAX: open */
	const uint64_t *thread; /* sorted native ids; NULL: of all */
	size_t threads;
	const char *filter; /* NULL: all */
	bool raw_names, no_calls;
};
struct pv_timed_list;
bool ui_feed_read_timed(struct ui_feed *f, const struct ui_timed_wish *wish,
	struct pv_timed_list *ret, struct pv_error *reterr);

/* Readings that were cancelled, until no question is about what they gave out. */
struct ui_buried {
	struct ui_again *again;
	uint64_t number; /* of the last job that may read the results; UINT64_MAX: not noted */
};
struct ui_dying {
	PV_ARRAY(struct ui_buried) again;
};
struct ui_query_worker;

/* Cancels *a, if any, and moves it to `d`; *a becomes NULL. */
void ui_bury(struct ui_dying *d, struct ui_again **a);
/* Destroys the readings that no job of the worker can use any more; worker NULL: all, none can. */
void ui_sweep(struct ui_dying *d, struct ui_query_worker *worker);

/* feed.c: the feed's ingest, never NULL. */
struct pv_ingest *ui_feed_ingest(struct ui_feed *f);

#endif

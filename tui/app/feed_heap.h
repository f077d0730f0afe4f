/* The part of the feed that opens heap shots; the rules of feed.h on threads hold. */
#ifndef UI_FEED_HEAP_H
#define UI_FEED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

struct pv_heap;
struct pv_ingest;
struct ui_feed;

/*
 * The objects of a heap shot, read again in the background. The heap lives as long as its
 * reading, and that no longer than the model.
 */
struct ui_heap;
struct ui_heap_status {
	bool over, done;
	const char *phase;    /* a constant */
	uint64_t step, steps; /* within the phase; steps 0: not known */
	struct pv_error error;
};
/* NULL with PV_EUSAGE: there is no such shot, or the input cannot be read twice. */
struct ui_heap *ui_feed_open_heap(
	struct ui_feed *f, uint32_t shot, bool weak, bool classes, struct pv_error *reterr);
void ui_heap_status(struct ui_heap *h, struct ui_heap_status *ret);
const struct pv_heap *ui_heap_get(struct ui_heap *h); /* NULL until done */
void ui_heap_wait(struct ui_heap *h);
void ui_heap_cancel(struct ui_heap *h);  /* it will be over soon */
void ui_heap_destroy(struct ui_heap *h); /* before the feed is closed; NULL is fine */

/* feed.c: the ingest that the feed owns, never NULL. */
struct pv_ingest *ui_feed_ingest(struct ui_feed *f);

#endif

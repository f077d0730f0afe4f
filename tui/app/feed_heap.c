#include "tui/app/feed_heap.h"

#include <stdlib.h>

#include "common/ingest/again/heap_read.h"
#include "tui/app/feed.h"

struct ui_heap {
	struct pv_heap_read *read;
};

struct ui_heap *ui_feed_open_heap(
	struct ui_feed *f, uint32_t shot, bool weak, bool classes, struct pv_error *reterr)
{
	const struct pv_heap_read_options o = { .shot = shot, .weak = weak, .classes = classes };
	struct ui_heap *h = calloc(1, sizeof *h);
	if (!h) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	h->read = pv_heap_read_start(ui_feed_ingest(f), &o, reterr);
	if (h->read)
		return h;
	free(h);
	return NULL;
}

void ui_heap_status(struct ui_heap *h, struct ui_heap_status *ret)
{
	struct pv_heap_read_status s;
	pv_heap_read_status(h->read, &s);
	*ret = (struct ui_heap_status){ .over = s.over,
		.done = s.done,
		.phase = s.phase,
		.step = s.step,
		.steps = s.steps,
		.error = s.error };
}

const struct pv_heap *ui_heap_get(struct ui_heap *h)
{
	return pv_heap_read_heap(h->read);
}

void ui_heap_wait(struct ui_heap *h)
{
	pv_heap_read_wait(h->read);
}

void ui_heap_cancel(struct ui_heap *h)
{
	pv_heap_read_cancel(h->read);
}

void ui_heap_destroy(struct ui_heap *h)
{
	if (!h)
		return;
	pv_heap_read_destroy(h->read);
	free(h);
}

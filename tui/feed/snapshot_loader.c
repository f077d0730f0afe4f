/* SPDX-License-Identifier: MIT */
/* Heap shots of the object browser: read in the background, a few kept open. */
#include "tui/feed/snapshot_loader.h"

#include <stdio.h>

static void bury(struct ui_snapshot_loader *h, struct ui_open_heap *heap)
{
	ui_bury(&h->dying, &heap->heap);
	*heap = (struct ui_open_heap){ 0 };
}

static struct ui_open_heap *find_open_heap(struct ui_snapshot_loader *h, uint32_t shot, bool weak)
{
	for (int i = 0; i < UI_HEAPS_OPEN; i++)
		if (h->open[i].heap && h->open[i].shot == shot && h->open[i].weak == weak)
			return &h->open[i];
	return NULL;
}

/* A free place, or the place of the shot used longest ago. */
static struct ui_open_heap *heap_place(struct ui_snapshot_loader *h)
{
	struct ui_open_heap *best = &h->open[0];
	for (int i = 0; i < UI_HEAPS_OPEN; i++) {
		if (!h->open[i].heap)
			return &h->open[i];
		if (h->open[i].used < best->used)
			best = &h->open[i];
	}
	return best;
}

static void show_heap(struct ui_snapshot_loader *h, struct ui_screen *s, struct ui_open_heap *heap)
{
	heap->used = ++h->clock;
	ui_browser_use(s, ui_again_heap(heap->heap), NULL);
}

/* The user wants another shot, or the same shot with weak references. */
static void take_snapshot_wish(struct ui_snapshot_loader *h, struct ui_screen *s)
{
	const struct ui_heap_shown *want = &s->shared.heap;
	struct pv_error e = { 0 };
	if (!s->browser.asked || !s->shared.whole || s->shared.feed.state == UI_FEED_LOADING)
		return;
	s->browser.asked = s->browser.cancelled = false;
	bury(h, &h->reading);
	struct ui_open_heap *known = find_open_heap(h, want->shot, want->weak);
	if (known) {
		show_heap(h, s, known);
		return;
	}
	h->reading = (struct ui_open_heap){ .heap = ui_feed_open_heap(
						    h->feed, want->shot, want->weak, true, &e),
		.shot = want->shot,
		.weak = want->weak };
	if (!h->reading.heap)
		ui_browser_use(s, NULL, e.what);
}

static void look_at_snapshot(struct ui_snapshot_loader *h, struct ui_screen *s)
{
	struct ui_heap_shown *shown = &s->shared.heap;
	struct ui_again_status st;
	if (!h->reading.heap)
		return;
	ui_again_status(h->reading.heap, &st);
	shown->phase = st.phase;
	shown->step = st.step;
	shown->steps = st.steps;
	if (!st.over)
		return;
	if (!st.done) {
		ui_browser_use(s, NULL, st.error.what);
		bury(h, &h->reading);
		return;
	}
	struct ui_open_heap *to = heap_place(h);
	struct ui_open_heap old = *to;
	*to = h->reading;
	h->reading = (struct ui_open_heap){ 0 };
	show_heap(h, s, to);
	bury(h, &old);
}

/* If only weak references were to count, or no longer, the earlier graph is shown again. */
static void cancel(struct ui_snapshot_loader *h, struct ui_screen *s)
{
	struct ui_heap_shown *want = &s->shared.heap;
	struct ui_open_heap *known = find_open_heap(h, want->shot, !want->weak);
	bury(h, &h->reading);
	s->browser.asked = false;
	if (!known) {
		ui_browser_use(s, NULL, "reading was cancelled; 9 reads the shot again");
		return;
	}
	want->weak = known->weak;
	show_heap(h, s, known);
}

bool ui_snapshot_loader_turn(
	struct ui_snapshot_loader *h, struct ui_screen *s, struct ui_query_worker *worker)
{
	if (s->browser.cancelled && s->shared.heap.reading)
		cancel(h, s);
	s->browser.cancelled = false;
	take_snapshot_wish(h, s);
	look_at_snapshot(h, s);
	ui_sweep(&h->dying, worker);
	ui_browser_sweep(&s->browser, worker);
	return h->reading.heap || h->dying.again.n || s->browser.dead.n || s->browser.asked;
}

void ui_snapshot_loader_wait(struct ui_snapshot_loader *h, struct ui_screen *s)
{
	do {
		ui_snapshot_loader_turn(h, s, NULL);
		if (h->reading.heap)
			ui_again_wait(h->reading.heap);
	} while (h->reading.heap);
}

void ui_snapshot_loader_drop(struct ui_snapshot_loader *h, struct ui_screen *s)
{
	if (s) {
		ui_browser_forget(s);
		ui_browser_sweep(&s->browser, NULL);
		s->browser.visited = s->browser.asked = s->shared.heap.reading = false;
		s->browser.tried = 0;
	}
	bury(h, &h->reading);
	for (int i = 0; i < UI_HEAPS_OPEN; i++)
		bury(h, &h->open[i]);
	ui_sweep(&h->dying, NULL);
}

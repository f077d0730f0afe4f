/* SPDX-License-Identifier: MIT */
/* Heap shots of the object browser: read in the background, a few kept open. */
#include "tui/feed/loader.h"

static struct ui_open_heap *find_open_heap(struct ui_loader *l, uint32_t shot, bool weak)
{
	for (int i = 0; i < UI_HEAPS_OPEN; i++)
		if (l->open[i].heap && l->open[i].shot == shot && l->open[i].weak == weak)
			return &l->open[i];
	return NULL;
}

/* A free place, or the place of the shot used longest ago. */
static struct ui_open_heap *heap_place(struct ui_loader *l)
{
	struct ui_open_heap *best = &l->open[0];
	for (int i = 0; i < UI_HEAPS_OPEN; i++) {
		if (!l->open[i].heap)
			return &l->open[i];
		if (l->open[i].used < best->used)
			best = &l->open[i];
	}
	return best;
}

static void show_heap(struct ui_loader *l, struct ui_screen *s, struct ui_open_heap *heap)
{
	heap->used = ++l->clock;
	ui_browser_use(s, ui_again_heap(heap->heap), NULL);
}

static void fail_shot(struct ui_loader *l, struct ui_screen *s, const char *why)
{
	(void)l;
	ui_browser_use(s, NULL, why);
}

/* The user wants another shot, or the same shot with weak references. */
static void begin_shot(struct ui_loader *l, struct ui_screen *s)
{
	const struct ui_heap_shown *want = &s->shared.heap;
	struct ui_open_heap *known = find_open_heap(l, want->shot, want->weak);
	struct pv_error e = { 0 };
	if (known) {
		show_heap(l, s, known);
		return;
	}
	l->next = (struct ui_open_heap){ .shot = want->shot, .weak = want->weak };
	l->reading = ui_feed_open_heap(l->feed, want->shot, want->weak, true, &e);
	if (!l->reading)
		fail_shot(l, s, e.what);
}

static void tell_shot(struct ui_loader *l, struct ui_screen *s, const struct ui_again_status *st)
{
	struct ui_heap_shown *shown = &s->shared.heap;
	(void)l;
	shown->phase = st->phase;
	shown->step = st->step;
	shown->steps = st->steps;
}

static void take_shot(struct ui_loader *l, struct ui_screen *s)
{
	struct ui_open_heap *to = heap_place(l);
	struct ui_again *old = to->heap;
	*to = l->next;
	to->heap = l->reading;
	l->reading = NULL;
	show_heap(l, s, to);
	ui_bury(&l->dying, &old);
}

/* If only weak references were to count, or no longer, the earlier graph is shown again. */
static void cancel_shot(struct ui_loader *l, struct ui_screen *s)
{
	struct ui_heap_shown *want = &s->shared.heap;
	struct ui_open_heap *known = find_open_heap(l, want->shot, !want->weak);
	if (!want->reading)
		return;
	ui_bury(&l->dying, &l->reading);
	s->browser.asked = false;
	if (!known) {
		fail_shot(l, s, "reading was cancelled; 9 reads the shot again");
		return;
	}
	want->weak = known->weak;
	show_heap(l, s, known);
}

static bool rest_of_shots(
	const struct ui_loader *l, struct ui_screen *s, struct ui_query_worker *worker)
{
	(void)l;
	ui_browser_sweep(&s->browser, worker);
	return s->browser.dead.n || s->browser.asked;
}

static void forget_shots(struct ui_loader *l, struct ui_screen *s)
{
	if (s) {
		ui_browser_forget(s);
		ui_browser_sweep(&s->browser, NULL);
		s->browser.visited = s->browser.asked = s->shared.heap.reading = false;
		s->browser.tried = 0;
	}
	for (int i = 0; i < UI_HEAPS_OPEN; i++)
		ui_bury(&l->dying, &l->open[i].heap);
}

const struct ui_loading ui_load_shot = {
	.asked = offsetof(struct ui_screen, browser.asked),
	.cancelled = offsetof(struct ui_screen, browser.cancelled),
	.cancel = cancel_shot,
	.begin = begin_shot,
	.tell = tell_shot,
	.take = take_shot,
	.fail = fail_shot,
	.rest = rest_of_shots,
	.forget = forget_shots,
};

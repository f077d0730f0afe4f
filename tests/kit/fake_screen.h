/* SPDX-License-Identifier: MIT */
/*
 * A screen over the model made by hand, driven by keys as text. Included once, like fake_views.h.
 */
#ifndef PV_TESTS_FAKE_SCREEN_H
#define PV_TESTS_FAKE_SCREEN_H

#include "tests/kit/suite.h"

#include "tests/kit/fake_views.h"
#include "tui/screen/screen.h"

static struct ui_screen screen;
static struct pv_model *world;
static struct ui_feed_status feed;
static struct ui_query_worker *worker; /* NULL: the model is asked at once */
static int64_t now_ns;

static inline void show(void)
{
	ui_screen_update(&screen, world, &feed, now_ns);
	ui_screen_draw(&screen);
}

static inline void open_screen_unseen(int w, int h)
{
	world = fake_world();
	feed = (struct ui_feed_status){ .state = UI_FEED_LIVE,
		.lag_ns = -1,
		.bytes_read = 4096,
		.events_per_s = 1200,
		.bytes_per_s = 5000 };
	now_ns = 0;
	ck_assert_ptr_nonnull(world);
	struct ui_screen_options options = { .source = "/tmp/app.mlpd", .worker = worker };
	ck_assert(ui_screen_init(&screen, &options));
	ck_assert(ui_screen_resize(&screen, w, h));
}

static inline void open_screen_of(int w, int h)
{
	open_screen_unseen(w, h);
	show();
}

static inline void open_screen(void)
{
	open_screen_of(120, 36);
}

static inline void close_screen(void)
{
	ui_screen_finish(&screen);
	free(world);
	world = NULL;
}

/* Presses keys one by one, each followed by a frame; the replies that were meant for the caller. */
static inline unsigned press(const char *keys)
{
	unsigned replies = 0, times;
	int key;
	for (size_t n; (n = ui_key_parse(keys, &key, &times)) > 0; keys += n) {
		for (; times > 0; times--) {
			replies |= ui_screen_key(&screen, key);
			show();
		}
	}
	ck_assert_msg(*keys == 0, "no key: %s", keys);
	return replies & ~(unsigned)UI_HANDLED;
}

/* The frame as text; free() it. */
static inline char *frame(void)
{
	char *text = ui_canvas_text(&screen.canvas);
	ck_assert_ptr_nonnull(text);
	return text;
}

static inline bool seen(const char *part)
{
	char *text = frame();
	bool found = strstr(text, part) != NULL;
	free(text);
	return found;
}

/* The row under the cursor, by name. */
static inline const char *cursor(void)
{
	struct ui_list *l = ui_screen_list(&screen);
	const char *name = l ? ui_list_name(l, ui_list_row(l)) : NULL;
	return name ? name : "(none)";
}

#endif

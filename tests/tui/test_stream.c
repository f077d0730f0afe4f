/* SPDX-License-Identifier: MIT */
/* The stream of events: pages that are wanted, as the user moves, filters and goes elsewhere. */
#include <pthread.h>

#include "tests/kit/fake_stream.h"
#include "tui/draw/query_worker.h"

static const struct ui_stream_wish *wished(int line)
{
	ck_assert_msg(screen.stream.asked, "no page is wanted in line %d", line);
	return &screen.stream.wish;
}
#define wish() wished(__LINE__)

static struct ui_list *list(void)
{
	return &screen.pane[screen.current].list[0];
}

START_TEST(a_live_log_is_followed_at_its_end)
{
	press("0");
	ck_assert_int_eq(wish()->from, UI_STREAM_LAST);
	ck_assert(seen("reading events"));
	fake_stream(true, false);
	ck_assert(!seen("reading events"));
	ck_assert_uint_eq(list()->selected, FAKE_EVENTS);
	show();
	ck_assert(!screen.stream.asked);
	world->generation++;
	now_ns += INT64_C(10000000000);
	show();
	ck_assert_int_eq(wish()->from, UI_STREAM_LAST);
	fake_stream(true, false);
	press("k"); /* moved away from the end, it stays there */
	world->generation++;
	now_ns += INT64_C(10000000000);
	show();
	ck_assert(!screen.stream.asked || screen.stream.wish.from == UI_STREAM_AROUND);
}
END_TEST

START_TEST(a_log_that_has_ended_is_shown_from_its_beginning)
{
	feed.state = UI_FEED_ENDED;
	press("0");
	ck_assert_int_eq(wish()->from, UI_STREAM_FIRST);
	fake_stream(false, true);
	ck_assert_uint_eq(list()->selected, 1);
}
END_TEST

/* n goes on where the page ends: to the next event with the text, and what is around it. */
START_TEST(a_search_goes_on_beyond_the_page)
{
	feed.state = UI_FEED_ENDED;
	press("0");
	fake_stream(false, true);
	press("/0x10<Enter>");
	ck_assert_uint_eq(list()->selected, 5);
	press("n");
	ck_assert_uint_eq(list()->selected, 10);
	press("N");
	ck_assert_uint_eq(list()->selected, 5);
	press("N");
	ck_assert(seen("no event before this one has 0x10"));
	press("nnn");
	ck_assert_uint_eq(list()->selected, 20);
	press("n"); /* no other one here, but in the log */
	ck_assert_str_eq(wish()->filter, " method:0x10");
	ck_assert_int_eq(wish()->time_ns, 2000000000);
	ck_assert_uint_eq(wish()->id, 21);
	show();
	ck_assert_str_eq(screen.stream.wish.filter, " method:0x10"); /* it is no other question */
	struct pv_event_row hit = { .time_ns = 7000000000, .id = 70, .thread = "t", .line = "" };
	const struct pv_event_page hits = { .row = &hit, .rows = 1 };
	screen.stream.asked = false;
	ck_assert(!ui_stream_use(&screen, &hits, NULL));
	ck_assert_str_eq(wish()->filter, "");
	ck_assert_int_eq(wish()->time_ns, 7000000000);
	ck_assert_uint_eq(wish()->id, 70);
	ck_assert(wish()->from == UI_STREAM_AROUND && !screen.stream.finding);
}
END_TEST

START_TEST(a_text_that_is_nowhere_is_said)
{
	feed.state = UI_FEED_ENDED;
	press("0");
	fake_stream(false, true);
	press(":filter<Space>a|b<Enter>");
	fake_stream(true, true);
	press("/Zebra<Enter>");
	press("N");
	ck_assert_str_eq(wish()->filter, "(a|b) method:zebra");
	screen.stream.asked = false;
	fake_page = (struct pv_event_page){ .row = fake_event, .rows = 0 };
	ck_assert(!ui_stream_use(&screen, &fake_page, NULL));
	show();
	ck_assert(seen("no event before this one has Zebra"));
	ck_assert_str_eq(screen.stream.wish.filter, "a|b");
	ck_assert(!screen.stream.asked);
}
END_TEST

/* Until the log is read it is not known whether it has ended. */
START_TEST(while_a_log_is_loading_no_page_is_wanted)
{
	feed.state = UI_FEED_LOADING;
	press("0");
	ck_assert(!screen.stream.asked);
	feed.state = UI_FEED_ENDED;
	show();
	ck_assert_int_eq(wish()->from, UI_STREAM_FIRST);
}
END_TEST

START_TEST(near_the_end_of_a_page_the_next_one_is_wanted)
{
	feed.state = UI_FEED_ENDED;
	press("0");
	fake_stream(false, true);
	press("j");
	ck_assert_int_eq(wish()->from, UI_STREAM_AROUND);
	ck_assert_uint_eq(wish()->id, 2);
	ck_assert_int_eq(wish()->time_ns, 2 * FAKE_EVENT_MS * INT64_C(1000000));
	press("j"); /* while that is read the cursor goes on, and is not moved by the answer */
	screen.stream.asked = false;
	ui_stream_use(&screen, &fake_page, NULL);
	show();
	ck_assert_uint_eq(list()->selected, 3);
	fake_stream(false, false); /* the whole log */
	press("jj");
	ck_assert(!screen.stream.asked);
	press("G");
	ck_assert(!screen.stream.asked);
	ck_assert_uint_eq(list()->selected, FAKE_EVENTS);
}
END_TEST

START_TEST(begin_and_end_of_the_log)
{
	press("0");
	fake_stream(true, true);
	press("g");
	ck_assert_int_eq(wish()->from, UI_STREAM_FIRST);
	fake_stream(true, true);
	press("G");
	ck_assert_int_eq(wish()->from, UI_STREAM_LAST);
}
END_TEST

START_TEST(to_a_time)
{
	press("0");
	fake_stream(true, false);
	press(":goto<Space>1.5s<Enter>");
	ck_assert_int_eq(wish()->from, UI_STREAM_AROUND);
	ck_assert_int_eq(wish()->time_ns, INT64_C(1500000000));
	ck_assert_uint_eq(wish()->id, 0);
	fake_stream(true, false);
	press("}");
	ck_assert_int_gt(wish()->time_ns, INT64_C(1500000000));
	press(":goto<Space>soon<Enter>");
	ck_assert(seen("a time is"));
	press("2:goto<Space>-1s<Enter>"); /* from another room, too */
	ck_assert_int_eq(wish()->time_ns, world->summary.duration_ns - INT64_C(1000000000));
	ck_assert(seen("[Stream]"));
}
END_TEST

START_TEST(filters_are_the_readers)
{
	press("0");
	fake_stream(true, false);
	press("<5k>t");
	ck_assert_str_eq(wish()->filter, "thread:\"pool worker\"");
	fake_stream(true, false);
	press("s");
	ck_assert_str_eq(wish()->filter, "thread:\"pool worker\" kind:alloc");
	fake_stream(true, false);
	press("<Del>");
	ck_assert_str_eq(wish()->filter, "");
	fake_stream(true, false);
	press("\\kind:gc");
	ck_assert_str_eq(wish()->filter, "kind:gc");
	ck_assert_uint_eq(list()->table->rows, FAKE_EVENTS); /* the rows at hand stay till then */
}
END_TEST

START_TEST(the_range_holds)
{
	press("0");
	fake_stream(true, false);
	ck_assert(!screen.stream.wish.ranged);
	press(":range<Space>1s..2s<Enter>");
	ck_assert(wish()->ranged);
	ck_assert_int_eq(wish()->from_ns, INT64_C(1000000000));
	ck_assert_int_eq(wish()->to_ns, INT64_C(2000000000));
}
END_TEST

START_TEST(enter_goes_to_the_pane_and_the_time)
{
	press("0");
	fake_stream(true, false);
	press("<5k><Enter>"); /* the 15th: a throw */
	ck_assert(seen("[Exceptions]"));
	ck_assert(screen.shared.range.cursor_on);
	ck_assert_int_eq(screen.shared.range.cursor_ns, 15 * FAKE_EVENT_MS * INT64_C(1000000));
	press("<Backspace>");
	ck_assert(seen("[Stream]"));
	ck_assert_int_eq(ui_stream_owner("alloc"), UI_CMD_ALLOCATIONS);
	ck_assert_int_eq(ui_stream_owner("gc.event"), UI_CMD_COLLECTIONS);
	ck_assert_int_eq(ui_stream_owner("gc.handle_created"), UI_CMD_HANDLES);
	ck_assert_int_eq(ui_stream_owner("meta.sync_point"), UI_CMD_KINDS);
}
END_TEST

START_TEST(reading_can_be_stopped)
{
	press("0<Esc>");
	ck_assert(screen.stream.cancelled && seen("reading stops"));
	ui_stream_use(&screen, NULL, "reading was stopped");
	screen.message[0] = 0;
	show();
	ck_assert(seen("events: reading was stopped"));
	ck_assert(!screen.shared.events.reading);
}
END_TEST

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void wait_at_gate(struct ui_job *j)
{
	(void)j;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}

static void stay(struct ui_job *j)
{
	(void)j;
}

/* The page before may be freed as soon as nothing runs, so nothing that has it may still run. */
START_TEST(a_question_goes_with_its_page)
{
	feed.state = UI_FEED_ENDED;
	press("0");
	fake_stream(false, true);
	struct ui_query_worker *w = ui_query_worker_create();
	struct ui_request other = { 0 };
	struct ui_job running = { .run = wait_at_gate, .drop = stay, .urgent = true };
	struct ui_job waiting = { .run = wait_at_gate, .drop = stay };
	ck_assert_ptr_nonnull(w);
	pthread_mutex_lock(&gate);
	ui_query_worker_post(w, &other, &running);
	ui_query_worker_post(w, &list()->slot, &waiting);
	ck_assert(ui_slot_pending(&list()->slot));
	ck_assert(ui_stream_use(&screen, &fake_page, NULL));
	ck_assert(!ui_slot_pending(&list()->slot));
	pthread_mutex_unlock(&gate);
	ui_slot_cancel(&list()->slot);
	ui_query_worker_destroy(w);
	list()->slot = (struct ui_request){ 0 };
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stream");
	TCase *t = tcase_create("stream");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, a_live_log_is_followed_at_its_end);
	tcase_add_test(t, a_log_that_has_ended_is_shown_from_its_beginning);
	tcase_add_test(t, a_search_goes_on_beyond_the_page);
	tcase_add_test(t, a_text_that_is_nowhere_is_said);
	tcase_add_test(t, while_a_log_is_loading_no_page_is_wanted);
	tcase_add_test(t, near_the_end_of_a_page_the_next_one_is_wanted);
	tcase_add_test(t, begin_and_end_of_the_log);
	tcase_add_test(t, to_a_time);
	tcase_add_test(t, filters_are_the_readers);
	tcase_add_test(t, the_range_holds);
	tcase_add_test(t, enter_goes_to_the_pane_and_the_time);
	tcase_add_test(t, reading_can_be_stopped);
	tcase_add_test(t, a_question_goes_with_its_page);
	suite_add_tcase(s, t);
	return run_suite(s);
}

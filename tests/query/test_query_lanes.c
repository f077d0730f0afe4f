/* SPDX-License-Identifier: MIT */
/* The timeline of threads: what each was at when, by the log's states and by names. */
#include <stdio.h>
#include <string.h>

#include "common/query/coverage/thread_lanes.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { WORK = 0x1000, SLEEP = 0x3000, MS = 1000 /* us */ };

static const uint64_t work[] = { WORK, 0 }, sleeping[] = { SLEEP, WORK, 0 };

static void named(struct kit *k, uint64_t id, const char *name)
{
	static char text[64];
	snprintf(text, sizeof text, "%s", name);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			     .meta = { .key = id, .name = { text, strlen(text) } } });
	kit_flush(k);
}

static void sampled(struct kit *k, uint64_t us, uint64_t thread, const uint64_t *frames)
{
	kit_at(k, us);
	kit_sample(k, thread, 0, frames);
}

static void waited(struct kit *k, uint64_t us, uint64_t thread, uint64_t state, uint64_t times)
{
	kit_at(k, us);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_WAITED,
			     .hit = { .thread = thread, .state = state, .times = times } });
}

static struct pv_lanes_answer *ask(struct kit *k, int64_t from_ms, int64_t to_ms, size_t cells)
{
	kit_flush(k);
	struct pv_lanes_answer *a = pv_lanes_ask(k->m,
		&(struct pv_lanes_wish){
			.from_ns = from_ms * 1000000, .to_ns = to_ms * 1000000, .cells = cells });
	ck_assert_ptr_nonnull(a);
	return a;
}

static const char *letters(const struct pv_lanes_answer *a, size_t row)
{
	static char text[4096];
	ck_assert_uint_lt(row, a->rows);
	for (size_t i = 0; i < a->cells; i++)
		text[i] = pv_lanes_letter(pv_lanes_mark(a, &a->row[row], i));
	text[a->cells] = 0;
	return text;
}

static struct kit world(const char *args)
{
	struct kit k = kit_new(args);
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)");
	return k;
}

#define OURS "profview:native,sample-real=1000,sample-timer=cpu:1000"

/* A thread runs 4 ms, waits 3 for a lock, which is said at the end, and runs again. */
START_TEST(a_lane_shows_states_when_they_were)
{
	struct kit k = world(OURS);
	for (uint64_t ms = 0; ms < 4; ms++)
		sampled(&k, ms * MS + 500, 7, work);
	waited(&k, 6 * MS + 900, 7, PV_WAIT_LOCK, 3);
	sampled(&k, 7 * MS + 500, 7, work);
	sampled(&k, 9 * MS + 500, 7, work);
	struct pv_lanes_answer *a = ask(&k, 0, 10, 10);
	ck_assert_str_eq(letters(a, 0), "RRRRLLLR.R");
	ck_assert_uint_eq(a->row[0].all, 9);
	ck_assert_uint_eq(a->row[0].samples[PV_STATE_LOCK], 3);
	ck_assert_int_eq(a->width_ns, 1000000);
	pv_lanes_answer_destroy(a);
	a = ask(&k, 3, 6, 3); /* a part of it */
	ck_assert_str_eq(letters(a, 0), "RLL");
	ck_assert_uint_eq(a->row[0].all, 3);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* Of a wait that is reported after a range, what lies in it counts there, in all views. */
START_TEST(a_wait_is_clipped_to_the_range)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 50000000, .to_ns = 60000000 };
	struct kit k = kit_new(OURS);
	pv_model_destroy(k.m);
	k.m = pv_model_create(&only);
	ck_assert(pv_model_begin(k.m, &(struct pv_target_info){ .args = OURS,
					      .header_major = 3,
					      .data_version = 17,
					      .startup_ns = KIT_ZERO }));
	kit_thread(&k, 1);
	waited(&k, 99 * MS + 500, 7, PV_WAIT_LOCK, 90);
	waited(&k, 200 * MS, 7, PV_WAIT_LOCK, 90);
	struct pv_lanes_answer *a = ask(&k, 50, 60, 10);
	ck_assert_str_eq(letters(a, 0), "LLLLLLLLLL");
	ck_assert_uint_eq(a->row[0].all, 10);
	ck_assert_uint_eq(k.m->calls.samples, 10);
	ck_assert_int_eq(k.m->lanes.origin_ns, KIT_ZERO + 50000000);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* Busy threads come first; those that did nothing are a number. */
START_TEST(the_busiest_come_first)
{
	struct kit k = world(OURS);
	named(&k, 7, "lazy");
	named(&k, 8, "busy");
	named(&k, 9, "quiet");
	waited(&k, 9 * MS, 7, PV_WAIT_SLEEP, 8);
	sampled(&k, 1 * MS, 8, work);
	sampled(&k, 2 * MS, 8, work);
	struct pv_lanes_answer *a = ask(&k, 0, 10, 10);
	ck_assert_uint_eq(a->rows, 2);
	ck_assert_str_eq(a->row[0].name, "busy");
	ck_assert_str_eq(a->row[1].name, "lazy");
	ck_assert_uint_eq(a->quiet, 2); /* and the one that wrote all this */
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* Samples of a pool that spins say that it ran; the log says that it waited for a lock. */
START_TEST(recorded_waits_come_before_samples)
{
	struct kit k = kit_new("profview:clr,sample=100,sample-timer=cpu:100,monitor");
	kit_thread(&k, 7);
	kit_method(&k, WORK, "work");
	for (uint64_t i = 0; i < 8; i++) {
		kit_at(&k, i * MS);
		if (i == 2)
			kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000,
				(const uint64_t[]){ WORK, 0 });
		if (i == 4)
			kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
		if (i == 6)
			kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x9000,
				(const uint64_t[]){ WORK, 0 });
		sampled(&k, i * MS + MS / 2, 7, work);
	}
	sampled(&k, 8 * MS, 7, work);
	struct pv_lanes_answer *a = ask(&k, 0, 8, 8);
	ck_assert_str_eq(letters(a, 0), "RRLLRRLL"); /* the last has not ended */
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* A thread without a sample has a lane of what the log says of its waits, where they are in sight. */
START_TEST(a_thread_that_only_waited_has_a_lane)
{
	struct kit k = kit_new("profview:clr,sample=100,sample-timer=cpu:100,monitor");
	kit_thread(&k, 7);
	kit_method(&k, WORK, "work");
	kit_at(&k, 2 * MS);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000, (const uint64_t[]){ WORK, 0 });
	kit_at(&k, 4 * MS);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
	sampled(&k, 5 * MS, 8, work);
	sampled(&k, 8 * MS, 8, work);
	struct pv_lanes_answer *a = ask(&k, 0, 8, 8);
	ck_assert_uint_eq(a->rows, 2);
	ck_assert_str_eq(letters(a, 0), ".....R..");
	ck_assert_str_eq(letters(a, 1), "..LL....");
	ck_assert_uint_eq(a->row[1].native, 7);
	ck_assert_uint_eq(a->row[1].all, 0);
	ck_assert_double_eq_tol(a->row[1].locked, 2, 1e-6);
	ck_assert_uint_eq(a->quiet, 0);
	pv_lanes_answer_destroy(a);
	a = ask(&k, 4, 8, 4); /* after the wait */
	ck_assert_uint_eq(a->rows, 1);
	ck_assert_uint_eq(a->quiet, 1);
	pv_lanes_answer_destroy(a);
	a = ask(&k, 0, 800, 8); /* too short to be seen */
	ck_assert_uint_eq(a->rows, 1);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

START_TEST(names_that_come_later_count)
{
	struct kit k = kit_new("log:sample");
	kit_thread(&k, 1);
	sampled(&k, 1 * MS, 7, sleeping);
	sampled(&k, 2 * MS, 7, work);
	struct pv_lanes_answer *a = ask(&k, 0, 4, 4);
	ck_assert_str_eq(letters(a, 0), ".UU."); /* not known yet: neither ran nor waited */
	pv_lanes_answer_destroy(a);
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)");
	kit_method(&k, WORK, "work");
	a = ask(&k, 0, 4, 4);
	ck_assert_str_eq(letters(a, 0), ".SR.");
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* The list of what waits for names is bounded, and what is judged early is said. */
START_TEST(what_waits_for_names_is_bounded)
{
	struct kit k = kit_new("log:sample");
	k.m->lanes.unnamed_cap = 8;
	kit_thread(&k, 1);
	for (uint64_t i = 0; i < 1000; i++)
		sampled(&k, i * 100, 7, i % 2 ? work : sleeping);
	struct pv_lanes_answer *a = ask(&k, 0, 100, 10);
	ck_assert_uint_eq(a->row[0].all, 1000);
	ck_assert_uint_le(k.m->lanes.unnamed.n, 8);
	ck_assert_uint_gt(k.m->lanes.guessed, 900);
	ck_assert_ptr_nonnull(strstr(a->coverage, "judged before names came"));
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

START_TEST(named_ones_make_room)
{
	struct kit k = world("log:sample");
	k.m->lanes.unnamed_cap = 8;
	for (uint64_t i = 0; i < 1000; i++)
		sampled(&k, i * 100, 7, i % 2 ? work : sleeping);
	struct pv_lanes_answer *a = ask(&k, 0, 100, 10);
	ck_assert_uint_eq(a->row[0].samples[PV_STATE_SLEEP], 500);
	ck_assert_uint_eq(a->row[0].samples[PV_STATE_RUNNING], 500);
	ck_assert_uint_eq(k.m->lanes.guessed, 0);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* Nodes keep their state with their new numbers; other paths get the old ones. */
START_TEST(states_outlive_folding)
{
	enum { PATHS = 2000, CAP = 256 };
	struct kit k = world("log:sample");
	k.m->calls.cap = CAP;
	k.m->lanes.unnamed_cap = 8;
	for (uint64_t i = 0; i < PATHS; i++) {
		char name[32];
		snprintf(name, sizeof name, "caller %u", (unsigned)i);
		kit_method(&k, 0x10000 + i * 16, name);
		const uint64_t asleep[] = { SLEEP, 0x10000 + i * 16, 0 };
		const uint64_t awake[] = { WORK, 0x10000 + i * 16, 0 };
		sampled(&k, i * 100, 7, i % 4 ? awake : asleep);
		sampled(&k, i * 100 + 50, 7, sleeping);
		kit_flush(&k);
	}
	struct pv_lanes_answer *a = ask(&k, 0, PATHS / 10, 10);
	ck_assert_uint_gt(k.m->calls.folded, 0);
	ck_assert_uint_eq(a->row[0].samples[PV_STATE_SLEEP], PATHS + PATHS / 4);
	ck_assert_uint_eq(a->row[0].samples[PV_STATE_RUNNING], PATHS - PATHS / 4);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

START_TEST(threads_beyond_the_cap_share_a_lane)
{
	struct kit k = world(OURS);
	k.m->lanes.cap = 3;
	for (uint64_t i = 0; i < 50; i++)
		sampled(&k, i * MS, 100 + i % 10, work);
	struct pv_lanes_answer *a = ask(&k, 0, 50, 50);
	ck_assert_uint_eq(a->rows, 4);
	ck_assert_str_eq(a->row[3].name, "(other threads)");
	ck_assert_uint_eq(a->row[3].all, 35);
	ck_assert_uint_eq(a->other, 35);
	ck_assert_uint_eq(a->row[0].all + a->row[1].all + a->row[2].all, 15);
	ck_assert_ptr_nonnull(strstr(a->coverage, "35 samples of threads beyond"));
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* However long it goes on, nothing is lost as cells get wider. */
START_TEST(cells_get_wider_and_lose_nothing)
{
	struct kit k = world(_i ? "log:sample" : OURS);
	uint64_t n = 0;
	for (uint64_t ms = 0; ms < 60000; ms += 7, n++)
		sampled(&k, ms * MS, 7 + ms / 7 % 3, ms % 2 ? work : sleeping);
	struct pv_lanes_answer *a = ask(&k, 0, 60000, 64);
	ck_assert_int_eq(a->width_ns, 32000000);
	uint64_t all = 0, in_cells = 0;
	for (size_t r = 0; r < a->rows; r++) {
		all += a->row[r].all;
		for (size_t i = 0; i < a->cells; i++)
			for (unsigned s = 0; s < PV_STATES; s++)
				in_cells += a->row[r].cell[i].samples[s];
	}
	ck_assert_uint_eq(all, n);
	ck_assert_uint_eq(in_cells, n);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* A stop stands across all lanes; less than half of a cell does not hide it. */
START_TEST(stops_of_the_collector_stand_across)
{
	struct kit k = world(OURS);
	for (uint64_t ms = 0; ms < 10; ms++)
		sampled(&k, ms * MS + 500, 7, work);
	kit_at(&k, 4 * MS);
	kit_gc(&k, PV_GC_PRE_STOP, 0);
	kit_at(&k, 6 * MS);
	kit_gc(&k, PV_GC_POST_START, 0);
	struct pv_lanes_answer *a = ask(&k, 0, 10, 10);
	ck_assert_str_eq(letters(a, 0), "RRRRGGRRRR");
	ck_assert_double_eq_tol(a->stopped[4], 1, 0.001);
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

/* The section has the same figures, and letters in place of cells. */
/* A model of one thread has no stops; those of the whole recording are shown. */
START_TEST(stops_of_another_model_are_shown)
{
	struct kit k = world(OURS), one = world(OURS);
	sampled(&k, 1 * MS, 7, work);
	kit_at(&k, 4 * MS);
	kit_gc(&k, PV_GC_PRE_STOP, 1);
	kit_gc(&k, PV_GC_START, 1);
	kit_at(&k, 6 * MS);
	kit_gc(&k, PV_GC_END, 1);
	kit_gc(&k, PV_GC_POST_START, 1);
	kit_flush(&k);
	sampled(&one, 1 * MS, 7, work);
	struct pv_lanes_answer *a = ask(&one, 0, 8, 8);
	ck_assert_double_eq(a->stopped[4], 0);
	pv_lanes_answer_destroy(a);
	a = pv_lanes_ask(
		one.m, &(struct pv_lanes_wish){ .to_ns = 8000000, .cells = 8, .across = k.m });
	ck_assert_ptr_nonnull(a);
	ck_assert_str_eq(letters(a, 0), ".R..GG..");
	pv_lanes_answer_destroy(a);
	kit_free(&k);
	kit_free(&one);
}
END_TEST

START_TEST(the_table_says_the_same)
{
	struct kit k = world(OURS);
	named(&k, 7, "worker");
	sampled(&k, 500, 7, work);
	waited(&k, 99 * MS, 7, PV_WAIT_IO, 50);
	sampled(&k, 100 * MS - 1, 7, work);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_TIMELINE, NULL);
	static const char *const keys[] = { "id", "name", "samples", "running", "io", "sleep",
		"from_ns", NULL };
	ck_assert_str_eq(kit_text(t, 0, keys), "0x7 worker 52 2 50 0 0");
	const char *lane = kit_cell(t, &t->row[0], "lane")->s;
	ck_assert_uint_eq(strlen(lane), 100);
	ck_assert_int_eq(lane[0], 'R');
	ck_assert_int_eq(lane[98], 'I');
	ck_assert_int_eq(lane[45], '.');
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(calls_are_not_drawn_and_it_says_so)
{
	struct kit k = world("log:calls");
	kit_at(&k, 100);
	kit_enter(&k, WORK);
	kit_at(&k, 900);
	kit_leave(&k, WORK);
	struct pv_lanes_answer *a = ask(&k, 0, 1, 10);
	ck_assert_uint_eq(a->rows, 0);
	ck_assert_ptr_nonnull(strstr(a->coverage, "calls: not drawn by thread"));
	ck_assert_ptr_nonnull(strstr(a->coverage, "samples not recorded"));
	pv_lanes_answer_destroy(a);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("timeline of threads");
	TCase *c = tcase_create("lanes");
	tcase_add_test(c, a_lane_shows_states_when_they_were);
	tcase_add_test(c, a_wait_is_clipped_to_the_range);
	tcase_add_test(c, the_busiest_come_first);
	tcase_add_test(c, recorded_waits_come_before_samples);
	tcase_add_test(c, a_thread_that_only_waited_has_a_lane);
	tcase_add_test(c, names_that_come_later_count);
	tcase_add_test(c, what_waits_for_names_is_bounded);
	tcase_add_test(c, named_ones_make_room);
	tcase_add_test(c, states_outlive_folding);
	tcase_add_test(c, threads_beyond_the_cap_share_a_lane);
	tcase_add_loop_test(c, cells_get_wider_and_lose_nothing, 0, 2);
	tcase_add_test(c, stops_of_the_collector_stand_across);
	tcase_add_test(c, stops_of_another_model_are_shown);
	tcase_add_test(c, the_table_says_the_same);
	tcase_add_test(c, calls_are_not_drawn_and_it_says_so);
	suite_add_tcase(s, c);
	return run_suite(s);
}

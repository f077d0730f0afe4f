/* SPDX-License-Identifier: MIT */
/* The rolling window, the timeline, samples. */
#include "common/model/time/window.h"
#include "common/model/time/window_parts.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, CAR = 0x500 };
#define MS ((int64_t)LOGKIT_MS)

static struct logkit *world(void)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 9);
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	logkit_class(k, 0, CAR, "Car");
	logkit_flush(k);
	logkit_on(k, 1);
	return k;
}

/* Calls and self time of a path in the last `ms`. */
static struct pv_window_node in_window(struct logkit *k, int64_t ms, const char *path)
{
	struct pv_model *m = logkit_model(k);
	struct pv_window_sums sums;
	struct pv_window_node found = { 0, 0, 0, 0 };
	uint32_t node = logkit_node(k, path);
	ck_assert_uint_ne(node, 0);
	ck_assert(pv_window_sum(m, (uint64_t)(ms * MS), &sums));
	for (size_t i = 0; i < sums.nodes.n; i++) {
		ck_assert(i == 0 || sums.nodes.v[i].node > sums.nodes.v[i - 1].node);
		if (sums.nodes.v[i].node == node)
			found = sums.nodes.v[i];
	}
	pv_window_sums_finish(&sums);
	return found;
}

START_TEST(calls_and_self_of_the_last_second)
{
	struct logkit *k = world();
	for (int i = 0; i < 30; i++) { /* one call of 40 ms every 100 ms, for 3 s */
		logkit_enter(k, i * 100 * MS + 10 * MS, A);
		logkit_leave(k, i * 100 * MS + 50 * MS, A);
	}
	ck_assert_uint_eq(in_window(k, 1000, "A").calls, 11); /* whole cells, the present one too */
	ck_assert_int_eq(in_window(k, 1000, "A").self_ns, 440 * MS);
	ck_assert_uint_eq(in_window(k, 60000, "A").calls, 30);
	ck_assert_int_eq(in_window(k, 60000, "A").self_ns, logkit_sum(k, "A").self_ns);
	logkit_free(k);
}
END_TEST

START_TEST(self_time_is_split_at_the_edges)
{
	struct logkit *k = world();
	logkit_enter(k, 50 * MS, A); /* open for 2 s without a word */
	logkit_enter(k, 2050 * MS, B);
	logkit_leave(k, 2060 * MS, B);
	logkit_leave(k, 2070 * MS, A);
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 2010 * MS);
	/* 1 s back from 2070 is in the cell that begins at 1000 */
	ck_assert_int_eq(in_window(k, 1000, "A").self_ns, 1050 * MS + 10 * MS);
	ck_assert_uint_eq(in_window(k, 1000, "A").calls, 0);
	ck_assert_int_eq(in_window(k, 1000, "A/B").self_ns, 10 * MS);
	ck_assert_int_eq(in_window(k, 10000, "A").self_ns, 2010 * MS);
	ck_assert_uint_eq(in_window(k, 10000, "A").calls, 1);
	logkit_free(k);
}
END_TEST

START_TEST(open_frames_are_in_the_window)
{
	struct logkit *k = world();
	logkit_enter(k, 100 * MS, A);
	logkit_object(k, 5000 * MS, PV_KIND_EXCEPTION_THROW, 0x8000);
	ck_assert_int_eq(in_window(k, 1000, "A").self_ns, 1000 * MS);
	ck_assert_int_eq(in_window(k, 10000, "A").self_ns, 4900 * MS);
	logkit_free(k);
}
END_TEST

START_TEST(buffers_of_threads_overlap)
{
	struct logkit *k = world();
	for (uint64_t thread = 1; thread <= 4; thread++) {
		logkit_on(k, thread);
		for (int i = 0; i < 20; i += 2) {
			logkit_enter(k, i * 100 * MS, A);
			logkit_leave(k, i * 100 * MS + 150 * MS, A); /* over an edge */
		}
		logkit_flush(k);
	}
	ck_assert_uint_eq(in_window(k, 60000, "A").calls, 40);
	ck_assert_int_eq(in_window(k, 60000, "A").self_ns, 40 * 150 * MS);
	ck_assert_uint_eq(in_window(k, 900, "A").calls, 4 * 5); /* 1000 .. 1800 */
	logkit_free(k);
}
END_TEST

START_TEST(it_decays_to_empty)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	logkit_leave(k, 10 * MS, A);
	logkit_alloc(k, 20 * MS, CAR, 0x8000, 64);
	struct pv_model *m = logkit_model(k);
	uint64_t before = pv_model_generation(m);
	ck_assert(pv_window_advance(m, LOGKIT_ZERO + 500 * MS));
	ck_assert_uint_ne(pv_model_generation(m), before);
	ck_assert_uint_eq(in_window(k, 1000, "A").calls, 1);
	ck_assert(pv_window_advance(m, LOGKIT_ZERO + 1500 * MS));
	ck_assert_uint_eq(in_window(k, 1000, "A").calls, 0);
	ck_assert_uint_eq(in_window(k, 10000, "A").calls, 1);
	ck_assert(!pv_window_advance(m, LOGKIT_ZERO + 70000 * MS));
	ck_assert_uint_eq(in_window(k, 60000, "A").calls, 0);
	before = pv_model_generation(m); /* nothing is left to change */
	ck_assert(!pv_window_advance(m, LOGKIT_ZERO + 80000 * MS));
	ck_assert_uint_eq(pv_model_generation(m), before);
	logkit_enter(k, 81000 * MS, A); /* and it begins again */
	logkit_leave(k, 81001 * MS, A);
	ck_assert_uint_eq(in_window(k, 1000, "A").calls, 1);
	ck_assert_uint_eq(logkit_sum(k, "A").calls, 2);
	logkit_free(k);
}
END_TEST

START_TEST(allocation_sites_in_the_window)
{
	struct logkit *k = world();
	for (int i = 0; i < 50; i++)
		logkit_alloc(k, i * 100 * MS, CAR, 0x8000, 10);
	struct pv_window_sums sums;
	ck_assert(pv_window_sum(logkit_model(k), 1000 * 1000000, &sums));
	ck_assert_uint_eq(sums.sites.n, 1);
	ck_assert_uint_eq(sums.sites.v[0].count, 11);
	ck_assert_uint_eq(sums.sites.v[0].bytes, 110);
	ck_assert_int_eq(sums.to_ns, LOGKIT_ZERO + 4900 * MS);
	ck_assert_int_eq(sums.from_ns, LOGKIT_ZERO + 3900 * MS);
	pv_window_sums_finish(&sums);
	logkit_free(k);
}
END_TEST

/* Neighbours that become one cell have some places in common, and others that only one has. */
START_TEST(a_full_window_gets_coarser)
{
	struct logkit *k = world();
	k->model->window->limit = 4000; /* bytes */
	for (int i = 0; i < 600; i++) {
		int64_t t = i * 100 * MS;
		logkit_enter(k, t, A);
		logkit_alloc(k, t + 5 * MS, CAR, 0x8000, 10);
		logkit_enter(k, t + 10 * MS, B);
		if (i % 2)
			logkit_alloc(k, t + 15 * MS, CAR, 0x8000, 20);
		logkit_leave(k, t + 20 * MS, B);
		logkit_leave(k, t + 30 * MS, A);
		if (i % 3 == 0) {
			logkit_enter(k, t + 40 * MS, B);
			logkit_leave(k, t + 45 * MS, B);
		}
		if (i % 100 == 0)
			logkit_flush(k);
	}
	logkit_model(k);
	ck_assert_int_gt(k->model->window->width, 100 * MS);
	ck_assert_uint_le(k->model->window->bytes, 4000);
	ck_assert_uint_eq(in_window(k, 60000, "A").calls, 600);
	ck_assert_uint_eq(in_window(k, 60000, "B").calls, 200);
	ck_assert_int_eq(in_window(k, 60000, "B").self_ns, 200 * 5 * MS);
	ck_assert_int_eq(in_window(k, 60000, "A/B").self_ns, 600 * 10 * MS);
	ck_assert_uint_eq(logkit_sum(k, "B").calls, 800);
	struct pv_window_sums sums;
	ck_assert(pv_window_sum(k->model, 60000 * (uint64_t)MS, &sums));
	ck_assert_uint_eq(sums.sites.n, 2);
	ck_assert_uint_eq(sums.sites.v[0].count, 600);
	ck_assert_uint_eq(sums.sites.v[0].bytes, 600 * 10);
	ck_assert_uint_eq(sums.sites.v[1].count, 300);
	ck_assert_uint_eq(sums.sites.v[1].bytes, 300 * 20);
	pv_window_sums_finish(&sums);
	logkit_free(k);
}
END_TEST

/* A touched cell may not have changed: then there is room in a cell, and nothing is in it. */
START_TEST(empty_neighbours_become_one)
{
	struct logkit *k = world();
	struct pv_model *m = logkit_model(k);
	struct pv_window *w = m->window;
	for (int64_t i = 0; i < 4; i++) {
		struct pv_window_cell *c = pv_window_cell_of(w, 1000 + i);
		ck_assert(pv_reserve(&c->nodes, 100) && pv_reserve(&c->sites, 100));
		if (i == 3)
			c->nodes.v[c->nodes.n++] = (struct pv_window_entry){ 0, 7, 9, 0 };
	}
	w->limit = 1000; /* bytes */
	ck_assert(pv_window_shrink(w));
	ck_assert_int_gt(w->width, 100 * MS);
	const struct pv_window_cell *last = pv_window_cell_of(w, w->newest);
	ck_assert_uint_eq(last->nodes.n, 1);
	ck_assert_uint_eq(last->nodes.v[0].calls, 7);
	ck_assert_uint_eq(last->sites.n, 0);
	logkit_free(k);
}
END_TEST

START_TEST(off_keeps_nothing)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	pv_window_off(logkit_model(k));
	logkit_leave(k, 900 * MS, A);
	logkit_alloc(k, 901 * MS, CAR, 0x8000, 10);
	ck_assert_uint_eq(in_window(k, 1000, "A").calls, 0);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 900 * MS);
	ck_assert_uint_eq(logkit_allocs(k, "Car").bytes, 10);
	logkit_free(k);
}
END_TEST

/* --- the timeline */

static uint64_t track(const struct pv_model *m, enum pv_track which)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < PV_TIMELINE_CELLS; i++)
		sum += m->timeline.cell[which][i];
	return sum;
}

START_TEST(tracks_add_up)
{
	struct logkit *k = world();
	for (int i = 0; i < 100; i++) {
		logkit_enter(k, i * 7 * MS, A);
		logkit_alloc(k, i * 7 * MS + 1, CAR, 0x8000, 5);
		logkit_leave(k, i * 7 * MS + 2, A);
	}
	logkit_object(k, 35 * MS, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_gc(k, 18 * MS, PV_GC_PRE_STOP, 1);
	logkit_gc(k, 19 * MS, PV_GC_START, 1);
	logkit_gc(k, 30 * MS, PV_GC_END, 1);
	logkit_gc(k, 33 * MS, PV_GC_POST_START, 1);
	struct pv_model *m = logkit_model(k);
	ck_assert_int_eq(m->timeline.width_ns, 10 * MS);
	ck_assert_uint_eq(track(m, PV_TRACK_EVENTS), m->events);
	ck_assert_uint_eq(track(m, PV_TRACK_CALLS), 100);
	ck_assert_uint_eq(track(m, PV_TRACK_ALLOC_BYTES), 500);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_CALLS][0], 2);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_CALLS][1], 1);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_THROWS][3], 1);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_MAJOR][1], 1);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_PAUSE_NS][1], 2 * 1000000);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_PAUSE_NS][2], 10 * 1000000);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_PAUSE_NS][3], 3 * 1000000);
	logkit_free(k);
}
END_TEST

START_TEST(a_long_recording_doubles_the_width)
{
	struct logkit *k = world();
	for (int i = 0; i < 1000; i++) {
		logkit_enter(k, i * LOGKIT_S, A);
		logkit_leave(k, i * LOGKIT_S + 5, A);
		logkit_event(k, i * LOGKIT_S,
			(struct pv_event){
				.kind = PV_KIND_GC_RESIZE, .resize = { (uint64_t)i + 1, 0 } });
	}
	struct pv_model *m = logkit_model(k);
	ck_assert_int_eq(m->timeline.width_ns, 320 * MS); /* 4096 * 320 ms > 1000 s */
	ck_assert_uint_eq(track(m, PV_TRACK_CALLS), 1000);
	ck_assert_uint_eq(m->timeline.used, 999000 / 320 + 1);
	ck_assert_uint_eq(m->timeline.cell[PV_TRACK_HEAP][m->timeline.used - 1], 1000);
	logkit_free(k);
}
END_TEST

/* --- samples */

static void hit(struct logkit *k, int64_t t, uint64_t ip, struct pv_span frames)
{
	struct pv_span ips = LOGKIT_LIST(k, ip);
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
			.hit = { .type = 1, .thread = 1, .ips = ips, .frames = frames } });
}

START_TEST(samples_are_no_calls)
{
	struct logkit *k = world(); /* code of A: 0xa000 .. 0xa040, of B: 0xb000 .. */
	hit(k, 10 * MS, 0xb010, LOGKIT_LIST(k, B, A));    /* A > B, in B */
	hit(k, 20 * MS, 0xa020, LOGKIT_LIST(k, A, B, A)); /* A > B > A, in A */
	hit(k, 30 * MS, 0xb010, LOGKIT_LIST(k, A));       /* a leaf without frame: B */
	struct pv_method_sum a = logkit_sum(k, "A"), b = logkit_sum(k, "B");
	ck_assert_uint_eq(a.samples_self, 1);
	ck_assert_uint_eq(a.samples_total, 3); /* once per stack */
	ck_assert_uint_eq(b.samples_self, 2);
	ck_assert_uint_eq(b.samples_total, 3);
	ck_assert_uint_eq(a.calls, 0);
	ck_assert_uint_eq(k->model->calls.samples, 3);
	ck_assert_uint_eq(k->model->calls.calls, 0);
	ck_assert_uint_eq(in_window(k, 1000, "A/B").samples, 2);
	ck_assert_uint_eq(in_window(k, 1000, "A/B/A").samples, 1);
	ck_assert_uint_eq(track(k->model, PV_TRACK_SAMPLES), 3);
	logkit_free(k);
}
END_TEST

START_TEST(addresses_outside_managed_code)
{
	struct logkit *k = world();
	hit(k, 10 * MS, 0x700010, LOGKIT_LIST(k, B, A));
	hit(k, 11 * MS, 0x700010, (struct pv_span){ 0, 0 });
	ck_assert_uint_eq(logkit_sum(k, "B").samples_self, 1); /* nothing is known there */
	ck_assert_uint_eq(logkit_sum(k, "0x700010").samples_self, 1);
	logkit_event(k, 20 * MS,
		(struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			.symbol = { 0x700000, 0x20, 0, { "memcpy", 6 } } });
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, "B").samples_self, 0); /* the symbol came afterwards */
	ck_assert_uint_eq(logkit_sum(k, "B").samples_total, 1);
	ck_assert_uint_eq(logkit_sum(k, "memcpy").samples_self, 2);
	ck_assert_uint_eq(logkit_sum(k, "memcpy").samples_total, 2);
	logkit_free(k);
}
END_TEST

START_TEST(code_described_after_its_sample)
{
	struct logkit *k = logkit_new(17);
	hit(k, 10 * MS, 0xa010, LOGKIT_LIST(k, A));
	logkit_flush(k);
	logkit_method(k, 20 * MS, A, "A");
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, "A").samples_self, 1);
	ck_assert_uint_eq(logkit_sum(k, "A").samples_total, 1);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model window");
	TCase *t = tcase_create("window");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, calls_and_self_of_the_last_second);
	tcase_add_test(t, self_time_is_split_at_the_edges);
	tcase_add_test(t, open_frames_are_in_the_window);
	tcase_add_test(t, buffers_of_threads_overlap);
	tcase_add_test(t, it_decays_to_empty);
	tcase_add_test(t, allocation_sites_in_the_window);
	tcase_add_test(t, a_full_window_gets_coarser);
	tcase_add_test(t, empty_neighbours_become_one);
	tcase_add_test(t, off_keeps_nothing);
	tcase_add_test(t, tracks_add_up);
	tcase_add_test(t, a_long_recording_doubles_the_width);
	tcase_add_test(t, samples_are_no_calls);
	tcase_add_test(t, addresses_outside_managed_code);
	tcase_add_test(t, code_described_after_its_sample);
	suite_add_tcase(s, t);
	return run_suite(s);
}

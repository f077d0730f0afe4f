/* SPDX-License-Identifier: MIT */
/* Collections, pauses, heap size, handles, moves, finalizers. */
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { CLASS = 0x500, FULL = 1, YOUNG = 0 };

/* One stop of the world: 6 at t, 7 at t + 10 ... 9 at t + 100; start and end of one collection. */
static void collect(struct logkit *k, int64_t t, unsigned generation)
{
	logkit_gc(k, t, PV_GC_PRE_STOP, generation);
	logkit_gc(k, t + 10, PV_GC_POST_STOP, generation);
	logkit_gc(k, t + 20, PV_GC_START, generation);
	logkit_gc(k, t + 80, PV_GC_END, generation);
	logkit_gc(k, t + 90, PV_GC_PRE_START, generation);
	logkit_gc(k, t + 100, PV_GC_POST_START, generation);
}

/* The last stop of a log: the stock profiler's own thread answers after a second. */
static void exits(struct logkit *k)
{
	collect(k, 100, YOUNG);
	logkit_gc(k, 1000, PV_GC_PRE_STOP, FULL);
	logkit_gc(k, 1001, PV_GC_PRE_STOP_LOCKED, FULL);
	logkit_gc(k, 1000001000, PV_GC_POST_STOP, FULL);
	logkit_gc(k, 1000001010, PV_GC_START, FULL);
	logkit_gc(k, 1000001060, PV_GC_END, FULL);
	logkit_gc(k, 1000001190, PV_GC_POST_START, FULL);
}

static void check_last_stop(struct logkit *k, int64_t start, int64_t ns)
{
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_int_eq(gc->pauses.v[1].start_ns, LOGKIT_ZERO + start);
	ck_assert_int_eq(gc->pauses.v[1].duration_ns, ns);
	ck_assert_int_eq(gc->pause_max_ns, ns);
	ck_assert_int_eq(gc->pause_ns, ns + (int64_t)(gc->pause_count - 1) * 100);
	ck_assert_int_eq(gc->collections.v[1].pause_ns, ns);
	ck_assert_int_eq(gc->collections.v[1].duration_ns, 50);
}

START_TEST(the_stock_profilers_second_at_exit_is_no_pause)
{
	struct logkit *k = logkit_new(17);
	exits(k);
	check_last_stop(k, 1000001000, 190);
	ck_assert_int_eq(pv_gc_exit_ns(&logkit_model(k)->gc), 1000000000);
	logkit_free(k);
}
END_TEST

/* 0: the world stops again, 1: the program goes on for long, 2: it is not the stock profiler's log.
 */
START_TEST(a_long_stop_of_a_program_is_one)
{
	struct logkit *k = logkit_new(17);
	if (_i == 2)
		logkit_model(k)->target.args = "profview:mono,gc";
	exits(k);
	if (_i == 0)
		collect(k, 1000001300, YOUNG);
	logkit_flush(k);
	if (_i == 1)
		logkit_alloc(k, 3000000000, CLASS, 0x8000, 300);
	check_last_stop(k, 1000, 1000000190);
	ck_assert_int_eq(pv_gc_exit_ns(&logkit_model(k)->gc), 0);
	logkit_free(k);
}
END_TEST

/* Killed in it, or joined with it: it is listed nowhere. */
START_TEST(a_stop_that_never_ends_is_no_pause)
{
	struct logkit *k = logkit_new(17);
	collect(k, 100, YOUNG);
	logkit_gc(k, 1000, PV_GC_PRE_STOP, FULL);
	logkit_gc(k, 1000001000, PV_GC_POST_STOP, FULL);
	logkit_gc(k, 1000001010, PV_GC_START, FULL);
	logkit_gc(k, 1000001060, PV_GC_END, FULL);
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_eq(gc->pauses.n, 1);
	ck_assert_int_eq(gc->pause_ns, 100);
	ck_assert_int_eq(gc->collections.v[1].pause_ns, 0);
	logkit_free(k);
}
END_TEST

static void resize(struct logkit *k, int64_t t, uint64_t bytes)
{
	logkit_event(k, t, (struct pv_event){ .kind = PV_KIND_GC_RESIZE, .resize = { bytes, 0 } });
}

static void check_heap(struct logkit *k, size_t i, uint64_t before, uint64_t after)
{
	uint64_t got_before, got_after;
	pv_gc_heap_around(&logkit_model(k)->gc, i, &got_before, &got_after);
	ck_assert_uint_eq(got_before, before);
	ck_assert_uint_eq(got_after, after);
}

/* One stop, in which the size is said when the collection is over, and, `before` not 0, at its
 * start. */
static void collect_sized(struct logkit *k, int64_t t, uint64_t before, uint64_t after)
{
	logkit_gc(k, t, PV_GC_PRE_STOP, 0);
	logkit_gc(k, t + 20, PV_GC_START, 0);
	if (before)
		resize(k, t + 21, before);
	logkit_gc(k, t + 80, PV_GC_END, 0);
	resize(k, t + 85, after);
	logkit_gc(k, t + 100, PV_GC_POST_START, 0);
}

/* The heap after the last collection is not the one before the next. */
START_TEST(the_heap_before_a_collection)
{
	struct logkit *k = logkit_new(17);
	collect_sized(k, 100, 0, 1000);
	collect_sized(k, 300, 0, 2000);
	resize(k, 450, 7000); /* as a collector says it that grows by itself */
	collect_sized(k, 500, 0, 3000);
	logkit_gc(k, 700, PV_GC_PRE_STOP, 1); /* a short one, and the start of a concurrent one */
	logkit_gc(k, 710, PV_GC_START, 0);
	logkit_gc(k, 720, PV_GC_END, 0);
	logkit_gc(k, 730, PV_GC_START, 1);
	resize(k, 740, 4000);
	logkit_gc(k, 750, PV_GC_POST_START, 1);
	collect_sized(k, 800, 0, 5000);
	check_heap(k, 5, 0, 5000);
	check_heap(k, 0, 0, 1000);
	check_heap(k, 1, 0, 2000);
	check_heap(k, 2, 7000, 3000);
	logkit_free(k);
}
END_TEST

START_TEST(our_probes_say_the_heap_before)
{
	struct logkit *k = logkit_new(17);
	logkit_model(k)->target.args = "profview:mono,gc";
	collect_sized(k, 100, 5000, 1000);
	logkit_gc(k, 300, PV_GC_PRE_STOP, 1); /* a concurrent one begins ... */
	logkit_gc(k, 310, PV_GC_START, 1);
	resize(k, 311, 6000);
	logkit_gc(k, 320, PV_GC_POST_START, 1);
	collect_sized(k, 400, 8000, 3000);
	resize(k, 600, 4000);
	logkit_gc(k, 610, PV_GC_END, 1); /* ... and ends while the world goes on */
	collect_sized(k, 700, 9000, 2500);
	check_heap(k, 0, 5000, 1000);
	check_heap(k, 1, 6000, 4000);
	check_heap(k, 2, 8000, 3000);
	check_heap(k, 3, 9000, 2500);
	logkit_free(k);
}
END_TEST

START_TEST(one_collection)
{
	struct logkit *k = logkit_new(17);
	resize(k, 1, 1000);
	logkit_alloc(k, 5, CLASS, 0x8000, 300);
	logkit_gc(k, 100, PV_GC_PRE_STOP, 0);
	logkit_gc(k, 120, PV_GC_START, 0);
	logkit_gc(k, 180, PV_GC_END, 0);
	resize(k, 185, 4000);
	logkit_gc(k, 200, PV_GC_POST_START, 0);
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_eq(gc->collections.n, 1);
	const struct pv_collection *c = &gc->collections.v[0];
	ck_assert_int_eq(c->start_ns, LOGKIT_ZERO + 120);
	ck_assert_int_eq(c->duration_ns, 60);
	ck_assert_int_eq(c->pause_ns, 100);
	ck_assert(!c->concurrent);
	ck_assert_uint_eq(c->allocated, 300);
	uint64_t before, after;
	pv_gc_heap_around(gc, 0, &before, &after);
	ck_assert_uint_eq(before, 1000);
	ck_assert_uint_eq(after, 4000);
	ck_assert_uint_eq(gc->pauses.n, 1);
	ck_assert_int_eq(gc->pauses.v[0].start_ns, LOGKIT_ZERO + 100);
	ck_assert_int_eq(gc->pauses.v[0].duration_ns, 100);
	ck_assert_uint_eq(gc->resizes, 2);
	ck_assert_uint_eq(gc->max_heap_bytes, 4000);
	ck_assert_uint_eq(gc->heap_bytes, 4000);
	ck_assert_uint_eq(gc->started[0], 1);
	ck_assert_int_eq(pv_gc_generation(gc, 0).total_ns, 60);
	logkit_free(k);
}
END_TEST

START_TEST(a_concurrent_one_spans_stops)
{
	struct logkit *k = logkit_new(17);
	logkit_gc(k, 1000, PV_GC_PRE_STOP, FULL); /* 100 ns stop that starts it */
	logkit_gc(k, 1050, PV_GC_START, FULL);
	logkit_gc(k, 1100, PV_GC_POST_START, FULL);
	collect(k, 2000, YOUNG);
	logkit_flush(k);
	logkit_on(k, 2); /* minor ones between run on other threads, too */
	collect(k, 3000, YOUNG);
	logkit_gc(k, 5000, PV_GC_PRE_STOP, FULL); /* 300 ns stop that ends it */
	logkit_gc(k, 5200, PV_GC_END, FULL);
	logkit_gc(k, 5300, PV_GC_POST_START, FULL);
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_eq(gc->collections.n, 3);
	const struct pv_collection *full = &gc->collections.v[0];
	ck_assert_uint_eq(full->generation, FULL);
	ck_assert(full->concurrent);
	ck_assert_int_eq(full->duration_ns, 5200 - 1050);
	ck_assert_int_eq(full->pause_ns, 100 + 300);
	ck_assert_int_eq(gc->collections.v[1].duration_ns, 60);
	ck_assert(!gc->collections.v[1].concurrent);
	ck_assert_int_eq(gc->collections.v[2].pause_ns, 100);
	ck_assert_uint_eq(gc->pauses.n, 4);
	ck_assert_int_eq(gc->pause_ns, 100 + 100 + 100 + 300);
	ck_assert_int_eq(gc->pause_max_ns, 300);
	ck_assert_uint_eq(gc->started[YOUNG], 2);
	ck_assert_int_eq(pv_gc_generation(gc, FULL).max_ns, 4150);
	logkit_free(k);
}
END_TEST

START_TEST(buffers_may_come_in_any_order)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 2); /* ends of two concurrent collections, the later one first in the file */
	logkit_gc(k, 9000, PV_GC_PRE_STOP, FULL);
	logkit_gc(k, 9010, PV_GC_END, FULL);
	logkit_gc(k, 9020, PV_GC_POST_START, FULL);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_gc(k, 1000, PV_GC_PRE_STOP, FULL);
	logkit_gc(k, 1010, PV_GC_START, FULL);
	logkit_gc(k, 1040, PV_GC_POST_START, FULL);
	logkit_flush(k);
	ck_assert_int_eq(k->model->gc.collections.v[0].duration_ns, 8000);
	logkit_on(k, 3);
	logkit_gc(k, 4000, PV_GC_PRE_STOP, FULL);
	logkit_gc(k, 4010, PV_GC_END, FULL);
	logkit_gc(k, 4015, PV_GC_POST_START, FULL);
	logkit_flush(k);
	logkit_on(k, 4);
	logkit_gc(k, 6000, PV_GC_PRE_STOP, FULL);
	logkit_gc(k, 6010, PV_GC_START, FULL);
	logkit_gc(k, 6050, PV_GC_POST_START, FULL);
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_eq(gc->collections.n, 2);
	ck_assert_int_eq(gc->collections.v[0].duration_ns, 3000);
	ck_assert_int_eq(gc->collections.v[0].pause_ns, 40 + 15);
	ck_assert_int_eq(gc->collections.v[1].start_ns, LOGKIT_ZERO + 6010);
	ck_assert_int_eq(gc->collections.v[1].duration_ns, 3000);
	ck_assert_int_eq(gc->collections.v[1].pause_ns, 50 + 20);
	ck_assert_int_eq(pv_gc_generation(gc, FULL).total_ns, 6000);
	ck_assert_int_eq(pv_gc_generation(gc, FULL).max_ns, 3000);
	ck_assert_int_eq(gc->pauses.v[0].start_ns, LOGKIT_ZERO + 1000);
	ck_assert_int_eq(gc->pauses.v[3].start_ns, LOGKIT_ZERO + 9000);
	logkit_free(k);
}
END_TEST

START_TEST(a_missing_end_stays_open)
{
	struct logkit *k = logkit_new(17);
	logkit_gc(k, 100, PV_GC_PRE_STOP, 0);
	logkit_gc(k, 120, PV_GC_START, 0);
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_int_eq(gc->collections.v[0].end_ns, PV_NEVER);
	ck_assert_int_eq(gc->collections.v[0].duration_ns, 0);
	ck_assert_uint_eq(gc->pauses.n, 0);
	ck_assert_uint_eq(gc->started[0], 1);
	logkit_free(k);
}
END_TEST

START_TEST(allocations_count_for_the_next_collection)
{
	struct logkit *k = logkit_new(17);
	const int64_t ms = LOGKIT_MS;
	logkit_alloc(k, 1 * ms, CLASS, 0x8000, 10);
	collect(k, 2 * ms, YOUNG);
	logkit_alloc(k, 3 * ms, CLASS, 0x8010, 20);
	collect(k, 4 * ms, YOUNG);
	logkit_alloc(k, 5 * ms, CLASS, 0x8020, 40);
	logkit_flush(k);
	logkit_on(k, 2); /* the other thread's buffer comes last */
	logkit_alloc(k, 1 * ms, CLASS, 0x9000, 100);
	logkit_alloc(k, 3 * ms, CLASS, 0x9010, 200);
	logkit_alloc(k, 6 * ms, CLASS, 0x9020, 400);
	logkit_flush(k);
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_eq(gc->collections.v[0].allocated, 110);
	ck_assert_uint_eq(gc->collections.v[1].allocated, 220);
	logkit_on(k, 3); /* and a collection in the middle of what waits */
	collect(k, 5 * ms + 500, FULL);
	logkit_flush(k);
	ck_assert_uint_eq(gc->collections.v[2].allocated, 40);
	collect(k, 7 * ms, YOUNG);
	logkit_flush(k);
	ck_assert_uint_eq(gc->collections.v[3].allocated, 400);
	logkit_free(k);
}
END_TEST

START_TEST(handles_moves_and_finalizers)
{
	struct logkit *k = logkit_new(17);
	for (uint64_t type = 0; type < 6; type++)
		logkit_event(k, 10,
			(struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
				.handle = { type, 100 + type, 0x8000, { 0, 0 } } });
	logkit_event(k, 20,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_DESTROYED,
			.handle = { .type = 3, .handle = 103 } });
	struct pv_span pairs = LOGKIT_LIST(k, 0x8000, 0x9000, 0x8010, 0x9010, 0x8020, 0x9020);
	logkit_event(k, 30, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { pairs } });
	logkit_plain(k, 40, PV_KIND_GC_FINALIZE_START);
	for (int i = 0; i < 3; i++) {
		logkit_event(k, 41 + i,
			(struct pv_event){
				.kind = PV_KIND_GC_FINALIZE_OBJECT_START, .finalize = { 0x8000 } });
		logkit_event(k, 45 + i,
			(struct pv_event){
				.kind = PV_KIND_GC_FINALIZE_OBJECT_END, .finalize = { 0x8000 } });
	}
	logkit_plain(k, 90, PV_KIND_GC_FINALIZE_END);
	const struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->handles.type[PV_HANDLE_WEAK].created, 1);
	ck_assert_uint_eq(m->handles.type[PV_HANDLE_PINNED].created, 1);
	ck_assert_uint_eq(m->handles.type[PV_HANDLE_OTHER].created, 2); /* unknown types */
	ck_assert_uint_eq(m->handles.type[PV_HANDLE_PINNED].destroyed, 1);
	ck_assert_uint_eq(m->gc.moved, 3);
	ck_assert_uint_eq(m->finalizers.started, 3);
	ck_assert_uint_eq(m->finalizers.ended, 3);
	ck_assert_uint_eq(m->finalizers.runs.objects, 1);
	ck_assert_int_eq(m->finalizers.runs.total_ns, 50);
	logkit_free(k);
}
END_TEST

static void finalizer(struct logkit *k, int64_t t, bool begins, uint64_t object)
{
	enum pv_kind kind =
		begins ? PV_KIND_GC_FINALIZE_OBJECT_START : PV_KIND_GC_FINALIZE_OBJECT_END;
	logkit_event(k, t, (struct pv_event){ .kind = (uint8_t)kind, .finalize = { object } });
}

/* Within one another, of one object in two threads, and of one whose end was missed. */
START_TEST(finalizers_end_in_any_order)
{
	struct logkit *k = logkit_new(17);
	finalizer(k, 10, true, 0x8000);
	finalizer(k, 20, true, 0x8010);
	finalizer(k, 25, false, 0x8000); /* 15 */
	finalizer(k, 26, false, 0x8010); /* 6 */
	finalizer(k, 30, true, 0x8020);
	finalizer(k, 40, true, 0x8020);
	finalizer(k, 43, false, 0x8020); /* 3 */
	finalizer(k, 44, false, 0x8020); /* it has none */
	finalizer(k, 50, true, 0x8030);
	logkit_flush(k);
	logkit_on(k, 2);
	finalizer(k, 60, true, 0x8030);
	finalizer(k, 61, false, 0x8030); /* 1 */
	logkit_flush(k);
	logkit_on(k, 1);
	finalizer(k, 150, false, 0x8030); /* 100 */
	const struct pv_finalizers *f = &logkit_model(k)->finalizers;
	ck_assert_uint_eq(f->started, 6);
	ck_assert_uint_eq(f->ended, 6);
	ck_assert_uint_eq(f->of_class.v[0].timed, 5);
	ck_assert_int_eq(f->of_class.v[0].total_ns, 15 + 6 + 3 + 1 + 100);
	ck_assert_int_eq(f->of_class.v[0].max_ns, 100);
	logkit_free(k);
}
END_TEST

START_TEST(the_oldest_finalizers_are_forgotten)
{
	struct logkit *k = logkit_new(17);
	for (int i = 0; i <= PV_FINALIZING_MAX; i++)
		finalizer(k, 10 + i, true, 0x8000 + 16 * (uint64_t)i);
	finalizer(k, 10000, false, 0x8000);
	ck_assert_uint_eq(logkit_model(k)->finalizers.of_class.v[0].timed, 0);
	finalizer(k, 10001, false, 0x8010);
	ck_assert_uint_eq(logkit_model(k)->finalizers.of_class.v[0].timed, 1);
	ck_assert_int_eq(logkit_model(k)->finalizers.of_class.v[0].max_ns, 10001 - 11);
	finalizer(k, 10002, false, 0x8000 + 16 * PV_FINALIZING_MAX);
	ck_assert_uint_eq(logkit_model(k)->finalizers.of_class.v[0].timed, 2);
	ck_assert_uint_eq(logkit_model(k)->finalizers.ended, 3);
	logkit_free(k);
}
END_TEST

START_TEST(full_lists_halve_and_keep_their_sums)
{
	struct logkit *k = logkit_new(17);
	const int n = PV_GC_LIST + 10;
	for (int i = 0; i < n; i++) {
		collect(k, i * 1000, i % 2 ? FULL : YOUNG);
		resize(k, i * 1000 + 500, (uint64_t)i + 1);
		if (i % 1000 == 0)
			logkit_flush(k);
	}
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_le(gc->collections.n, PV_GC_LIST);
	ck_assert_uint_le(gc->pauses.n, PV_GC_LIST);
	ck_assert_uint_le(gc->sizes.n, PV_GC_LIST);
	ck_assert_uint_gt(gc->folded, 0);
	uint64_t count = 0;
	int64_t total = 0, pauses = 0;
	for (size_t i = 0; i < gc->collections.n; i++) {
		count += gc->collections.v[i].merged;
		total += gc->collections.v[i].duration_ns;
		ck_assert(i == 0 ||
			  gc->collections.v[i].start_ns >= gc->collections.v[i - 1].start_ns);
	}
	for (size_t i = 0; i < gc->pauses.n; i++)
		pauses += gc->pauses.v[i].duration_ns;
	ck_assert_uint_eq(count, (uint64_t)n);
	ck_assert_int_eq(total, 60 * (int64_t)n);
	ck_assert_int_eq(pauses, 100 * (int64_t)n);
	ck_assert_int_eq(
		pv_gc_generation(gc, YOUNG).total_ns + pv_gc_generation(gc, FULL).total_ns, total);
	ck_assert_uint_eq(gc->heap_bytes, (uint64_t)n);
	uint64_t before, after;
	pv_gc_heap_around(gc, gc->collections.n - 1, &before, &after);
	ck_assert_uint_eq(after, (uint64_t)n - 1); /* the newest size came later */
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model gc");
	TCase *t = tcase_create("gc");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, the_stock_profilers_second_at_exit_is_no_pause);
	tcase_add_loop_test(t, a_long_stop_of_a_program_is_one, 0, 3);
	tcase_add_test(t, a_stop_that_never_ends_is_no_pause);
	tcase_add_test(t, the_heap_before_a_collection);
	tcase_add_test(t, our_probes_say_the_heap_before);
	tcase_add_test(t, one_collection);
	tcase_add_test(t, a_concurrent_one_spans_stops);
	tcase_add_test(t, buffers_may_come_in_any_order);
	tcase_add_test(t, a_missing_end_stays_open);
	tcase_add_test(t, allocations_count_for_the_next_collection);
	tcase_add_test(t, handles_moves_and_finalizers);
	tcase_add_test(t, finalizers_end_in_any_order);
	tcase_add_test(t, the_oldest_finalizers_are_forgotten);
	tcase_add_test(t, full_lists_halve_and_keep_their_sums);
	suite_add_tcase(s, t);
	return run_suite(s);
}

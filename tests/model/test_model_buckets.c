/* SPDX-License-Identifier: MIT */
/* Time buckets: splits, edges, merging, and agreement with exact figures of a range. */
#include "common/model/time/buckets_parts.h"
#include "common/model/persist.h"
#include "common/model/time/window.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { METHODS = 12, THREADS = 3, CAR = 0x500 };
#define MS ((int64_t)LOGKIT_MS)

static uint64_t key(unsigned i)
{
	return 0x1000 + 0x10 * i;
}

static struct logkit *world(const struct pv_restrict *only)
{
	struct logkit *k = logkit_new_only(17, only);
	logkit_on(k, 9);
	for (unsigned i = 0; i < METHODS; i++) {
		char name[] = { (char)('A' + i), 0 };
		logkit_method(k, 0, key(i), name);
	}
	logkit_class(k, 0, CAR, "Car");
	logkit_flush(k);
	logkit_on(k, 1);
	return k;
}

/* Sums of the buckets of [from, to), ns since zero. */
static struct pv_bucket_sums sums(struct logkit *k, int64_t from, int64_t to)
{
	struct pv_bucket_sums s;
	ck_assert(pv_buckets_sum(logkit_model(k), LOGKIT_ZERO + from, LOGKIT_ZERO + to, &s));
	for (size_t i = 1; i < s.entry.n; i++) {
		const struct pv_bucket_entry *a = &s.entry.v[i - 1], *b = &s.entry.v[i];
		ck_assert(a->what < b->what || (a->what == b->what && a->id < b->id));
	}
	return s;
}

static struct pv_bucket_entry in(
	const struct pv_bucket_sums *s, enum pv_bucket_what what, uint32_t id)
{
	for (size_t i = 0; i < s->entry.n; i++)
		if (s->entry.v[i].what == what && s->entry.v[i].id == id)
			return s->entry.v[i];
	return (struct pv_bucket_entry){ 0 };
}

static uint32_t method_id(struct logkit *k, unsigned i)
{
	return pv_names_method(&k->model->names, key(i), 0);
}

static struct pv_bucket_entry method_in(struct logkit *k, int64_t from, int64_t to, unsigned i)
{
	struct pv_bucket_sums s = sums(k, from, to);
	struct pv_bucket_entry e = in(&s, PV_BUCKET_METHOD, method_id(k, i));
	pv_bucket_sums_finish(&s);
	return e;
}

START_TEST(self_time_is_split_at_the_edges)
{
	struct logkit *k = world(NULL);
	logkit_enter(k, 50 * MS, key(0)); /* open for 2 s without a word */
	logkit_enter(k, 2050 * MS, key(1));
	logkit_leave(k, 2060 * MS, key(1));
	logkit_leave(k, 2070 * MS, key(0));
	ck_assert_int_eq(method_in(k, 0, 100 * MS, 0).amount, 50 * MS);
	ck_assert_uint_eq(method_in(k, 0, 100 * MS, 0).count, 1);
	ck_assert_int_eq(method_in(k, 500 * MS, 700 * MS, 0).amount, 200 * MS);
	ck_assert_uint_eq(method_in(k, 500 * MS, 700 * MS, 0).count, 0);
	ck_assert_int_eq(method_in(k, 2000 * MS, 2100 * MS, 0).amount, 60 * MS);
	ck_assert_int_eq(method_in(k, 0, 3000 * MS, 0).amount, 2010 * MS);
	/* whole buckets only, and the answer says which */
	struct pv_bucket_sums s = sums(k, 130 * MS, 210 * MS);
	ck_assert_int_eq(s.from_ns, LOGKIT_ZERO + 100 * MS);
	ck_assert_int_eq(s.to_ns, LOGKIT_ZERO + 300 * MS);
	ck_assert_int_eq(in(&s, PV_BUCKET_METHOD, method_id(k, 0)).amount, 200 * MS);
	ck_assert_int_eq(in(&s, PV_BUCKET_THREAD, logkit_thread(k, 1, 1)->index).amount, 200 * MS);
	pv_bucket_sums_finish(&s);
	logkit_free(k);
}
END_TEST

START_TEST(open_frames_count_up_to_their_last_event)
{
	struct logkit *k = world(NULL);
	logkit_enter(k, 100 * MS, key(0));
	logkit_object(k, 5000 * MS, PV_KIND_EXCEPTION_THROW, 0x8000);
	ck_assert_int_eq(method_in(k, 1000 * MS, 2000 * MS, 0).amount, 1000 * MS);
	ck_assert_int_eq(method_in(k, 4900 * MS, 9000 * MS, 0).amount, 100 * MS);
	ck_assert_int_eq(method_in(k, INT64_MIN / 2, INT64_MAX / 2, 0).amount, 4900 * MS);
	logkit_free(k);
}
END_TEST

START_TEST(a_thread_without_calls_open_has_no_self_time)
{
	struct logkit *k = world(NULL);
	for (int i = 0; i < 5; i++) {
		logkit_enter(k, i * 70 * MS, key(0));
		logkit_leave(k, i * 70 * MS + 20 * MS, key(0));
		logkit_leave(k, i * 70 * MS + 30 * MS, key(3)); /* without an enter */
	}
	logkit_flush(k);
	logkit_enter(k, 900 * MS, key(0));
	logkit_leave(k, 910 * MS, key(0));
	struct pv_bucket_sums s = sums(k, 0, 1000 * MS);
	struct pv_bucket_entry e = in(&s, PV_BUCKET_THREAD, logkit_thread(k, 1, 1)->index);
	ck_assert_int_eq(e.amount, 110 * MS);
	ck_assert_uint_eq(e.count, 6);
	pv_bucket_sums_finish(&s);
	logkit_free(k);
}
END_TEST

/* While a flush is under way, and others look in between. */
START_TEST(what_a_flush_has_gathered_counts_already)
{
	struct logkit *k = world(NULL);
	logkit_enter(k, 10 * MS, key(0));
	logkit_leave(k, 20 * MS, key(0));
	logkit_enter(k, 350 * MS, key(1)); /* another cell: what was before is put away */
	logkit_leave(k, 360 * MS, key(1));
	logkit_flush(k);
	struct pv_model *m = k->model;
	const struct pv_bucket_entry e = { PV_BUCKET_METHOD, method_id(k, 0), 1, 2 };
	enum { TIMES = 100000 };
	for (int i = 0; i < TIMES; i++)
		ck_assert(pv_buckets_gather(m, LOGKIT_ZERO + 50 * MS, &e));
	ck_assert_uint_gt(m->buckets->gathered.n, 0);
	ck_assert_uint_lt(m->buckets->gathered.n, TIMES / 2); /* however many come */
	for (int put = 0; put < 2; put++) {
		ck_assert_uint_eq(method_in(k, 0, 100 * MS, 0).count, 1 + TIMES);
		ck_assert_int_eq(method_in(k, 0, 100 * MS, 0).amount, 10 * MS + 2 * TIMES);
		ck_assert_uint_eq(method_in(k, 100 * MS, 900 * MS, 0).count, 0);
		ck_assert_uint_eq(method_in(k, 0, 900 * MS, 1).count, 1);
		ck_assert(pv_buckets_put_gathered(m));
		ck_assert_uint_eq(m->buckets->gathered.n, 0);
	}
	ck_assert_uint_lt(m->buckets->bucket.v[0].entry.n, 20); /* equal ones were made one */
	logkit_free(k);
}
END_TEST

/* --- random logs */

static uint32_t state;

static unsigned rnd(unsigned below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 10) % below;
}

/* Calls of some threads, with allocations and samples, 6 s long, time stepping back now and then.
 */
static void play(struct logkit *k, uint32_t seed)
{
	state = seed;
	int64_t t[THREADS] = { 0 };
	unsigned depth[THREADS] = { 0 }, open[THREADS][64];
	for (int i = 0; i < 3000; i++) {
		unsigned th = rnd(THREADS);
		logkit_on(k, th + 1);
		t[th] += (int64_t)rnd(12 * LOGKIT_MS);
		if (rnd(50) == 0)
			t[th] += (int64_t)rnd(LOGKIT_MS) * 400;
		int64_t now = t[th] - (rnd(40) == 0 ? (int64_t)rnd(LOGKIT_MS) : 0);
		unsigned what = rnd(10);
		if (what < 4 && depth[th] < 60) {
			open[th][depth[th]] = rnd(METHODS);
			logkit_enter(k, now, key(open[th][depth[th]++]));
		} else if (what < 8 && depth[th]) {
			logkit_leave(k, now, key(open[th][--depth[th]]));
		} else if (what == 8) {
			logkit_alloc(k, now, CAR, 0x100000 + 64 * (uint64_t)i, 8 + rnd(100));
		} else {
			struct pv_event e = { .kind = PV_KIND_SAMPLE_HIT };
			e.hit.thread = th + 1;
			e.hit.frames = LOGKIT_LIST(k, key(rnd(METHODS)), key(0));
			logkit_event(k, now, e);
		}
		if (rnd(60) == 0)
			logkit_flush(k);
	}
}

static void check_equal(struct logkit *exact, const struct pv_bucket_sums *s, struct logkit *k)
{
	int64_t self = 0, of_threads = 0;
	uint64_t calls = 0;
	for (unsigned i = 0; i < METHODS; i++) {
		char name[] = { (char)('A' + i), 0 };
		struct pv_method_sum e = logkit_sum(exact, name);
		uint32_t id = method_id(k, i);
		ck_assert_uint_eq(in(s, PV_BUCKET_METHOD, id).count, e.calls);
		ck_assert_int_eq(in(s, PV_BUCKET_METHOD, id).amount, e.self_ns);
		ck_assert_uint_eq(in(s, PV_BUCKET_METHOD_SAMPLES, id).count, e.samples_self);
		self += e.self_ns;
		calls += e.calls;
	}
	for (uint64_t t = 1; t <= THREADS; t++) {
		const struct pv_thread *th = logkit_thread(exact, t, 1);
		uint32_t at = logkit_thread(k, t, 1)->index;
		of_threads += in(s, PV_BUCKET_THREAD, at).amount;
		ck_assert_uint_eq(in(s, PV_BUCKET_THREAD, at).count, th->calls);
		ck_assert_uint_eq(in(s, PV_BUCKET_THREAD_SAMPLES, at).count, th->samples);
		ck_assert_uint_eq(in(s, PV_BUCKET_THREAD_BYTES, at).count, th->allocations);
		ck_assert_int_eq(
			in(s, PV_BUCKET_THREAD_BYTES, at).amount, (int64_t)th->allocated_bytes);
	}
	ck_assert_int_eq(of_threads, self);
	struct pv_class_allocs car = logkit_allocs(exact, "Car");
	uint32_t id = pv_names_class(&k->model->names, logkit_type(k, CAR), LOGKIT_ZERO);
	ck_assert_uint_eq(in(s, PV_BUCKET_CLASS, id).count, car.count);
	ck_assert_int_eq(in(s, PV_BUCKET_CLASS, id).amount, (int64_t)car.bytes);
	ck_assert_uint_gt(calls + car.count, 0);
}

START_TEST(a_range_on_edges_is_exact)
{
	static const struct {
		int64_t from, to;
	} range[] = { { 0, 1000 }, { 1500, 1600 }, { 300, 4100 }, { 0, 100000 } };
	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct logkit *k = world(NULL);
		play(k, seed);
		for (size_t i = 0; i < PV_COUNT_OF(range); i++) {
			const struct pv_restrict only = { .ranged = true,
				.from_ns = range[i].from * MS,
				.to_ns = range[i].to * MS };
			struct logkit *exact = world(&only);
			play(exact, seed);
			logkit_model(exact);
			struct pv_bucket_sums s = sums(k, only.from_ns, only.to_ns);
			check_equal(exact, &s, k);
			pv_bucket_sums_finish(&s);
			ck_assert_ptr_null(exact->model->buckets);
			logkit_free(exact);
		}
		logkit_free(k);
	}
}
END_TEST

START_TEST(full_buckets_become_wider)
{
	struct logkit *k = world(NULL), *all = world(NULL);
	k->model->buckets->limit = 6000;
	play(k, 7);
	play(all, 7);
	struct pv_bucket_sums s = sums(k, -1000 * MS, 1000000 * MS);
	const struct pv_buckets *b = k->model->buckets;
	ck_assert_int_gt(b->width, PV_WINDOW_CELL_MS * MS);
	ck_assert_uint_le(b->bytes, b->limit);
	size_t bytes = 0;
	for (size_t i = 0; i < b->bucket.n; i++)
		bytes += b->bucket.v[i].entry.room * sizeof *b->bucket.v[i].entry.v;
	ck_assert_uint_eq(bytes, b->bytes);
	check_equal(all, &s, k);
	pv_bucket_sums_finish(&s);
	logkit_free(all);
	logkit_free(k);
}
END_TEST

START_TEST(too_many_buckets_become_wider)
{
	struct logkit *k = world(NULL);
	k->model->buckets->most = 16;
	for (int i = 0; i < 40; i++) {
		logkit_enter(k, i * 130 * MS, key(0));
		logkit_leave(k, i * 130 * MS + 5 * MS, key(0));
	}
	/* and as long as a clock can be */
	logkit_enter(k, 6000 * MS, key(1));
	logkit_leave(k, INT64_MAX / 4, key(1));
	ck_assert_uint_eq(method_in(k, INT64_MIN / 2, INT64_MAX / 2, 0).count, 40);
	ck_assert_int_eq(method_in(k, INT64_MIN / 2, INT64_MAX / 2, 0).amount, 200 * MS);
	ck_assert_int_eq(
		method_in(k, INT64_MIN / 2, INT64_MAX / 2, 1).amount, INT64_MAX / 4 - 6000 * MS);
	ck_assert_uint_le(k->model->buckets->bucket.n, 16);
	logkit_free(k);
}
END_TEST

struct bytes {
	PV_ARRAY(uint8_t) at;
};

static bool keep(void *ctx, const void *bytes, size_t n)
{
	struct bytes *b = ctx;
	ck_assert(pv_reserve(&b->at, n));
	memcpy(b->at.v + b->at.n, bytes, n);
	b->at.n += n;
	return true;
}

static bool get(void *ctx, void *to, size_t n)
{
	struct bytes *b = ctx; /* `room` is how far it was read */
	ck_assert_uint_le(n, b->at.n - b->at.room);
	memcpy(to, b->at.v + b->at.room, n);
	b->at.room += n;
	return true;
}

START_TEST(saved_and_loaded_they_go_on)
{
	struct logkit *k = world(NULL);
	play(k, 11);
	struct bytes b = { 0 };
	ck_assert(pv_model_save(logkit_model(k), keep, &b));
	struct logkit *again = world(NULL);
	pv_model_destroy(again->model);
	again->model = pv_model_create(NULL);
	struct bytes reading = { .at = { b.at.v, b.at.n, 0 } };
	ck_assert(pv_model_load(again->model, get, &reading, b.at.n));
	for (int64_t from = 0; from < 8000; from += 900) {
		struct pv_bucket_sums x = sums(k, from * MS, from * MS + 1900 * MS);
		struct pv_bucket_sums y = sums(again, from * MS, from * MS + 1900 * MS);
		ck_assert_uint_eq(x.entry.n, y.entry.n);
		for (size_t i = 0; i < x.entry.n; i++)
			ck_assert_mem_eq(&x.entry.v[i], &y.entry.v[i], sizeof x.entry.v[i]);
		pv_bucket_sums_finish(&x);
		pv_bucket_sums_finish(&y);
	}
	pv_array_finish(&b.at);
	logkit_free(again);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model buckets");
	TCase *t = tcase_create("buckets");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, self_time_is_split_at_the_edges);
	tcase_add_test(t, open_frames_count_up_to_their_last_event);
	tcase_add_test(t, a_thread_without_calls_open_has_no_self_time);
	tcase_add_test(t, what_a_flush_has_gathered_counts_already);
	tcase_add_test(t, a_range_on_edges_is_exact);
	tcase_add_test(t, full_buckets_become_wider);
	tcase_add_test(t, too_many_buckets_become_wider);
	tcase_add_test(t, saved_and_loaded_they_go_on);
	suite_add_tcase(s, t);
	return run_suite(s);
}

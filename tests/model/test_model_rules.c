/* SPDX-License-Identifier: MIT */
/* The rules of calls as properties: random worlds against a plain reading of the same events. */
#include <stdio.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { METHODS = 6, THREADS = 4, DEPTH = 400, EVENTS = 4000, FIRST_METHOD = 0xa0 };

struct frame {
	unsigned method;
	int64_t enter;
};

/* The meaning of a thread's events, as the rules say it. */
struct reader {
	struct frame frame[DEPTH];
	unsigned depth;
	int64_t first, last;
	bool any;
};

struct figures {
	uint64_t calls, strays;
	int64_t total, self;
};

struct plain {
	struct reader thread[THREADS];
	struct figures of[METHODS];
	uint64_t strays;
};

static uint64_t state;

static unsigned any(unsigned below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(state >> 33) % below;
}

static bool below(const struct reader *r, unsigned depth, unsigned method)
{
	for (unsigned i = 0; i < depth; i++)
		if (r->frame[i].method == method)
			return true;
	return false;
}

static void pop(struct plain *p, struct reader *r, int64_t t)
{
	const struct frame *f = &r->frame[--r->depth];
	if (!below(r, r->depth, f->method))
		p->of[f->method].total += t - f->enter;
}

static void close_all(struct plain *p, struct reader *r)
{
	while (r->depth)
		pop(p, r, r->last);
}

static void pass(struct plain *p, struct reader *r, int64_t t)
{
	if (r->depth)
		p->of[r->frame[r->depth - 1].method].self += t - r->last;
	if (!r->any)
		r->first = t;
	r->any = true;
	r->last = t;
}

static void enter(struct plain *p, struct reader *r, int64_t t, unsigned method)
{
	pass(p, r, t);
	r->frame[r->depth++] = (struct frame){ method, t };
	p->of[method].calls++;
}

static void leave(struct plain *p, struct reader *r, int64_t t, unsigned method)
{
	pass(p, r, t);
	if (!below(r, r->depth, method)) {
		p->strays++;
		return;
	}
	while (r->frame[r->depth - 1].method != method)
		pop(p, r, t);
	pop(p, r, t);
}

/* Enters and leaves that seldom fit together, on a thread. */
static void event(struct logkit *k, struct plain *p, unsigned thread, int64_t t)
{
	struct reader *r = &p->thread[thread];
	unsigned method = any(METHODS), what = any(8);
	logkit_on(k, thread + 1);
	if (what < 3 && r->depth < DEPTH) {
		enter(p, r, t, method);
		logkit_enter(k, t, FIRST_METHOD + method);
		return;
	}
	if (what < 7 && r->depth) /* mostly of what is open */
		method = r->frame[what < 6 ? r->depth - 1 : any(r->depth)].method;
	leave(p, r, t, method);
	(what == 4 ? logkit_exc_leave : logkit_leave)(k, t, FIRST_METHOD + method);
}

/* A damaged tail on one thread, or bytes lost between buffers, which may be any thread's. */
static void lose(struct logkit *k, struct plain *p, int64_t t)
{
	unsigned thread = any(THREADS);
	logkit_model(k); /* everything so far stands before the gap */
	logkit_on(k, thread + 1);
	if (any(2)) {
		for (unsigned i = 0; i < THREADS; i++)
			close_all(p, &p->thread[i]);
		k->gap = true;
		event(k, p, thread, t);
	} else {
		event(k, p, thread, t);
		close_all(p, &p->thread[thread]);
		k->damage = 3;
	}
	logkit_model(k);
}

static void compare(struct logkit *k, const struct plain *p)
{
	int64_t walls = 0, selves = 0;
	for (unsigned i = 0; i < THREADS; i++)
		walls += p->thread[i].last - p->thread[i].first;
	for (unsigned i = 0; i < METHODS; i++) {
		char name[8];
		snprintf(name, sizeof name, "M%u", i);
		struct pv_method_sum got = logkit_sum(k, name);
		ck_assert_uint_eq(got.calls, p->of[i].calls);
		ck_assert_int_eq(got.total_ns, p->of[i].total);
		ck_assert_int_eq(got.self_ns, p->of[i].self);
		ck_assert_int_le(got.total_ns, walls);
		ck_assert_int_le(got.max_ns, got.total_ns);
		selves += got.self_ns;
	}
	ck_assert_int_gt(selves, 0);
	ck_assert_int_le(selves, walls);
	ck_assert_uint_eq(k->model->calls.stray_leaves, p->strays);
}

static void name_methods(struct logkit *k)
{
	char name[8];
	for (unsigned i = 0; i < METHODS; i++) {
		snprintf(name, sizeof name, "M%u", i);
		logkit_method(k, 0, FIRST_METHOD + i, name);
	}
	logkit_model(k);
}

START_TEST(random_calls_are_what_the_rules_say)
{
	struct logkit *k = logkit_new(_i % 2 ? 17 : 12);
	struct plain *p = calloc(1, sizeof *p);
	int64_t t = 1000;
	ck_assert_ptr_nonnull(p);
	state = (uint64_t)_i * 7919 + 1;
	logkit_on(k, 1);
	p->thread[0] = (struct reader){ .any = true };
	name_methods(k);
	for (int i = 0; i < EVENTS; i++) {
		t += any(50);
		event(k, p, any(THREADS), t);
		if (any(100) == 0)
			logkit_flush(k);
		if (any(400) == 0)
			lose(k, p, t);
	}
	for (unsigned i = 0; i < THREADS; i++)
		close_all(p, &p->thread[i]);
	compare(k, p);
	free(p);
	logkit_free(k);
}
END_TEST

/* One thread of the same log only: what is its own stays within its own time. */
START_TEST(a_threads_self_times_stay_within_its_wall_time)
{
	const struct pv_restrict only = { .threaded = true, .thread_id = 2 };
	struct logkit *k = logkit_new_only(17, &only);
	struct plain *p = calloc(1, sizeof *p);
	int64_t t = 1000, selves = 0;
	ck_assert_ptr_nonnull(p);
	state = (uint64_t)_i + 99;
	logkit_on(k, 1);
	name_methods(k);
	for (int i = 0; i < EVENTS; i++)
		event(k, p, any(THREADS), t += any(50));
	logkit_model(k);
	for (unsigned i = 0; i < METHODS; i++) {
		char name[8];
		snprintf(name, sizeof name, "M%u", i);
		selves += logkit_sum(k, name).self_ns;
	}
	ck_assert_int_gt(selves, 0);
	ck_assert_int_le(selves, p->thread[1].last - p->thread[1].first);
	free(p);
	logkit_free(k);
}
END_TEST

/*
 * Mono 4.6.0 gives every buffer thread id 0: threads interleave on what resembles one. Whatever is
 * made of it, nothing takes longer than the log, and there is one thread.
 */
START_TEST(buffers_without_threads_never_exceed_the_log)
{
	struct logkit *k = logkit_new(13);
	int64_t t = 0, selves = 0;
	state = (uint64_t)_i + 7;
	logkit_on(k, 0);
	name_methods(k);
	for (int i = 0; i < 400; i++) { /* two threads' buffers in turns */
		unsigned first = i % 2 ? 0 : METHODS / 2;
		for (unsigned n = 1 + any(6); n > 0; n--) {
			uint64_t method = FIRST_METHOD + first + any(METHODS / 2);
			(any(2) ? logkit_enter : logkit_leave)(k, t += any(20), method);
		}
		logkit_flush(k);
	}
	for (unsigned i = 0; i < METHODS; i++) {
		char name[8];
		snprintf(name, sizeof name, "M%u", i);
		ck_assert_int_le(logkit_sum(k, name).total_ns, t);
		selves += logkit_sum(k, name).self_ns;
	}
	ck_assert_int_gt(selves, 0);
	ck_assert_int_le(selves, t);
	ck_assert_uint_eq(k->model->threads.thread.n, 2); /* none and the one */
	logkit_free(k);
}
END_TEST

/* A minor collection within the stops of a concurrent major one, in any interleaving of the two. */
START_TEST(concurrent_collections_do_not_mix)
{
	static const struct {
		int16_t t;
		uint8_t step, generation;
	} steps[] = {
		{ 100, PV_GC_PRE_STOP, 1 },
		{ 110, PV_GC_START, 1 },
		{ 120, PV_GC_POST_START, 1 },
		{ 200, PV_GC_PRE_STOP, 0 },
		{ 210, PV_GC_START, 0 },
		{ 220, PV_GC_END, 0 },
		{ 230, PV_GC_POST_START, 0 },
		{ 300, PV_GC_PRE_STOP, 0 },
		{ 310, PV_GC_START, 0 },
		{ 320, PV_GC_END, 0 },
		{ 325, PV_GC_END, 1 },
		{ 340, PV_GC_POST_START, 1 },
	};
	struct logkit *k = logkit_new(17);
	for (size_t i = 0; i < PV_COUNT_OF(steps); i++) {
		logkit_on(
			k, 1 + ((unsigned)_i >> i % 4) % 2); /* spread over two threads' buffers */
		logkit_gc(k, steps[i].t, steps[i].step, steps[i].generation);
		if (_i >= 8)
			logkit_flush(k);
	}
	const struct pv_gc *gc = &logkit_model(k)->gc;
	ck_assert_uint_eq(gc->collections.n, 3);
	ck_assert_uint_eq(gc->started[1], 1);
	ck_assert_int_eq(pv_gc_generation(gc, 1).total_ns, 215);
	ck_assert_uint_eq(gc->started[0], 2);
	ck_assert_int_eq(pv_gc_generation(gc, 0).total_ns, 20);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model rules");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(c, random_calls_are_what_the_rules_say, 0, 40);
	tcase_add_loop_test(c, a_threads_self_times_stay_within_its_wall_time, 0, 10);
	tcase_add_loop_test(c, buffers_without_threads_never_exceed_the_log, 0, 10);
	tcase_add_loop_test(c, concurrent_collections_do_not_mix, 0, 16);
	suite_add_tcase(s, c);
	return run_suite(s);
}
